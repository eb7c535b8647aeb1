// .hdl, the binary form, whose arrays are used as they are read:
//
//   0      header, 256 bytes: magic, version, byte order, sizes, what is known of the origin, checksums
//   256    ptr   (rows + 1) x 8 bytes
//          col   nnz x 4 bytes            each array begins at a multiple of 64; gaps are zero
//          val   nnz x 4 or 8 bytes
//
// Everything is in the byte order of the writer; a reader of the other order refuses. Places and size of the arrays
// follow from rows, nnz and the value size: the file does not get to choose them.
//
// The file is copied into memory, and the copy is checked: what becomes of the file afterwards changes nothing. Mapped,
// a file that another program overwrites would change column indices that were checked before, and one that it
// truncates would end this process by SIGBUS.
#pragma once

#include <memory>

#include <heddle/io.hpp>

#include "io/text.hpp"

namespace heddle::io {

bool is_hdl(const Text& text);
// Values are converted where V is not the type of the file. Error(input) for a file of another kind, of another
// version, truncated, damaged or not a canonical matrix.
template <class V>
Csr<V> read_hdl(const Text& text, FileFacts* facts, int threads);
// The same of memory, which must be aligned to 64 bytes and stay alive as long as `owner`: its arrays become the
// matrix.
template <class V>
Csr<V> hdl_in_memory(const std::string& name, std::span<char> bytes, std::shared_ptr<void> owner, FileFacts* facts,
                     int threads);
template <class V>
void write_hdl(const std::string& path, CsrView<V> A, const FileFacts& facts, const Progress& progress);

}  // namespace heddle::io

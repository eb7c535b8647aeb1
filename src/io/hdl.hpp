// .hdl, the binary form that is mapped into memory instead of read:
//
//   0      header, 256 bytes: magic, version, byte order, sizes, what is known of the origin, checksums
//   256    ptr   (rows + 1) x 8 bytes
//          col   nnz x 4 bytes            each array begins at a multiple of 64; gaps are zero
//          val   nnz x 4 or 8 bytes
//
// Everything is in the byte order of the writer; a reader of the other order refuses. Places and size of the arrays
// follow from rows, nnz and the value size: the file does not get to choose them.
#pragma once

#include <memory>

#include <heddle/io.hpp>

#include "io/text.hpp"

namespace heddle::io {

bool is_hdl(const Text& text);
// The arrays are the mapped file itself (copy on write) when V is the type of the file; else values are converted.
// Error(input) for what is foreign, of another version, truncated, damaged or not a canonical matrix.
template <class V>
Csr<V> read_hdl(const std::string& path, const OpenFile& file, FileFacts* facts, int threads);
// The same from memory, which must be aligned to 64 bytes and stay alive as long as `owner`.
template <class V>
Csr<V> map_hdl(const std::string& name, std::span<char> bytes, std::shared_ptr<void> owner, FileFacts* facts,
               int threads);
template <class V>
void write_hdl(const std::string& path, CsrView<V> A, const FileFacts& facts, const Progress& progress);

}  // namespace heddle::io

// Vectors as .npy, the file of numpy.save: a text that describes the array, then its numbers as they lie in memory.
//
//   0    \x93NUMPY  1 0          magic and version
//   8    length of the text, 2 bytes (version 1) or 4
//   10   {'descr': '<f8', 'fortran_order': False, 'shape': (3,), }      padded with blanks to a multiple of 64
#pragma once

#include <span>
#include <string>

#include <heddle/buffer.hpp>

#include "io/text.hpp"

namespace heddle::io {

bool is_npy(const Text& text);
// float32, float64, int32 or int64 in the byte order of this machine; one dimension, or two of which one is 1.
// Error(input) for everything else.
template <class V>
Buffer<V> read_npy(const Text& text);
template <class V>
void write_npy(const std::string& path, std::span<const V> x);

}  // namespace heddle::io

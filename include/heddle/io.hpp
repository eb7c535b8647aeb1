// Matrix and vector files: Matrix Market (.mtx, .mtx.gz), and .hdl, the checksummed binary form that needs no parsing.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <type_traits>

#include <heddle/export.hpp>
#include <heddle/matrix.hpp>

namespace HEDDLE_PUBLIC heddle {

// Types of values that there is no code for, complex numbers above all: refused here, not by the linker.
template <class V>
concept NoValue = !std::is_same_v<V, float> && !std::is_same_v<V, double>;

// What a Matrix Market banner says; for .hdl files and generated matrices, what is known.
struct FileFacts {
  std::string name;                  // file name without folder and suffix, or the generator's text
  std::string field = "real";        // real, integer, pattern
  std::string symmetry = "general";  // as stored in the file; the matrix itself is always expanded
};

// Called from time to time with the share done, 0..1. May throw to stop the work.
using Progress = std::function<void(double)>;

struct ReadOptions {
  int threads = 0;         // 0: heddle::threads()
  Progress progress = {};  // none: silent
};

// `source` is a path (.mtx, .mtx.gz, .hdl; recognised by content, not by name), "-" for standard input, or
// "gen:KIND,key=value,...".
// Symmetric files are expanded, duplicates summed, rows sorted. Error(input) carries file:line.
template <class V = double>
HEDDLE_PUBLIC Csr<V> read_matrix(const std::string& source, FileFacts* facts = nullptr,
                                 const ReadOptions& options = {});

template <NoValue V>
Csr<V> read_matrix(const std::string&, FileFacts* = nullptr, const ReadOptions& = {}) {
  static_assert(!NoValue<V>, "values are float or double");
}

// Format by the suffix: .mtx, .mtx.gz, .hdl. Atomic: the final name holds the old file or the whole new one.
// `facts` are kept by .hdl. Matrix Market is written as real; symmetric where the facts say so and it is so bit for
// bit. Error(input) for arrays that are no matrix.
template <class V>
HEDDLE_PUBLIC void write_matrix(const std::string& path, CsrView<V> A, const Progress& progress = {},
                                const FileFacts& facts = {});
template <class V>
void write_matrix(const std::string& path, const Csr<V>& A, const Progress& progress = {},
                  const FileFacts& facts = {}) {
  write_matrix(path, A.view(), progress, facts);
}

// A vector is a Matrix Market file with one column (or one row): array or coordinate; or plain numbers, one a line; or
// NumPy's .npy.
template <class V = double>
HEDDLE_PUBLIC Buffer<V> read_vector(const std::string& path);
template <NoValue V>
Buffer<V> read_vector(const std::string&) {
  static_assert(!NoValue<V>, "values are float or double");
}
// By the suffix: .txt and .csv plain numbers, one a line, .npy; everything else Matrix Market. A .gz behind it packs.
template <class V>
HEDDLE_PUBLIC void write_vector(const std::string& path, std::span<const V> x);

}  // namespace heddle

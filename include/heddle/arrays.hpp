// A matrix in arrays of your own: named by pointers, in memory of the host or of a device, with any integer types,
// counted from 0 or from 1. make_csr copies them; build and optimize use them where they lie as far as the plan allows.
#pragma once

#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>

#include <heddle/buffer.hpp>
#include <heddle/export.hpp>
#include <heddle/matrix.hpp>

namespace HEDDLE_PUBLIC heddle {

template <class T>
concept Integer = std::is_integral_v<T> && !std::is_same_v<std::remove_cv_t<T>, bool> && sizeof(T) <= 8;

// Integers of any type; nothing is owned.
struct Integers {
  const void* data = nullptr;
  std::int64_t size = 0;
  int bytes = 4;  // of one: 1, 2, 4 or 8
  bool has_sign = true;

  Integers() = default;
  template <Integer T>
  Integers(const T* first, std::int64_t count)
      : data(first), size(count), bytes(sizeof(T)), has_sign(std::is_signed_v<T>) {}
};

enum class EntryOrder { csr, csc, coo };  // by rows, by columns, any

// Nothing is owned. An operator that is built from a view may go on using the arrays (Operator::explain names them):
// until it is destroyed they must neither be freed nor changed.
template <class V>
struct MatrixView {
  static_assert(std::is_same_v<V, float> || std::is_same_v<V, double>, "values are float or double");
  EntryOrder order = EntryOrder::csr;
  std::int64_t rows = 0, cols = 0;
  Integers row;  // csr: rows + 1 offsets. csc and coo: the row of every entry
  Integers col;  // csc: cols + 1 offsets. csr and coo: the column of every entry
  std::span<const V> val;
  int base = 0;   // offsets, rows and columns count from 0 or from 1
  Device device;  // where all arrays lie

  std::int64_t entries() const { return static_cast<std::int64_t>(val.size()); }
};

struct ArrayOptions {
  int base = 0;
  Device device;
};

template <Integer P, Integer C, class V>
MatrixView<V> csr_view(std::int64_t rows, std::int64_t cols, std::int64_t entries, const P* ptr, const C* col,
                       const V* val, const ArrayOptions& options = {}) {
  const std::span<const V> values(val, static_cast<std::size_t>(entries));
  return {EntryOrder::csr, rows, cols, {ptr, rows + 1}, {col, entries}, values, options.base, options.device};
}
template <Integer P, Integer R, class V>
MatrixView<V> csc_view(std::int64_t rows, std::int64_t cols, std::int64_t entries, const P* ptr, const R* row,
                       const V* val, const ArrayOptions& options = {}) {
  const std::span<const V> values(val, static_cast<std::size_t>(entries));
  return {EntryOrder::csc, rows, cols, {row, entries}, {ptr, cols + 1}, values, options.base, options.device};
}
template <Integer R, Integer C, class V>
MatrixView<V> coo_view(std::int64_t rows, std::int64_t cols, std::int64_t entries, const R* row, const C* col,
                       const V* val, const ArrayOptions& options = {}) {
  const std::span<const V> values(val, static_cast<std::size_t>(entries));
  return {EntryOrder::coo, rows, cols, {row, entries}, {col, entries}, values, options.base, options.device};
}

// Which entries of a view make up each stored one of its canonical matrix; entries of the same place were added up in
// the order of the view. Arrays lie on one device.
struct EntryMap {
  std::int64_t given = 0, stored = 0;
  Buffer<Offset> from;   // entries of the view in stored order; empty: their order is the stored one
  Buffer<Offset> first;  // stored entry p is the sum of from[first[p]] .. from[first[p + 1] - 1]; empty: it is from[p]

  bool identity() const { return from.empty(); }
  EntryMap to(Device device) const { return {given, stored, from.to(device), first.to(device)}; }
  // For every entry of the view the stored one that it became, or was added to. Host memory.
  Buffer<Offset> places() const;
};

// Values in the order of the view become values in stored order. Host memory.
template <class V>
HEDDLE_PUBLIC void to_stored_order(const EntryMap& map, std::span<const V> given, std::span<V> stored);

// A copy: canonical, on the device of the view. Kernels convert CSR with canonical rows on a device; anything else that
// lies there is sorted on the host and sent back.
template <class V>
HEDDLE_PUBLIC Csr<V> make_csr(const MatrixView<V>& A, EntryMap* map = nullptr);

// The same from std::vector, std::span, Buffer and the like. Buffers tell where they lie.
template <std::ranges::contiguous_range Ptr, std::ranges::contiguous_range Col, std::ranges::contiguous_range Val>
auto make_csr(std::int64_t rows, std::int64_t cols, const Ptr& ptr, const Col& col, const Val& val,
              ArrayOptions options = {}, EntryMap* map = nullptr) {
  using V = std::remove_cv_t<std::ranges::range_value_t<Val>>;
  if constexpr (requires { val.device(); }) options.device = val.device();
  const auto count = [](const auto& array) { return static_cast<std::int64_t>(std::ranges::size(array)); };
  const std::span<const V> values(std::ranges::data(val), std::ranges::size(val));
  return make_csr(MatrixView<V>{EntryOrder::csr,
                                rows,
                                cols,
                                {std::ranges::data(ptr), count(ptr)},
                                {std::ranges::data(col), count(col)},
                                values,
                                options.base,
                                options.device},
                  map);
}

}  // namespace heddle

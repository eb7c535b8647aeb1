#include "core/matrix/arranged.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/check.hpp"
#include "core/grain.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"
#include "core/watch.hpp"

namespace heddle {

namespace {

constexpr std::int64_t most_rows_of_task = 8192, numbers_of_task = 1 << 16;

// What `value` counts from 0, or -1 where T cannot hold it: no offset, row or column is negative.
template <class To, class From>
To counted_from_zero(From value, int base) {
  if (std::cmp_less(value, base) || std::cmp_greater(value, std::numeric_limits<To>::max())) return To(-1);
  return static_cast<To>(static_cast<To>(value) - base);
}

template <class To>
Buffer<To> numbers(const Integers& array, int base) {
  if (fits_as<To>(array, base)) return lent<To>(array.data, array.size, Device::cpu());
  Buffer<To> made(array.size);
  with_type(array, [&](const auto* from) {
    parallel_ranges(array.size, numbers_of_task, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) made[i] = counted_from_zero<To>(from[i], base);
    });
  });
  return made;
}

std::string number_at(const Integers& array, std::int64_t k) {
  return with_type(array, [&](const auto* first) { return fmt::format("{}", first[k]); });
}

[[noreturn]] void refuse_offsets(const PatternView& A, const Integers& ptr, int base) {
  const bool from_one = base == 0 && ptr.size > 0 && number_at(ptr, 0) == "1";
  fail(ErrorKind::input, {"matrix arrays", from_one ? "arrays that count from 1 say so by ArrayOptions::base" : ""},
       "{}{}", violations(A).front(), base == 0 ? "" : " (counted from 0)");
}

// The first entry outside, or -1.
std::int64_t first_outside(const Buffer<Index>& numbers, std::int64_t limit) {
  std::atomic<std::int64_t> first{numbers.size()};
  parallel_ranges(numbers.size(), numbers_of_task, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      if (numbers[k] >= 0 && numbers[k] < limit) continue;
      std::int64_t seen = first.load();
      while (k < seen && !first.compare_exchange_weak(seen, k)) {
      }
      return;
    }
  });
  return first == numbers.size() ? -1 : first.load();
}

// By rows: "col[5] = 9 in row 2 is outside 0..8"; by columns likewise.
[[noreturn]] void refuse_number(const char* name, const char* line, const PatternView& A, const Integers& array,
                                int base) {
  const auto numbers = Buffer<Index>::borrow(A.col);
  const std::int64_t k = first_outside(numbers, A.cols);
  const auto after = std::upper_bound(A.ptr.begin(), A.ptr.end(), k);
  fail(ErrorKind::input, At{"matrix arrays"}, "{}[{}] = {} in {} {} is outside {}..{}", name, k, number_at(array, k),
       line, after - A.ptr.begin() - 1 + base, base, A.cols - 1 + base);
}

void check_pattern(const PatternView& A, const Integers& ptr, const Integers& number, int base, bool by_rows) {
  if (violations(A).empty()) return;
  const bool offsets_hold = static_cast<std::int64_t>(A.ptr.size()) == A.rows + 1 && A.ptr[0] == 0 &&
                            A.ptr[A.rows] == A.nnz() && std::is_sorted(A.ptr.begin(), A.ptr.end());
  if (!offsets_hold) refuse_offsets(A, ptr, base);
  by_rows ? refuse_number("col", "row", A, number, base) : refuse_number("row", "column", A, number, base);
}

// rows + 1 offsets out of the counts in ptr[1..rows].
void sum_up(Buffer<Offset>& ptr) {
  ptr[0] = 0;
  std::partial_sum(ptr.begin(), ptr.end(), ptr.begin());
}

// The pattern while it is put in order: entry k of it is entry from[k] of the caller's.
struct Ordered {
  std::int64_t rows = 0, cols = 0;
  Buffer<Offset> ptr;
  Buffer<Index> col;
  Buffer<Offset> from;

  PatternView view() const { return {rows, cols, ptr, col}; }
};

// Entries by rows, those of a row in the order given.
Ordered by_rows(std::int64_t rows, std::int64_t cols, const Buffer<Index>& row, const Buffer<Index>& col) {
  const std::int64_t entries = row.size();
  Ordered made{rows, cols, Buffer<Offset>(rows + 1), Buffer<Index>(entries), Buffer<Offset>(entries)};
  std::fill(made.ptr.begin(), made.ptr.end(), 0);
  for (const Index r : row) ++made.ptr[r + 1];
  sum_up(made.ptr);
  Buffer<Offset> next(rows);
  std::copy_n(made.ptr.begin(), rows, next.begin());
  for (std::int64_t k = 0; k < entries; ++k) {
    if (k % numbers_of_task == 0) Watch::pass();
    const Offset to = next[row[k]]++;
    made.col[to] = col[k];
    made.from[to] = k;
  }
  return made;
}

// Sorts the entries of a row by column, stably; returns how many distinct columns it has.
std::int64_t sort_row(Index* col, Offset* from, std::int64_t length, Vector<std::pair<Index, Offset>>& scratch) {
  if (!std::is_sorted(col, col + length)) {
    scratch.clear();
    for (std::int64_t k = 0; k < length; ++k) scratch.emplace_back(col[k], from[k]);
    std::stable_sort(scratch.begin(), scratch.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::int64_t k = 0; k < length; ++k) std::tie(col[k], from[k]) = scratch[static_cast<std::size_t>(k)];
  }
  std::int64_t distinct = length > 0 ? 1 : 0;
  for (std::int64_t k = 1; k < length; ++k) distinct += col[k] != col[k - 1] ? 1 : 0;
  return distinct;
}

template <class F>
void each_row(const PatternView& A, F f) {
  parallel_ranges(A.rows, grain_for(A.rows, A.nnz(), most_rows_of_task), f);
}

// Sorts every row; ptr[row + 1] of what it returns counts its distinct columns.
Buffer<Offset> sort_rows(Ordered& A) {
  Buffer<Offset> distinct(A.rows + 1);
  each_row(A.view(), [&](std::int64_t first, std::int64_t last) {
    Vector<std::pair<Index, Offset>> scratch;
    for (std::int64_t row = first; row < last; ++row) {
      const Offset begin = A.ptr[row];
      distinct[row + 1] = sort_row(A.col.data() + begin, A.from.data() + begin, A.ptr[row + 1] - begin, scratch);
    }
  });
  sum_up(distinct);
  return distinct;
}

// Entries of the same place become one. The rows are sorted; `ptr` are the offsets afterwards.
void merge_duplicates(Ordered& A, Buffer<Offset> ptr, EntryMap& map) {
  const std::int64_t stored = ptr[A.rows];
  Buffer<Index> col(stored);
  map.first = Buffer<Offset>(stored + 1);
  map.first[stored] = A.col.size();
  each_row(A.view(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      Offset to = ptr[row];
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
        if (k > A.ptr[row] && A.col[k] == A.col[k - 1]) continue;
        col[to] = A.col[k];
        map.first[to++] = k;
      }
    }
  });
  A.ptr = std::move(ptr);
  A.col = std::move(col);
}

template <class V>
Arranged<V> in_order(Ordered pattern, std::span<const V> val, std::vector<std::string> conversions) {
  Arranged<V> made{{}, {}, std::move(conversions)};
  made.map.given = static_cast<std::int64_t>(val.size());
  Buffer<Offset> ptr = sort_rows(pattern);
  made.map.stored = ptr[pattern.rows];
  const std::int64_t duplicates = made.map.given - made.map.stored;
  if (duplicates > 0) {
    merge_duplicates(pattern, std::move(ptr), made.map);
    made.conversions.push_back(fmt::format("{} entries added to others of the same place", duplicates));
  }
  made.map.from = std::move(pattern.from);
  made.A = {pattern.rows, pattern.cols, std::move(pattern.ptr), std::move(pattern.col), Buffer<V>(made.map.stored)};
  to_stored_order<V>(made.map, val, made.A.val);
  return made;
}

Buffer<Offset> straight(std::int64_t entries) {
  Buffer<Offset> from(entries);
  std::iota(from.begin(), from.end(), Offset{0});
  return from;
}

template <class V>
Arranged<V> arrange_csr(const MatrixView<V>& A) {
  Buffer<Offset> ptr = numbers<Offset>(A.row, A.base);
  Buffer<Index> col = numbers<Index>(A.col, A.base);
  std::vector<std::string> conversions = conversions_of(A);
  const PatternView pattern{A.rows, A.cols, ptr, col};
  if (violations(pattern, Require::canonical).empty()) {
    Buffer<V> val = lent<V>(A.val.data(), A.entries(), Device::cpu());
    const EntryMap identity{A.entries(), A.entries(), {}, {}};
    return {{A.rows, A.cols, std::move(ptr), std::move(col), std::move(val)}, identity, std::move(conversions)};
  }
  check_pattern(pattern, A.row, A.col, A.base, true);
  conversions.emplace_back("rows sorted by column");
  return in_order<V>({A.rows, A.cols, Buffer<Offset>::copy_of(ptr), Buffer<Index>::copy_of(col), straight(A.entries())},
                     A.val, std::move(conversions));
}

template <class V>
Arranged<V> arrange_csc(const MatrixView<V>& A) {
  const Buffer<Offset> ptr = numbers<Offset>(A.col, A.base);
  const Buffer<Index> row = numbers<Index>(A.row, A.base);
  const PatternView columns{A.cols, A.rows, ptr, row};
  check_pattern(columns, A.col, A.row, A.base, false);
  return in_order<V>(by_rows(A.rows, A.cols, row, row_numbers(columns)), A.val, {"columns (csc) to rows (csr)"});
}

template <class V>
Arranged<V> arrange_coo(const MatrixView<V>& A) {
  const Buffer<Index> row = numbers<Index>(A.row, A.base), col = numbers<Index>(A.col, A.base);
  const std::int64_t bad_row = first_outside(row, A.rows), bad_col = first_outside(col, A.cols);
  if (const std::int64_t k = bad_col < 0 || (bad_row >= 0 && bad_row < bad_col) ? bad_row : bad_col; k >= 0)
    fail(ErrorKind::input, At{"matrix arrays"}, "entry {} at ({}, {}) is outside the {} x {} matrix", k,
         number_at(A.row, k), number_at(A.col, k), A.rows, A.cols);
  return in_order<V>(by_rows(A.rows, A.cols, row, col), A.val, {"entries (coo) to rows (csr)"});
}

template <class To>
void add_conversion(const char* name, const Integers& array, int base, std::vector<std::string>& to) {
  if (fits_as<To>(array, base)) return;
  const int bits = 8 * static_cast<int>(sizeof(To));
  to.push_back(8 * array.bytes == bits && array.has_sign
                   ? fmt::format("{} counted from 0", name)
                   : fmt::format("{} from {}int{} to int{}{}", name, array.has_sign ? "" : "u", 8 * array.bytes, bits,
                                 base == 0 ? "" : ", counted from 0"));
}

}  // namespace

template <class V>
std::vector<std::string> conversions_of(const MatrixView<V>& A) {
  std::vector<std::string> all;
  add_conversion<Offset>("row offsets", A.row, A.base, all);
  add_conversion<Index>("columns", A.col, A.base, all);
  return all;
}

template <class V>
void check_view(const MatrixView<V>& A) {
  check(A.rows >= 0 && A.cols >= 0, ErrorKind::input, "a matrix cannot have {} rows and {} columns", A.rows, A.cols);
  check(A.rows <= max_dimension && A.cols <= max_dimension, ErrorKind::input,
        "{} x {} is beyond the largest dimension, {}", A.rows, A.cols, max_dimension);
  check(A.base == 0 || A.base == 1, ErrorKind::usage, "arrays count from 0 or from 1, not from {}", A.base);
  const auto need = [&](const char* name, const Integers& array, std::int64_t size, const char* what) {
    check(array.size == size, ErrorKind::input, "{} has {} elements, {} need {}", name, array.size, what, size);
    check(array.data != nullptr || size == 0, ErrorKind::input, "{} is null", name);
  };
  const std::string entries = fmt::format("{} values", A.entries());
  const bool csr = A.order == EntryOrder::csr, csc = A.order == EntryOrder::csc;
  csr ? need("ptr", A.row, A.rows + 1, fmt::format("{} rows", A.rows).c_str())
      : need("row", A.row, A.entries(), entries.c_str());
  csc ? need("ptr", A.col, A.cols + 1, fmt::format("{} columns", A.cols).c_str())
      : need("col", A.col, A.entries(), entries.c_str());
  check(A.val.data() != nullptr || A.val.empty(), ErrorKind::input, "val is null");
}

template <class V>
Arranged<V> arrange(const MatrixView<V>& A) {
  switch (A.order) {
    case EntryOrder::csc: return arrange_csc(A);
    case EntryOrder::coo: return arrange_coo(A);
    default: return arrange_csr(A);
  }
}

template <class V>
Csr<V> owned(Csr<V> A, const MatrixView<V>& view) {
  const auto own = [&](auto& array, const void* of_view) {
    if (array.data() == of_view && !array.empty()) array = array.to(array.device());
  };
  own(A.ptr, view.row.data);
  own(A.col, view.col.data);
  own(A.val, view.val.data());
  return A;
}

Buffer<Offset> EntryMap::places() const {
  if (identity()) return straight(given);
  Buffer<Offset> place(given);
  parallel_ranges(stored, numbers_of_task, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p)
      for (Offset k = first.empty() ? p : first[p]; k < (first.empty() ? p + 1 : first[p + 1]); ++k) place[from[k]] = p;
  });
  return place;
}

template <class V>
void to_stored_order(const EntryMap& map, std::span<const V> given, std::span<V> stored) {
  const auto size = [](auto values) { return static_cast<std::int64_t>(values.size()); };
  check(size(given) == map.given && size(stored) == map.stored, ErrorKind::input,
        "{} values to {}, the map is from {} to {}", given.size(), stored.size(), map.given, map.stored);
  parallel_ranges(map.stored, numbers_of_task, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
      if (map.identity()) {
        stored[p] = given[p];
      } else if (map.first.empty()) {
        stored[p] = given[map.from[p]];
      } else {
        V sum = given[map.from[map.first[p]]];
        for (Offset k = map.first[p] + 1; k < map.first[p + 1]; ++k) sum += given[map.from[k]];
        stored[p] = sum;
      }
    }
  });
}

template std::vector<std::string> conversions_of(const MatrixView<float>&);
template std::vector<std::string> conversions_of(const MatrixView<double>&);
template void check_view(const MatrixView<float>&);
template void check_view(const MatrixView<double>&);
template Arranged<float> arrange(const MatrixView<float>&);
template Arranged<double> arrange(const MatrixView<double>&);
template Csr<float> owned(Csr<float>, const MatrixView<float>&);
template Csr<double> owned(Csr<double>, const MatrixView<double>&);
template void to_stored_order(const EntryMap&, std::span<const float>, std::span<float>);
template void to_stored_order(const EntryMap&, std::span<const double>, std::span<double>);

}  // namespace heddle

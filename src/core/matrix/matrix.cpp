#include <heddle/matrix.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>

#include "core/check.hpp"
#include "core/grain.hpp"
#include "core/matrix/arranged.hpp"
#include "core/parallel.hpp"

namespace heddle {

namespace {

constexpr std::int64_t most_rows_of_task = 8192;

// The row with the least number for which `bad` holds, or -1; rows are checked in parallel.
template <class F>
std::int64_t first_bad_row(const PatternView& A, F bad) {
  const std::int64_t rows = A.rows;
  std::atomic<std::int64_t> first{rows};
  parallel_ranges(rows, grain_for(rows, A.nnz(), most_rows_of_task), [&](std::int64_t begin, std::int64_t end) {
    if (begin >= first.load(std::memory_order_relaxed)) return;
    for (std::int64_t row = begin; row < end; ++row)
      if (bad(row)) {
        std::int64_t seen = first.load();
        while (row < seen && !first.compare_exchange_weak(seen, row)) {
        }
        return;
      }
  });
  return first == rows ? -1 : first.load();
}

std::string offset_violation(const PatternView& A) {
  const auto nnz = A.nnz();
  if (static_cast<std::int64_t>(A.ptr.size()) != A.rows + 1)
    return fmt::format("ptr has {} elements, {} rows need {}", A.ptr.size(), A.rows, A.rows + 1);
  if (A.ptr[0] != 0) return fmt::format("ptr[0] = {}, not 0", A.ptr[0]);
  if (A.ptr[A.rows] != nnz) return fmt::format("ptr[{}] = {}, but there are {} entries", A.rows, A.ptr[A.rows], nnz);
  const std::int64_t row = first_bad_row(A, [&](std::int64_t r) { return A.ptr[r + 1] < A.ptr[r]; });
  if (row < 0) return {};
  return fmt::format("ptr[{}] = {} is below ptr[{}] = {}", row + 1, A.ptr[row + 1], row, A.ptr[row]);
}

std::string column_violation(const PatternView& A) {
  const auto outside = [&](Offset k) { return A.col[k] < 0 || A.col[k] >= A.cols; };
  const std::int64_t row = first_bad_row(A, [&](std::int64_t r) {
    bool bad = false;
    for (Offset k = A.ptr[r]; k < A.ptr[r + 1]; ++k) bad |= outside(k);
    return bad;
  });
  if (row < 0) return {};
  Offset k = A.ptr[row];
  while (!outside(k)) ++k;
  return fmt::format("col[{}] = {} in row {} is outside 0..{}", k, A.col[k], row, A.cols - 1);
}

std::string order_violation(const PatternView& A) {
  const std::int64_t row = first_bad_row(A, [&](std::int64_t r) {
    bool bad = false;
    for (Offset k = A.ptr[r] + 1; k < A.ptr[r + 1]; ++k) bad |= A.col[k] <= A.col[k - 1];
    return bad;
  });
  if (row < 0) return {};
  Offset k = A.ptr[row] + 1;
  while (A.col[k] > A.col[k - 1]) ++k;
  const char* what = A.col[k] == A.col[k - 1] ? "repeats" : "comes after a larger one";
  return fmt::format("col[{}] = {} in row {} {}", k, A.col[k], row, what);
}

// How many columns from `begin` on are not above the one before, whatever row they belong to. Summed in short stretches
// of 32 bits, so that compilers see as many lanes as columns have.
std::int64_t count_descents(const Index* col, Offset begin, Offset end) {
  constexpr Offset stretch = 1 << 12;
  std::int64_t all = 0;
  for (Offset k = begin; k < end; k += stretch) {
    std::int32_t some = 0;
    for (Offset i = k; i < std::min(k + stretch, end); ++i) some += col[i] <= col[i - 1] ? 1 : 0;
    all += some;
  }
  return all;
}

// Columns of a row ascend where there are no more descents than those from a row to the next: entries are read without
// a loop for each row. Columns that ascend lie inside where the first and the last of a row do.
bool rows_are_canonical(const PatternView& A) {
  std::atomic<bool> canonical{true};
  parallel_ranges(A.rows, grain_for(A.rows, A.nnz(), most_rows_of_task), [&](std::int64_t first, std::int64_t last) {
    const Index* col = A.col.data();
    const Offset begin = A.ptr[first], end = A.ptr[last];
    std::int64_t between = 0;
    bool inside = true;
    for (std::int64_t row = first; row < last; ++row) {
      const Offset from = A.ptr[row], to = A.ptr[row + 1];
      if (from == to) continue;
      inside &= col[from] >= 0 && col[to - 1] < A.cols;
      between += from > begin && col[from] <= col[from - 1] ? 1 : 0;
    }
    if (!inside || count_descents(col, begin + 1, end) != between) canonical.store(false, std::memory_order_relaxed);
  });
  return canonical;
}

// rows + 1 offsets out of the counts in ptr[1..rows].
void sum_up(Buffer<Offset>& ptr) {
  ptr[0] = 0;
  std::partial_sum(ptr.begin(), ptr.end(), ptr.begin());
}

}  // namespace

std::vector<std::string> violations(const PatternView& A, Require level) {
  if (A.rows < 0 || A.cols < 0 || A.rows > max_dimension || A.cols > max_dimension)
    return {fmt::format("{} x {} is not a possible shape", A.rows, A.cols)};
  // Columns can be read only once the offsets are known to be safe.
  if (std::string offsets = offset_violation(A); !offsets.empty()) return {offsets};
  if (level == Require::canonical && rows_are_canonical(A)) return {};
  std::vector<std::string> found;
  if (std::string columns = column_violation(A); !columns.empty()) found.push_back(columns);
  if (level == Require::canonical)
    if (std::string order = order_violation(A); !order.empty()) found.push_back(order);
  return found;
}

void validate(const PatternView& A, Require level) {
  const std::vector<std::string> found = violations(A, level);
  if (found.empty()) return;
  const char* hint = level == Require::canonical ? "heddle::make_csr sorts rows and sums duplicates" : "";
  fail(ErrorKind::input, {"matrix arrays", hint}, "{}", found.front());
}

template <class V>
void validate(const CsrView<V>& A, Require level) {
  validate(static_cast<const PatternView&>(A), level);
  check(A.val.size() == A.col.size(), ErrorKind::input, "{} columns but {} values", A.col.size(), A.val.size());
}

template <class V>
Csr<V> make_csr(std::int64_t rows, std::int64_t cols, std::span<const Offset> ptr, std::span<const Index> col,
                std::span<const V> val) {
  const auto size = [](auto array) { return static_cast<std::int64_t>(array.size()); };
  const MatrixView<V> view{EntryOrder::csr, rows, cols, {ptr.data(), size(ptr)}, {col.data(), size(col)}, val};
  check_view(view);
  return owned(arrange(view).A, view);
}

template <class V>
Csr<V> to_csr(const Coo<V>& entries) {
  check(entries.row.size() == entries.val.size() && entries.col.size() == entries.val.size(), ErrorKind::input,
        "{} rows, {} columns and {} values do not belong together", entries.row.size(), entries.col.size(),
        entries.val.size());
  const MatrixView<V> view =
      coo_view(entries.rows, entries.cols, entries.nnz(), entries.row.data(), entries.col.data(), entries.val.data());
  check_view(view);
  return arrange(view).A;
}

Buffer<Index> row_numbers(const PatternView& A) {
  validate(A);
  Buffer<Index> row_of(A.nnz());
  parallel_ranges(A.rows, grain_for(A.rows, A.nnz(), most_rows_of_task), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row)
      std::fill(row_of.data() + A.ptr[row], row_of.data() + A.ptr[row + 1], static_cast<Index>(row));
  });
  return row_of;
}

template <class V>
Coo<V> to_coo(CsrView<V> A) {
  validate(A);
  return {A.rows, A.cols, row_numbers(A), Buffer<Index>::copy_of(A.col), Buffer<V>::copy_of(A.val)};
}

template <class V>
Csr<V> transpose(CsrView<V> A) {
  validate(A);
  Csr<V> T{A.cols, A.rows, Buffer<Offset>(A.cols + 1), Buffer<Index>(A.nnz()), Buffer<V>(A.nnz())};
  std::fill(T.ptr.begin(), T.ptr.end(), 0);
  for (const Index c : A.col) ++T.ptr[c + 1];
  sum_up(T.ptr);
  Buffer<Offset> next(A.cols);
  std::copy_n(T.ptr.begin(), A.cols, next.begin());
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
      const Offset to = next[A.col[k]]++;
      T.col[to] = static_cast<Index>(row);
      T.val[to] = A.val[k];
    }
  return T;
}

template <class To, class From>
Csr<To> convert(CsrView<From> A) {
  validate(A);
  Csr<To> B{A.rows, A.cols, Buffer<Offset>::copy_of(A.ptr), Buffer<Index>::copy_of(A.col), Buffer<To>(A.nnz())};
  parallel_ranges(A.nnz(), 1 << 17, [&](std::int64_t begin, std::int64_t end) {
    std::transform(A.val.begin() + begin, A.val.begin() + end, B.val.begin() + begin,
                   [](From v) { return static_cast<To>(v); });
  });
  return B;
}

template <class V>
bool identical(CsrView<V> A, CsrView<V> B) {
  const auto same = [](auto a, auto b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
  };
  return A.rows == B.rows && A.cols == B.cols && same(A.ptr, B.ptr) && same(A.col, B.col) && same(A.val, B.val);
}

template void validate(const CsrView<float>&, Require);
template void validate(const CsrView<double>&, Require);
template Csr<float> make_csr(std::int64_t, std::int64_t, std::span<const Offset>, std::span<const Index>,
                             std::span<const float>);
template Csr<double> make_csr(std::int64_t, std::int64_t, std::span<const Offset>, std::span<const Index>,
                              std::span<const double>);
template Csr<float> to_csr(const Coo<float>&);
template Csr<double> to_csr(const Coo<double>&);
template Coo<float> to_coo(CsrView<float>);
template Coo<double> to_coo(CsrView<double>);
template Csr<float> transpose(CsrView<float>);
template Csr<double> transpose(CsrView<double>);
template Csr<float> convert(CsrView<double>);
template Csr<double> convert(CsrView<float>);
template Csr<float> convert(CsrView<float>);
template Csr<double> convert(CsrView<double>);
template bool identical(CsrView<float>, CsrView<float>);
template bool identical(CsrView<double>, CsrView<double>);

}  // namespace heddle

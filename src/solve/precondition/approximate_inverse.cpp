// Sparse approximate inverses: preconditioners that are built row by row, each by a small dense system, and applied by
// multiplications alone.
//
// fsai (Kolotilina and Yeremin 1993), for symmetric positive definite A = L L^T: G is the matrix on the pattern of the
// lower triangle of A for which I - G L is smallest, and M^-1 = G^T G. With J the columns of row i of G, A(J,J) = C
// C^T:
//
//       J                     C^T g = (0 ... 0 1)^T
//   i [ x . x . x ]           g is the row: (G A G^T)_ii = 1
//
// spai (Cosgrove, Diaz and Griewank 1992), for any A: column i of M^-1 makes |A m - e_i| smallest on the pattern of
// column i of A, by the normal equations of the few columns it touches. A column of A with very many entries would make
// every column that touches it look at all of them: such a one is touched by itself alone.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "solve/precondition/preconditioners.hpp"
#include "solve/precondition/small_cholesky.hpp"

namespace heddle::solve_method {

namespace {

// Entries of a row of an approximate inverse. A row of A that has more gives its largest ones: the cost of a row grows
// with the cube.
constexpr std::int64_t most_in_row = 128;
// Entries of a column of A that spai multiplies with others.
constexpr std::int64_t most_in_column = 8 * most_in_row;
constexpr std::int64_t rows_of_task = 256;

enum class Triangle { lower, whole };

// The pattern of row `row` of the `power`th power of A, with the diagonal, in order. Where that is too much the first
// power is taken, and of that the largest entries.
template <class V>
class RowPattern {
 public:
  RowPattern(const CsrView<V>& matrix, int power, Triangle part) : A(matrix), power_(power), part_(part) {}

  const Vector<Index>& of(std::int64_t row) {
    columns_.assign(1, static_cast<Index>(row));
    for (int step = 0; step < power_; ++step) {
      if (!widen()) {
        largest_of(row);
        break;
      }
    }
    if (part_ == Triangle::lower)
      columns_.erase(std::upper_bound(columns_.begin(), columns_.end(), static_cast<Index>(row)), columns_.end());
    else
      std::erase_if(columns_, [&](Index j) { return j != row && A.length(j) > most_in_column; });
    if (static_cast<std::int64_t>(columns_.size()) > most_in_row) largest_of(row);
    return columns_;
  }

 private:
  // The columns of the rows in `columns_`; false when they are far too many.
  bool widen() {
    wider_ = columns_;
    for (const Index j : columns_) {
      if (static_cast<std::int64_t>(wider_.size()) + A.length(j) > 64 * most_in_row) return false;
      wider_.insert(wider_.end(), A.col.begin() + A.ptr[j], A.col.begin() + A.ptr[j + 1]);
    }
    std::sort(wider_.begin(), wider_.end());
    wider_.erase(std::unique(wider_.begin(), wider_.end()), wider_.end());
    columns_.swap(wider_);
    return true;
  }

  void largest_of(std::int64_t row) {
    entries_.clear();
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
      if (A.col[k] != row && (part_ == Triangle::whole || A.col[k] < row)) entries_.push_back(k);
    if (static_cast<std::int64_t>(entries_.size()) >= most_in_row) {
      const auto size = [&](Offset k) { return std::isfinite(A.val[k]) ? std::abs(A.val[k]) : V(0); };
      const auto larger = [&](Offset a, Offset b) { return size(a) != size(b) ? size(a) > size(b) : a < b; };
      std::nth_element(entries_.begin(), entries_.begin() + (most_in_row - 1), entries_.end(), larger);
      entries_.resize(most_in_row - 1);
    }
    columns_.assign(1, static_cast<Index>(row));
    for (const Offset k : entries_) columns_.push_back(A.col[k]);
    std::sort(columns_.begin(), columns_.end());
  }

  const CsrView<V>& A;
  int power_;
  Triangle part_;
  Vector<Index> columns_, wider_;
  Vector<Offset> entries_;
};

// The entries of a row at the given columns; 0 where there is none.
template <class V, class Put>
void pick(const CsrView<V>& A, Index row, std::span<const Index> columns, const Put& put) {
  const auto end = A.col.begin() + A.ptr[row + 1];
  auto at = A.col.begin() + A.ptr[row];
  for (std::size_t k = 0; k < columns.size() && at != end; ++k) {
    at = std::lower_bound(at, end, columns[k]);
    if (at != end && *at == columns[k]) put(static_cast<std::int64_t>(k), A.val[at - A.col.begin()]);
  }
}

// Row i of G. Only entries on and below the diagonal of A are read.
template <class V>
class FactorRow {
 public:
  explicit FactorRow(const CsrView<V>& matrix) : A(matrix) {}

  std::span<const double> on(std::int64_t, const Vector<Index>& J) {
    const auto n = static_cast<std::int64_t>(J.size());
    system_.clear(n);
    for (std::int64_t p = 0; p < n; ++p) {
      const Index row = J[static_cast<std::size_t>(p)];
      pick(A, row, std::span(J).first(static_cast<std::size_t>(p + 1)),
           [&](std::int64_t q, V value) { system_.at(p, q) = value; });
    }
    double pivot = 0;
    if (const std::int64_t bad = system_.factor(0, pivot); bad < n)
      fail(ErrorKind::input, At{"fsai", "use --precond spai, jacobi or none"},
           "the pivot of row {} is {:.3g}: the matrix is not positive definite", J[static_cast<std::size_t>(bad)] + 1,
           pivot);
    row_.assign(J.size(), 0.0);
    row_.back() = 1;
    system_.solve_upper(row_);
    return row_;
  }

 private:
  const CsrView<V>& A;
  SmallCholesky system_;
  Vector<double> row_;
};

// Row i of M^-T, where T is the transpose of A: y with (T_J T_J^T) y = T_J e_i.
template <class V>
class LeastSquaresRow {
 public:
  explicit LeastSquaresRow(const CsrView<V>& transposed) : T(transposed) {}

  std::span<const double> on(std::int64_t row, const Vector<Index>& J) {
    const auto n = static_cast<std::int64_t>(J.size());
    system_.clear(n);
    row_.assign(J.size(), 0.0);
    for (std::int64_t p = 0; p < n; ++p) {
      const Index at = J[static_cast<std::size_t>(p)];
      for (std::int64_t q = 0; q <= p; ++q) system_.at(p, q) = dot(at, J[static_cast<std::size_t>(q)]);
      const Index diagonal[] = {static_cast<Index>(row)};
      pick(T, at, std::span<const Index>(diagonal),
           [&](std::int64_t, V value) { row_[static_cast<std::size_t>(p)] = value; });
    }
    double pivot = 0;
    if (const std::int64_t bad = system_.factor(std::numeric_limits<double>::epsilon(), pivot); bad < n)
      fail(ErrorKind::input, At{"spai", "use --precond none"},
           "column {} depends on others of the matrix: there is no approximate inverse",
           J[static_cast<std::size_t>(bad)] + 1);
    system_.solve_lower(row_);
    system_.solve_upper(row_);
    return row_;
  }

 private:
  double dot(Index a, Index b) const {
    const bool swapped = T.length(a) < T.length(b);
    const Index longer = swapped ? b : a, shorter = swapped ? a : b;
    const auto first = static_cast<std::size_t>(T.ptr[shorter]), last = static_cast<std::size_t>(T.ptr[shorter + 1]);
    double sum = 0;
    pick(T, longer, T.col.subspan(first, last - first), [&](std::int64_t k, V value) {
      sum += static_cast<double>(value) * static_cast<double>(T.val[first + static_cast<std::size_t>(k)]);
    });
    return sum;
  }

  const CsrView<V>& T;
  SmallCholesky system_;
  Vector<double> row_;
};

// A matrix of rows that are worked out one by one: their lengths first, then their numbers.
template <class Row, class V>
Csr<V> row_by_row(const CsrView<V>& A, int power, Triangle part) {
  Csr<V> made{A.rows, A.rows, Buffer<Offset>(A.rows + 1), Buffer<Index>(), Buffer<V>()};
  parallel_ranges(A.rows, rows_of_task, [&](std::int64_t begin, std::int64_t end) {
    RowPattern<V> pattern(A, power, part);
    for (std::int64_t row = begin; row < end; ++row) made.ptr[row + 1] = static_cast<Offset>(pattern.of(row).size());
  });
  made.ptr[0] = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) made.ptr[row + 1] += made.ptr[row];
  made.col = Buffer<Index>(made.ptr[A.rows]);
  made.val = Buffer<V>(made.ptr[A.rows]);
  parallel_ranges(A.rows, rows_of_task, [&](std::int64_t begin, std::int64_t end) {
    RowPattern<V> pattern(A, power, part);
    Row numbers(A);
    for (std::int64_t row = begin; row < end; ++row) {
      const Vector<Index>& J = pattern.of(row);
      const std::span<const double> values = numbers.on(row, J);
      std::copy(J.begin(), J.end(), made.col.begin() + made.ptr[row]);
      std::transform(values.begin(), values.end(), made.val.begin() + made.ptr[row],
                     [](double v) { return static_cast<V>(v); });
    }
  });
  return made;
}

// In the format of A, where that fits.
template <class V>
Operator<V> stored_like(const Operator<V>& A, Csr<V>&& matrix) {
  Plan plan{A.plan().format, {}};
  if (!footprint(matrix.view(), plan, sizeof(V)).fits) plan = Plan{"csr", {}};
  return build(std::move(matrix), plan, {.device = A.device()});
}

template <class V>
class Fsai final : public Preconditioner<V> {
 public:
  Fsai(const Operator<V>& A, Csr<V>&& factor, std::string name)
      : name_(std::move(name)),
        upper_(stored_like(A, transpose(factor.view()))),
        lower_(stored_like(A, std::move(factor))),
        between_(A.rows(), A.device()) {}
  std::string name() const override { return name_; }
  bool recordable() const override { return true; }
  void apply(std::span<const V> r, std::span<V> z, Stream stream) const override {
    lower_.multiply(r, between_.span(), stream);
    upper_.multiply(between_.span(), z, stream);
  }

 private:
  std::string name_;
  Operator<V> upper_, lower_;  // G^T and G
  mutable Buffer<V> between_;
};

template <class V>
class Spai final : public Preconditioner<V> {
 public:
  Spai(const Operator<V>& A, Csr<V>&& inverse, std::string name)
      : name_(std::move(name)), inverse_(stored_like(A, std::move(inverse))) {}
  std::string name() const override { return name_; }
  bool symmetric() const override { return false; }
  bool recordable() const override { return true; }
  void apply(std::span<const V> r, std::span<V> z, Stream stream) const override { inverse_.multiply(r, z, stream); }

 private:
  std::string name_;
  Operator<V> inverse_;
};

template <class V>
std::int64_t long_rows(const CsrView<V>& A) {
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) count += A.length(row) > most_in_column ? 1 : 0;
  return count;
}

std::string name_with(const char* word, int power) {
  check(power >= 1 && power <= 3, ErrorKind::usage, "a pattern of the power {}: {} takes 1 to 3", power, word);
  return power == 1 ? word : fmt::format("{} {}", word, power);
}

}  // namespace

template <class V>
std::shared_ptr<Preconditioner<V>> make_fsai(const Operator<V>& A, const CsrView<V>& matrix, int power) {
  std::string name = name_with("fsai", power);
  return std::make_shared<Fsai<V>>(A, row_by_row<FactorRow<V>>(matrix, power, Triangle::lower), std::move(name));
}

template <class V>
std::shared_ptr<Preconditioner<V>> make_spai(const Operator<V>& A, const CsrView<V>& matrix, int power) {
  std::string name = name_with("spai", power);
  const Csr<V> T = transpose(matrix);
  if (const std::int64_t aside = long_rows(T.view()); aside > 0)
    name += fmt::format(", {} column{} of more than {} entries aside", aside, aside == 1 ? "" : "s", most_in_column);
  const Csr<V> inverse = row_by_row<LeastSquaresRow<V>>(T.view(), power, Triangle::whole);
  return std::make_shared<Spai<V>>(A, transpose(inverse.view()), std::move(name));
}

template std::shared_ptr<Preconditioner<float>> make_fsai(const Operator<float>&, const CsrView<float>&, int);
template std::shared_ptr<Preconditioner<double>> make_fsai(const Operator<double>&, const CsrView<double>&, int);
template std::shared_ptr<Preconditioner<float>> make_spai(const Operator<float>&, const CsrView<float>&, int);
template std::shared_ptr<Preconditioner<double>> make_spai(const Operator<double>&, const CsrView<double>&, int);

}  // namespace heddle::solve_method

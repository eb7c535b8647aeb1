// broken_promises: the contract of products, asked of a plan on small matrices. The conformance suite asks more, of the
// formats of the library; this is for those from outside, whose authors have no suite.
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include <heddle/custom_format.hpp>
#include <heddle/operator.hpp>

#include "core/bits.hpp"
#include "core/memory_errors.hpp"

namespace heddle {

namespace {

// Whole numbers from 1 to 8, with a sign: sums of them are exact in any order.
class Numbers {
 public:
  std::int64_t below(std::int64_t n) {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(n));
  }
  template <class V>
  V next() {
    const V size = static_cast<V>(1 + below(8));
    return below(2) == 0 ? size : -size;
  }
  template <class V>
  std::vector<V> list(std::int64_t n) {
    std::vector<V> all(static_cast<std::size_t>(n));
    for (V& e : all) e = next<V>();
    return all;
  }

 private:
  std::uint64_t state_ = 1;
};

struct Sample {
  const char* name;
  std::int64_t rows, cols;
  std::function<std::int64_t(std::int64_t row)> length;
};

std::vector<Sample> samples() {
  const auto all = [](std::int64_t n) { return [n](std::int64_t) { return n; }; };
  return {{"no rows and no columns", 0, 0, all(0)},
          {"no rows", 0, 7, all(0)},
          {"no columns", 5, 0, all(0)},
          {"no entries", 40, 33, all(0)},
          {"one entry", 1, 1, all(1)},
          {"one entry a row", 300, 300, all(1)},
          {"rows of 0 to 70 entries", 71, 90, [](std::int64_t row) { return row; }},
          {"every third row empty", 1000, 500, [](std::int64_t row) { return row % 3 == 0 ? 0 : 1 + row % 9; }},
          {"dense", 65, 65, all(65)},
          {"tall", 5000, 3, all(2)},
          {"wide", 3, 5000, all(1700)},
          {"one row of thousands", 700, 6000, [](std::int64_t row) { return row == 350 ? 6000 : row % 4; }}};
}

enum class ValueKind { any, alike };

// A run of columns in every other row, and columns spread evenly in the others.
template <class V>
Csr<V> matrix_of(const Sample& sample, ValueKind kind) {
  Numbers numbers;
  Buffer<Offset> ptr(sample.rows + 1);
  ptr[0] = 0;
  for (std::int64_t row = 0; row < sample.rows; ++row) ptr[row + 1] = ptr[row] + sample.length(row);
  const std::int64_t nnz = ptr[sample.rows];
  Csr<V> A{sample.rows, sample.cols, std::move(ptr), Buffer<Index>(nnz), Buffer<V>(nnz)};
  for (std::int64_t row = 0; row < A.rows; ++row) {
    const std::int64_t length = A.ptr[row + 1] - A.ptr[row];
    if (length == 0) continue;
    const std::int64_t step = row % 2 == 0 ? 1 : A.cols / length;
    const std::int64_t first = numbers.below(A.cols - step * (length - 1));
    for (std::int64_t k = 0; k < length; ++k) A.col[A.ptr[row] + k] = static_cast<Index>(first + k * step);
  }
  for (V& value : A.val) value = kind == ValueKind::alike ? V(3) : numbers.next<V>();
  return A;
}

template <class V>
bool same_bits(V a, V b) {
  return bits_of(a) == bits_of(b);
}

// One plan on one matrix. Each promise is a function that says how it is broken.
template <class V>
class Trial {
 public:
  Trial(const Csr<V>& A, const Plan& plan, Device device, std::string name, std::vector<std::string>& broken)
      : A_(A), plan_(plan), device_(device), name_(std::move(name)), broken_(broken) {}

  // False: the format refused the matrix, as it may.
  bool run() {
    const Footprint need = footprint(A_.view(), plan_, sizeof(V));
    std::optional<Operator<V>> op;
    try {
      op = build(A_, plan_, {.device = device_});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unavailable) say("build fails: {}", error.what());
      return false;
    }
    if (!need.fits) say("it is built, although its footprint says that it does not fit: {}", need.reason);
    const std::int64_t said = footprint(A_.view(), op->plan(), sizeof(V)).bytes;  // of the plan as it was settled
    if (op->bytes() != said) say("footprint says {} bytes, and {} were taken", said, op->bytes());
    if (!identical(op->restore(), A_)) say("restore gives another matrix");
    exact_sums(*op);
    special_numbers(*op);
    same_with_any_threads(*op);
    new_values(*op);
    return true;
  }

 private:
  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    broken_.push_back(name_ + ": " + fmt::format(text, std::forward<Args>(args)...));
  }

  // y[row] of exact numbers; a row without entries stays out of reach of alpha.
  V exact(std::int64_t row, V alpha, const std::vector<V>& x, V beta, V y) const {
    const V rest = beta == V(0) ? V(0) : beta * y;
    if (A_.ptr[row] == A_.ptr[row + 1]) return rest;
    V sum = 0;
    for (Offset k = A_.ptr[row]; k < A_.ptr[row + 1]; ++k) sum += A_.val[k] * x[static_cast<std::size_t>(A_.col[k])];
    return alpha * sum + rest;
  }

  // One complaint at most; the sign of a zero counts in rows without entries.
  void compare(const Operator<V>& op, V alpha, const std::vector<V>& x, V beta, const std::vector<V>& y,
               const char* what) {
    std::vector<V> got = y;
    op.multiply(alpha, x, beta, got);
    for (std::int64_t row = 0; row < A_.rows; ++row) {
      const auto at = static_cast<std::size_t>(row);
      const V wanted = exact(row, alpha, x, beta, y[at]);
      const bool same = std::isnan(wanted) ? std::isnan(got[at]) : got[at] == wanted;
      const bool sign =
          wanted != V(0) || A_.ptr[row] != A_.ptr[row + 1] || std::signbit(wanted) == std::signbit(got[at]);
      if (same && sign) continue;
      return say("{}: y[{}] = {}, not {} (alpha = {}, beta = {})", what, row, got[at], wanted, alpha, beta);
    }
  }

  void exact_sums(const Operator<V>& op) {
    const std::vector<V> x = numbers_.list<V>(A_.cols), y = numbers_.list<V>(A_.rows);
    for (const V alpha : {V(1), V(-2)})
      for (const V beta : {V(0), V(1), V(3)}) compare(op, alpha, x, beta, y, "a wrong sum");
  }

  void special_numbers(const Operator<V>& op) {
    constexpr V nan = std::numeric_limits<V>::quiet_NaN(), infinity = std::numeric_limits<V>::infinity();
    std::vector<V> x = numbers_.list<V>(A_.cols);
    const std::vector<V> y = numbers_.list<V>(A_.rows), never_written(y.size(), nan);
    compare(op, V(1), x, V(0), never_written, "beta = 0 reads y");
    compare(op, V(-1), x, V(0), y, "a row without entries is not +0");
    compare(op, nan, x, V(2), y, "alpha reaches a row without entries");
    for (const V odd : {infinity, nan}) {
      if (A_.cols == 0) return;
      const auto column = static_cast<std::size_t>(A_.cols / 2);
      const V before = std::exchange(x[column], odd);
      compare(op, V(1), x, V(1), y, "Inf or NaN of x in the wrong rows");
      x[column] = before;
    }
  }

  void same_with_any_threads(const Operator<V>& op) {
    std::vector<V> x = numbers_.list<V>(A_.cols);
    for (V& e : x) e /= V(7);
    const auto product = [&] {
      std::vector<V> y(static_cast<std::size_t>(A_.rows));
      op.multiply(x, y);
      return y;
    };
    const std::vector<V> first = product();
    const int before = threads();
    for (const int count : {1, 2, 3}) {
      set_threads(count);
      const std::vector<V> again = product();
      if (!std::equal(first.begin(), first.end(), again.begin(), same_bits<V>))
        say("other bits with {} threads", count);
    }
    set_threads(before);
  }

  // Values that are alike stay so: a format may live by that.
  void new_values(Operator<V>& op) {
    Csr<V> changed = A_;
    for (V& value : changed.val) value *= V(-2);
    try {
      op.update_values(changed.val);
      if (!identical(op.restore(), changed)) say("update_values gives another matrix");
      Trial(changed, plan_, device_, name_ + ", new values", broken_).exact_sums(op);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unavailable) say("update_values fails: {}", error.what());
    }
  }

  const Csr<V>& A_;
  const Plan& plan_;
  Device device_;
  std::string name_;
  std::vector<std::string>& broken_;
  Numbers numbers_;
};

template <class V>
int built(const Plan& plan, Device device, std::vector<std::string>& broken) {
  int count = 0;
  for (const Sample& sample : samples())
    for (const ValueKind kind : {ValueKind::any, ValueKind::alike}) {
      const Csr<V> A = matrix_of<V>(sample, kind);
      const std::string name = fmt::format("{}, {}, {}{}", to_string(plan), sizeof(V) == 4 ? "float" : "double",
                                           sample.name, kind == ValueKind::alike ? ", all values alike" : "");
      if (Trial<V>(A, plan, device, name, broken).run() && A.nnz() > 0) ++count;
    }
  return count;
}

}  // namespace

std::vector<std::string> broken_promises(const Plan& plan, Device device) {
  return with_memory_errors([&] {
    std::vector<std::string> broken;
    (void)find_format(plan.format);
    if (built<float>(plan, device, broken) + built<double>(plan, device, broken) == 0)
      broken.push_back(to_string(plan) + " takes no matrix that has entries");
    return broken;
  });
}

}  // namespace heddle

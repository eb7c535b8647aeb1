#include <algorithm>
#include <atomic>
#include <bit>

#include "analyze/parts.hpp"
#include "analyze/row_pieces.hpp"

namespace heddle {

namespace {

template <class V>
using Bits = std::conditional_t<sizeof(V) == 8, std::uint64_t, std::uint32_t>;

// Every entry (i, j) below the diagonal looks for its mirror (j, i). The questions are collected and answered in
// batches, so that the cache misses of a batch (ptr[j], then the row j) overlap instead of following each other.
//
// In meshes and bands the mirror of the k-th entry of a row sits where it sat for the k-th entry of the row before:
// that place is tried first, then binary search.
template <class V>
class MirrorSearch {
 public:
  explicit MirrorSearch(const CsrView<V>& matrix) : A(matrix) {}

  // Entry `at` is (row, A.col[at]), the k-th of its row. False: an entry of the batch that is complete now has no
  // mirror.
  bool ask(std::int64_t row, Offset at, std::int64_t k) {
    __builtin_prefetch(&A.ptr[A.col[at]]);
    questions[asked++] = {at, 0, 0, static_cast<Index>(row), static_cast<int>(k & (habit_count - 1))};
    return asked < batch || answer();
  }

  bool answer() {
    for (Question& q : std::span(questions, asked)) {
      q.begin = A.ptr[A.col[q.at]];
      q.end = A.ptr[A.col[q.at] + 1];
      const Offset likely = q.begin + habits[q.k];
      __builtin_prefetch(A.col.data() + likely);
      __builtin_prefetch(A.val.data() + likely);
    }
    bool all = true;
    for (const Question& q : std::span(questions, asked)) all = all && find(q);
    asked = 0;
    return all;
  }

  bool same_values = true;

 private:
  static constexpr std::size_t batch = 64;
  static constexpr int habit_count = 64;
  struct Question {
    Offset at, begin, end;
    Index row;
    int k;
  };

  bool find(const Question& q) {
    Offset mirror = q.begin + habits[q.k];
    if (mirror >= q.end || A.col[mirror] != q.row) {
      const Index *first = A.col.data() + q.begin, *last = A.col.data() + q.end;
      const Index* found = std::lower_bound(first, last, q.row);
      if (found == last || *found != q.row) return false;
      habits[q.k] = found - first;
      mirror = found - A.col.data();
    }
    same_values = same_values && std::bit_cast<Bits<V>>(A.val[mirror]) == std::bit_cast<Bits<V>>(A.val[q.at]);
    return true;
  }

  const CsrView<V>& A;
  Question questions[batch];
  std::size_t asked = 0;
  Offset habits[habit_count] = {};
};

struct Verdict {
  std::atomic<bool> structural{true}, numerical{true};
  std::atomic<std::int64_t> surplus{0};  // entries above the diagonal less entries below
};

template <class V>
void look_at(const CsrView<V>& A, std::int64_t first, std::int64_t last, Verdict& verdict) {
  MirrorSearch<V> mirror(A);
  bool found = true;
  std::int64_t surplus = 0;
  for (std::int64_t row = first; row < last && found; ++row) {
    const Offset begin = A.ptr[row], end = A.ptr[row + 1];
    Offset k = begin;
    for (; k < end && A.col[k] < row && found; ++k) found = mirror.ask(row, k, k - begin);
    const bool diagonal = k < end && A.col[k] == row;
    surplus += (end - k - (diagonal ? 1 : 0)) - (k - begin);
  }
  found = found && mirror.answer();
  if (!found) verdict.structural.store(false, std::memory_order_relaxed);
  if (!mirror.same_values) verdict.numerical.store(false, std::memory_order_relaxed);
  verdict.surplus.fetch_add(surplus, std::memory_order_relaxed);
}

}  // namespace

// Each entry below has its own mirror above; when the numbers are equal too, nothing above is left without one.
template <class V>
Symmetry measure_symmetry(const CsrView<V>& A) {
  if (A.rows != A.cols) return {};
  Verdict verdict;
  RowPieces{A}.for_each([&](std::int64_t, std::int64_t first, std::int64_t last) {
    if (verdict.structural.load(std::memory_order_relaxed)) look_at(A, first, last, verdict);
  });
  const bool structural = verdict.structural && verdict.surplus == 0;
  return {structural, structural && verdict.numerical};
}

template Symmetry measure_symmetry(const CsrView<float>&);
template Symmetry measure_symmetry(const CsrView<double>&);

}  // namespace heddle

#include <atomic>
#include <bit>

#include "analyze/parts.hpp"
#include "analyze/row_pieces.hpp"

namespace heddle {

namespace {

template <class V>
using Bits = std::conditional_t<sizeof(V) == 8, std::uint64_t, std::uint32_t>;

// Every entry (i, j) below the diagonal looks for its mirror (j, i). In meshes and bands the mirror of the k-th entry
// of a row sits where it sat for the k-th entry of the row before, so that place is tried first; else binary search.
template <class V>
class MirrorSearch {
 public:
  explicit MirrorSearch(const CsrView<V>& matrix) : A(matrix) {}

  // Position of (row, column), or -1. `k` is the number of the asking entry in its own row.
  Offset find(std::int64_t row, Index column, std::int64_t k) {
    const Offset begin = A.ptr[row], end = A.ptr[row + 1];
    Offset& habit = habits[k & 63];
    if (const Offset at = begin + habit; at < end && A.col[at] == column) return at;
    const Index* found = std::lower_bound(A.col.data() + begin, A.col.data() + end, column);
    const Offset at = found - A.col.data();
    if (at == end || *found != column) return -1;
    habit = at - begin;
    return at;
  }

 private:
  const CsrView<V>& A;
  Offset habits[64] = {};
};

struct Verdict {
  std::atomic<bool> structural{true}, numerical{true};
  std::atomic<std::int64_t> above_minus_below{0};
};

template <class V>
void look_at(const CsrView<V>& A, std::int64_t first, std::int64_t last, Verdict& verdict) {
  MirrorSearch<V> mirror(A);
  bool same_values = verdict.numerical.load(std::memory_order_relaxed);
  std::int64_t surplus = 0;  // entries above the diagonal less entries below
  for (std::int64_t row = first; row < last; ++row) {
    Offset k = A.ptr[row];
    const Offset begin = k, end = A.ptr[row + 1];
    for (; k < end && A.col[k] < row; ++k) {
      const Offset at = mirror.find(A.col[k], static_cast<Index>(row), k - begin);
      if (at < 0) {
        verdict.structural.store(false, std::memory_order_relaxed);
        return;
      }
      same_values = same_values && std::bit_cast<Bits<V>>(A.val[at]) == std::bit_cast<Bits<V>>(A.val[k]);
    }
    const bool diagonal = k < end && A.col[k] == row;
    surplus += (end - k - (diagonal ? 1 : 0)) - (k - begin);
  }
  if (!same_values) verdict.numerical.store(false, std::memory_order_relaxed);
  verdict.above_minus_below.fetch_add(surplus, std::memory_order_relaxed);
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
  const bool structural = verdict.structural && verdict.above_minus_below == 0;
  return {structural, structural && verdict.numerical};
}

template Symmetry measure_symmetry(const CsrView<float>&);
template Symmetry measure_symmetry(const CsrView<double>&);

}  // namespace heddle

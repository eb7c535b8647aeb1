#include "layout/coordinates.hpp"

#include <algorithm>
#include <numeric>

#include "core/parallel.hpp"

namespace heddle {

template <class V>
Coordinates<V> coordinates_of(std::span<const Offset> ptr) {
  const auto rows = static_cast<std::int64_t>(ptr.size()) - 1;
  const std::int64_t shares = share_count(ptr[rows], Coordinates<V>::share);
  Coordinates<V> made;
  made.crossing = find_crossings(ptr, Coordinates<V>::share);
  made.head = Buffer<V>(shares);
  made.tail = Buffer<V>(shares);
  // Scratch that holds nothing: what lay there before would pass for numbers of entries where a map of values is made.
  for (auto* scratch : {&made.head, &made.tail}) std::fill(scratch->begin(), scratch->end(), V(0));
  made.row = Buffer<Index>(ptr[rows]);
  parallel_ranges(rows, 1 << 14, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row)
      std::fill(made.row.data() + ptr[row], made.row.data() + ptr[row + 1], static_cast<Index>(row));
  });
  return made;
}

std::int64_t coordinate_bytes(std::span<const Offset> ptr, int value_bytes) {
  constexpr std::int64_t share = Coordinates<double>::share;
  const Offset nnz = ptr.back();
  return nnz * (2 * static_cast<std::int64_t>(sizeof(Index)) + value_bytes) +
         share_count(nnz, share) * 2 * value_bytes +
         count_crossings(ptr, share) * static_cast<std::int64_t>(sizeof(Crossing));
}

template <class V>
Buffer<Offset> row_starts(const Coordinates<V>& A, std::int64_t rows) {
  Buffer<Offset> ptr(rows + 1);
  std::fill(ptr.begin(), ptr.end(), 0);
  for (const Index row : A.row) ++ptr[row + 1];
  std::partial_sum(ptr.begin(), ptr.end(), ptr.begin());
  return ptr;
}

namespace {

// Entries [begin, end) of one share: each row segment either is a whole row, or a piece for `combine`.
template <class V>
void add_share(const Coordinates<V>& A, std::int64_t number, const Product<V>& p) {
  const Offset nnz = A.nnz(), begin = number * A.share, end = std::min(begin + A.share, nnz);
  const Update<V>& update = p.update;
  for (Offset k = begin; k < end;) {
    const Index row = A.row[k];
    const Offset first = k;
    V sum = 0;
    for (; k < end && A.row[k] == row; ++k) sum += A.val[k] * p.x[A.col[k]];
    const bool started_before = first == begin && begin > 0 && A.row[begin - 1] == row;
    const bool goes_on = k == end && end < nnz && A.row[end] == row;
    if (started_before)
      A.pieces().head[number] = sum;
    else if (goes_on)
      A.pieces().tail[number] = sum;
    else
      update.y[update.place(row)] += update.alpha * sum;
  }
}

}  // namespace

template <class V>
void add_product(OnCpu, const Coordinates<V>& A, const Product<V>& p) {
  parallel_work(A.head.size(), A.nnz(), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t number = first; number < last; ++number) add_share(A, number, p);
  });
  combine(OnCpu{}, A.pieces(), p.update, Combine::add);
}

template Coordinates<float> coordinates_of(std::span<const Offset>);
template Coordinates<double> coordinates_of(std::span<const Offset>);
template Buffer<Offset> row_starts(const Coordinates<float>&, std::int64_t);
template Buffer<Offset> row_starts(const Coordinates<double>&, std::int64_t);
template void add_product(OnCpu, const Coordinates<float>&, const Product<float>&);
template void add_product(OnCpu, const Coordinates<double>&, const Product<double>&);

}  // namespace heddle

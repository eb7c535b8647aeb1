#include "analyze/slice_diagonals.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "analyze/kinds.hpp"
#include "core/bits.hpp"

namespace heddle {

namespace {

constexpr std::int64_t slice = 128;

}  // namespace

template <class V>
std::uint64_t DiagonalSet::collect(const CsrView<V>& A, std::int64_t first, std::int64_t last) {
  found_.clear();
  set_.make_room(A.ptr[last] - A.ptr[first]);
  if (at_.size() < set_.slots()) at_.resize(set_.slots());
  std::uint64_t pattern = 0;
  for (std::int64_t row = first; row < last; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
      const std::int64_t distance = A.col[k] - row;
      pattern += slice_pattern(distance, row - first);
      const auto place = set_.insert(static_cast<std::uint32_t>(distance));
      if (place.fresh) {
        at_[place.slot] = found_.size();
        found_.push_back({distance, 0, bits_of(A.val[k]), true});
      }
      SeenDiagonal& d = found_[at_[place.slot]];
      ++d.entries;
      d.constant &= d.bits == bits_of(A.val[k]);
    }
  return pattern;
}

template <class V>
void SliceDiagonals::add(const CsrView<V>& A, const RowWindow& window, DiagonalSet& met) {
  if (!window.shows_diagonals()) {  // as in a part of a giant row: each entry is alone on its diagonal
    const Offset count = window.end - window.begin;
    entries += count;
    slice_entries += count;
    slice_places += count * slice;
    return;
  }
  for (std::int64_t first = window.first; first < window.last; first += slice) {
    const std::int64_t last = std::min(first + slice, window.last);
    const std::uint64_t pattern = met.collect(A, first, last);
    const std::span<const SeenDiagonal> found = met.found();
    rows += last - first;
    entries += A.ptr[last] - A.ptr[first];
    if (last - first == slice || last == A.rows) {
      slice_places += static_cast<std::int64_t>(found.size()) * (last - first);
      slice_entries += A.ptr[last] - A.ptr[first];
      if (!found.empty()) patterns.push_back(pattern);
    }
    for (const SeenDiagonal& d : found)
      if (4 * d.entries >= last - first) seen.push_back(d);
  }
}

namespace {

void count_patterns(std::span<const SliceDiagonals> parts, DiagonalCounts& sum) {
  Vector<std::uint64_t> all;
  for (const SliceDiagonals& part : parts) all.insert(all.end(), part.patterns.begin(), part.patterns.end());
  sum.slices = static_cast<std::int64_t>(all.size());
  std::sort(all.begin(), all.end());
  sum.patterns = std::min<std::int64_t>(std::unique(all.begin(), all.end()) - all.begin(), sum.most_patterns);
}

}  // namespace

DiagonalCounts counts_of(std::span<const SliceDiagonals> parts) {
  Vector<SeenDiagonal> all;
  DiagonalCounts sum;
  for (const SliceDiagonals& part : parts) {
    all.insert(all.end(), part.seen.begin(), part.seen.end());
    sum.rows += part.rows;
    sum.entries += part.entries;
    sum.slice_places += part.slice_places;
    sum.slice_entries += part.slice_entries;
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const SeenDiagonal& a, const SeenDiagonal& b) { return a.distance < b.distance; });
  for (std::size_t i = 0; i < all.size(); ++sum.different) {
    SeenDiagonal diagonal = all[i];
    for (++i; i < all.size() && all[i].distance == diagonal.distance; ++i) {
      diagonal.entries += all[i].entries;
      diagonal.constant &= all[i].constant && all[i].bits == diagonal.bits;
    }
    if (2 * diagonal.entries < sum.rows) continue;
    ++sum.full;
    sum.constant += diagonal.constant;
    sum.on_full += diagonal.entries;
  }
  count_patterns(parts, sum);
  return sum;
}

Diagonals diagonal_facts(const DiagonalCounts& counts, std::int64_t matrix_rows) {
  Diagonals facts;
  const std::int64_t slices = (matrix_rows + slice - 1) / slice;
  facts.patterns =
      counts.patterns < counts.most_patterns ? kinds_in_all(counts.patterns, counts.slices, slices) : slices;
  if (counts.slice_entries > 0)
    facts.slice_fill = static_cast<double>(counts.slice_places) / static_cast<double>(counts.slice_entries);
  if (counts.entries == 0 || counts.different > DiagonalCounts::most) return facts;
  facts.full = counts.full;
  facts.constant = counts.constant;
  facts.full_share = static_cast<double>(counts.on_full) / static_cast<double>(counts.entries);
  return facts;
}

template void SliceDiagonals::add(const CsrView<float>&, const RowWindow&, DiagonalSet&);
template void SliceDiagonals::add(const CsrView<double>&, const RowWindow&, DiagonalSet&);

}  // namespace heddle

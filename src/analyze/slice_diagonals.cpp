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

DiagonalSet::Slot& DiagonalSet::slot_of(std::int64_t distance) {
  const auto key = static_cast<std::uint32_t>(distance);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::uint32_t>(key * 0x9E3779B9u) >> shift_;
  while (slots_[at].place >= 0 && slots_[at].distance != key) at = (at + 1) & mask;
  return slots_[at];
}

// Most slices have few: the table is as large as those that were met ask for.
void DiagonalSet::grow() {
  slots_.assign(std::max<std::size_t>(2048, 4 * slots_.size()), Slot{});
  shift_ = 32 - std::countr_zero(slots_.size());
  for (std::size_t i = 0; i < found_.size(); ++i)
    slot_of(found_[i].distance) = {static_cast<std::uint32_t>(found_[i].distance), static_cast<Index>(i)};
}

// The last first: an entry that others moved on finds them still in the table.
void DiagonalSet::clear() {
  if (8 * found_.size() > slots_.size())
    std::fill(slots_.begin(), slots_.end(), Slot{});
  else
    for (std::size_t i = found_.size(); i-- > 0;) slot_of(found_[i].distance) = {};
  found_.clear();
}

SeenDiagonal& DiagonalSet::find(std::int64_t distance, std::uint64_t bits) {
  if (2 * found_.size() >= slots_.size()) grow();
  Slot& slot = slot_of(distance);
  if (slot.place < 0) {
    slot = {static_cast<std::uint32_t>(distance), static_cast<Index>(found_.size())};
    found_.push_back({distance, 0, bits, true});
  }
  return found_[static_cast<std::size_t>(slot.place)];
}

template <class V>
std::uint64_t DiagonalSet::collect(const CsrView<V>& A, std::int64_t first, std::int64_t last,
                                   const PartOfWindow& part) {
  clear();
  std::uint64_t pattern = 0;
  for (std::int64_t row = first; row < last; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
      const std::int64_t distance = A.col[k] - row;
      if ((distance & (part.of - 1)) != part.number) continue;
      pattern += slice_pattern(distance, row - first);
      SeenDiagonal& d = find(distance, bits_of(A.val[k]));
      ++d.entries;
      d.constant &= d.bits == bits_of(A.val[k]);
    }
  return pattern;
}

// Rows and entries are counted by the first part.
template <class V>
void SliceDiagonals::add(const CsrView<V>& A, const RowWindow& window, const PartOfWindow& part, DiagonalSet& met) {
  const std::int64_t once = part.number == 0;
  if (!window.shows_diagonals()) {  // as in a part of a giant row: each entry is alone on its diagonal
    const Offset count = once * (window.end - window.begin);
    entries += count;
    slice_entries += count;
    slice_places += count * slice;
    return;
  }
  for (std::int64_t first = window.first; first < window.last; first += slice) {
    const std::int64_t last = std::min(first + slice, window.last), count = A.ptr[last] - A.ptr[first];
    const std::uint64_t pattern = met.collect(A, first, last, part);
    const std::span<const SeenDiagonal> found = met.found();
    rows += once * (last - first);
    entries += once * count;
    if (last - first == slice || last == A.rows) {
      slice_places += static_cast<std::int64_t>(found.size()) * (last - first);
      slice_entries += once * count;
      if (count > 0) patterns.push_back(pattern);
    }
    for (const SeenDiagonal& d : found)
      if (4 * d.entries >= last - first) seen.push_back(d);
  }
}

void SliceDiagonals::join(const SliceDiagonals& part) {
  rows += part.rows, entries += part.entries;
  slice_places += part.slice_places, slice_entries += part.slice_entries;
  seen.insert(seen.end(), part.seen.begin(), part.seen.end());
  for (std::size_t i = 0; i < patterns.size(); ++i) patterns[i] += part.patterns[i];
}

namespace {

void count_patterns(std::span<const SliceDiagonals> windows, DiagonalCounts& sum) {
  Vector<std::uint64_t> all;
  for (const SliceDiagonals& window : windows) all.insert(all.end(), window.patterns.begin(), window.patterns.end());
  sum.slices = static_cast<std::int64_t>(all.size());
  std::sort(all.begin(), all.end());
  sum.patterns = std::min<std::int64_t>(std::unique(all.begin(), all.end()) - all.begin(), sum.most_patterns);
}

}  // namespace

DiagonalCounts counts_of(std::span<const SliceDiagonals> windows) {
  Vector<SeenDiagonal> all;
  DiagonalCounts sum;
  for (const SliceDiagonals& window : windows) {
    all.insert(all.end(), window.seen.begin(), window.seen.end());
    sum.rows += window.rows;
    sum.entries += window.entries;
    sum.slice_places += window.slice_places;
    sum.slice_entries += window.slice_entries;
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
  count_patterns(windows, sum);
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

template void SliceDiagonals::add(const CsrView<float>&, const RowWindow&, const PartOfWindow&, DiagonalSet&);
template void SliceDiagonals::add(const CsrView<double>&, const RowWindow&, const PartOfWindow&, DiagonalSet&);

}  // namespace heddle

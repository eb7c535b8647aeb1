#include <algorithm>

#include "core/parallel.hpp"
#include "core/system.hpp"
#include "formats/weave/diagonals/diagonal_slices.hpp"
#include "formats/weave/diagonals/lists.hpp"

namespace heddle::weave {

namespace {

// The diagonals of one slice while they are collected.
class SlicePattern {
 public:
  Vector<Index> offset;
  Vector<RowMask> mask;

  void collect(const PatternView& A, std::int64_t s) {
    offset.clear(), mask.clear();
    const std::int64_t first = s * slice_rows, last = std::min(first + slice_rows, A.rows);
    constexpr std::size_t few = 512, any = SIZE_MAX;
    if (number(A, first, last) || walk(A, first, last, few)) return;
    prepare(A, first, last);
    walk(A, first, last, any);
  }
  std::size_t size() const { return offset.size(); }

 private:
  static void mark(RowMask& rows, std::int64_t row) { rows.word[row / 32] |= 1u << static_cast<unsigned>(row % 32); }

  // A word for every offset between the lowest and the highest tells its number, so that no entry searches for it.
  // False: they lie too far apart, or are too many. (FEM with three unknowns, 5.0 M entries: built in 35 to 39 instead
  // of 78 ms on two cores.)
  bool number(const PatternView& A, std::int64_t first, std::int64_t last) {
    constexpr std::int64_t widest = 1 << 17;
    std::int64_t lowest = INT64_MAX, highest = INT64_MIN;
    for (std::int64_t row = first; row < last; ++row) {
      if (A.length(row) == 0) continue;
      lowest = std::min(lowest, A.col[A.ptr[row]] - row);
      highest = std::max(highest, A.col[A.ptr[row + 1] - 1] - row);
    }
    if (lowest > highest) return true;
    if (highest - lowest >= widest) return false;
    if (number_.size() < static_cast<std::size_t>(highest - lowest + 1))
      number_.resize(static_cast<std::size_t>(highest - lowest + 1), 0);
    const bool all = enter(A, first, last, lowest);
    for (const Index o : offset) number_[static_cast<std::size_t>(o - lowest)] = 0;
    if (all)
      sort();
    else
      offset.clear(), mask.clear();
    return all;
  }
  // Rows that repeat the one before them are marked together.
  bool enter(const PatternView& A, std::int64_t first, std::int64_t last, std::int64_t lowest) {
    for (std::int64_t row = first, end; row < last; row = end) {
      for (end = row + 1; end < last && repeats(A, end);) ++end;
      const bool entered = end == row + 1 ? mark_row(A, row, row - first, lowest)
                                          : mark_rows(A, row, between(row - first, end - first), lowest);
      if (!entered) return false;
    }
    return true;
  }
  bool mark_row(const PatternView& A, std::int64_t row, std::int64_t in_slice, std::int64_t lowest) {
    const auto word = static_cast<std::size_t>(in_slice / 32);
    const std::uint32_t bit = 1u << static_cast<unsigned>(in_slice % 32);
    return each_number(A, row, lowest, [&](std::size_t n) { mask[n].word[word] |= bit; });
  }
  bool mark_rows(const PatternView& A, std::int64_t row, const RowMask& rows, std::int64_t lowest) {
    return each_number(A, row, lowest, [&](std::size_t n) {
      for (int w = 0; w < slice_rows / 32; ++w) mask[n].word[w] |= rows.word[w];
    });
  }
  static RowMask between(std::int64_t begin, std::int64_t end) {
    RowMask rows{};
    for (; begin < end; ++begin) mark(rows, begin);
    return rows;
  }
  // f(number of its diagonal) for each entry of the row.
  template <class F>
  bool each_number(const PatternView& A, std::int64_t row, std::int64_t lowest, F f) {
    std::uint16_t* const number = number_.data();
    const std::int64_t zero = row + lowest;
    const Index *col = A.col.data() + A.ptr[row], *end = A.col.data() + A.ptr[row + 1];
    for (; col < end; ++col) {
      std::uint16_t& its = number[*col - zero];
      if (its == 0) {
        if (offset.size() == UINT16_MAX) return false;
        offset.push_back(static_cast<Index>(*col - row));
        mask.push_back({});
        its = static_cast<std::uint16_t>(offset.size());
      }
      f(its - std::size_t{1});
    }
    return true;
  }
  void sort() {
    order_.clear();
    for (std::size_t i = 0; i < offset.size(); ++i) order_.push_back({offset[i], mask[i]});
    std::sort(order_.begin(), order_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < offset.size(); ++i) offset[i] = order_[i].first, mask[i] = order_[i].second;
  }

  // False: more than `most` offsets were met.
  bool walk(const PatternView& A, std::int64_t first, std::int64_t last, std::size_t most) {
    for (std::int64_t row = first; row < last; ++row) {
      std::size_t i = 0;
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
        i = find(static_cast<Index>(A.col[k] - row), i);
        mark(mask[i], row - first);
      }
      if (offset.size() > most) return false;
    }
    return true;
  }
  // The place of an offset at or after i; put there when it is new.
  std::size_t find(Index wanted, std::size_t i) {
    if (offset.size() - i > 16 && offset[i] < wanted)
      i = static_cast<std::size_t>(
          std::lower_bound(offset.begin() + static_cast<std::ptrdiff_t>(i), offset.end(), wanted) - offset.begin());
    while (i < offset.size() && offset[i] < wanted) ++i;
    if (i == offset.size() || offset[i] != wanted) {
      offset.insert(offset.begin() + static_cast<std::ptrdiff_t>(i), wanted);
      mask.insert(mask.begin() + static_cast<std::ptrdiff_t>(i), RowMask{});
    }
    return i;
  }
  // Many offsets: all of them at once, instead of one insertion after another.
  void prepare(const PatternView& A, std::int64_t first, std::int64_t last) {
    offset.clear();
    for (std::int64_t row = first; row < last; ++row)
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) offset.push_back(static_cast<Index>(A.col[k] - row));
    std::sort(offset.begin(), offset.end());
    offset.erase(std::unique(offset.begin(), offset.end()), offset.end());
    mask.assign(offset.size(), RowMask{});
  }

  Vector<std::uint16_t> number_;  // by offset; 0 between slices
  Vector<std::pair<Index, RowMask>> order_;
};

// What one task found in its slices: lists of (offset, mask number) with its own numbers for masks and lists.
struct Part {
  Lists patterns, masks;
  Vector<std::int64_t> list_of, count_of;  // per slice
};

Part collect_part(const PatternView& A, std::int64_t first, std::int64_t last) {
  Part part;
  SlicePattern slice;
  Vector<std::int64_t> list;
  for (std::int64_t s = first; s < last; ++s) {
    slice.collect(A, s);
    list.clear();
    for (std::size_t i = 0; i < slice.size(); ++i) {
      list.push_back(slice.offset[i]);
      list.push_back(slice.mask[i] == all_rows ? -1 : part.masks.number_of(as_list(slice.mask[i])));
    }
    part.list_of.push_back(part.patterns.number_of(list));
    part.count_of.push_back(static_cast<std::int64_t>(slice.size()));
  }
  return part;
}

// The parts become one, in their order: numbers do not depend on the number of threads.
class Merger {
 public:
  explicit Merger(std::int64_t slices) : slices_(slices) { masks_.number_of(as_list(all_rows)); }

  void add(const Part& part) {
    Vector<std::int64_t> list;
    for (std::size_t s = 0; s < part.list_of.size(); ++s) {
      const auto start = static_cast<std::size_t>(part.list_of[s]), count = static_cast<std::size_t>(part.count_of[s]);
      list.clear();
      for (std::size_t i = start; i < start + 2 * count; i += 2) {
        list.push_back(part.patterns.all[i]);
        list.push_back(mask_number(part, part.patterns.all[i + 1]));
      }
      slices_[next_++] = {diagonals_, static_cast<Index>(patterns_.number_of(list) / 2), static_cast<Index>(count)};
      diagonals_ += static_cast<Offset>(count);
    }
  }

  DiagonalSkeleton finish() {
    DiagonalSkeleton made{std::move(slices_), Buffer<Diagonal>(static_cast<std::int64_t>(patterns_.all.size() / 2)),
                          Buffer<RowMask>(static_cast<std::int64_t>(masks_.all.size() / 4)), diagonals_};
    for (std::int64_t i = 0; i < made.pattern.size(); ++i)
      made.pattern[i] = {static_cast<Index>(patterns_.all[static_cast<std::size_t>(2 * i)]),
                         static_cast<Index>(patterns_.all[static_cast<std::size_t>(2 * i + 1)])};
    for (std::int64_t i = 0; i < made.masks.size(); ++i)
      for (int w = 0; w < 4; ++w)
        made.masks[i].word[w] = static_cast<std::uint32_t>(masks_.all[static_cast<std::size_t>(4 * i + w)]);
    return made;
  }

 private:
  std::int64_t mask_number(const Part& part, std::int64_t local) {
    if (local < 0) return 0;
    const auto from = part.masks.all.begin() + local;
    return masks_.number_of(std::span<const std::int64_t>(from, from + 4)) / 4;
  }
  Buffer<DiagonalSlice> slices_;
  Lists patterns_, masks_;
  Offset diagonals_ = 0;
  std::int64_t next_ = 0;
};

}  // namespace

DiagonalSkeleton diagonal_skeleton(const PatternView& A) {
  const std::int64_t slices = slice_count(A.rows), of_part = slices_at_once(A),
                     parts = (slices + of_part - 1) / of_part;
  Merger merger(slices);
  constexpr std::int64_t parts_at_once = 256;  // bounds the memory taken by parts
  for (std::int64_t begin = 0; begin < parts; begin += parts_at_once) {
    Vector<Part> found(static_cast<std::size_t>(std::min(parts_at_once, parts - begin)));
    parallel_tasks(static_cast<std::int64_t>(found.size()), [&](std::int64_t i) {
      const std::int64_t first = (begin + i) * of_part;
      found[static_cast<std::size_t>(i)] = collect_part(A, first, std::min(first + of_part, slices));
    });
    for (const Part& part : found) merger.add(part);
  }
  return merger.finish();
}

void spread_masks(Buffer<Diagonal>& pattern, Buffer<RowMask>& masks) {
  Buffer<RowMask> spread(pattern.size() + 1);
  spread[0] = all_rows;
  for (std::int64_t i = 0; i < pattern.size(); ++i) {
    spread[i + 1] = masks[pattern[i].mask];
    if (pattern[i].mask != 0) pattern[i].mask = static_cast<Index>(i + 1);
  }
  masks = std::move(spread);
}

std::int64_t diagonal_places(const PatternView& A, std::int64_t limit) {
  SlicePattern slice;
  std::int64_t places = 0;
  for (std::int64_t s = 0; s < slice_count(A.rows) && places <= limit; ++s) {
    slice.collect(A, s);
    places += static_cast<std::int64_t>(slice.size()) * slice_rows;
  }
  return places;
}

}  // namespace heddle::weave

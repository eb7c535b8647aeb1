#include "formats/weave/weave_diagonals.hpp"

#include <algorithm>
#include <atomic>

#include "core/bits.hpp"
#include "core/check.hpp"
#include "core/grain.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"
#include "formats/weave/weave_lists.hpp"

namespace heddle::weave {

namespace {

// Whether a row has its entries on the diagonals of the row before it.
bool repeats(const PatternView& A, std::int64_t row) {
  const Offset begin = A.ptr[row], length = A.length(row);
  if (A.length(row - 1) != length) return false;
  const Index *its = A.col.data() + begin, *before = its - length;
  Index differs = 0;
  for (Offset k = 0; k < length; ++k) differs |= (its[k] - before[k]) ^ 1;
  return differs == 0;
}

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
    std::int64_t begin = first;
    numbers_.clear();
    for (std::int64_t row = first; row < last; ++row) {
      if (row > first && repeats(A, row)) continue;
      mark_rows(begin - first, row - first);
      begin = row;
      numbers_.clear();
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
        std::uint16_t& its = number_[static_cast<std::size_t>(A.col[k] - row - lowest)];
        if (its == 0) {
          if (offset.size() == UINT16_MAX) return false;
          offset.push_back(static_cast<Index>(A.col[k] - row));
          mask.push_back({});
          its = static_cast<std::uint16_t>(offset.size());
        }
        numbers_.push_back(its);
      }
    }
    mark_rows(begin - first, last - first);
    return true;
  }
  // Of the diagonals of numbers_.
  void mark_rows(std::int64_t begin, std::int64_t end) {
    RowMask rows{};
    for (std::int64_t row = begin; row < end; ++row) mark(rows, row);
    for (const std::uint16_t n : numbers_)
      for (int w = 0; w < slice_rows / 32; ++w) mask[n - 1u].word[w] |= rows.word[w];
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

  Vector<std::uint16_t> number_;   // by offset; 0 between slices
  Vector<std::uint16_t> numbers_;  // of the diagonals of a row
  Vector<std::pair<Index, RowMask>> order_;
};

std::int64_t slice_count(std::int64_t rows) { return (rows + slice_rows - 1) / slice_rows; }

std::int64_t slices_at_once(const PatternView& A) { return grain_for(slice_count(A.rows), A.nnz(), 64); }

// Everything about the layout that follows from the pattern of the matrix.
struct Skeleton {
  Buffer<DiagonalSlice> slices;
  Buffer<Diagonal> pattern;
  Buffer<RowMask> masks;
  Offset diagonals = 0;
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

  Skeleton finish() {
    Skeleton made{std::move(slices_), Buffer<Diagonal>(static_cast<std::int64_t>(patterns_.all.size() / 2)),
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

Skeleton skeleton(const PatternView& A) {
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

// f(entry k, diagonal d of the slice, row p of the slice) for all entries of a slice, of rows for which wanted(row).
template <class Wanted, class F>
void each_entry(const PatternView& A, std::int64_t s, const Diagonal* pattern, Wanted wanted, F f) {
  const std::int64_t first = s * slice_rows, last = std::min(first + slice_rows, A.rows);
  for (std::int64_t row = first; row < last; ++row) {
    if (!wanted(row)) continue;
    Index d = 0;
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k, ++d) {
      while (pattern[d].offset != A.col[k] - row) ++d;
      f(k, d, static_cast<int>(row - first));
    }
  }
}

template <class V>
bool same_bits(V a, V b) {
  return bits_of(a) == bits_of(b);
}

// Rows that repeat the one before them, and its values, have nothing to tell.
template <class V>
bool store_constants(const CsrView<V>& A, Diagonals<V>& to) {
  std::atomic<bool> constant{true};
  parallel_ranges(to.slices.size(), slices_at_once(A), [&](std::int64_t begin, std::int64_t end) {
    Vector<std::uint8_t> seen;
    for (std::int64_t s = begin; s < end && constant.load(std::memory_order_relaxed); ++s) {
      const DiagonalSlice slice = to.slices[s];
      bool same = true;
      seen.assign(static_cast<std::size_t>(slice.count), 0);
      const auto repeats_values = [&](std::int64_t row) {
        const V *its = A.val.data() + A.ptr[row], *before = its - A.length(row);
        return std::equal(its, its + A.length(row), before, [](V a, V b) { return same_bits(a, b); });
      };
      const auto is_new = [&](std::int64_t row) {
        return row % slice_rows == 0 || !repeats(A, row) || !repeats_values(row);
      };
      each_entry(A, s, to.pattern.data() + slice.pattern, is_new, [&](Offset k, Index d, int) {
        V& value = to.values.raw[slice.first + d];
        same &= seen[static_cast<std::size_t>(d)] == 0 || same_bits(value, A.val[k]);
        seen[static_cast<std::size_t>(d)] = 1;
        value = A.val[k];
      });
      if (!same) constant.store(false, std::memory_order_relaxed);
    }
  });
  return constant;
}

template <class V, class S>
void store_values(const CsrView<V>& A, Diagonals<V>& to) {
  parallel_ranges(to.slices.size(), slices_at_once(A), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) {
      const DiagonalSlice slice = to.slices[s];
      to.values.clear(slice.first * slice_rows, (slice.first + slice.count) * slice_rows);
      const auto every = [](std::int64_t) { return true; };
      each_entry(A, s, to.pattern.data() + slice.pattern, every, [&](Offset k, Index d, int p) {
        to.values.set((slice.first + d) * slice_rows + diagonal_place<S>(p), A.val[k]);
      });
    }
  });
}

// f(S{}) for the type the values are stored in.
template <class V, class F>
void with_stored_type(const ValueStore<V>& values, F f) {
  values.visit([&]<class S>(const CodedValues<V, S>&) { f(S{}); });
}

}  // namespace

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

template <class V>
bool constant_diagonals(const CsrView<V>& A) {
  Skeleton made = skeleton(A);
  Diagonals<V> trial{.rows = A.rows, .cols = A.cols};
  trial.slices = std::move(made.slices), trial.pattern = std::move(made.pattern);
  trial.values.raw = Buffer<V>(made.diagonals);
  return store_constants(A, trial);
}

template <class V>
Footprint Diagonals<V>::footprint(const PatternView& A, const WeaveSettings& settings, int value_bytes) {
  const Skeleton made = skeleton(A);
  const bool constant = settings.codec() == ValueCodec::constant;
  const std::int64_t stored = made.diagonals * slice_rows;
  const std::int64_t masks = settings.per_lane == 1 ? made.pattern.size() + 1 : made.masks.size();
  return {.bytes = static_cast<std::int64_t>(made.slices.bytes() + made.pattern.bytes()) +
                   masks * static_cast<std::int64_t>(sizeof(RowMask)) +
                   value_store_bytes(settings.codec(), constant ? made.diagonals : stored, value_bytes),
          .stored = stored};
}

template <class V>
Diagonals<V> Diagonals<V>::build(const CsrView<V>& A, const WeaveSettings& settings) {
  Skeleton made = skeleton(A);
  const bool constant = settings.codec() == ValueCodec::constant;
  if (settings.per_lane == 1) spread_masks(made.pattern, made.masks);
  Diagonals to{A.rows,
               A.cols,
               settings.keep == 1,
               settings.per_lane,
               std::move(made.slices),
               std::move(made.pattern),
               std::move(made.masks),
               make_value_store(A.val, settings.codec(), constant ? made.diagonals : made.diagonals * slice_rows)};
  if (constant) {
    if (!store_constants(A, to))
      fail(ErrorKind::unavailable, "values=constant: a diagonal of a slice has different values");
  } else {
    with_stored_type(to.values, [&]<class S>(S) { store_values<V, S>(A, to); });
  }
  return to;
}

template <class V>
Csr<V> Diagonals<V>::restore() const {
  Csr<V> A{rows, cols, Buffer<Offset>(rows + 1), {}, {}};
  const auto has = [&](const Diagonal& d, std::int64_t p) { return (masks[d.mask].word[p / 32] >> (p % 32) & 1) != 0; };
  // f(row, diagonal number, offset) over the entries of a slice, row by row.
  const auto each = [&](std::int64_t row, auto f) {
    const DiagonalSlice& slice = slices[row / slice_rows];
    for (Index d = 0; d < slice.count; ++d)
      if (has(pattern[slice.pattern + d], row % slice_rows)) f(slice.first + d, pattern[slice.pattern + d].offset);
  };
  A.ptr[0] = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    A.ptr[row + 1] = A.ptr[row];
    each(row, [&](Offset, Index) { ++A.ptr[row + 1]; });
  }
  A.col = Buffer<Index>(A.ptr[rows]);
  A.val = Buffer<V>(A.ptr[rows]);
  with_stored_type(values, [&]<class S>(S) {
    parallel_ranges(rows, slice_rows, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        Offset k = A.ptr[row];
        each(row, [&](Offset diagonal, Index offset) {
          A.col[k] = static_cast<Index>(row + offset);
          A.val[k++] = values.codec == ValueCodec::constant
                           ? values.raw[diagonal]
                           : values.get(diagonal * slice_rows + diagonal_place<S>(static_cast<int>(row % slice_rows)));
        });
      }
    });
  });
  return A;
}

template struct Diagonals<float>;
template struct Diagonals<double>;
template bool constant_diagonals(const CsrView<float>&);
template bool constant_diagonals(const CsrView<double>&);

}  // namespace heddle::weave

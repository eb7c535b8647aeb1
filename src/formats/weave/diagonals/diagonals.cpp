#include "formats/weave/diagonals/diagonals.hpp"

#include <algorithm>
#include <atomic>

#include "core/bits.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"
#include "formats/weave/diagonals/diagonal_slices.hpp"

namespace heddle::weave {

namespace {

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
bool store_constants(const CsrView<V>& A, const Buffer<DiagonalSlice>& slices, const Buffer<Diagonal>& pattern,
                     Buffer<V>& to) {
  std::atomic<bool> constant{true};
  parallel_ranges(slices.size(), slices_at_once(A), [&](std::int64_t begin, std::int64_t end) {
    Vector<std::uint8_t> seen;
    for (std::int64_t s = begin; s < end && constant.load(std::memory_order_relaxed); ++s) {
      const DiagonalSlice slice = slices[s];
      bool same = true;
      seen.assign(static_cast<std::size_t>(slice.count), 0);
      const auto repeats_values = [&](std::int64_t row) {
        const V *its = A.val.data() + A.ptr[row], *before = its - A.length(row);
        return std::equal(its, its + A.length(row), before, [](V a, V b) { return same_bits(a, b); });
      };
      const auto is_new = [&](std::int64_t row) {
        return row % slice_rows == 0 || !repeats(A, row) || !repeats_values(row);
      };
      each_entry(A, s, pattern.data() + slice.pattern, is_new, [&](Offset k, Index d, int) {
        V& value = to[slice.first + d];
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
  [[maybe_unused]] V* const raw = to.values.raw.data();
  parallel_ranges(to.slices.size(), slices_at_once(A), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) {
      const DiagonalSlice slice = to.slices[s];
      to.values.clear(slice.first * slice_rows, (slice.first + slice.count) * slice_rows);
      const auto every = [](std::int64_t) { return true; };
      each_entry(A, s, to.pattern.data() + slice.pattern, every, [&](Offset k, Index d, int p) {
        const std::int64_t at = (slice.first + d) * slice_rows + diagonal_place<S>(p);
        if constexpr (std::is_same_v<S, V>)
          raw[at] = A.val[k];
        else
          to.values.set(at, A.val[k]);
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

template <class V>
bool constant_diagonals(const CsrView<V>& A, const DiagonalSkeleton& skeleton) {
  Buffer<V> trial(skeleton.diagonals);
  return store_constants(A, skeleton.slices, skeleton.pattern, trial);
}

template <class V>
Footprint Diagonals<V>::footprint(const PatternView& A, const DiagonalsSettings& settings, int value_bytes) {
  return footprint(diagonal_skeleton(A), settings, value_bytes);
}

template <class V>
Footprint Diagonals<V>::footprint(const DiagonalSkeleton& made, const DiagonalsSettings& settings, int value_bytes) {
  const bool constant = settings.codec == ValueCodec::constant;
  const std::int64_t stored = made.diagonals * slice_rows;
  const std::int64_t masks = settings.per_lane == 1 ? made.pattern.size() + 1 : made.masks.size();
  return {.bytes = static_cast<std::int64_t>(made.slices.bytes() + made.pattern.bytes()) +
                   masks * static_cast<std::int64_t>(sizeof(RowMask)) +
                   value_store_bytes(settings.codec, constant ? made.diagonals : stored, value_bytes),
          .stored = stored};
}

template <class V>
Diagonals<V> Diagonals<V>::build(const CsrView<V>& A, const DiagonalsSettings& settings) {
  return build(A, settings, diagonal_skeleton(A));
}

template <class V>
Diagonals<V> Diagonals<V>::build(const CsrView<V>& A, const DiagonalsSettings& settings, DiagonalSkeleton made) {
  const bool constant = settings.codec == ValueCodec::constant;
  if (settings.per_lane == 1) spread_masks(made.pattern, made.masks);
  Diagonals to{A.rows,
               A.cols,
               settings.keep == Keep::matrix,
               settings.per_lane,
               std::move(made.slices),
               std::move(made.pattern),
               std::move(made.masks),
               make_value_store(A.val, settings.codec, constant ? made.diagonals : made.diagonals * slice_rows)};
  if (constant) {
    if (!store_constants(A, to.slices, to.pattern, to.values.raw))
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
template bool constant_diagonals(const CsrView<float>&, const DiagonalSkeleton&);
template bool constant_diagonals(const CsrView<double>&, const DiagonalSkeleton&);

}  // namespace heddle::weave

#include "codec/sliced_columns.hpp"

#include <algorithm>

#include "core/dispatch.hpp"
#include "core/grain.hpp"
#include "core/parallel.hpp"
#include "reorder/rows_by_length.hpp"

namespace heddle {

namespace {

std::int64_t slice_count(const SlicedColumns& c) { return (c.rows + c.shape.slice_rows() - 1) / c.shape.slice_rows(); }

std::int64_t slices_at_once(const SlicedColumns& c, const PatternView& A) {
  return grain_for(c.slices.size(), A.nnz(), std::max(1, 2048 / c.shape.slice_rows()));
}

// f(p, row of the matrix) for the rows of slice s.
template <class F>
void each_row(const SlicedColumns& c, std::int64_t s, F f) {
  const std::int64_t first = s * c.shape.slice_rows(), last = std::min(first + c.shape.slice_rows(), c.rows);
  for (std::int64_t i = first; i < last; ++i) f(static_cast<int>(i - first), c.stored_row(i));
}

// f(column, p, k) for the entries of a step.
template <class F>
void each_of_step(const PatternView& A, const SlicedColumns& c, std::int64_t s, Index step, F f) {
  const Offset lanes = c.shape.lanes, first = step * lanes;
  each_row(c, s, [&](int p, std::int64_t row) {
    for (Offset k = first; k < std::min(first + lanes, A.length(row)); ++k) f(A.col[A.ptr[row] + k], p, k);
  });
}

bool find_windows_of_step(const PatternView& A, const SlicedColumns& c, std::int64_t s, Index step,
                          ByteWindows& found) {
  const auto each = [&](auto f) { each_of_step(A, c, s, step, [&](Index column, int, Offset) { f(column); }); };
  return ByteFinder::find(each, found);
}

bool fits_bytes(const PatternView& A, const SlicedColumns& c, std::int64_t s, Index width) {
  ByteWindows windows;
  for (Index step = 0; step < width; ++step)
    if (!find_windows_of_step(A, c, s, step, windows)) return false;
  return true;
}

void plan_slice(const PatternView& A, SlicedColumns& c, std::int64_t s, bool bytes) {
  ColumnSlice slice;
  each_row(c, s, [&](int, std::int64_t row) {
    slice.width = std::max(slice.width, static_cast<Index>((A.length(row) + c.shape.lanes - 1) / c.shape.lanes));
  });
  const auto each_column = [&](auto f) {
    each_row(c, s, [&](int, std::int64_t row) {
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) f(A.col[k]);
    });
  };
  slice.wide = !WindowFinder::find(each_column, slice.windows);
  if (bytes && fits_bytes(A, c, s, slice.width)) slice.wide = ColumnSlice::in_bytes;
  c.slices[s] = slice;
}

template <int U>
void store_bytes(const PatternView& A, SlicedColumns& c, std::int64_t s) {
  const ColumnSlice& slice = c.slices[s];
  auto* codes = const_cast<std::uint8_t*>(slice.byte_codes(c.codes.data()));
  auto* windows = const_cast<ByteWindows*>(slice.step_windows(c.codes.data(), c.shape.step_slots()));
  std::fill_n(codes, std::int64_t{slice.width} * c.shape.step_slots(), ByteWindows::none);
  std::fill(reinterpret_cast<std::uint16_t*>(windows + slice.width),
            c.codes.data() + slice.columns + slice.code_count(c.shape), std::uint16_t{0});
  for (Index step = 0; step < slice.width; ++step) {
    find_windows_of_step(A, c, s, step, windows[step]);
    std::uint8_t* to = codes + std::int64_t{step} * c.shape.step_slots();
    each_of_step(A, c, s, step, [&](Index column, int p, Offset k) {
      to[place_in_pieces<std::uint8_t, U>(c.shape.lane_of(p, k), c.shape.row_of_lane(p))] =
          ByteFinder::encode(windows[step], column);
    });
  }
}

template <int U>
void store_slice(const PatternView& A, SlicedColumns& c, std::int64_t s) {
  const ColumnSlice& slice = c.slices[s];
  if (slice.wide == ColumnSlice::in_bytes) return store_bytes<U>(A, c, s);
  const std::int64_t slots = std::int64_t{slice.width} * c.shape.step_slots();
  std::uint16_t* narrow = c.codes.data() + slice.columns;
  auto* wide = reinterpret_cast<Index*>(narrow);
  slice.wide ? std::fill(wide, wide + slots, Index{-1}) : std::fill(narrow, narrow + slots, ColumnWindows::none);
  each_row(c, s, [&](int p, std::int64_t row) {
    const int u = c.shape.row_of_lane(p);
    for (Offset k = 0; k < A.length(row); ++k) {
      const Offset step = k / c.shape.lanes * c.shape.step_slots();
      const int lane = c.shape.lane_of(p, k);
      const Index column = A.col[A.ptr[row] + k];
      if (slice.wide)
        wide[step + place_in_pieces<Index, U>(lane, u)] = column;
      else
        narrow[step + place_in_pieces<std::uint16_t, U>(lane, u)] = WindowFinder::encode(slice.windows, column);
    }
  });
}

}  // namespace

SlicedColumns plan_columns(const PatternView& A, TeamShape shape, std::int64_t sort, bool bytes) {
  SlicedColumns c{.shape = shape, .rows = A.rows};
  if (sort > 1) c.row_of = rows_by_length(A, sort).new_to_old;
  c.slices = Buffer<ColumnSlice>(slice_count(c));
  parallel_ranges(c.slices.size(), slices_at_once(c, A), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) plan_slice(A, c, s, bytes);
  });
  Offset columns = 0;
  for (ColumnSlice& slice : c.slices) {
    slice.first = c.steps;
    slice.columns = columns;
    c.steps += slice.width;
    columns += slice.code_count(shape);
  }
  return c;
}

std::int64_t code_count(const SlicedColumns& planned) {
  if (planned.slices.empty()) return 0;
  const ColumnSlice& last = planned.slices[planned.slices.size() - 1];
  return last.columns + last.code_count(planned.shape);
}

void store_columns(const PatternView& A, SlicedColumns& c) {
  c.codes = Buffer<std::uint16_t>(code_count(c));
  dispatch_int<1, 2, 4>(c.shape.rows, [&](auto U) {
    parallel_ranges(c.slices.size(), slices_at_once(c, A), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t s = begin; s < end; ++s) store_slice<U>(A, c, s);
    });
  });
}

Index SlicedColumns::column(std::int64_t s, std::int64_t step, int lane, int u) const {
  const ColumnSlice& slice = slices[s];
  const std::uint16_t* narrow = codes.data() + slice.columns;
  Index found = -1;
  dispatch_int<1, 2, 4>(shape.rows, [&](auto U) {
    if (slice.wide == ColumnSlice::in_bytes) {
      const std::uint8_t code =
          slice.byte_codes(codes.data())[step * shape.step_slots() + place_in_pieces<std::uint8_t, U>(lane, u)];
      if (code != ByteWindows::none) found = slice.step_windows(codes.data(), shape.step_slots())[step].decode(code);
      return;
    }
    if (slice.wide) {
      found = reinterpret_cast<const Index*>(narrow)[step * shape.step_slots() + place_in_pieces<Index, U>(lane, u)];
      return;
    }
    const std::uint16_t code = narrow[step * shape.step_slots() + place_in_pieces<std::uint16_t, U>(lane, u)];
    if (code != ColumnWindows::none) found = slice.windows.decode(code);
  });
  return found;
}

}  // namespace heddle

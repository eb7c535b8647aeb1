#include "layout/sliced_columns.hpp"

#include <algorithm>

#include <heddle/reorder.hpp>

#include "core/dispatch.hpp"
#include "core/parallel.hpp"

namespace heddle {

namespace {

std::int64_t slice_count(const SlicedColumns& c) { return (c.rows + c.shape.slice_rows() - 1) / c.shape.slice_rows(); }

std::int64_t grain_of(const SlicedColumns& c) { return std::max(1, 2048 / c.shape.slice_rows()); }

// f(p, row of the matrix) for the rows of slice s.
template <class F>
void each_row(const SlicedColumns& c, std::int64_t s, F f) {
  const std::int64_t first = s * c.shape.slice_rows(), last = std::min(first + c.shape.slice_rows(), c.rows);
  for (std::int64_t i = first; i < last; ++i) f(static_cast<int>(i - first), c.stored_row(i));
}

void plan_slice(const PatternView& A, SlicedColumns& c, std::int64_t s) {
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
  c.slices[s] = slice;
}

template <int U>
void store_slice(const PatternView& A, SlicedColumns& c, std::int64_t s) {
  const ColumnSlice& slice = c.slices[s];
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

SlicedColumns plan_columns(const PatternView& A, TeamShape shape, std::int64_t sort) {
  SlicedColumns c{.shape = shape, .rows = A.rows};
  if (sort > 1) c.row_of = length_order(A, sort).new_to_old;
  c.slices = Buffer<ColumnSlice>(slice_count(c));
  parallel_ranges(c.slices.size(), grain_of(c), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) plan_slice(A, c, s);
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
    parallel_ranges(c.slices.size(), grain_of(c), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t s = begin; s < end; ++s) store_slice<U>(A, c, s);
    });
  });
}

Index SlicedColumns::column(std::int64_t s, std::int64_t step, int lane, int u) const {
  const ColumnSlice& slice = slices[s];
  const std::uint16_t* narrow = codes.data() + slice.columns;
  Index found = -1;
  dispatch_int<1, 2, 4>(shape.rows, [&](auto U) {
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

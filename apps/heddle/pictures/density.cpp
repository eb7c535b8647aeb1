#include "pictures/density.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"

namespace heddle {

double Density::shade(int i, int j) const {
  const std::uint32_t here = at(i, j);
  return here == 0 ? 0 : std::log1p(here) / std::log1p(largest);
}

GridSize fit(std::int64_t rows, std::int64_t cols, GridSize most, int zoom, int least) {
  if (rows == 0 || cols == 0) return {};
  if (rows <= most.tall && cols <= most.wide) {
    const std::int64_t scale = std::min<std::int64_t>({most.tall / rows, most.wide / cols, zoom});
    return {static_cast<int>(cols * scale), static_cast<int>(rows * scale)};
  }
  const double per_cell = std::max(static_cast<double>(rows) / most.tall, static_cast<double>(cols) / most.wide);
  const auto side = [&](std::int64_t length, int limit) {
    const auto cells = static_cast<int>(std::lround(static_cast<double>(length) / per_cell));
    return std::clamp<int>(cells, static_cast<int>(std::min<std::int64_t>(least, length)), limit);
  };
  return {side(cols, most.wide), side(rows, most.tall)};
}

namespace {

// The cells [first, last) that show element `at` of `length`: one cell, or several when the matrix is enlarged.
struct Cells {
  std::int64_t first, last;
};
Cells cells_of(std::int64_t at, std::int64_t length, std::int64_t cells) {
  if (cells <= length) return {at * cells / length, at * cells / length + 1};
  return {(at * cells + length - 1) / length, ((at + 1) * cells + length - 1) / length};
}

}  // namespace

Density density(const PatternView& A, GridSize size) {
  Density made{size.wide, size.tall, {}, 0};
  made.count.assign(static_cast<std::size_t>(size.wide) * size.tall, 0);
  if (made.count.empty()) return made;
  const auto add_row = [&](std::int64_t row, std::uint32_t* line) {
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
      const Cells across = cells_of(A.col[k], A.cols, size.wide);
      for (std::int64_t j = across.first; j < across.last; ++j)
        if (line[j] != UINT32_MAX) ++line[j];
    }
  };
  // One task owns one line of cells: the rows it shows are [ceil(i rows / tall), ceil((i+1) rows / tall)).
  parallel_tasks(size.tall, [&](std::int64_t i) {
    std::uint32_t* line = made.count.data() + i * size.wide;
    if (size.tall >= A.rows) return add_row(i * A.rows / size.tall, line);
    const Cells rows = cells_of(i, size.tall, A.rows);
    for (std::int64_t row = rows.first; row < rows.last; ++row) add_row(row, line);
  });
  made.largest = *std::max_element(made.count.begin(), made.count.end());
  return made;
}

}  // namespace heddle

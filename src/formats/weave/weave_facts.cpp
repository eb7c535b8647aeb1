#include "formats/weave/weave_facts.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "formats/weave/diagonals/diagonals.hpp"
#include "formats/weave/long_rows/long_rows.hpp"
#include "layout/blocks_build.hpp"

namespace heddle::weave {

namespace {

PatternView rows_between(const PatternView& A, std::int64_t first, std::int64_t last, Buffer<Offset>& ptr) {
  ptr = Buffer<Offset>(last - first + 1);
  for (std::int64_t row = first; row <= last; ++row) ptr[row - first] = A.ptr[row] - A.ptr[first];
  return {last - first, A.cols, ptr, A.col.subspan(A.ptr[first], A.ptr[last] - A.ptr[first])};
}

// stored_of(part) gives what the part would store. Returns stored / entries.
template <class F>
double sampled_fill(const PatternView& A, const SampledRows& sampled, F stored_of, int unit = 1) {
  double stored = 0, entries = 0;
  for (std::int64_t part = 0; part < sampled.parts; ++part) {
    Buffer<Offset> ptr;
    const PatternView piece = rows_between(A, sampled.first(part, unit), sampled.last(part, unit), ptr);
    stored += static_cast<double>(stored_of(piece));
    entries += static_cast<double>(piece.nnz());
  }
  return entries > 0 ? stored / entries : 1;
}

std::int64_t places_of_slices(const PatternView& part, TeamShape shape, bool sorted) {
  Vector<Offset> length;
  for (std::int64_t row = 0; row < part.rows; ++row) length.push_back(part.length(row));
  if (sorted) std::sort(length.begin(), length.end(), std::greater<>());
  std::int64_t places = 0;
  for (std::int64_t first = 0; first < part.rows; first += shape.slice_rows()) {
    const auto begin = length.begin() + first, end = length.begin() + std::min(part.rows, first + shape.slice_rows());
    places += (*std::max_element(begin, end) + shape.lanes - 1) / shape.lanes * shape.step_slots();
  }
  return places;
}

// Of a row of blocks, which has `blocks`.
std::int64_t counted_blocks(const PatternView& part, int size, std::int64_t block_row, std::int64_t blocks) {
  const std::int64_t first = block_row * size, last = std::min(first + size, part.rows);
  std::int64_t at_least = 0;
  for (std::int64_t row = first; row < last; ++row) {
    std::int64_t of_row = 0;
    for (Offset k = part.ptr[row]; k < part.ptr[row + 1]; ++k)
      of_row += k == part.ptr[row] || part.col[k - 1] / size != part.col[k] / size ? 1 : 0;
    at_least = std::max(at_least, of_row);
  }
  return blocks_are_hopeless(at_least, size, part.ptr[last] - part.ptr[first]) ? at_least : blocks;
}

class HostFacts final : public PatternFacts {
 public:
  explicit HostFacts(const PatternView& A) : PatternFacts(A), A_(A) {}

  std::int64_t longest() override {
    if (!longest_) {
      longest_ = 0;
      for (std::int64_t row = 0; row < A_.rows; ++row) longest_ = std::max(*longest_, A_.length(row));
    }
    return *longest_;
  }
  double diagonal_fill() override {
    return sampled_fill(A_, SampledRows(A_.rows), [](const PatternView& part) {
      std::int64_t places = 0;
      Buffer<Offset> ptr;
      for (std::int64_t first = 0; first < part.rows; first += slice_rows) {
        const PatternView slice = rows_between(part, first, std::min<std::int64_t>(first + slice_rows, part.rows), ptr);
        places += counted_places(diagonal_places(slice, hopeless_diagonal_fill * slice.nnz()), slice.nnz(), slice_rows);
      }
      return places;
    });
  }
  double block_fill(int size) override {
    const auto stored = [&](const PatternView& part) {
      const Buffer<Offset> start = block_starts(part, {size, size});
      std::int64_t places = 0;
      for (std::int64_t b = 0; b + 1 < start.size(); ++b)
        places += counted_blocks(part, size, b, start[b + 1] - start[b]) * size * size;
      return places;
    };
    return sampled_fill(A_, sampled_for_blocks(A_), stored, size);
  }
  BlockSizes full_blocks(BlockSizes sizes) override { return weave::full_blocks(A_, sizes); }
  double slice_fill(TeamShape shape, std::int64_t sort) override {
    return sampled_fill(A_, SampledRows(A_.rows),
                        [&](const PatternView& part) { return places_of_slices(part, shape, sort > 1); });
  }
  std::int64_t team_steps(int threads) override {
    const LongShape shape{A_.rows, threads};
    std::int64_t steps = 0;
    for (std::int64_t row = 0; row < A_.rows; ++row) steps += shape.steps(A_.length(row));
    return steps;
  }
  std::int64_t quad_steps(int threads) override { return weave::quad_steps(A_, {A_.rows, threads}); }
  bool rows_are_runs() override { return weave::rows_are_runs(A_); }
  double sectors_per_fetch() override {
    const SampledWindows windows(A_.nnz());
    std::int64_t sectors = 0;
    for (std::int64_t w = 0; w < windows.count; ++w) {
      Index sector[SampledWindows::window];
      for (std::int64_t i = 0; i < SampledWindows::window; ++i)
        sector[i] = A_.col[w * windows.step + i] / SampledWindows::sector_elements;
      std::sort(sector, sector + SampledWindows::window);
      sectors += std::unique(sector, sector + SampledWindows::window) - sector;
    }
    return windows.count > 0 ? static_cast<double>(sectors) / static_cast<double>(windows.count) : 0;
  }
  ColumnTiles column_tiles(std::int64_t width) override { return heddle::column_tiles(A_, width); }

 private:
  PatternView A_;
  std::optional<std::int64_t> longest_;
};

}  // namespace

std::unique_ptr<PatternFacts> facts_of(const PatternView& A) { return std::make_unique<HostFacts>(A); }

}  // namespace heddle::weave

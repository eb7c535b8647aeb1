// layout=auto: which layout of weave a matrix gets, from its pattern alone. The thresholds are measured (H200,
// docs/performance.md).
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/parallel.hpp"
#include "formats/weave/weave.hpp"
#include "layout/blocks_build.hpp"

namespace heddle {

namespace {

struct Lengths {
  std::int64_t longest = 0;
  double mean = 0;
};

Lengths lengths_of(const PatternView& A) {
  Lengths found;
  for (std::int64_t row = 0; row < A.rows; ++row) found.longest = std::max<std::int64_t>(found.longest, A.length(row));
  found.mean = A.rows > 0 ? static_cast<double>(A.nnz()) / static_cast<double>(A.rows) : 0;
  return found;
}

// Pieces of a large matrix, spread evenly: f(part, entries) gives what the part would store. Returns stored / entries.
constexpr std::int64_t sampled_parts = 64, rows_of_part = 512;

PatternView rows_between(const PatternView& A, std::int64_t first, std::int64_t last, Buffer<Offset>& ptr) {
  ptr = Buffer<Offset>(last - first + 1);
  for (std::int64_t row = first; row <= last; ++row) ptr[row - first] = A.ptr[row] - A.ptr[first];
  return {last - first, A.cols, ptr, A.col.subspan(A.ptr[first], A.ptr[last] - A.ptr[first])};
}

template <class F>
double sampled_fill(const PatternView& A, F stored_of) {
  const std::int64_t parts = (A.rows + rows_of_part - 1) / rows_of_part;
  const std::int64_t step = std::max<std::int64_t>(1, parts / sampled_parts);
  double stored = 0, entries = 0;
  for (std::int64_t part = 0; part < parts; part += step) {
    Buffer<Offset> ptr;
    const std::int64_t first = part * rows_of_part;
    const PatternView piece = rows_between(A, first, std::min(first + rows_of_part, A.rows), ptr);
    stored += static_cast<double>(stored_of(piece));
    entries += static_cast<double>(piece.nnz());
  }
  return entries > 0 ? stored / entries : 1;
}

double diagonal_fill(const PatternView& A) {
  return sampled_fill(A, [](const PatternView& part) { return weave::diagonal_places(part, 8 * part.nnz()); });
}

double block_fill(const PatternView& A, int size) {
  return sampled_fill(A, [&](const PatternView& part) {
    const Buffer<Offset> start = block_starts(part, {size, size});
    return start[start.size() - 1] * size * size;
  });
}

// Places of slices of rows, per entry.
double slice_fill(const PatternView& A, TeamShape shape, std::int64_t sort) {
  return sampled_fill(A, [&](const PatternView& part) {
    std::int64_t places = 0;
    std::vector<Offset> length;
    for (std::int64_t first = 0; first < part.rows; first += sort > 1 ? rows_of_part : shape.slice_rows()) {
      const std::int64_t last = std::min(part.rows, first + (sort > 1 ? rows_of_part : shape.slice_rows()));
      length.clear();
      for (std::int64_t row = first; row < last; ++row) length.push_back(part.length(row));
      if (sort > 1) std::sort(length.begin(), length.end(), std::greater<>());
      for (std::size_t at = 0; at < length.size(); at += static_cast<std::size_t>(shape.slice_rows())) {
        const auto end = std::min(length.size(), at + static_cast<std::size_t>(shape.slice_rows()));
        const Offset longest = *std::max_element(length.begin() + static_cast<std::ptrdiff_t>(at),
                                                 length.begin() + static_cast<std::ptrdiff_t>(end));
        places += (longest + shape.lanes - 1) / shape.lanes * shape.step_slots();
      }
    }
    return places;
  });
}

int power_of_two(double at_most) {
  return at_most < 1 ? 1 : static_cast<int>(std::bit_floor(static_cast<unsigned>(std::min(at_most, 32.0))));
}

// Enough warps to fill a large GPU: `items` are the rows of a lane's team when a lane has one row alone.
int lanes_for_size(std::int64_t items, double wanted_warps) {
  return power_of_two(2 * wanted_warps * simt::warp_size / std::max<double>(1, static_cast<double>(items)));
}

constexpr double cache_bytes = 40e6;

bool stays_in_cache(const PatternView& A) {
  return 6.0 * static_cast<double>(A.nnz()) + 8.0 * static_cast<double>(A.rows + A.cols) < cache_bytes;
}

class Chooser {
 public:
  Chooser(WeaveSettings& settings, const PatternView& A, int value_bytes)
      : settings_(settings), A_(A), value_bytes_(value_bytes), lengths_(lengths_of(A)) {}

  void choose() {
    if (settings_.layout == automatic) settings_.layout = static_cast<int>(layout());
    switch (settings_.chosen()) {
      case WeaveLayout::diagonals: break;
      case WeaveLayout::blocks: settle_blocks(); break;
      case WeaveLayout::rows: settle_rows(); break;
      case WeaveLayout::segments:
        fill(settings_.per_lane, 4);
        if (settings_.per_lane < 4) settings_.per_lane = 4;
        break;
      case WeaveLayout::padded: settle_padded(); break;
      case WeaveLayout::sums:
        fill(settings_.kb, weave::default_sums_kb);
        fill(settings_.threads, weave::default_sums_threads);
        fill(settings_.groups, weave::sums_groups(A_, value_bytes_, settings_.kb, settings_.threads));
        break;
    }
    fill(settings_.keep, stays_in_cache(A_) ? 1 : 0);
    settle_unused();
  }

 private:
  static void fill(int& setting, int value) {
    if (setting == automatic) setting = value;
  }
  // What the layout has no use for gets a value all the same: a resolved plan has no `auto`.
  void settle_unused() {
    for (int* setting : {&settings_.block, &settings_.lanes, &settings_.per_lane, &settings_.sort, &settings_.threads,
                         &settings_.kb, &settings_.groups})
      fill(*setting, 0);
  }

  bool small() const {
    constexpr std::int64_t few = 1 << 18;
    return A_.nnz() <= few;
  }
  double padded_fill() const {
    return static_cast<double>(A_.rows) * static_cast<double>(lengths_.longest) /
           std::max<double>(1, static_cast<double>(A_.nnz()));
  }

  WeaveLayout layout() {
    const bool narrow = A_.cols <= weave::PaddedShape::none;
    if (narrow && padded_fill() <= (small() ? 2.0 : 1.15) && (small() || lengths_.mean >= 256))
      return WeaveLayout::padded;
    if (lengths_.mean <= 64 && diagonal_fill(A_) <= 1.35) return WeaveLayout::diagonals;
    if (lengths_.mean >= 8 && best_block() > 0) return WeaveLayout::blocks;
    settle_row_shape();
    if (slice_fill(A_, {settings_.lanes, settings_.per_lane}, settings_.sort) <= 1.25) return WeaveLayout::rows;
    settings_.lanes = settings_.per_lane = settings_.sort = automatic;
    return WeaveLayout::segments;
  }

  int best_block() {
    int best = 0;
    double least = 1.12;
    for (const int size : {4, 3, 2}) {
      const double fill = block_fill(A_, size);
      if (fill < least - 0.02) {
        least = fill;
        best = size;
      }
    }
    return best;
  }

  void settle_blocks() {
    if (settings_.block == automatic) {
      const int best = best_block();
      settings_.block = best > 0 ? best : 3;
    }
    fill(settings_.lanes, lanes_for_size(A_.rows / settings_.block, 2500));
    fill(settings_.sort, 1);
  }

  void settle_row_shape() {
    if (settings_.lanes == automatic)
      settings_.lanes = std::max(power_of_two(lengths_.mean / 5), std::min(lanes_for_size(A_.rows, 2000), power_of_two(lengths_.mean)));
    fill(settings_.per_lane, settings_.lanes == 1 ? 4 : 2);
    if (settings_.per_lane > 4) settings_.per_lane = 4;
    if (settings_.sort == automatic) {
      const TeamShape shape{settings_.lanes, settings_.per_lane};
      settings_.sort = lengths_.mean >= 6 && slice_fill(A_, shape, 1) > 1.15 * slice_fill(A_, shape, 1024) ? 1024 : 1;
    }
  }
  void settle_rows() {
    settle_row_shape();
    fill(settings_.threads, stays_in_cache(A_) ? 1024 : 128);
  }

  void settle_padded() {
    fill(settings_.per_lane, lengths_.mean >= 8 ? 4 : 1);
    if (settings_.per_lane != 1) settings_.per_lane = 4;
    fill(settings_.lanes, power_of_two(static_cast<double>(lengths_.longest + settings_.per_lane - 1) / settings_.per_lane));
  }

  WeaveSettings& settings_;
  const PatternView& A_;
  int value_bytes_;
  Lengths lengths_;
};

}  // namespace

void choose_weave(WeaveSettings& settings, const PatternView& A, int value_bytes) {
  Chooser(settings, A, value_bytes).choose();
}

}  // namespace heddle

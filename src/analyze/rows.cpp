#include <bit>
#include <cmath>
#include <iterator>

#include "analyze/length_window.hpp"
#include "analyze/parts.hpp"
#include "analyze/row_facts.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"

namespace heddle {

namespace {

struct Partial {
  LengthCounts lengths;
  std::array<std::int64_t, padding_pairs> stored{};
};

// All lengths as whole numbers, longer rows among the others by the bits they have.
struct LengthSums {
  __extension__ using Wide = __int128;
  std::int64_t histogram[std::size(LengthCounts{}.long_rows)];
  Wide squares;

  explicit LengthSums(const LengthCounts& counts)
      : squares((static_cast<Wide>(counts.squares_high) << 32) + static_cast<Wide>(counts.squares_low)) {
    std::copy(std::begin(counts.long_rows), std::end(counts.long_rows), histogram);
    for (std::int64_t length = 0; length < short_row; ++length) {
      histogram[std::bit_width(static_cast<std::uint64_t>(length))] += counts.counts[length];
      squares += static_cast<Wide>(counts.counts[length]) * (length * length);
    }
  }
  //  rows * sum of squares - (sum of lengths)^2  =  rows * sum of (length - mean)^2
  double variance(std::int64_t rows, std::int64_t nnz) const {
    const Wide spread = rows * squares - static_cast<Wide>(nnz) * nnz;
    return static_cast<double>(spread) / static_cast<double>(rows) / static_cast<double>(rows);
  }
};

}  // namespace

RowLengths length_facts(const LengthCounts& counts, std::int64_t rows, std::int64_t nnz) {
  RowLengths facts;
  facts.counts.assign(counts.counts, counts.counts + short_row);
  if (rows == 0) return facts;
  const LengthSums sums(counts);
  facts.min = counts.min;
  facts.max = counts.max;
  facts.empty = counts.counts[0];
  facts.mean = static_cast<double>(nnz) / static_cast<double>(rows);
  facts.stddev = std::sqrt(sums.variance(rows, nnz));
  facts.cv = facts.mean > 0 ? facts.stddev / facts.mean : 0;
  const int bins = std::bit_width(static_cast<std::uint64_t>(counts.max)) + 1;
  facts.histogram.assign(sums.histogram, sums.histogram + bins);
  return facts;
}

std::vector<SlicePadding> padding_facts(const std::int64_t* stored, std::int64_t nnz) {
  std::vector<SlicePadding> result{{32, 1, 0}, {32, 256, 0}, {32, 1024, 0}, {128, 1, 0}};
  for (int i = 0; i < padding_pairs; ++i)
    result[i].stored = nnz > 0 ? static_cast<double>(stored[i]) / static_cast<double>(nnz) : 0;
  return result;
}

RowFacts measure_rows(const PatternView& A) {
  const std::int64_t windows = (A.rows + padding_window - 1) / padding_window;
  constexpr std::int64_t grain = 4;
  Vector<Partial> parts(static_cast<std::size_t>((windows + grain - 1) / grain));
  parallel_ranges(windows, grain, [&](std::int64_t begin, std::int64_t end) {
    Partial& part = parts[begin / grain];
    LengthWindow window;
    for (std::int64_t first = begin * padding_window; begin < end; ++begin, first += padding_window) {
      window.read(A, first, std::min(padding_window, A.rows - first));
      window.add_to(part.lengths, part.stored);
    }
  });
  Partial sum;
  for (const Partial& part : parts) {
    sum.lengths.add(part.lengths);
    for (int i = 0; i < padding_pairs; ++i) sum.stored[i] += part.stored[i];
  }
  return {length_facts(sum.lengths, A.rows, A.nnz()), padding_facts(sum.stored.data(), A.nnz())};
}

}  // namespace heddle

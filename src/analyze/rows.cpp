#include <bit>
#include <cmath>
#include <iterator>

#include "analyze/length_window.hpp"
#include "analyze/looks.hpp"

namespace heddle {

namespace {

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

namespace {
constexpr std::int64_t windows_of_task = 4, rows_of_task = windows_of_task * padding_window;
}

RowsLook::RowsLook(const PatternView& pattern)
    : A(pattern), parts_(static_cast<std::size_t>((A.rows + rows_of_task - 1) / rows_of_task)) {}

void RowsLook::run(std::int64_t first, std::int64_t last) {
  LengthWindow window;
  for (std::int64_t task = first; task < last; ++task) {
    Partial& part = parts_[static_cast<std::size_t>(task)];
    const std::int64_t end = std::min(A.rows, (task + 1) * rows_of_task);
    for (std::int64_t row = task * rows_of_task; row < end; row += padding_window) {
      window.read(A, row, std::min(padding_window, A.rows - row));
      window.add_to(part.lengths, part.stored);
    }
  }
}

RowFacts RowsLook::facts() const {
  Partial sum;
  for (const Partial& part : parts_) {
    sum.lengths.add(part.lengths);
    for (int i = 0; i < padding_pairs; ++i) sum.stored[i] += part.stored[i];
  }
  return {length_facts(sum.lengths, A.rows, A.nnz()), padding_facts(sum.stored.data(), A.nnz())};
}

}  // namespace heddle

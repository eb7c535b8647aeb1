#include <algorithm>
#include <array>

#include "analyze/parts.hpp"
#include "analyze/row_facts.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"

namespace heddle {

namespace {

constexpr std::int64_t window = padding_window;
constexpr int pairs = padding_pairs;
constexpr std::array<SlicePadding, pairs> asked{{{32, 1, 0}, {32, 256, 0}, {32, 1024, 0}, {128, 1, 0}}};

using Stored = std::array<std::int64_t, pairs>;

// Places of slices of C rows, each as wide as its longest row. A slice is as high as C even when rows end inside it.
std::int64_t stored_in_order(std::span<const Index> length, std::size_t C) {
  std::int64_t widths = 0;
  for (std::size_t at = 0; at < length.size(); at += C) {
    Index longest = 0;
    for (const Index l : length.subspan(at, std::min(C, length.size() - at))) longest = std::max(longest, l);
    widths += longest;
  }
  return static_cast<std::int64_t>(C) * widths;
}

// The same after sorting, longest first: the rows 0, C, 2C, ... of that order give the widths. Lengths are mostly small
// numbers, which are counted instead of compared.
std::int64_t stored_when_sorted(std::span<const Index> length, std::int64_t C) {
  constexpr Index most = 256;
  const Index longest = *std::max_element(length.begin(), length.end());
  if (longest >= most) {
    Vector<Index> sorted(length.begin(), length.end());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    return stored_in_order(sorted, static_cast<std::size_t>(C));
  }
  std::array<std::int32_t, most> count{};
  for (const Index l : length) ++count[l];
  std::int64_t widths = 0, next = 0, seen = 0;  // next: the place of the row that gives the next width
  for (Index l = longest; l > 0; --l) {
    seen += count[l];
    for (; next < seen; next += C) widths += l;
  }
  return C * widths;
}

Stored store_window(const PatternView& A, std::int64_t first, std::int64_t last) {
  std::array<Index, window> buffer;
  const std::span<Index> length(buffer.data(), static_cast<std::size_t>(last - first));
  for (std::int64_t row = first; row < last; ++row) length[row - first] = static_cast<Index>(A.length(row));
  const std::int64_t as_they_come = stored_in_order(length, 32);
  Stored stored{as_they_come, as_they_come, as_they_come, stored_in_order(length, 128)};
  const bool level = std::adjacent_find(length.begin(), length.end(), std::not_equal_to<>()) == length.end();
  if (level) return stored;
  stored[1] = 0;
  for (std::size_t at = 0; at < length.size(); at += 256)
    stored[1] += stored_when_sorted(length.subspan(at, std::min<std::size_t>(256, length.size() - at)), 32);
  stored[2] = stored_when_sorted(length, 32);
  return stored;
}

}  // namespace

std::vector<SlicePadding> measure_padding(const PatternView& A) {
  const std::int64_t windows = (A.rows + window - 1) / window;
  constexpr std::int64_t grain = 16;
  Vector<Stored> parts(static_cast<std::size_t>((windows + grain - 1) / grain));
  parallel_ranges(windows, grain, [&](std::int64_t begin, std::int64_t end) {
    Stored& sum = parts[begin / grain];
    sum = {};
    for (std::int64_t w = begin; w < end; ++w) {
      const Stored stored = store_window(A, w * window, std::min(A.rows, (w + 1) * window));
      for (int i = 0; i < pairs; ++i) sum[i] += stored[i];
    }
  });
  Stored sum{};
  for (const Stored& part : parts)
    for (int i = 0; i < pairs; ++i) sum[i] += part[i];
  return padding_facts(sum.data(), A.nnz());
}

std::vector<SlicePadding> padding_facts(const std::int64_t* stored, std::int64_t nnz) {
  std::vector<SlicePadding> result(asked.begin(), asked.end());
  for (int i = 0; i < pairs; ++i)
    result[i].stored = nnz > 0 ? static_cast<double>(stored[i]) / static_cast<double>(nnz) : 0;
  return result;
}

}  // namespace heddle

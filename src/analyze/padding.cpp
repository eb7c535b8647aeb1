#include <algorithm>
#include <array>

#include "analyze/parts.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"

namespace heddle {

namespace {

constexpr std::int64_t window = 1024;  // rows: a multiple of every slice and sorting window
constexpr int pairs = 4;
constexpr std::array<SlicePadding, pairs> asked{{{32, 1, 0}, {32, 256, 0}, {32, 1024, 0}, {128, 1, 0}}};

using Stored = std::array<std::int64_t, pairs>;

// Places of `length` cut into slices of C rows. A slice is as high as C even when rows end inside it.
std::int64_t stored_in_order(std::span<const Index> length, int C) {
  std::int64_t sum = 0;
  for (std::size_t at = 0; at < length.size(); at += static_cast<std::size_t>(C)) {
    const auto end =
        length.begin() + static_cast<std::ptrdiff_t>(std::min(at + static_cast<std::size_t>(C), length.size()));
    sum += C * static_cast<std::int64_t>(*std::max_element(length.begin() + static_cast<std::ptrdiff_t>(at), end));
  }
  return sum;
}

// Lengths are mostly small numbers: counted, not compared.
void sort_descending(std::span<Index> length) {
  constexpr Index most = 256;
  std::array<std::int32_t, most> count{};
  for (const Index l : length) {
    if (l >= most) return std::sort(length.begin(), length.end(), std::greater<>());
    ++count[l];
  }
  auto to = length.begin();
  for (Index l = most - 1; l >= 0; --l) to = std::fill_n(to, count[l], l);
}

Stored store_window(const PatternView& A, std::int64_t first, std::int64_t last) {
  std::array<Index, window> buffer;
  const std::span<Index> length(buffer.data(), static_cast<std::size_t>(last - first));
  for (std::int64_t row = first; row < last; ++row) length[row - first] = static_cast<Index>(A.length(row));
  Stored stored{};
  stored[0] = stored_in_order(length, 32);
  stored[3] = stored_in_order(length, 128);
  const bool level = std::adjacent_find(length.begin(), length.end(), std::not_equal_to<>()) == length.end();
  if (level) {
    stored[1] = stored[2] = stored[0];
    return stored;
  }
  for (std::size_t at = 0; at < length.size(); at += 256)
    sort_descending(length.subspan(at, std::min<std::size_t>(256, length.size() - at)));
  stored[1] = stored_in_order(length, 32);
  sort_descending(length);
  stored[2] = stored_in_order(length, 32);
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
  std::vector<SlicePadding> result(asked.begin(), asked.end());
  for (int i = 0; i < pairs; ++i) {
    std::int64_t sum = 0;
    for (const Stored& part : parts) sum += part[i];
    result[i].stored = A.nnz() > 0 ? static_cast<double>(sum) / static_cast<double>(A.nnz()) : 0;
  }
  return result;
}

}  // namespace heddle

// The row lengths of 1024 neighbouring rows, and the places that slices of them would store.
//
//   quarters   | 256 rows | 256 rows | 256 rows | 256 rows |      rows are sorted inside each, or inside the window
//   counts[q]    rows of quarter q with 0, 1, .. 255 entries      longer ones are kept in a list: they are few
//
// Places of a window whose rows are sorted follow from the counts alone: with n(l) rows of l entries or more,
// ceil(n(l) / 32) slices of 32 rows are l wide or wider, and their sum over l is that of the widths.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <span>

#include "analyze/row_facts.hpp"
#include "core/isa.hpp"

namespace heddle {

class LengthWindow {
 public:
  static constexpr int slice = 32, quarters = 4, quarter = padding_window / quarters;

  // Rows first .. first + rows - 1, at most 1024.
  void read(const PatternView& A, std::int64_t first, std::int64_t rows) {
    rows_ = static_cast<int>(rows);
    with_isa([&](auto) { read_lengths(A.ptr.data() + first); });
    shortest_ = *std::min_element(lowest_.begin(), lowest_.begin() + slices());
    longest_ = *std::max_element(widest_.begin(), widest_.begin() + slices());
  }

  // Adds the window's rows and the places of its slices to the sums of all.
  void add_to(LengthCounts& lengths, std::array<std::int64_t, padding_pairs>& stored) {
    lengths.min = std::min<std::int64_t>(lengths.min, shortest_);
    lengths.max = std::max<std::int64_t>(lengths.max, longest_);
    add_as_they_come(stored);
    if (shortest_ == longest_) return add_level(lengths, stored);
    for (int q = 0; q < quarters; ++q) std::fill_n(counts_[q].begin(), table_end(), 0);
    long_count_.fill(0);
    if (rows_ == padding_window && longest_ < short_row)
      count_short_rows();
    else
      for (int q = 0; q < quarters; ++q) count_quarter(q, lengths);
    add_sorted(stored);
    for (Index l = 0; l < table_end(); ++l) lengths.counts[l] += count_of(l);
  }

 private:
  int slices() const { return (rows_ + slice - 1) / slice; }
  Index table_end() const { return std::min<Index>(longest_ + 1, short_row); }
  std::int32_t count_of(Index l) const { return counts_[0][l] + counts_[1][l] + counts_[2][l] + counts_[3][l]; }

  void read_lengths(const Offset* ptr) {
    for (int s = 0; s < slices(); ++s) {
      const int begin = s * slice, end = std::min(rows_, begin + slice);
      Index low = INT32_MAX, high = 0;
      for (int i = begin; i < end; ++i) {
        const auto length = static_cast<Index>(ptr[i + 1] - ptr[i]);
        length_[i] = length;
        low = std::min(low, length);
        high = std::max(high, length);
      }
      lowest_[s] = low;
      widest_[s] = high;
    }
  }

  // A slice is as high as C even when rows end inside it.
  void add_as_they_come(std::array<std::int64_t, padding_pairs>& stored) const {
    constexpr int of_128 = 128 / slice;
    std::int64_t widths = 0, widths_128 = 0;
    for (int s = 0; s < slices(); s += of_128) {
      const auto first = widest_.begin() + s, last = widest_.begin() + std::min(slices(), s + of_128);
      widths = std::accumulate(first, last, widths);
      widths_128 += *std::max_element(first, last);
    }
    stored[0] += slice * widths;
    stored[3] += 128 * widths_128;
  }

  // Rows of one length are in order as they come.
  void add_level(LengthCounts& lengths, std::array<std::int64_t, padding_pairs>& stored) const {
    const std::int64_t places = slice * std::int64_t{slices()} * longest_;
    stored[1] += places;
    stored[2] += places;
    if (longest_ < short_row)
      lengths.counts[longest_] += rows_;
    else
      for (int i = 0; i < rows_; ++i) lengths.add_long(longest_);
  }

  // The quarters in step: a counter is not waited for by the next row of the same length.
  void count_short_rows() {
    for (int i = 0; i < quarter; ++i)
      for (int q = 0; q < quarters; ++q) ++counts_[q][length_[q * quarter + i]];
  }
  void count_quarter(int q, LengthCounts& lengths) {
    const int begin = q * quarter, end = std::min(rows_, begin + quarter);
    for (int i = begin; i < end; ++i) {
      if (length_[i] < short_row) {
        ++counts_[q][length_[i]];
      } else {
        lengths.add_long(length_[i]);
        long_[begin + long_count_[q]++] = length_[i];
      }
    }
  }

  void add_sorted(std::array<std::int64_t, padding_pairs>& stored) {
    int all_long = 0;
    for (int q = 0; q < quarters; ++q) {
      const std::span<Index> rows(long_.data() + q * quarter, static_cast<std::size_t>(long_count_[q]));
      stored[1] += slice * (widths_of_long(rows) + widths(long_count_[q], [&](Index l) { return counts_[q][l]; }));
      std::copy(rows.begin(), rows.end(), long_.begin() + all_long);  // to the left: what is there was counted
      all_long += long_count_[q];
    }
    const std::span<Index> rows(long_.data(), static_cast<std::size_t>(all_long));
    stored[2] += slice * (widths_of_long(rows) + widths(all_long, [&](Index l) { return count_of(l); }));
  }

  // Longest first, every 32nd row gives a width: those of `rows`, and of shorter ones that come after `longer` rows.
  static std::int64_t widths_of_long(std::span<Index> rows) {
    std::sort(rows.begin(), rows.end(), std::greater<>());
    std::int64_t widths = 0;
    for (std::size_t i = 0; i < rows.size(); i += slice) widths += rows[i];
    return widths;
  }
  template <class Count>
  std::int64_t widths(int longer, Count count) const {
    const std::int64_t before = (longer + slice - 1) / slice;
    std::int64_t widths = 0;
    int rows = longer;
    for (Index l = table_end() - 1; l > 0; --l) {
      rows += count(l);
      widths += (rows + slice - 1) / slice - before;
    }
    return widths;
  }

  int rows_ = 0;
  Index shortest_ = 0, longest_ = 0;
  alignas(64) std::array<Index, padding_window> length_, long_;
  std::array<Index, padding_window / slice> lowest_, widest_;
  std::array<std::array<std::int32_t, short_row>, quarters> counts_;
  std::array<int, quarters> long_count_;
};

}  // namespace heddle

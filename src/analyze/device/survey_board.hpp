// What the threads of a block share during a survey.
#pragma once

#include "analyze/device/survey.hpp"
#include "analyze/value_bits.hpp"

namespace heddle {

inline constexpr int survey_threads = 1024, survey_warps = survey_threads / simt::warp_size;

// A set of up to `most` numbers in shared memory: open addressing, 0 marks a free slot.
struct SharedSet {
  static constexpr int most = WindowChoice::entries, all_slots = most * 3 / 2 + 64;

  std::uint32_t slot[all_slots];
  std::uint32_t count[all_slots / 4];  // a byte for each slot
  int slots;

  // By all threads, between barriers of the caller. A few numbers leave most of the memory alone.
  SIMT_DEVICE void clear(std::int64_t numbers) {
    const int wanted = static_cast<int>(numbers * 3 / 2) / 4 * 4 + 64;
    for (int i = simt::thread(); i < wanted; i += survey_threads) slot[i] = 0;
    for (int i = simt::thread(); i < wanted / 4; i += survey_threads) count[i] = 0;
    if (simt::thread() == 0) slots = wanted;
  }
  SIMT_DEVICE int place(std::uint32_t key) const {
    const std::uint32_t scattered = key * 0x9E3779B9u;
    return static_cast<int>(static_cast<std::uint64_t>(scattered) * static_cast<std::uint32_t>(slots) >> 32);
  }
  SIMT_DEVICE int next(int at) const { return at + 1 == slots ? 0 : at + 1; }

  struct Place {
    int at;
    bool fresh;
  };
  SIMT_DEVICE Place insert(std::uint32_t key) {
    for (int at = place(key);; at = next(at)) {
      const std::uint32_t old = simt::atomic_claim(&slot[at], key);
      if (old == 0) return {at, true};
      if (old == key) return {at, false};
    }
  }
  SIMT_DEVICE int find(std::uint32_t key) const {
    int at = place(key);
    while (slot[at] != key) at = next(at);
    return at;
  }
  SIMT_DEVICE void count_one(int at) { simt::atomic_add(&count[at / 4], 1u << at % 4 * 8); }
  SIMT_DEVICE int counted(int at) const { return static_cast<int>(count[at / 4] >> at % 4 * 8 & 255); }
};

// Four windows of 1024 rows at a time: as many barriers as for one.
struct RowBoard {
  static constexpr int windows = 4, quarter = 256;  // quarter: rows of the smaller sorting window

  std::uint32_t bins[windows][4][quarter];             // rows by their length; then those as long or longer
  std::uint32_t long_length[windows][survey_threads];  // rows with short_row entries or more, one by one; else 0
  std::uint32_t long_rows[windows][4];
  std::uint32_t widest[windows][survey_warps], counted[windows][survey_warps];  // a word of each warp
  std::uint32_t exchange[survey_threads];
};

// Sums of 64 bits that every warp adds to in every task: one to each, so that no warp waits for another at one address.
struct WarpSums {
  std::uint64_t hash, squares_low, squares_high, quarters, windows;  // the last two: stored[1] and stored[2]
  std::uint64_t longest, shorter;                                    // max
};

struct Board {
  union {  // a task needs one of them
    SharedSet set;
    RowBoard rows;
    std::uint64_t sampled[2 * ValueSample::size];  // a set of values
  };
  // The window of rows that all threads look at.
  RowWindow window;
  Offset ptr[WindowChoice::rows + 1];
  int start[WindowChoice::rows + 1];  // of its rows, in the window's entries

  std::uint64_t pattern;  // of the slice that all threads look at

  std::uint64_t values[Survey<float>::value_slots];
  std::uint32_t different_values;
  bool looks_at_values;

  SurveyTotals totals;
  WarpSums sums[survey_warps];
  std::uint32_t columns_at_least[256];
  std::int64_t task;

  SIMT_DEVICE WarpSums& mine() { return sums[simt::warp()]; }

  SIMT_DEVICE void clear() {
    auto* words = reinterpret_cast<std::uint64_t*>(&totals);
    for (int i = simt::thread(); i < survey_words; i += survey_threads) words[i] = 0;
    for (int i = simt::thread(); i < Survey<float>::value_slots; i += survey_threads) values[i] = 0;
    if (simt::thread() < survey_warps) sums[simt::thread()] = {};
    if (simt::thread() < 256) columns_at_least[simt::thread()] = 0;
    if (simt::thread() == 0) different_values = 0;
  }
  // Everything into `totals`; by all threads.
  SIMT_DEVICE void add_up() {
    if (simt::thread() < 256) totals.columns_at_least[simt::thread()] = columns_at_least[simt::thread()];
    if (simt::warp() == 0) {
      const WarpSums& one = sums[simt::lane()];
      const std::uint64_t added[] = {simt::warp_sum(one.hash), simt::warp_sum(one.squares_low),
                                     simt::warp_sum(one.squares_high), simt::warp_sum(one.quarters),
                                     simt::warp_sum(one.windows)};
      simt::atomic_max(&totals.longest, one.longest);
      simt::atomic_max(&totals.shorter, one.shorter);
      if (simt::lane() == 0) {
        totals.hash += added[0];
        totals.squares_low += added[1];
        totals.squares_high += added[2];
        totals.stored[1] += added[3];
        totals.stored[2] += added[4];
      }
    }
    simt::sync_block();
  }
  SIMT_DEVICE void add_to(SurveyTotals* all) const {
    const auto* mine = reinterpret_cast<const std::uint64_t*>(&totals);
    auto* theirs = reinterpret_cast<std::uint64_t*>(all);
    for (int i = simt::thread(); i < survey_words; i += survey_threads)
      if (mine[i] != 0)
        i < SurveyTotals::maxima ? simt::atomic_max(theirs + i, mine[i]) : simt::atomic_add(theirs + i, mine[i]);
  }
};

// Adds what the lanes of a warp have; all of them must call it.
template <class To>
SIMT_DEVICE void add_warp(To* sum, std::uint32_t mine) {
  const std::uint32_t all = simt::sum_lanes(mine);
  if (simt::lane() == 0 && all != 0) simt::atomic_add(sum, To{all});
}
SIMT_DEVICE void add_warp(std::int32_t* sum, int mine) {
  add_warp(reinterpret_cast<std::uint32_t*>(sum), static_cast<std::uint32_t>(mine));
}
// The same into a sum of the warp's own.
SIMT_DEVICE void add_own(std::uint64_t& sum, std::uint64_t mine) {
  const std::uint64_t all = simt::warp_sum(mine);
  if (simt::lane() == 0) sum += all;
}

}  // namespace heddle

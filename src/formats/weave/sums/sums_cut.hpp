// How kernels cut the sorted entries of a warp into steps of distinct rows (sums.hpp), as the host does.
#pragma once

#include <algorithm>

#include "formats/weave/sums/sums.hpp"
#include "simt/primitives/radix.hpp"

namespace heddle::weave {

inline constexpr int fetched_rows = 1024, pack_rows = 8;

struct WaitingEntry {
  std::uint32_t entry, row;
};

// Shared memory of the warp that cuts. Behind it lies, for each row, who wanted it last.
struct CutBoard {
  WaitingEntry waiting[most_waiting];
  simt::Pack<std::uint16_t, pack_rows> fetched[fetched_rows / pack_rows];
};

inline std::size_t board_bytes(int group_rows) {
  return sizeof(CutBoard) + static_cast<std::size_t>(group_rows) * sizeof(std::uint32_t);
}

// Where the cut of each part of a group is written down: of each lane of its steps the entry, by its number among the
// sorted ones of the group. Nobody knows yet how many steps there will be: there is room for twice as many places as
// entries, and more for a few parts. Where that is not enough the host cuts.
struct CutSteps {
  static constexpr std::uint32_t no_entry = 0xffffffffu, no_room = 0xffffffffu;
  device::Segments groups;
  CutParts cut_parts;
  std::int64_t most_parts, slack;  // of a group; steps of a part
  std::uint32_t* entry = nullptr;
  std::uint32_t* steps = nullptr;  // of each part, or no_room

  CutSteps(const device::Segments& groups_, std::int64_t most_entries, device::Workspace& memory)
      : groups(groups_),
        cut_parts(groups_.items),
        most_parts(cut_parts.of(most_entries)),
        slack(std::max<std::int64_t>(128, (1 << 18) / std::max<std::int64_t>(1, parts()))),
        entry(memory.take<std::uint32_t>(2 * groups.items + parts() * slack * simt::warp_size)),
        steps(memory.take<std::uint32_t>(parts())) {}
  std::int64_t parts() const { return groups.count * most_parts; }

  struct Part {
    std::int64_t begin, end;  // of the sorted entries
  };
  // Parts that a group does not have are empty.
  SIMT_DEVICE Part part(std::int64_t g, std::int64_t p) const {
    const std::int64_t begin = groups.begin(g), count = groups.begin(g + 1) - begin;
    return {begin + cut_parts.begin(count, p), begin + cut_parts.begin(count, p + 1)};
  }
  SIMT_DEVICE std::int64_t first(std::int64_t entry_before, std::int64_t number) const {
    return (entry_before / (simt::warp_size / 2) + number * slack) * simt::warp_size;
  }
};

// StepCutter of the host, 32 candidates at a time: a lane may take its entry when no earlier candidate of the step has
// its row, and as long as the step has room. Rounds of candidates have numbers. A row's word is
//
//   round << 6 | 31 - lane     the first candidate of the latest round that wanted it
//   round << 6 | 32            taken in that round
//
// and only grows, so that the highest one is found without an order. (A vote for each bit of the row instead took an
// H200 219 us for 16 M entries.)
class WarpCutter {
 public:
  // Entries are written down with so many before the first of `rows`.
  SIMT_DEVICE WarpCutter(const std::uint16_t* rows, std::uint32_t count, int group_rows, std::uint32_t before,
                         std::uint32_t* to, std::uint32_t most_steps)
      : board_(*simt::shared<CutBoard>()),
        wanted_(reinterpret_cast<std::uint32_t*>(&board_ + 1)),
        rows_(rows),
        count_(count),
        before_(before),
        to_(to),
        most_steps_(most_steps) {
    for (int r = simt::lane(); r < group_rows; r += simt::warp_size) wanted_[r] = 0;
    simt::sync_warp();
  }

  // Gives the number of steps.
  SIMT_DEVICE std::uint32_t cut() {
    for (; next_ < count_ || waiting_ > 0; ++step_) {
      if (step_ == most_steps_) return CutSteps::no_room;
      taken_ = 0;
      first_round_ = round_ + 1;
      if (waiting_ < simt::warp_size)
        take_waiting_and_next();
      else
        take_waiting();
      while (next_ < count_ && taken_ < simt::warp_size && waiting_ < most_waiting) take_next();
      if (simt::lane() >= taken_) to_[step_ * simt::warp_size + simt::lane()] = CutSteps::no_entry;
    }
    return step_;
  }

 private:
  static constexpr std::uint32_t is_taken = 32;

  SIMT_DEVICE static unsigned lower_lanes() { return (1u << simt::lane()) - 1; }
  // The first of the candidates with its row, and the step has not got it yet.
  SIMT_DEVICE bool fits(bool there, std::uint32_t row) {
    const std::uint32_t before = wanted_[row], mine = ++round_ << 6 | static_cast<std::uint32_t>(31 - simt::lane());
    const bool wants = there && ((before & is_taken) == 0 || before >> 6 < first_round_);
    simt::sync_warp();  // everybody has read what is overwritten now
    if (wants) simt::atomic_max(wanted_ + row, mine);
    simt::sync_warp();
    return wants && wanted_[row] == mine;
  }
  SIMT_DEVICE void take(std::uint32_t entry, std::uint32_t row, int lane) {
    wanted_[row] = round_ << 6 | is_taken;
    to_[step_ * simt::warp_size + static_cast<std::uint32_t>(lane)] = before_ + entry;
  }

  SIMT_DEVICE void take_waiting() {
    int kept = 0;
    for (int first = 0; first < waiting_; first += simt::warp_size) {
      const int i = first + simt::lane();
      const bool there = i < waiting_;
      const WaitingEntry mine = there ? board_.waiting[i] : WaitingEntry{0, 0};
      const bool fitting = fits(there, mine.row);
      const unsigned all_fitting = simt::ballot(fitting);
      const int lane = taken_ + simt::count_bits(all_fitting & lower_lanes());
      const bool takes = fitting && lane < simt::warp_size;
      const unsigned keeping = simt::ballot(there && !takes);
      simt::sync_warp();  // everybody has read what is overwritten now
      if (takes) take(mine.entry, mine.row, lane);
      if (there && !takes) board_.waiting[kept + simt::count_bits(keeping & lower_lanes())] = mine;
      simt::sync_warp();
      kept += simt::count_bits(keeping);
      taken_ += simt::count_bits(all_fitting);
    }
    waiting_ = kept;
  }

  // Those that wait and the next ones, 32 together: the step has room for all of them.
  SIMT_DEVICE void take_waiting_and_next() {
    fetch();
    const bool waits = simt::lane() < waiting_;
    const std::uint32_t entry = next_ + static_cast<std::uint32_t>(simt::lane() - waiting_);
    const bool there = waits || entry < count_;
    WaitingEntry mine{0, 0};
    if (waits)
      mine = board_.waiting[simt::lane()];
    else if (there)
      mine = {entry, fetched_row(entry)};
    const bool takes = fits(there, mine.row);
    const unsigned coming = simt::ballot(there), taking = simt::ballot(takes), keeping = coming & ~taking;
    simt::sync_warp();  // everybody has read what is overwritten now
    if (takes) take(mine.entry, mine.row, simt::count_bits(taking & lower_lanes()));
    if (there && !takes) board_.waiting[simt::count_bits(keeping & lower_lanes())] = mine;
    simt::sync_warp();
    next_ += static_cast<std::uint32_t>(simt::count_bits(coming) - waiting_);
    taken_ = simt::count_bits(taking);
    waiting_ = simt::count_bits(keeping);
  }

  SIMT_DEVICE void take_next() {
    fetch();
    const std::uint32_t entry = next_ + simt::lane();
    const bool there = entry < count_;
    const std::uint32_t row = there ? fetched_row(entry) : 0;
    const bool fitting = fits(there, row);
    const int fitting_before = simt::count_bits(simt::ballot(fitting) & lower_lanes());
    const int lane = taken_ + fitting_before, seat = waiting_ + simt::lane() - fitting_before;
    const bool comes = there && lane < simt::warp_size && seat < most_waiting;  // of all lanes the first ones
    const unsigned coming = simt::ballot(comes), taking = simt::ballot(comes && fitting);
    simt::sync_warp();  // everybody has read what is overwritten now
    if (comes && fitting) take(entry, row, lane);
    if (comes && !fitting) board_.waiting[seat] = {entry, row};
    simt::sync_warp();
    next_ += simt::count_bits(coming);
    taken_ += simt::count_bits(taking);
    waiting_ += simt::count_bits(coming) - simt::count_bits(taking);
  }

  // The next 32 rows are in shared memory. They come in packs, from the last one that begins at or before the next.
  SIMT_DEVICE void fetch() {
    const bool enough = next_ + simt::warp_size <= fetched_end_ || fetched_end_ == count_;
    if (enough) return;
    constexpr int packs_of_lane = fetched_rows / pack_rows / simt::warp_size;
    const auto before =
        static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(rows_ + next_) / sizeof *rows_ % pack_rows);
    const std::uint16_t* from = rows_ + next_ - before;
    const auto last_pack = static_cast<int>((count_ - next_ + before - 1) / pack_rows);
    simt::Pack<std::uint16_t, pack_rows> pack[packs_of_lane];
#pragma unroll
    for (int u = 0; u < packs_of_lane; ++u) {
      const int i = u * simt::warp_size + simt::lane();
      pack[u] = simt::stream_pack<pack_rows>(from + (i < last_pack ? i : last_pack) * pack_rows);
    }
#pragma unroll
    for (int u = 0; u < packs_of_lane; ++u) board_.fetched[u * simt::warp_size + simt::lane()] = pack[u];
    fetched_ = next_ - before;
    fetched_end_ = count_ - next_ < fetched_rows - before ? count_ : next_ + (fetched_rows - before);
    simt::sync_warp();
  }
  SIMT_DEVICE std::uint32_t fetched_row(std::uint32_t entry) const {
    const std::uint32_t i = entry - fetched_;
    return board_.fetched[i / pack_rows].at[i % pack_rows];
  }

  CutBoard& board_;
  std::uint32_t* wanted_;
  const std::uint16_t* rows_;
  std::uint32_t count_;
  std::uint32_t before_;
  std::uint32_t* to_;
  std::uint32_t most_steps_;
  std::uint32_t next_ = 0, step_ = 0, fetched_ = 0, fetched_end_ = 0;
  std::uint32_t round_ = 0, first_round_ = 0;  // the latest, and the first one of the step
  int taken_ = 0;                              // 32 and more: the step is full
  int waiting_ = 0;
};

}  // namespace heddle::weave

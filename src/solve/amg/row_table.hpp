// Rows of sparse matrices that are added up on the device, with the bits of the host's sums: what is added up in a row
// comes one after the other, in the host's order, and a table in shared memory finds the sum of its column. New columns
// race for places in the table only; at the end an entry goes to the place that its rank among the columns tells.
//
//   key    . 8 . . 3 5 .      column + 1; 0: free
//   sum    . s . . s s .
//   list   4 1 5              places in use, in any order
//
// Few columns fit a small table. Rows that do not fit say so, and the next larger table takes them.
#pragma once

#include "simt/primitives/scan.hpp"
#include "solve/amg/row_steps.hpp"

namespace heddle::solve_method {

inline constexpr Offset too_long = -1;  // entries of a row that did not fit into its table

template <int Slots>
struct RowTable {
  static constexpr unsigned most = Slots - Slots / 8;  // lanes that come at once may put in a few more
  unsigned key[Slots];
  unsigned list[Slots];
  double sum[Slots];
  unsigned count, full;

  SIMT_DEVICE void clear(int lane, int lanes) {
    for (int at = lane; at < Slots; at += lanes) key[at] = 0, sum[at] = -0.0;
    if (lane == 0) count = full = 0;
  }
  SIMT_DEVICE void add(Index column, double value) {
    const unsigned mine = static_cast<unsigned>(column) + 1;
    unsigned at = mine * 2654435769u >> (32 - bits());
    for (;; at = (at + 1) % Slots) {
      const unsigned before = simt::atomic_claim(&key[at], mine);
      if (before == 0 && !listed(at)) return;
      if (before == 0 || before == mine) break;
    }
    sum[at] += value;
  }
  // Of an entry of the list.
  SIMT_DEVICE int rank(unsigned entry) const {
    const unsigned mine = key[list[entry]];
    int lower = 0;
    for (unsigned other = 0; other < count; ++other) lower += key[list[other]] < mine;
    return lower;
  }

 private:
  static constexpr int bits() {
    int found = 0;
    while ((1 << found) < Slots) ++found;
    return found;
  }
  // False: the row is longer than the table. The place is free again.
  SIMT_DEVICE bool listed(unsigned at) {
    const unsigned place = simt::atomic_add(&count, 1u);
    if (place < most) {
      list[place] = at;
      return true;
    }
    simt::atomic_or(&full, 1u);
    key[at] = 0;
    return false;
  }
};

// The rows that are worked out, and where they go. Counting leaves `length` alone of rows that are counted already.
struct RowTarget {
  std::int64_t rows;
  Offset* length;
  const Offset* ptr;  // null: rows are counted
  Index* col;
  double* val;
  bool sorted;  // else the columns of a row stay as they came

  SIMT_DEVICE bool wants(std::int64_t row, Offset more_than, Offset at_most) const {
    if (row >= rows) return false;
    if (ptr == nullptr) return length[row] == too_long;
    const Offset has = ptr[row + 1] - ptr[row];
    return has > more_than && has <= at_most;
  }
  template <int Slots>
  SIMT_DEVICE void take(std::int64_t row, const RowTable<Slots>& table, int lane, int lanes) const {
    if (ptr == nullptr) {
      if (lane == 0) length[row] = table.full != 0 ? too_long : static_cast<Offset>(table.count);
      return;
    }
    for (unsigned entry = static_cast<unsigned>(lane); entry < table.count; entry += static_cast<unsigned>(lanes)) {
      const Offset place = ptr[row] + (sorted ? table.rank(entry) : static_cast<int>(entry));
      col[place] = static_cast<Index>(table.key[table.list[entry]] - 1);
      val[place] = table.sum[table.list[entry]];
    }
  }
};

namespace {  // kernels: compiled for two devices under one name

// Rows by `each(row, add)`, a thread a row. `Rows` of a block; it may have more threads.
template <class Each, int Rows, int Slots>
SIMT_KERNEL sum_row_per_thread(Each each, RowTarget to, Offset more_than) {
  if (simt::thread() >= Rows) return;
  const std::int64_t row = simt::block() * Rows + simt::thread();
  if (!to.wants(row, more_than, RowTable<Slots>::most)) return;
  RowTable<Slots>& table = simt::shared<RowTable<Slots>>()[simt::thread()];
  table.clear(0, 1);
  each(row, [&](std::int64_t column, double value) {
    if (table.full == 0) table.add(static_cast<Index>(column), value);
  });
  to.take(row, table, 0, 1);
}

// Rows of A B, `Lanes` lanes a row: they take the entries of one row of B at once, and the rows one after the other.
template <int Lanes, int Rows, int Slots>
SIMT_KERNEL multiply_row_per_team(MatrixRows A, MatrixRows B, RowTarget to, Offset more_than) {
  const int team = simt::thread() / Lanes, lane = simt::thread() % Lanes;
  const std::int64_t row = simt::block() * Rows + team;
  const bool wanted = to.wants(row, more_than, RowTable<Slots>::most);
  if (!simt::any(wanted)) return;
  RowTable<Slots>& table = simt::shared<RowTable<Slots>>()[team];
  table.clear(lane, Lanes);
  simt::sync_warp();
  const Offset first = wanted ? A.ptr[row] : 0, last = wanted ? A.ptr[row + 1] : 0;
  const int longest = simt::max_lanes(static_cast<int>(last - first));
  for (int step = 0; step < longest; ++step) {
    const Offset k = first + step;
    if (k < last && table.full == 0) {
      const Index middle = A.col[k];
      const double factor = A.val[k];
      for (Offset m = B.ptr[middle] + lane; m < B.ptr[middle + 1]; m += Lanes) table.add(B.col[m], factor * B.val[m]);
    }
    simt::sync_warp();
  }
  if (wanted) to.take(row, table, lane, Lanes);
}

}  // namespace

// What the scan of lengths tells.
struct CountSum {
  std::int64_t entries = 0, longest = 0, open = 0;  // open: rows that did not fit
  SIMT_BOTH void add(const CountSum& other) {
    entries += other.entries;
    longest = other.longest > longest ? other.longest : longest;
    open += other.open;
  }
};
struct CountedRows {
  using Sum = CountSum;
  static constexpr bool placed_apart = true;
  std::int64_t rows;
  const Offset* length;
  Offset* ptr;  // rows + 1

  SIMT_DEVICE Sum item(std::int64_t i) const {
    if (i == rows) return {};
    return length[i] == too_long ? Sum{0, 0, 1} : Sum{length[i], length[i], 0};
  }
  SIMT_DEVICE void place(std::int64_t i, const Sum& before) const { ptr[i] = before.entries; }
};

}  // namespace heddle::solve_method

// Rows of sparse matrices that are added up on the device, with the bits of the host's sums: what is added up in a row
// comes one after the other, in the host's order, and a table in shared memory finds the sum of its column. New columns
// race for places in the table only; at the end an entry goes to the place that its rank among the columns tells.
//
//   key    . 8 . . 3 5 .      column + 1; 0: free
//   sum    . s . . s s .
//   list   4 1 5              places in use, in any order
//
// Few columns fit a small table. Rows that do not fit say so, and the next larger table takes them. Where one thread
// does a whole row, a short one is a list that is searched from its beginning.
//
// Rows are counted first, and then filled: tables that count have no sums, and no values are read for them.
#pragma once

#include "simt/primitives/scan.hpp"
#include "solve/amg/row_steps.hpp"

namespace heddle::solve_method {

inline constexpr Offset too_long = -1;  // entries of a row that did not fit into its table

enum class Pass { count, fill };

template <int Slots, Pass pass>
struct ColumnSums {
  double sum[Slots];
  SIMT_DEVICE void clear(int at) { sum[at] = -0.0; }  // -0 + x has the bits of x for every x
  SIMT_DEVICE void add(unsigned at, double value) { sum[at] += value; }
};
template <int Slots>
struct ColumnSums<Slots, Pass::count> {
  SIMT_DEVICE void clear(int) {}
  SIMT_DEVICE void add(unsigned, double) {}
};

template <int Slots, Pass pass>
struct RowTable : ColumnSums<Slots, pass> {
  static constexpr unsigned most = Slots - Slots / 8;  // lanes that come at once may put in a few more
  unsigned key[Slots];
  unsigned list[Slots];
  unsigned count, full;

  SIMT_DEVICE void clear(int lane, int lanes) {
    for (int at = lane; at < Slots; at += lanes) key[at] = 0, ColumnSums<Slots, pass>::clear(at);
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
    ColumnSums<Slots, pass>::add(at, value);
  }
  SIMT_DEVICE unsigned column(unsigned entry) const { return key[list[entry]] - 1; }
  SIMT_DEVICE double value(unsigned entry) const { return this->sum[list[entry]]; }

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

// The lists of the threads of a block: entries of one number lie side by side.
template <int Slots, int Rows, Pass pass>
struct RowLists : ColumnSums<Slots * Rows, pass> {
  unsigned key[Slots * Rows];
};
// The list of one thread.
template <int Slots, int Rows, Pass pass>
struct RowList {
  static constexpr unsigned most = Slots;
  RowLists<Slots, Rows, pass>& lists;
  unsigned thread, count = 0, full = 0;

  SIMT_DEVICE void add(Index column, double value) {
    unsigned p = 0;
    while (p < count && lists.key[at(p)] != static_cast<unsigned>(column)) ++p;
    if (p == count) {
      if (count == most) {
        full = 1;
        return;
      }
      lists.key[at(count++)] = static_cast<unsigned>(column);
      lists.clear(static_cast<int>(at(p)));
    }
    lists.add(at(p), value);
  }
  SIMT_DEVICE unsigned column(unsigned entry) const { return lists.key[at(entry)]; }
  SIMT_DEVICE double value(unsigned entry) const { return lists.sum[at(entry)]; }

 private:
  SIMT_DEVICE unsigned at(unsigned p) const { return p * Rows + thread; }
};

// The rows that are worked out, and where they go.
struct RowTarget {
  std::int64_t rows;
  Offset* length;     // of rows that are counted
  const Offset* ptr;  // of rows that are filled
  Index* col;
  double* val;
  bool sorted;  // else the columns of a row stay as they came

  // Those that are longer than what the table before this one takes. The first table takes all.
  template <Pass pass>
  SIMT_DEVICE bool wants(std::int64_t row, Offset more_than, Offset at_most) const {
    if (row >= rows) return false;
    if (pass == Pass::count) return more_than == 0 || length[row] == too_long;
    const Offset has = ptr[row + 1] - ptr[row];
    return has > more_than && has <= at_most;
  }
  template <Pass pass, class Table>
  SIMT_DEVICE void take(std::int64_t row, const Table& table, int lane, int lanes) const {
    if constexpr (pass == Pass::count) {
      if (lane == 0) length[row] = table.full != 0 ? too_long : static_cast<Offset>(table.count);
    } else {
      for (unsigned entry = static_cast<unsigned>(lane); entry < table.count; entry += static_cast<unsigned>(lanes)) {
        const unsigned column = table.column(entry);
        Offset place = ptr[row] + (sorted ? 0 : entry);
        if (sorted)
          for (unsigned other = 0; other < table.count; ++other) place += table.column(other) < column;
        col[place] = static_cast<Index>(column);
        val[place] = table.value(entry);
      }
    }
  }
};

namespace {  // kernels: compiled for two devices under one name

// Rows by `each(row, add)`, a thread a row: short ones by lists, or one of a block by a table.
template <class Each, int Rows, int Slots, Pass pass>
SIMT_KERNEL list_row_per_thread(Each each, RowTarget to, Offset more_than) {
  using List = RowList<Slots, Rows, pass>;
  const std::int64_t row = simt::global_thread();
  if (!to.wants<pass>(row, more_than, List::most)) return;
  List list{*simt::shared<RowLists<Slots, Rows, pass>>(), static_cast<unsigned>(simt::thread())};
  each(row, [&](std::int64_t column, double value) { list.add(static_cast<Index>(column), value); });
  to.take<pass>(row, list, 0, 1);
}
template <class Each, int Slots, Pass pass>
SIMT_KERNEL sum_row_per_block(Each each, RowTarget to, Offset more_than) {
  using Table = RowTable<Slots, pass>;
  const std::int64_t row = simt::block();
  if (!to.wants<pass>(row, more_than, Table::most)) return;
  Table& table = *simt::shared<Table>();
  table.clear(simt::lane(), simt::warp_size);
  simt::sync_warp();
  if (simt::lane() == 0)
    each(row, [&](std::int64_t column, double value) {
      if (table.full == 0) table.add(static_cast<Index>(column), value);
    });
  simt::sync_warp();
  to.take<pass>(row, table, simt::lane(), simt::warp_size);
}

// Entries of a row of A, one of each lane of a team, and where the rows of B are that they ask for.
template <int Lanes, Pass pass>
struct RowsOfLanes {
  Offset begin = 0, end = 0;
  double factor = 0;

  SIMT_DEVICE RowsOfLanes(const MatrixRows& A, const MatrixRows& B, Offset k, Offset last) {
    if (k >= last) return;
    const Index middle = A.col[k];
    begin = B.ptr[middle], end = B.ptr[middle + 1];
    if (pass == Pass::fill) factor = A.val[k];
  }
  struct Step {
    int step;
    Offset at, end;
    double factor, value;  // of the first entry that this lane has in the row
    Index column;
  };
  // The row of one lane, begun.
  SIMT_DEVICE Step look(const MatrixRows& B, int step) const {
    const int mine = simt::lane() % Lanes, lane = simt::lane() - mine + step % Lanes;
    Step made{step, simt::shuffle(begin, lane) + mine, simt::shuffle(end, lane), 0, 0, 0};
    if (pass == Pass::fill) made.factor = simt::shuffle(factor, lane);
    if (made.at >= made.end) return made;
    made.column = B.col[made.at];
    if (pass == Pass::fill) made.value = B.val[made.at];
    return made;
  }
};

// Rows of A B, `Lanes` lanes a row: they take the entries of one row of B at once, and the rows one after the other.
// While one is added up the next is loaded.
template <int Lanes, int Rows, int Slots, Pass pass>
SIMT_KERNEL multiply_row_per_team(MatrixRows A, MatrixRows B, RowTarget to, Offset more_than) {
  using Table = RowTable<Slots, pass>;
  const int team = simt::thread() / Lanes, lane = simt::thread() % Lanes;
  const std::int64_t row = simt::block() * Rows + team;
  const bool wanted = to.wants<pass>(row, more_than, Table::most);
  if (!simt::any(wanted)) return;
  Table& table = simt::shared<Table>()[team];
  table.clear(lane, Lanes);
  simt::sync_warp();
  const Offset first = wanted ? A.ptr[row] : 0, last = wanted ? A.ptr[row + 1] : 0;
  const int longest = simt::max_lanes(static_cast<int>(last - first));
  for (int done = 0; done < longest; done += Lanes) {
    const RowsOfLanes<Lanes, pass> rows(A, B, first + done + lane, last);
    const int steps = longest - done < Lanes ? longest - done : Lanes;
    for (auto now = rows.look(B, 0); now.step < steps;) {
      const auto next = rows.look(B, now.step + 1);
      if (table.full == 0 && now.at < now.end) {
        table.add(now.column, now.factor * now.value);
        for (Offset m = now.at + Lanes; m < now.end; m += Lanes)
          table.add(B.col[m], pass == Pass::fill ? now.factor * B.val[m] : 0);
      }
      simt::sync_warp();
      now = next;
    }
  }
  if (wanted) to.take<pass>(row, table, lane, Lanes);
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

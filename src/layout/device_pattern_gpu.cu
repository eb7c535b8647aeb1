#include "layout/device_pattern.hpp"
#include "layout/device_reduce.hpp"

namespace heddle {

namespace {

// Columns ascend inside rows exactly when every step down in `col` is where a row begins: as many steps down among the
// entries as among the beginnings of rows. So both arrays are read front to back, and nobody asks which row an entry
// belongs to.
struct PatternFound {
  std::int64_t steps_down = 0, rows_after_step_down = 0;
  std::int64_t longest = 0;
  std::int32_t bad = 0;

  SIMT_BOTH void add(const PatternFound& other) {
    steps_down += other.steps_down;
    rows_after_step_down += other.rows_after_step_down;
    longest = longest < other.longest ? other.longest : longest;
    bad |= other.bad;
  }
};

// An item is four neighbouring entries, and as many rows as come to four entries on average: so the beginnings of rows
// are looked at while the entries around them are near. (One entry and one row an item: every sector of `col` came
// twice.)
struct PatternItems {
  using Result = PatternFound;
  static constexpr int entries_of_item = 4;
  std::int64_t rows, cols, nnz, count;
  std::uint64_t rows_of_item;  // in units of 2^-32
  const Offset* ptr;
  const Index* col;
  bool aligned;  // to four columns

  explicit PatternItems(const PatternView& A)
      : rows(A.rows),
        cols(A.cols),
        nnz(A.nnz()),
        count(std::max<std::int64_t>(1, simt::blocks_for(A.nnz(), entries_of_item))),
        rows_of_item((static_cast<std::uint64_t>(A.rows) << 32) / static_cast<std::uint64_t>(count)),
        ptr(A.ptr.data()),
        col(A.col.data()),
        aligned(reinterpret_cast<std::uintptr_t>(col) % (entries_of_item * sizeof(Index)) == 0) {}

  SIMT_DEVICE void add(std::int64_t i, PatternFound& to) const {
    if (i == 0 && (ptr[0] != 0 || ptr[rows] != nnz)) to.bad = 1;
    const std::int64_t first = i * entries_of_item;
    if (first + entries_of_item <= nnz)
      add_four(first, to);
    else
      for (Offset k = first; k < nnz; ++k) add_entry(k > 0 ? col[k - 1] : -1, col[k], to);
    for (std::int64_t row = first_row(i); row < first_row(i + 1); ++row) add_row(ptr[row], ptr[row + 1], to);
  }

 private:
  SIMT_DEVICE std::int64_t first_row(std::int64_t i) const {
    return i >= count ? rows : static_cast<std::int64_t>(static_cast<std::uint64_t>(i) * rows_of_item >> 32);
  }
  SIMT_DEVICE void add_row(Offset begin, Offset end, PatternFound& to) const {
    if (begin < 0 || end < begin || end > nnz) {
      to.bad = 1;
      return;
    }
    to.longest = to.longest < end - begin ? end - begin : to.longest;
    if (begin > 0 && begin < end && col[begin] <= col[begin - 1]) ++to.rows_after_step_down;
  }
  // Nothing is below a column of -1, which is bad itself.
  SIMT_DEVICE void add_entry(Index before, Index column, PatternFound& to) const {
    if (column < 0 || column >= cols) to.bad = 1;
    if (column <= before) ++to.steps_down;
  }
  SIMT_DEVICE void add_four(Offset first, PatternFound& to) const {
    const Index before = first > 0 ? col[first - 1] : -1;
    simt::Pack<Index, 4> four;
    if (aligned)
      four = simt::cached_pack<4>(col + first);
    else
      for (int j = 0; j < entries_of_item; ++j) four.at[j] = col[first + j];
    add_entry(before, four.at[0], to);
#pragma unroll
    for (int j = 1; j < entries_of_item; ++j) add_entry(four.at[j - 1], four.at[j], to);
  }
};

struct Longest {
  std::int64_t entries = 0;
  SIMT_BOTH void add(const Longest& other) { entries = entries < other.entries ? other.entries : entries; }
};

struct RowItems {
  using Result = Longest;
  const Offset* ptr;
  SIMT_DEVICE void add(std::int64_t row, Longest& to) const { to.add({ptr[row + 1] - ptr[row]}); }
};

}  // namespace

std::int64_t longest_row(simt::Here here, std::span<const Offset> ptr, Device device) {
  const auto rows = static_cast<std::int64_t>(ptr.size()) - 1;
  return rows < 1 ? 0 : device::reduce(here, RowItems{ptr.data()}, rows, device).entries;
}

DevicePattern look_at(simt::Here here, const PatternView& A, Device device) {
  const PatternItems items(A);
  const PatternFound found = device::reduce(here, items, items.count, device);
  return {found.bad == 0 && found.steps_down == found.rows_after_step_down, found.longest};
}

}  // namespace heddle

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

struct PatternItems {
  using Result = PatternFound;
  std::int64_t rows, cols, nnz;
  const Offset* ptr;
  const Index* col;

  SIMT_DEVICE void add(std::int64_t i, PatternFound& to) const {
    if (i == 0 && (ptr[0] != 0 || ptr[rows] != nnz)) to.bad = 1;
    if (i < rows) add_row(ptr[i], ptr[i + 1], to);
    if (i < nnz) add_entry(i, to);
  }

 private:
  SIMT_DEVICE bool step_down(Offset k) const { return k > 0 && col[k] <= col[k - 1]; }
  SIMT_DEVICE void add_row(Offset begin, Offset end, PatternFound& to) const {
    if (begin < 0 || end < begin || end > nnz) {
      to.bad = 1;
      return;
    }
    to.longest = to.longest < end - begin ? end - begin : to.longest;
    if (begin < end && step_down(begin)) ++to.rows_after_step_down;
  }
  SIMT_DEVICE void add_entry(Offset k, PatternFound& to) const {
    if (col[k] < 0 || col[k] >= cols) to.bad = 1;
    if (step_down(k)) ++to.steps_down;
  }
};

}  // namespace

DevicePattern look_at(simt::Here here, const PatternView& A, Device device) {
  const PatternItems items{A.rows, A.cols, A.nnz(), A.ptr.data(), A.col.data()};
  const std::int64_t count = std::max<std::int64_t>({A.rows, A.nnz(), 1});
  const PatternFound found = device::reduce(here, items, count, device);
  return {found.bad == 0 && found.steps_down == found.rows_after_step_down, found.longest};
}

}  // namespace heddle

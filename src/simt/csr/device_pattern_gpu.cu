#include "simt/csr/device_pattern.hpp"
#include "simt/csr/pattern_look.hpp"
#include "simt/primitives/reduce.hpp"

namespace heddle {

namespace {

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

DevicePattern look_at(simt::Here here, const PatternView& A, Device device, const AskOverlapped& overlapped) {
  PatternLook look(A);
  simt::Launch shape = device::reduce_launch<PatternItems>(look.count(), 1);
  device::PendingSum<PatternFound> sum;
  look.blocks = shape.blocks;
  look.found = sum.ask(shape.blocks, device, {});
  const auto launch = [&](bool overlaps) {
    shape.overlaps = overlaps;
    simt::launch(here, shape, device::reduce_items<PatternItems>, PatternItems(look), look.count(), look.found);
  };
  if (overlapped)
    overlapped({launch, look});
  else
    launch(false);
  const PatternFound& found = sum.heard();
  return {found.bad == 0 && found.steps_down == found.rows_after_step_down, found.longest};
}

}  // namespace heddle

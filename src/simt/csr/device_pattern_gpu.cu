#include "simt/csr/device_pattern.hpp"

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

PatternCheck::PatternCheck(simt::Here, const PatternView& A, Device device) : look_(A) {
  look_.blocks = device::reduce_launch<PatternItems>(look_.count(), 1).blocks;
  look_.found = sum_.ask(look_.blocks, device, {});
}

void PatternCheck::queue(simt::Here here, bool overlaps) {
  simt::Launch shape = device::reduce_launch<PatternItems>(look_.count(), 1);
  shape.overlaps = overlaps;
  simt::launch(here, shape, device::reduce_items<PatternItems>, PatternItems(look_), look_.count(), look_.found);
}

}  // namespace heddle

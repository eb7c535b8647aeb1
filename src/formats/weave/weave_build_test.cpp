// What kernels build from a matrix on the device is what the host builds from one in its memory: every array, every
// bit.
#include <gtest/gtest.h>

#include <cstring>

#include <heddle/generate.hpp>

#include "formats/registered.hpp"
#include "formats/weave/weave.hpp"
#include "simt/emulator.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

using namespace weave;

// All bits of an array that mean something: not the gaps that alignment leaves in a struct.
template <class T>
std::string bits_of(const Buffer<T>& array) {
  return {reinterpret_cast<const char*>(array.data()), array.bytes()};
}
std::string bits_of(const Buffer<ColumnSlice>& slices) {
  std::string bits;
  for (const ColumnSlice& s : slices) {
    const std::int64_t numbers[] = {s.first,           s.columns,         s.width,           s.wide,
                                    s.windows.base[0], s.windows.base[1], s.windows.base[2], s.windows.base[3]};
    bits.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
  }
  return bits;
}

template <class Layout>
std::vector<std::string> arrays_of(const Layout& layout) {
  std::vector<std::string> arrays;
  Layout::each_array(layout, [&](const auto& array) { arrays.push_back(bits_of(array)); });
  return arrays;
}

WeaveSettings settings_of(const std::string& text, const PatternView& A, int value_bytes) {
  WeaveSettings settings = settings_from<WeaveFormat>(Plan::parse("weave " + text));
  choose_weave(settings, A, value_bytes);
  if (settings.values == automatic) settings.values = 0;
  return settings;
}

template <template <class> class Layout, class V>
void expect_same_arrays(const Csr<V>& A, const std::string& text) {
  const WeaveSettings settings = settings_of(text, A.view(), sizeof(V));
  if (!Layout<V>::footprint(A.view(), settings, sizeof(V)).fits) return;
  const auto there = Layout<V>::build_there(simt::Emulator{}, A.view(), settings, Device::emulator());
  ASSERT_TRUE(there);
  EXPECT_EQ(arrays_of(Layout<V>::build(A.view(), settings)), arrays_of(*there));
  Layout<V>::each_array(*there,
                        [](const auto& array) { EXPECT_TRUE(array.empty() || array.device() == Device::emulator()); });
}

// Values that a float holds, of which there are many; and few that it does not hold, odd ones among them.
Csr<double> with_float_values(Csr<double> A) {
  for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = static_cast<float>(0.1 * static_cast<double>(k));
  return A;
}
Csr<double> with_few_values(Csr<double> A) {
  const double odd[] = {0.1, -0.0, 0.0, std::numeric_limits<double>::quiet_NaN(), 1e300, 0.3};
  for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = odd[k * 7 % 6];
  return A;
}

template <template <class> class Layout>
void expect_same_everywhere(const std::vector<std::string>& plans) {
  for (const std::string& plan : plans) {
    for (const Specimen& specimen : zoo(Zoo::small)) {
      SCOPED_TRACE(specimen.name + ", " + plan);
      expect_same_arrays<Layout>(convert<float>(specimen.A.view()), plan);
      expect_same_arrays<Layout>(with_float_values(specimen.A), plan + " values=f32");
      expect_same_arrays<Layout>(with_few_values(specimen.A), plan + " values=dictionary");
    }
    simt::emulator::set_order(simt::emulator::Order::reverse);
    for (const Specimen& specimen : zoo(Zoo::full)) {
      SCOPED_TRACE(specimen.name + ", " + plan);
      expect_same_arrays<Layout>(specimen.A, plan);
    }
    simt::emulator::set_order(simt::emulator::Order::forward);
  }
}

TEST(WeaveBuild, rows) {
  expect_same_everywhere<Rows>({"layout=rows", "layout=rows lanes=1 per_lane=4", "layout=rows lanes=4 per_lane=2",
                                "layout=rows lanes=32 per_lane=1", "layout=rows lanes=2 per_lane=1 sort=1024"});
}

TEST(WeaveBuild, blocks) {
  expect_same_everywhere<Blocks>({"layout=blocks block=2 lanes=1", "layout=blocks block=3",
                                  "layout=blocks block=4 lanes=8", "layout=blocks block=3 lanes=4 sort=1024"});
}

}  // namespace
}  // namespace heddle::test

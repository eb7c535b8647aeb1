// New values on an old pattern: every format and layout, against a fresh build, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <heddle/heddle.hpp>

#include "conformance/devices.hpp"
#include "conformance/plans.hpp"
#include "support/guarded_memory.hpp"
#include "support/oracle.hpp"
#include "support/zoo.hpp"
#include "update/value_map.hpp"

namespace heddle::test {
namespace {

// Numbers that only a copy of their bits survives.
template <class V>
std::vector<V> odd_values(std::int64_t n, std::uint64_t seed) {
  const V odd[] = {V(-0.0), std::numeric_limits<V>::quiet_NaN(), std::numeric_limits<V>::infinity(),
                   std::numeric_limits<V>::denorm_min(), std::numeric_limits<V>::max()};
  Dice dice(seed);
  std::vector<V> values(static_cast<std::size_t>(n));
  for (V& value : values) value = dice.below(4) == 0 ? odd[dice.below(5)] : static_cast<V>(dice.real());
  return values;
}

template <class V>
std::vector<V> product(const Operator<V>& op, bool transposed) {
  Dice dice(5);
  std::vector<V> x(static_cast<std::size_t>(transposed ? op.rows() : op.cols()));
  for (V& e : x) e = static_cast<V>(dice.real());
  std::vector<V> y(static_cast<std::size_t>(transposed ? op.cols() : op.rows()), V(1));
  transposed ? op.multiply_transposed(V(2), x, V(3), y) : op.multiply(V(2), x, V(3), y);
  return y;
}

template <class V>
bool same_bits(const std::vector<V>& a, const std::vector<V>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(V)) == 0);
}

class Update : public testing::TestWithParam<std::string> {
 protected:
  Plan plan() const { return Plan::parse(GetParam()); }
  bool fits(const Specimen& specimen) const {
    return footprint(specimen.A.view(), plan()).fits && footprint(transpose(specimen.A.view()).view(), plan()).fits;
  }
};

template <class V>
void expect_like_fresh(Operator<V>& op, Csr<V> A, const std::vector<V>& values, Plan plan) {
  std::copy(values.begin(), values.end(), A.val.begin());
  EXPECT_TRUE(identical(op.restore(), A));
  if (op.plan().find("values")) plan.settings.emplace_back("values", "raw");
  const auto fresh = build(A, plan, {op.device(), true});
  EXPECT_EQ(op.plan(), fresh.plan());
  EXPECT_TRUE(same_bits(product(op, false), product(fresh, false)));
  EXPECT_TRUE(same_bits(product(op, true), product(fresh, true)));
}

template <class V>
void check_specimen(const Csr<V>& A, const Plan& plan, Device device) {
  auto op = build(A, plan, {device, true});
  for (const std::uint64_t seed : {1, 2}) {
    const auto values = odd_values<V>(A.nnz(), seed);
    op.update_values(values);
    expect_like_fresh(op, A, values, plan);
  }
}

TEST_P(Update, gives_what_a_build_from_the_new_values_gives) {
  for (const Device device : devices_to_try())
    for (const Specimen& specimen : zoo(Zoo::small)) {
      SCOPED_TRACE(GetParam() + " on " + specimen.name + ", " + to_string(device));
      if (!fits(specimen)) continue;
      // The emulator is slow: one precision of each specimen there.
      const bool both = device.kind != Device::Kind::emulator, odd = specimen.name.size() % 2 == 1;
      if (both || odd) check_specimen(convert<float>(specimen.A.view()), plan(), device);
      if (both || !odd) check_specimen(specimen.A, plan(), device);
    }
}

TEST_P(Update, of_a_prepared_operator_allocates_nothing_and_holds_the_bytes_it_says) {
  const Csr<double> A = with_lengths(std::vector<std::int64_t>(300, 9), 300, 21);
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    const GuardedMemory memory;
    auto op = build(A, plan(), {.device = device, .transposed = true, .updates = true});
    EXPECT_EQ(op.bytes(), GuardedMemory::live_bytes());
    const auto values = odd_values<double>(A.nnz(), 4);
    op.update_values(values);
    const auto allocations = GuardedMemory::allocations();
    op.update_values(values);
    EXPECT_EQ(GuardedMemory::allocations(), allocations) << to_string(device);
    EXPECT_EQ(GuardedMemory::damaged_blocks(), 0);
  }
}

TEST_P(Update, survives_the_failure_of_any_allocation_unchanged) {
  const Csr<double> A = with_lengths({3, 0, 40, 7, 1, 9, 0, 2}, 64, 3);
  const auto values = odd_values<double>(A.nnz(), 6);
  const GuardedMemory memory;
  auto op = build(A, plan(), {Device::cpu(), true});
  bool done = false;
  for (std::int64_t at = 0; !done; ++at) {
    ASSERT_LT(at, 10000);
    GuardedMemory::fail_at(at, GuardedMemory::Fault::once);
    try {
      op.update_values(values);
      done = true;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    }
    GuardedMemory::fail_at(0, GuardedMemory::Fault::none);
    EXPECT_TRUE(done || identical(op.restore(), A)) << "changed by a failure";
  }
  EXPECT_EQ(GuardedMemory::damaged_blocks(), 0);
}

INSTANTIATE_TEST_SUITE_P(formats, Update, testing::ValuesIn(default_plans()), readable);

TEST(UpdateValues, refuses_a_wrong_number_of_values) {
  const Csr<double> A = generate<double>("stencil2d5,n=5");
  auto op = build(A);
  EXPECT_THROW(op.update_values(std::vector<double>(static_cast<std::size_t>(A.nnz() + 1))), Error);
  EXPECT_TRUE(identical(op.restore(), A));
}

std::string codec_of(const Operator<double>& op) { return *op.plan().find("values"); }

TEST(UpdateValues, stores_values_raw_unless_the_plan_names_a_codec) {
  const Csr<double> A = generate<double>("stencil2d5,n=240,coefficients=constant");
  std::vector<double> twice(A.val.begin(), A.val.end());
  for (double& value : twice) value *= 2;
  auto open = build(A, Plan::parse("weave layout=diagonals"));
  EXPECT_EQ(codec_of(open), "constant");
  open.update_values(twice);
  EXPECT_EQ(codec_of(open), "raw");
  EXPECT_EQ(codec_of(build(A, Plan::parse("weave layout=diagonals"), {.updates = true})), "raw");

  auto named = build(A, Plan::parse("weave layout=diagonals values=constant"), {.updates = true});
  named.update_values(twice);
  EXPECT_EQ(codec_of(named), "constant");
  EXPECT_EQ(product(named, false), product(open, false));
  std::vector<double> other = twice;
  other[7] += 1;
  EXPECT_THROW(named.update_values(other), Error) << "the codec does not hold them";
  EXPECT_EQ(product(named, false), product(open, false));
}

// Half of the values are stored; the other half has to be the same (formats/symmetric.hpp).
class UpdateSymmetric : public testing::TestWithParam<const char*> {
 protected:
  const Csr<double> A = [] {
    Csr<double> made = generate<double>("elasticity,nx=3,ny=3,nz=3");
    for (std::int64_t row = 0; row < made.rows; ++row)
      for (Offset k = made.ptr[row]; k < made.ptr[row + 1]; ++k) made.val[k] = 1 + (row + made.col[k]) % 17;
    return made;
  }();
  Operator<double> built(Device device) const {
    return build(A, Plan::parse(GetParam()), {.device = device, .transposed = true, .updates = true});
  }
  std::vector<double> scaled(double factor) const {
    std::vector<double> values(A.val.begin(), A.val.end());
    for (double& value : values) value *= factor;
    return values;
  }
  std::vector<double> broken() const {
    auto values = scaled(3);
    values[1] = 5.5;
    return values;
  }
  void expect_values(const Operator<double>& op, const std::vector<double>& values) const {
    Csr<double> B = A;
    std::copy(values.begin(), values.end(), B.val.begin());
    EXPECT_TRUE(identical(op.restore(), B));
    const auto fresh = build(B, Plan::parse(GetParam()), {.device = op.device(), .transposed = true});
    EXPECT_TRUE(same_bits(product(op, false), product(fresh, false)));
    EXPECT_TRUE(same_bits(product(op, true), product(fresh, true)));
  }
};

TEST_P(UpdateSymmetric, by_a_map_and_not_by_building_anew) {
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    auto op = built(device);
    for (const double factor : {2.0, -0.0, 7.0}) {
      op.update_values(scaled(factor));
      expect_values(op, scaled(factor));
    }
    const GuardedMemory memory;
    op.update_values(scaled(3), {}, Memory::device);
    EXPECT_EQ(GuardedMemory::allocations(), 0) << to_string(device);
    expect_values(op, scaled(3));
  }
}

TEST_P(UpdateSymmetric, refuses_host_values_that_are_not_and_stays_as_it_was) {
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    auto op = built(device);
    op.update_values(scaled(2));
    try {
      op.update_values(broken());
      ADD_FAILURE() << "values that are not symmetric were taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    }
    expect_values(op, scaled(2));
  }
}

// Nobody waits for values on the device: the product says NaN, and the first call that waits says why.
TEST_P(UpdateSymmetric, makes_y_nan_by_device_values_that_are_not) {
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    auto op = built(device);
    op.update_values(broken(), {}, Memory::device);
    const std::vector<double> x(static_cast<std::size_t>(A.cols), 1);
    std::vector<double> y(x.size());
    op.multiply(1, x, 0, y, {}, Memory::device);
    const auto nans = std::count_if(y.begin(), y.end(), [](double e) { return std::isnan(e); });
    EXPECT_GE(nans, 2) << "both rows of the pair";
    EXPECT_LT(nans, 8) << "and no others";
    EXPECT_THROW(op.multiply(x, y), Error);
    EXPECT_THROW((void)op.restore(), Error);
    op.update_values(scaled(2), {}, Memory::device);
    expect_values(op, scaled(2));
  }
}

INSTANTIATE_TEST_SUITE_P(formats, UpdateSymmetric,
                         testing::Values("dia values=symmetric", "dia values=symmetric min_occupancy=95",
                                         "bcsr r=3 c=3 values=symmetric"));

TEST(UpdateValues, stores_equal_pieces_of_a_map_once) {
  const Csr<double> A = generate<double>("stencil3d7,n=64,coefficients=varying");
  for (const char* plan : {"csr", "weave layout=diagonals"}) {
    const std::int64_t without = build(A, Plan::parse(plan)).bytes();
    const std::int64_t map = build(A, Plan::parse(plan), {.updates = true}).bytes() - without;
    EXPECT_LT(map, A.nnz() / 4) << plan;
  }
}

// Whatever is in an array, its map says where it belongs, on the host and on the emulator alike.
template <class V>
void expect_map_right(const std::vector<V>& numbered, std::int64_t entries) {
  std::vector<V> val(static_cast<std::size_t>(entries));
  for (std::int64_t k = 0; k < entries; ++k) val[static_cast<std::size_t>(k)] = static_cast<V>(k % 9973);
  // Padding holds zeros before and after; what is neither padding nor an entry is left alone.
  std::vector<V> expected(numbered.size(), V(-1));
  for (std::size_t i = 0; i < numbered.size(); ++i)
    if (value_bits(numbered[i]) == 0) expected[i] = V(0);
  std::vector<V> on_cpu = expected, emulated = expected, behind_one = expected;
  for (std::size_t i = 0; i < numbered.size(); ++i)
    if (const std::uint32_t k = entry_of(numbered[i], entries); k != PlaceBlock::wide_none) expected[i] = val[k];
  FoundEntries found = nothing_found(OnCpu{}, entries, {}),
               too = nothing_found(simt::Emulator{}, entries, Device::emulator());
  const ValueMap here = map_values<V>(OnCpu{}, numbered, entries, found),
                 there = map_values<V>(simt::Emulator{}, numbered, entries, too);
  place_values(OnCpu{}, here, val.data(), on_cpu.data(), {});
  place_values(simt::Emulator{}, there, val.data(), emulated.data(), {});
  EXPECT_EQ(on_cpu, expected);
  EXPECT_EQ(emulated, expected);
  // Neither array aligned to a load of several values.
  std::vector<V> val_behind_one(val);
  behind_one.insert(behind_one.begin(), V(-1));
  val_behind_one.insert(val_behind_one.begin(), V(-2));
  place_values(simt::Emulator{}, there, val_behind_one.data() + 1, behind_one.data() + 1, {});
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), behind_one.begin() + 1));
  EXPECT_EQ(here.bytes(), there.bytes());
  EXPECT_EQ(all_found(OnCpu{}, found, entries), all_found(simt::Emulator{}, too, entries));
}

// Entries of one block that lie close, further apart than shared memory holds, and further than 16 bits.
TEST(ValueMap, reaches_entries_however_far_apart) {
  for (const std::int64_t apart : {1, 7, 20, 100}) {
    std::vector<float> numbered(5000, 0.f);
    for (std::int64_t i = 0; i < 5000; i += 1 + i % 2) numbered[i] = entry_number<float>(i * apart);
    expect_map_right(numbered, 5000 * apart);
    std::reverse(numbered.begin(), numbered.end());
    expect_map_right(numbered, 5000 * apart);
    numbered[100] = entry_number<float>(5000 * apart);
    expect_map_right(numbered, 5000 * apart);
  }
}

// A piece in descending order has no cuts, so it would be one large block, for which all blocks would get shared
// memory.
TEST(ValueMap, one_large_piece_does_not_make_all_blocks_large) {
  constexpr std::int64_t entries = 40000, begin = 10000, end = 16000;
  std::vector<float> numbered(entries);
  for (std::int64_t i = 0; i < entries; ++i)
    numbered[i] = entry_number<float>(i < begin || i >= end ? i : begin + end - 1 - i);
  expect_map_right(numbered, entries);
  FoundEntries found = nothing_found(OnCpu{}, entries, {});
  EXPECT_LE(map_values<float>(OnCpu{}, numbered, entries, found).staged, 4096);
}

// Pieces that are mixed over more than shared memory holds, and one that is not.
TEST(ValueMap, large_pieces_that_are_not_staged_do_not_make_others_large) {
  std::vector<float> numbered;
  for (const std::int64_t size : {40000, 40000, 6016, 40000}) {
    const auto first = static_cast<std::int64_t>(numbered.size());
    for (std::int64_t i = 0; i < size; ++i) numbered.push_back(entry_number<float>(first + i * 1999 % size));
  }
  const auto entries = static_cast<std::int64_t>(numbered.size());
  FoundEntries found = nothing_found(OnCpu{}, entries, {});
  EXPECT_EQ(map_values<float>(OnCpu{}, numbered, entries, found).staged, 0);
  EXPECT_TRUE(all_found(OnCpu{}, found, entries));
}

// Slices of a transposed layout: small ones that share a block, ones that fill a block alone, and one that is too large
// for shared memory. All of the same size have the same codes, which are stored once.
TEST(ValueMap, cuts_between_slices) {
  const auto transposed = [](std::int64_t slices, std::int64_t rows, std::int64_t length) {
    std::vector<double> numbered;
    for (std::int64_t s = 0; s < slices; ++s)
      for (std::int64_t k = 0; k < length; ++k)
        for (std::int64_t row = 0; row < rows; ++row)
          numbered.push_back(entry_number<double>((s * rows + row) * length + k));
    return numbered;
  };
  for (const auto& [slices, rows, length] : {std::array{40, 128, 7}, std::array{6, 128, 27}, std::array{3, 96, 81},
                                             std::array{20, 64, 16}, std::array{2, 512, 40}}) {
    SCOPED_TRACE(length);
    const auto numbered = transposed(slices, rows, length);
    const auto entries = static_cast<std::int64_t>(numbered.size());
    expect_map_right(numbered, entries);
    FoundEntries found = nothing_found(OnCpu{}, entries, {});
    const ValueMap map = map_values<double>(OnCpu{}, numbered, entries, found);
    EXPECT_TRUE(all_found(OnCpu{}, found, entries));
    if (length == 40) continue;
    for (const PlaceBlock& block : map.blocks) EXPECT_EQ(block.staged, block.places) << "no value is read twice";
    EXPECT_LT(map.narrow.size(), entries / 2);
    FoundEntries too = nothing_found(simt::Emulator{}, entries, Device::emulator());
    EXPECT_EQ(map_values<double>(simt::Emulator{}, numbered, entries, too).gaps, length % 2 == 0) << "banks";
  }
}

}  // namespace
}  // namespace heddle::test

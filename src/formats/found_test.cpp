// What asking for room found out is not found out again by building.
#include <gtest/gtest.h>

#include <heddle/generate.hpp>

#include "formats/format.hpp"

namespace heddle {
namespace {

class BuildFound : public testing::TestWithParam<const char*> {};

TEST_P(BuildFound, is_left_for_building_and_taken_by_it) {
  const Csr<double> A = generate<double>("fem,n=6,dof=3");
  const Plan plan = Plan::parse(GetParam());
  const Format& format = registered_format(plan.format);
  Found found;
  const Plan settled = format.settle_f64(plan, {.view = A.view(), .found = &found});
  const Footprint room = format.at_most(settled, A.view(), 8, &found);
  ASSERT_TRUE(room.fits);
  ASSERT_TRUE(found);
  const Found before = found;
  EXPECT_EQ(format.at_most(settled, A.view(), 8, &found).bytes, room.bytes);
  EXPECT_EQ(found, before);  // and not made anew
  const auto store = format.build_f64({.view = A.view(), .found = &found}, settled, Device::cpu());
  EXPECT_FALSE(found);
  EXPECT_EQ(store->bytes(), room.bytes);
  EXPECT_TRUE(identical(store->restore(), A));
}

TEST_P(BuildFound, is_not_needed) {
  const Csr<double> A = generate<double>("fem,n=6,dof=3");
  const Plan plan = Plan::parse(GetParam());
  const Format& format = registered_format(plan.format);
  const Plan settled = format.settle_f64(plan, {.view = A.view()});
  EXPECT_EQ(format.at_most(settled, A.view(), 8, nullptr).bytes, format.footprint(settled, A.view(), 8).bytes);
  EXPECT_TRUE(identical(format.build_f64({.view = A.view()}, settled, Device::cpu())->restore(), A));
}

INSTANTIATE_TEST_SUITE_P(Formats, BuildFound, testing::Values("bcsr r=3 c=3", "dia", "weave layout=diagonals"));

}  // namespace
}  // namespace heddle

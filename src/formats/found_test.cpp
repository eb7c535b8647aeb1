// What asking for room found out is not found out again by building.
#include <gtest/gtest.h>

#include <heddle/generate.hpp>

#include "formats/bcsr/bcsr.hpp"
#include "formats/dia/dia.hpp"
#include "formats/registered.hpp"
#include "formats/weave/weave.hpp"
#include "support/builders.hpp"

namespace heddle::test {
namespace {

const void* place_of(const BcsrPattern& pattern) { return pattern.ptr.data(); }
const void* place_of(const DiagonalsAndRest& parts) { return parts.ptr.data(); }
const void* place_of(const std::optional<weave::DiagonalSkeleton>& skeleton) {
  return skeleton ? skeleton->slices.data() : nullptr;
}

template <template <class> class F>
void expect_found_once(const char* plan) {
  SCOPED_TRACE(plan);
  const Csr<double> A = generate<double>("fem,n=6,dof=3");
  const auto settings = settings_from<F>(settled<double>({A.view()}, plan));
  typename F<double>::Found found;
  const Footprint room = room_for<F>(A.view(), settings, 8, found);
  ASSERT_TRUE(room.fits);
  const void* const place = place_of(found);
  ASSERT_NE(place, nullptr);
  EXPECT_EQ(room_for<F>(A.view(), settings, 8, found).bytes, room.bytes);
  EXPECT_EQ(place_of(found), place);  // and not made anew
  EXPECT_EQ(F<double>::footprint(A.view(), settings, 8).bytes, room.bytes);
  const auto made = F<double>::build({A.view()}, settings, std::move(found)),
             anew = F<double>::build({A.view()}, settings);
  EXPECT_EQ(bytes_of(made), room.bytes);
  EXPECT_EQ(bytes_of(anew), room.bytes);
  EXPECT_TRUE(identical(made.restore(), A));
  EXPECT_TRUE(identical(anew.restore(), A));
}

TEST(BuildFound, is_kept_for_building_and_not_needed) {
  expect_found_once<BcsrFormat>("bcsr r=3 c=3");
  expect_found_once<DiaFormat>("dia");
  expect_found_once<WeaveFormat>("weave layout=diagonals");
}

TEST(BuildFound, is_what_is_stored) {
  const Csr<double> A = generate<double>("fem,n=6,dof=3");
  const auto settings = settings_from<BcsrFormat>(settled<double>({A.view()}, "bcsr r=3 c=3"));
  BcsrPattern found;
  room_for<BcsrFormat>(A.view(), settings, 8, found);
  const Offset* const starts = found.ptr.data();
  EXPECT_EQ(BcsrFormat<double>::build({A.view()}, settings, std::move(found)).ptr.data(), starts);
}

}  // namespace
}  // namespace heddle::test

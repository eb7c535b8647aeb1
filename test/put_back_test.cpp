// What a test changes for the whole program is put back before the next one begins (support/main.cpp): these two run
// one after the other.
#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

#include <heddle/device.hpp>

#include "core/isa.hpp"
#include "simt/simt.hpp"

namespace heddle::test {
namespace {

constexpr const char* own_variable = "LEFT_BEHIND";

struct Usual {
  int count = threads();
  Isa set = isa();
  bool gathers = gathers_pay.of_8;
  std::string device = std::getenv("HEDDLE_DEVICE");
};
const Usual& usual() {
  static const Usual before;
  return before;
}

TEST(ForTheWholeProgram, a_test_may_change_what_it_likes) {
  set_threads(usual().count + 1);
  cap_isa(Isa::baseline);
  gathers_pay.of_8 = !usual().gathers;
  simt::emulator::set_order(simt::emulator::Order::reverse);
  setenv("HEDDLE_DEVICE", "abacus", 1);
  setenv(own_variable, "1", 1);
}

TEST(ForTheWholeProgram, the_next_one_finds_it_as_it_was) {
  EXPECT_EQ(threads(), usual().count);
  EXPECT_EQ(isa(), usual().set);
  EXPECT_EQ(gathers_pay.of_8, usual().gathers);
  EXPECT_EQ(std::getenv("HEDDLE_DEVICE"), usual().device);
  EXPECT_EQ(std::getenv(own_variable), nullptr);
}

}  // namespace
}  // namespace heddle::test

#include "core/halving.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Halving, finds_the_first_number_without_from_every_guess) {
  for (std::int64_t end = 0; end < 40; ++end)
    for (std::int64_t first = 0; first <= end; ++first) {
      const auto holds = [&](std::int64_t i) {
        EXPECT_TRUE(0 <= i && i < end);
        return i < first;
      };
      ASSERT_EQ(first_without(0, end, holds), first);
      for (std::int64_t guess = 0; guess <= end; ++guess)
        ASSERT_EQ(first_without_near(guess, 0, end, holds), first) << "of " << end << " from " << guess;
    }
}

}  // namespace
}  // namespace heddle

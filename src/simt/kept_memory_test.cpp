#include "simt/kept_memory.hpp"

#include <gtest/gtest.h>

namespace heddle::simt {
namespace {

struct Places {
  char at[8];
};

TEST(KeptMemory, gives_the_block_that_fits_best_and_none_that_is_much_too_large) {
  Places places{};
  KeptMemory kept(1 << 20);
  kept.keep(&places.at[0], 4096);
  kept.keep(&places.at[1], 4608);
  kept.keep(&places.at[2], 65536);
  EXPECT_EQ(kept.take(2048).memory, nullptr);
  EXPECT_EQ(kept.take(4100).memory, &places.at[1]);
  EXPECT_EQ(kept.take(4100).memory, nullptr);
  EXPECT_EQ(kept.take(4096).memory, &places.at[0]);
  EXPECT_EQ(kept.take(65536).memory, &places.at[2]);
}

TEST(KeptMemory, prefers_what_is_no_longer_in_use) {
  Places places{};
  KeptMemory kept(1 << 20);
  kept.keep(&places.at[0], 4608);
  kept.all_unused();
  kept.keep(&places.at[1], 4096);
  const KeptMemory::Block first = kept.take(4096), second = kept.take(4096);
  EXPECT_EQ(first.memory, &places.at[0]);
  EXPECT_FALSE(first.in_use);
  EXPECT_EQ(second.memory, &places.at[1]);
  EXPECT_TRUE(second.in_use);
}

TEST(KeptMemory, awaits_the_device_while_a_block_may_be_in_use) {
  Places places{};
  KeptMemory kept(1 << 20);
  EXPECT_FALSE(kept.awaits_device());
  kept.keep(&places.at[0], 4096);
  EXPECT_TRUE(kept.awaits_device());
  kept.all_unused();
  EXPECT_FALSE(kept.awaits_device());
  kept.keep(&places.at[1], 8192);
  EXPECT_TRUE(kept.awaits_device());
  EXPECT_EQ(kept.take(8192).memory, &places.at[1]);
  EXPECT_FALSE(kept.awaits_device()) << "the other one is unused";
}

TEST(KeptMemory, has_no_room_for_more_than_it_may_keep_until_the_oldest_is_taken) {
  Places places{};
  KeptMemory kept(8192);
  kept.keep(&places.at[0], 4096);
  kept.keep(&places.at[1], 4096);
  EXPECT_FALSE(kept.has_room(512));
  EXPECT_EQ(kept.take_oldest().memory, &places.at[0]);
  EXPECT_TRUE(kept.has_room(4096));
  EXPECT_FALSE(kept.has_room(4608));
  EXPECT_EQ(kept.take_oldest().memory, &places.at[1]);
  EXPECT_EQ(kept.take_oldest().memory, nullptr);
}

}  // namespace
}  // namespace heddle::simt

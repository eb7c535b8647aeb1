#include "simt/quiet_streams.hpp"

#include <gtest/gtest.h>

namespace heddle::simt {
namespace {

const int streams[6] = {};  // addresses stand for them

TEST(QuietStreams, are_those_that_were_waited_for_since_anything_started_there) {
  QuietStreams all;
  EXPECT_FALSE(all.has(0, &streams[0]));
  all.note(0, &streams[0]);
  EXPECT_TRUE(all.has(0, &streams[0]));
  EXPECT_FALSE(all.has(0, &streams[1]));
  all.start_on(&streams[1]);
  EXPECT_TRUE(all.has(0, &streams[0])) << "what starts elsewhere does not matter";
  all.start_on(&streams[0]);
  EXPECT_FALSE(all.has(0, &streams[0]));
  all.note(0, &streams[0]);
  EXPECT_TRUE(all.has(0, &streams[0]));
}

TEST(QuietStreams, tell_the_default_streams_of_devices_apart) {
  QuietStreams all;
  EXPECT_FALSE(all.has(0, nullptr)) << "no thread has waited yet";
  all.note(1, nullptr);
  EXPECT_TRUE(all.has(1, nullptr));
  EXPECT_FALSE(all.has(0, nullptr));
  all.note(0, nullptr);
  all.start_on(nullptr);  // whichever device it was on
  EXPECT_FALSE(all.has(0, nullptr));
  EXPECT_FALSE(all.has(1, nullptr));
}

TEST(QuietStreams, forget_some_rather_than_take_a_busy_one_for_quiet) {
  QuietStreams all;
  for (const int& stream : streams) all.note(0, &stream);
  for (const int& stream : streams) all.start_on(&stream);
  for (const int& stream : streams) EXPECT_FALSE(all.has(0, &stream));
  all.note(0, &streams[5]);
  EXPECT_TRUE(all.has(0, &streams[5]));
}

}  // namespace
}  // namespace heddle::simt

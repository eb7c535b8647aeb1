#include "formats/settings.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include <heddle/error.hpp>

namespace heddle {
namespace {

TEST(FewOf, holds_what_it_was_given_and_refuses_more_than_it_has_room_for) {
  const FewOf<int, 3> none, three{7, 8, 9};
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(std::vector<int>(three.begin(), three.end()), (std::vector<int>{7, 8, 9}));
  EXPECT_THROW((FewOf<int, 3>{1, 2, 3, 4}), std::length_error);
}

TEST(Settings, are_written_as_they_were_read) {
  int order = 0, lanes = 1, hidden = 5;
  const std::vector<Field> fields{
      {.name = "order", .value = &order, .meaning = "", .words = {"none", "rcm"}},
      {.name = "lanes", .value = &lanes, .meaning = "", .numbers = {1, 2, 4}},
      {.name = "hidden", .value = &hidden, .meaning = "", .low = 0, .high = 9, .used = false}};
  const Plan plan{"any", {{"order", "rcm"}, {"lanes", "4"}}};
  read_settings(fields, plan);
  EXPECT_EQ(order, 1);
  EXPECT_EQ(lanes, 4);
  EXPECT_EQ(write_settings(fields, "any").settings, plan.settings);
  EXPECT_THROW(read_settings(fields, {"any", {{"lanes", "3"}}}), Error);
  EXPECT_THROW(read_settings(fields, {"any", {{"order", "amd"}}}), Error);
  EXPECT_THROW(read_settings(fields, {"any", {{"unknown", "1"}}}), Error);
}

}  // namespace
}  // namespace heddle

#include "formats/rgcsr/rgcsr.hpp"

#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include "support/zoo.hpp"

namespace heddle::test {
namespace {

// A pattern with the row lengths given, every row from the first column on: columns do not matter for padding.
PatternView pattern_of(const std::vector<std::int64_t>& lengths, std::vector<Offset>& ptr, std::vector<Index>& col) {
  ptr.assign(1, 0);
  col.clear();
  for (const std::int64_t length : lengths) {
    ptr.push_back(ptr.back() + length);
    for (Index k = 0; k < length; ++k) col.push_back(k);
  }
  const auto rows = static_cast<std::int64_t>(lengths.size());
  return {rows, rows, ptr, col};
}

double zeros_percent(const PatternView& A, int group, const std::string& order) {
  return footprint(A, Plan::parse("rgcsr group=" + std::to_string(group) + " order=" + order)).padding_percent;
}

// Short rows of 1 to 10 entries, one giant and a few hundred long ones: what trans4 and Raj1 are like.
std::vector<std::int64_t> circuit_lengths(std::int64_t rows, std::int64_t nnz, std::int64_t giant) {
  Dice dice(7);
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(rows));
  std::int64_t left = nnz - giant;
  for (auto& length : lengths) left -= length = 1 + dice.below(7);
  while (left > 0) {
    const std::int64_t more = std::min<std::int64_t>(left, 1 + dice.below(500));
    lengths[static_cast<std::size_t>(dice.below(rows))] += more;
    left -= more;
  }
  lengths[static_cast<std::size_t>(rows / 3)] = giant;
  return lengths;
}

TEST(Rgcsr, stores_the_last_group_with_its_real_height) {
  const Csr<double> A = with_lengths(std::vector<std::int64_t>(70, 3), 10, 1);
  const auto made = RgcsrFormat<double>::build({A.view()}, {.group = 32});
  EXPECT_EQ(std::vector<Offset>(made.part.start.begin(), made.part.start.end()),
            (std::vector<Offset>{0, 96, 192, 210}));
  EXPECT_EQ(made.part.val.size(), A.nnz()) << "rows of equal length need no padding";
}

TEST(Rgcsr, needs_more_zeros_the_larger_the_group) {
  std::vector<Offset> ptr;
  std::vector<Index> col;
  const PatternView A = pattern_of(circuit_lengths(20000, 120000, 4000), ptr, col);
  for (const char* order : {"none", "descending"}) {
    double before = -1;
    for (const int group : {32, 64, 128, 256}) {
      const double zeros = zeros_percent(A, group, order);
      EXPECT_GT(zeros, before) << order << ", group " << group;
      before = zeros;
    }
  }
}

// (With an incomplete last group another order can do better by a few entries.)
TEST(Rgcsr, sorted_by_length_pads_least_where_all_groups_are_whole) {
  Dice dice(9);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::int64_t> lengths(512);
    for (auto& length : lengths) length = dice.below(1 + dice.below(60));
    std::vector<Offset> ptr;
    std::vector<Index> col;
    const PatternView A = pattern_of(lengths, ptr, col);
    for (const int group : {32, 64, 128, 256})
      EXPECT_LE(zeros_percent(A, group, "descending"), zeros_percent(A, group, "none"));
  }
}

TEST(Rgcsr, knows_amd_where_the_build_has_it) {
  const auto& settings = find_format("rgcsr").settings;
  const std::vector<std::string>& orders = settings.at(1).allowed;
  EXPECT_EQ(std::find(orders.begin(), orders.end(), "amd") != orders.end(), amd_available());
}

}  // namespace
}  // namespace heddle::test

#include "formats/ellr/ellr.hpp"

#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include "support/zoo.hpp"

namespace heddle::test {
namespace {

TEST(Ellr, puts_entry_k_of_row_i_where_paper_4_says) {
  const Csr<double> A = with_lengths({3, 0, 7, 1, 5}, 9, 2);
  for (const int T : {1, 2, 4, 8, 16, 32}) {
    const auto made = EllrFormat<double>::build({A.view()}, {.T = T});
    const std::int64_t ld = 32;
    for (std::int64_t i = 0; i < A.rows; ++i)
      for (std::int64_t e = 0; e < A.view().length(i); ++e) {
        const std::int64_t k = e / T, p = e % T;
        EXPECT_EQ(made.part.val[(k * ld + i) * T + p], A.val[A.ptr[i] + e]) << "T = " << T;
      }
    EXPECT_EQ(made.part.val.size(), (7 + T - 1) / T * T * ld);
  }
}

TEST(Ellr, adds_the_row_lengths_to_what_ell_stores) {
  const Csr<double> A = with_lengths({3, 0, 7, 1, 5}, 9, 2);
  const auto ell = footprint(A.view(), Plan::parse("ell")), ellr = footprint(A.view(), Plan::parse("ellr"));
  EXPECT_EQ(ellr.stored, ell.stored);
  EXPECT_EQ(ellr.bytes, ell.bytes + A.rows * 4);
}

TEST(Ellr, takes_every_T_and_block_of_paper_4_with_fewer_lanes_a_row_than_threads_a_block) {
  const Csr<double> A = with_lengths({3, 0, 7, 1, 5}, 9, 2);
  for (const char* plan : {"ellr T=3", "ellr T=64", "ellr block=8", "ellr block=1024", "ellr T=16 block=16",
                           "ellr T=32 block=16", "ellr T=32 block=32"})
    EXPECT_THROW((void)footprint(A.view(), Plan::parse(plan)), Error) << plan;
  for (const char* plan : {"ellr T=8 block=512", "ellr T=8 block=16", "ellr T=16 block=32", "ellr T=32 block=64"})
    EXPECT_NO_THROW((void)footprint(A.view(), Plan::parse(plan))) << plan;
}

TEST(Ellr, multiplies_with_every_T_and_block_as_with_the_others) {
  const Csr<double> A = with_lengths({3, 0, 70, 1, 5, 33, 16, 2, 40, 4, 0, 9, 31, 32, 64, 6, 7, 8, 65, 12}, 90, 2);
  const std::vector<double> x(90, 0.25);
  for (const int T : {1, 2, 4, 8, 16, 32}) {
    const auto product = [&](int block, const std::string& cache) {
      const std::string plan = "ellr T=" + std::to_string(T) + " block=" + std::to_string(block) + " cache=" + cache;
      std::vector<double> y(20, -1);
      build(A, Plan::parse(plan), {.device = Device::emulator()}).multiply(x, y);
      return y;
    };
    const std::vector<double> expected = product(256, "x");
    for (const int block : {16, 32, 64, 128, 512}) {
      if (T >= block) continue;
      for (const char* cache : {"x", "all", "none"}) EXPECT_EQ(product(block, cache), expected) << T << ", " << block;
    }
  }
}

TEST(Ellr, auto_runs_the_twelve_of_paper_4_on_a_gpu_and_keeps_one) {
  using Settings = EllrSettings;
  const auto twelve = EllrFormat<double>::trials({.T = automatic}, Device::emulator());
  ASSERT_EQ(twelve.size(), 12u);
  for (const Settings& s : twelve) {
    EXPECT_TRUE(s.T == 1 || s.T == 2 || s.T == 4 || s.T == 8) << s.T;
    EXPECT_TRUE(s.block == 128 || s.block == 256 || s.block == 512) << s.block;
  }
  EXPECT_EQ(EllrFormat<double>::trials({.T = automatic}, Device::cpu()).size(), 4u) << "a CPU has no blocks";
  EXPECT_EQ(EllrFormat<double>::trials({.T = automatic, .block = 64}, Device::emulator()).size(), 4u);
  EXPECT_TRUE(EllrFormat<double>::trials({.T = 4}, Device::emulator()).empty());

  const Csr<double> A = with_lengths({3, 0, 7, 1, 5}, 9, 2);
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    const auto op = build(A, Plan::parse("ellr T=auto"), {.device = device});
    const std::string* T = op.plan().find("T");
    ASSERT_NE(T, nullptr);
    EXPECT_TRUE(*T == "1" || *T == "2" || *T == "4" || *T == "8") << *T;
    std::vector<double> x(9, 1), y(5), expected(5);
    op.multiply(x, y);
    build(A, Plan::parse("csr"), {.device = Device::cpu()}).multiply(x, expected);
    for (int i = 0; i < 5; ++i) EXPECT_NEAR(y[i], expected[i], 1e-12);
  }
}

// A stored matrix that a trial changes into the next must be what would have been built.
TEST(Ellr, changes_its_block_but_not_its_lanes) {
  const Csr<double> A = with_lengths({3, 0, 7, 1, 5}, 9, 2);
  auto made = EllrFormat<double>::build({A.view()}, {.T = 2, .block = 128});
  EXPECT_FALSE(made.change_to({.T = 4, .block = 128}));
  EXPECT_TRUE(made.change_to({.T = 2, .block = 512}));
  EXPECT_EQ(made.block, 512);
}

}  // namespace
}  // namespace heddle::test

#include "formats/ellr/ellr.hpp"

#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include "support/zoo.hpp"

namespace heddle::test {
namespace {

TEST(Ellr, puts_entry_k_of_row_i_where_paper_4_says) {
  const Csr<double> A = with_lengths({3, 0, 7, 1, 5}, 9, 2);
  for (const int T : {1, 2, 4, 8}) {
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

TEST(Ellr, takes_the_twelve_configurations_of_paper_4_and_no_others) {
  const Csr<double> A = with_lengths({3, 0, 7, 1, 5}, 9, 2);
  for (const char* plan : {"ellr T=16", "ellr T=3", "ellr block=64", "ellr block=1024"})
    EXPECT_THROW((void)footprint(A.view(), Plan::parse(plan)), Error) << plan;
  EXPECT_NO_THROW((void)footprint(A.view(), Plan::parse("ellr T=8 block=512")));
}

}  // namespace
}  // namespace heddle::test

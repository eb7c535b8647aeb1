#include "formats/csr_padded/csr_padded.hpp"

#include <gtest/gtest.h>

#include "support/zoo.hpp"

namespace heddle::test {
namespace {

TEST(CsrPadded, starts_every_row_at_a_multiple_of_16) {
  const Csr<double> A = with_lengths({3, 0, 18, 16, 1}, 100, 1);
  const auto padded = CsrPaddedFormat<double>::build({A.view()}, {});
  EXPECT_EQ(std::vector<Offset>(padded.ptr.begin(), padded.ptr.end()), (std::vector<Offset>{0, 16, 16, 48, 64, 80}));
  EXPECT_EQ(std::vector<Index>(padded.length.begin(), padded.length.end()), (std::vector<Index>{3, 0, 18, 16, 1}));
  EXPECT_EQ(padded.val[16 + 17], A.val[3 + 17]);
  EXPECT_EQ(padded.val[16 + 18], 0);
}

TEST(CsrPadded, stores_each_length_rounded_up_to_16) {
  const Csr<double> A = with_lengths({3, 0, 18, 16, 1}, 100, 1);
  const Footprint need = footprint(A.view(), Plan::parse("csr_padded"));
  EXPECT_EQ(need.stored, 16 + 0 + 32 + 16 + 16);
  EXPECT_DOUBLE_EQ(need.padding_percent, 100.0 * (80 - 38) / 38);
}

TEST(CsrPadded, refuses_millions_of_rows_with_one_entry) {
  const Csr<double> A = with_lengths(std::vector<std::int64_t>(1'300'000, 1), 1, 2);
  EXPECT_FALSE(footprint(A.view(), Plan::parse("csr_padded")).fits);
}

}  // namespace
}  // namespace heddle::test

#include "plan/predict/pass_model.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

// Paper 5: Tesla C1060, float, 32-bit columns, milliseconds.
constexpr PassModel c1060{7.753e-3, 3.530e-3, 2.807e-3, 30720};

TEST(PassModel, gives_the_times_of_paper_5) {             // fixture F5
  EXPECT_NEAR(predict(c1060, 62451, 78), 0.460, 0.0005);  // cant
  EXPECT_NEAR(predict(c1060, 83334, 81), 0.632, 0.0005);  // consph
  EXPECT_NEAR(predict(c1060, 525825, 4), 0.260, 0.0005);  // mc2depi
  EXPECT_NEAR(predict(c1060, 49152, 39), 0.186, 0.0005);  // qcd5_4
}

TEST(PassModel, lies_within_7_percent_of_what_the_paper_measured) {
  EXPECT_NEAR(predict(c1060, 62451, 78) / 0.493, 1, 0.07);
  EXPECT_NEAR(predict(c1060, 83334, 81) / 0.604, 1, 0.07);
  EXPECT_NEAR(predict(c1060, 525825, 4) / 0.275, 1, 0.07);
  EXPECT_NEAR(predict(c1060, 49152, 39) / 0.190, 1, 0.07);
}

TEST(PassModel, counts_whole_passes_and_no_rows) {
  EXPECT_EQ(predict(c1060, 0, 50), 0);
  EXPECT_DOUBLE_EQ(predict(c1060, 1, 10), c1060.D0 + 10 * c1060.D2);
  EXPECT_DOUBLE_EQ(predict(c1060, 2 * 30720, 10), c1060.D0 + c1060.D1 + 20 * c1060.D2);
}

}  // namespace
}  // namespace heddle

// The words of the rules of paper 5, by planted times of its kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <optional>

#include "reproduce/claims/planted.hpp"
#include "reproduce/papers/matrix_model.hpp"

namespace heddle::reproduce {
namespace {

TEST(Verdicts, of_R17_go_by_the_share_of_every_matrix) {
  // 20 % on the irregular ones, `regular` on the others.
  const auto word = [](double irregular, double regular) {
    return judged("R17",
                  [=](const std::string& matrix, const std::string& what, Precision) {
                    const bool is_irregular = matrix == "cop20k_A" || matrix == "scircuit" || matrix == "webbase-1M";
                    if (what.find("pseudo x") == std::string::npos) return 1.0;
                    return 1 - (is_irregular ? irregular : regular);
                  })
        .verdict;
  };
  EXPECT_EQ(word(0.2, 0.1), confirmed);
  EXPECT_EQ(word(0.1, 0.2), mixed) << "the regular ones are in the range, but the irregular ones are not above them";
  EXPECT_EQ(word(0.5, 0.4), refuted);
}

// The second strategy wins on all but one of the matrices and precisions, on half of them, on none.
TEST(Verdicts, of_R30_go_by_matrix_and_precision) {
  const auto word = [](const std::function<bool(const std::string&, Precision)>& wins) {
    return judged("R30",
                  [=](const std::string& matrix, const std::string& what, Precision precision) {
                    const bool first = starts(what, "literal") && what.find("loads=") == std::string::npos;
                    return first == wins(matrix, precision) ? 2.0 : 1.0;
                  })
        .verdict;
  };
  EXPECT_EQ(word([](const std::string& matrix, Precision precision) {
              return matrix != "consph" || precision == Precision::f64;
            }),
            confirmed);
  EXPECT_EQ(word([](const std::string&, Precision precision) { return precision == Precision::f32; }), mixed);
  EXPECT_EQ(word([](const std::string&, Precision) { return false; }), refuted);
}

TEST(Verdicts, of_R26_go_by_both_headlines_in_both_precisions) {
  const auto judge = [](bool short_columns, bool strategies) {
    return judged("R26", [=](const std::string&, const std::string& what, Precision) {
      if (has(what, "columns=16")) return short_columns ? 1.0 : 4.0;
      if (what.ends_with("loads=data_cache")) return strategies ? 1.0 : 4.0;
      return starts(what, "literal") ? 2.0 : 0.1;  // ELLPACK-R, which is no base of the paper
    });
  };
  EXPECT_EQ(judge(true, true).verdict, confirmed);
  EXPECT_EQ(judge(true, false).verdict, mixed);
  EXPECT_EQ(judge(false, true).verdict, mixed);
  EXPECT_EQ(judge(false, false).verdict, refuted);
  EXPECT_TRUE(has(judge(true, true).now, "(without Web, whose columns fit otherwise")) << judge(true, true).now;
}

TEST(Verdicts, of_R41_stay_open_on_one_device) {
  const Claim open = judged("R41", [](const auto&, const auto&, Precision) { return 1.0; });
  EXPECT_EQ(open.verdict, Verdict::not_testable);
  EXPECT_NE(open.now.find("rank correlation"), std::string::npos);
}

// Times without x that follow the model, follow it in float, or jump about.
class PassTimes {
 public:
  static constexpr long a_pass = 256;
  double expected(const std::string& matrix, const PassModel& model) {
    if (const auto size = size_of(matrix)) return predict(model, size->first, size->second);
    const Matrix& one = lab_.matrix(matrix);
    return predict_mean(model, one.A.rows, mean_width(Device::cpu(), one, kept_width(one)));
  }
  static bool is_fitted(const std::string& matrix) {
    const auto size = size_of(matrix);
    return size && (size->second == 4 || size->second == 8 || size->second == 16 || size->second == 24);
  }
  bool fills_a_pass(const std::string& matrix) { return size_of(matrix) || lab_.matrix(matrix).A.rows >= a_pass; }

 private:
  static std::optional<std::pair<long, long>> size_of(const std::string& matrix) {
    long rows = 0, m = 0;
    if (std::sscanf(matrix.c_str(), "%ld rows of %ld", &rows, &m) != 2) return {};
    return std::pair(rows, m);
  }
  Lab lab_{{.device = Device::cpu(), .seconds = 0, .quick = true}};
};

TEST(Verdicts, of_R18_go_by_sizes_that_were_not_fitted_and_by_matrices_that_fill_a_pass) {
  PassTimes times;
  const auto word = [&](const std::function<bool(const std::string&, Precision)>& follows) {
    return judged("R18",
                  [&](const std::string& matrix, const std::string&, Precision precision) {
                    const bool right = PassTimes::is_fitted(matrix) || follows(matrix, precision);
                    return (right ? 1 : 3) * times.expected(matrix, {7, 3, 2, PassTimes::a_pass});
                  })
        .verdict;
  };
  EXPECT_EQ(word([](const std::string&, Precision) { return true; }), confirmed);
  EXPECT_EQ(word([](const std::string&, Precision precision) { return precision == Precision::f32; }), mixed);
  EXPECT_EQ(word([](const std::string&, Precision) { return false; }), refuted);
  EXPECT_EQ(word([&](const std::string& matrix, Precision) { return times.fills_a_pass(matrix); }), confirmed)
      << "of less than a pass the model says nothing";
}

// 16-bit columns save a quarter of D2, in both precisions, in one, in none.
TEST(Verdicts, of_R47_go_by_what_16_bits_do_to_the_constants) {
  PassTimes times;
  const auto word = [&](double f32, double f64) {
    return judged("R47",
                  [&](const std::string& matrix, const std::string& what, Precision precision) {
                    const double D2 = !has(what, "16-bit") ? 2 : precision == Precision::f32 ? f32 : f64;
                    return times.expected(matrix, {7, 3, D2, PassTimes::a_pass});
                  })
        .verdict;
  };
  EXPECT_EQ(word(1.5, 1.5), confirmed);
  EXPECT_EQ(word(1.5, 2.5), mixed);
  EXPECT_EQ(word(2, 2), refuted);
}

}  // namespace
}  // namespace heddle::reproduce

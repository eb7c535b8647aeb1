// Several right-hand sides with one operator and one preconditioner.
#include <heddle/solve.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>

namespace heddle::test {
namespace {

using Numbers = std::vector<double>;

class SeveralSides : public testing::Test {
 protected:
  SeveralSides() : A(generate<double>("stencil2d5,n=12,coefficients=varying")), op(build(A)), B(3 * 144), X(B.size()) {
    for (std::size_t i = 0; i < B.size(); ++i) B[i] = std::sin(static_cast<double>(i));
  }
  Csr<double> A;
  Operator<double> op;
  Numbers B, X;
};

TEST_F(SeveralSides, are_solved_as_each_alone) {
  for (const char* preconditioner : {"none", "jacobi", "fsai", "amg"}) {
    std::fill(X.begin(), X.end(), 0.0);
    const std::vector<Report> reports = solve_many(op, B, X, {.preconditioner = preconditioner});
    ASSERT_EQ(reports.size(), 3u);
    for (std::size_t c = 0; c < 3; ++c) {
      Numbers x(144, 0.0);
      const Report alone =
          solve(op, std::span<const double>(B).subspan(144 * c, 144), x, {.preconditioner = preconditioner});
      EXPECT_EQ(Numbers(X.begin() + 144 * static_cast<long>(c), X.begin() + 144 * static_cast<long>(c + 1)), x);
      EXPECT_EQ(reports[c].history, alone.history);
      EXPECT_EQ(reports[c].method, alone.method);
      EXPECT_EQ(reports[c].preconditioner, alone.preconditioner);
      EXPECT_TRUE(reports[c].converged());
    }
  }
}

TEST_F(SeveralSides, a_column_that_fails_stops_no_other) {
  B[150] = NAN;
  const std::vector<Report> reports = solve_many(op, B, X, {.method = "cg"});
  EXPECT_TRUE(reports[0].converged());
  EXPECT_EQ(reports[1].status, Status::not_finite);
  EXPECT_TRUE(reports[2].converged());
}

TEST_F(SeveralSides, need_whole_columns) {
  Numbers short_one(100), wrong(2 * 144);
  EXPECT_THROW(solve_many(op, short_one, short_one), Error);
  EXPECT_THROW(solve_many(op, B, wrong), Error);
  EXPECT_TRUE(solve_many(op, Numbers(), std::span<double>()).empty());
}

}  // namespace
}  // namespace heddle::test

// Claims of the source papers that need no stopwatch: R1 (row statistics of the test matrices) and R13 (what the
// adaptive hybrid stores). R2, R7, R10 and R19 lie beside the formats they speak of; the timed ones are in
// docs/performance.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include <heddle/heddle.hpp>

namespace heddle {
namespace {

struct Statistics {
  const char* name;
  std::int64_t rows, nnz;
  double mean, max_minus_mean, sigma;
};

void expect_statistics(const Structure& facts, const Statistics& printed) {
  constexpr double rounding = 0.006;
  EXPECT_EQ(facts.rows, printed.rows);
  EXPECT_EQ(facts.nnz, printed.nnz);
  EXPECT_NEAR(facts.rows_len.mean, printed.mean, rounding);
  EXPECT_NEAR(static_cast<double>(facts.rows_len.max) - facts.rows_len.mean, printed.max_minus_mean, rounding);
  EXPECT_NEAR(facts.rows_len.stddev, printed.sigma, rounding);
}

TEST(PaperClaims, row_statistics_are_those_of_the_first_papers_table) {  // R1
  const std::filesystem::path folder = std::filesystem::path(HEDDLE_SOURCE_FOLDER) / "../shared/matrices";
  int found = 0;
  for (const Statistics& printed :
       {Statistics{"qh1484", 1484, 6110, 4.12, 8.88, 1.60}, Statistics{"gemat12", 4929, 33111, 6.72, 37.28, 3.01}}) {
    const auto file = folder / (std::string(printed.name) + ".mtx.gz");
    if (!std::filesystem::exists(file)) continue;
    SCOPED_TRACE(printed.name);
    expect_statistics(analyze(read_matrix(file.string())), printed);
    ++found;
  }
  if (found == 0) GTEST_SKIP() << "the real matrices are not here";
}

// The paper prints Max - Av = 1.00 beside sigma = 0.00, which cannot be; the lattice has 39 entries in every row.
TEST(PaperClaims, the_lattice_stand_in_has_the_rows_of_qcd5_4) {  // R1
  expect_statistics(analyze(generate("qcd,l=8")), {"qcd5_4", 49152, 1916928, 39.00, 0.00, 0.00});
}

TEST(PaperClaims, the_hybrid_stores_about_2_percent_more_than_the_entries_and_never_more_than_6) {  // R13
  double sum = 0, most = 0;
  const std::vector<const char*> stand_ins{
      "dense,rows=2000", "fem,n=23,dof=3", "fem,n=27,dof=3", "fem,n=16,dof=6", "qcd,l=8",
      "economics",       "epidemiology",   "mesh",           "circuit",        "web"};
  for (const char* text : stand_ins) {
    const Csr<double> A = generate(text);
    const double percent = footprint(A.view(), Plan{"csr_ell", {}}).padding_percent;
    EXPECT_GE(percent, 0) << text;
    sum += percent;
    most = std::max(most, percent);
  }
  EXPECT_NEAR(sum / static_cast<double>(stand_ins.size()), 2.0, 1.0);
  EXPECT_LE(most, 6.0);
}

}  // namespace
}  // namespace heddle

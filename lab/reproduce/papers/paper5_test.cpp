// Paper 5's parts: its kernel on the host, its model on rows that are not alike, 16 bits at their limits, and energy.
#include "reproduce/papers/paper5.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include <heddle/generate.hpp>
#include <heddle/io.hpp>

#include "layout/sliced_build.hpp"
#include "reproduce/kernels/pseudo_x.hpp"
#include "reproduce/papers/matrix_model.hpp"
#include "support/planted_package.hpp"
#include "support/zoo.hpp"

namespace heddle::reproduce {
namespace {

using test::ScratchFolder;

// Two rows: a column `distance` before or behind the diagonal.
Csr<double> with_distance(std::int64_t distance) {
  const std::int64_t n = 40000, row = distance < 0 ? n - 1 : 0;
  Csr<double> A{n, n, Buffer<Offset>(n + 1), Buffer<Index>(1), Buffer<double>(1)};
  for (std::int64_t i = 0; i <= n; ++i) A.ptr[i] = i > row ? 1 : 0;
  A.col[0] = static_cast<Index>(row + distance);
  A.val[0] = 1;
  return A;
}

TEST(SixteenBits, hold_distances_from_minus_32768_to_32767) {
  EXPECT_TRUE(fits_16_bits(with_distance(-32768)));
  EXPECT_TRUE(fits_16_bits(with_distance(32767)));
  EXPECT_FALSE(fits_16_bits(with_distance(-32769)));
  EXPECT_FALSE(fits_16_bits(with_distance(32768)));
}

TEST(PseudoXOnTheHost, multiplies_with_x_or_with_a_constant_in_its_place) {
  const Csr<double> A = test::with_lengths({3, 0, 1, 40, 7, 2, 5, 0, 9}, 60, 3);
  const Device cpu = Device::cpu();
  const auto store = build_sliced<double, Column16>(A.view(), row_per_lane_shape(cpu, A.rows), {},
                                                    {.start = true, .length = true}, RowPieces{A.ptr});
  const std::vector<double> x(static_cast<std::size_t>(A.cols), 2);
  for (const ReadsX reads : {ReadsX::yes, ReadsX::no}) {
    std::vector<double> y(static_cast<std::size_t>(A.rows), 7);
    multiply_row_per_lane(cpu, store.view(), Product<double>{x.data(), {.y = y.data()}, {}}, reads);
    for (std::int64_t row = 0; row < A.rows; ++row) {
      double sum = 0;
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) sum += A.val[k];
      EXPECT_NEAR(y[static_cast<std::size_t>(row)], (reads == ReadsX::yes ? 2 : 1.5) * sum, 1e-12) << row;
    }
  }
}

TEST(PassModel, takes_the_longest_row_of_each_warp_or_the_mean_of_a_cpu) {
  Lab lab({.device = Device::emulator(), .seconds = 0, .quick = true});
  const Matrix& matrix = lab.made("two warps", "test", [] {
    std::vector<std::int64_t> lengths(64, 2);
    lengths[5] = 10, lengths[40] = 4;
    Vector<std::int64_t> list(lengths.begin(), lengths.end());
    return matrix_with_lengths(list);
  });
  EXPECT_DOUBLE_EQ(mean_width(Device::emulator(), matrix, 1000), 7);
  EXPECT_DOUBLE_EQ(mean_width(Device::emulator(), matrix, 6), 5);
  EXPECT_DOUBLE_EQ(mean_width(Device::cpu(), matrix, 1000), 138.0 / 64);
  const PassModel model{10, 4, 3, 256};
  EXPECT_DOUBLE_EQ(predict_mean(model, 512, 2), predict(model, 512, 2));
  EXPECT_DOUBLE_EQ(predict_mean(model, 512, 2.5), (predict(model, 512, 2) + predict(model, 512, 3)) / 2);
}

TEST(Paper5, has_the_printed_means_of_tables_5_to_7) {
  double ratio[2] = {1, 1}, headline = 1, best = 1;
  int tens = 0;
  for (const paper5::Printed& row : paper5::printed()) {
    ratio[0] *= 1 + row.all[0] / 100, ratio[1] *= 1 + row.all[1] / 100;
    if (!row.in_table_6()) continue;
    ++tens;
    headline *= 1 + (std::isfinite(row.speed_up[0][2]) ? row.speed_up[0][2] : row.speed_up[0][1]) / 100;
    best *= row.best[0][0] / row.best[0][1];
  }
  ASSERT_EQ(tens, 10);
  EXPECT_NEAR(100 * (std::pow(ratio[0], 1 / 11.0) - 1), 16.0, 0.1);  // as printed
  EXPECT_NEAR(100 * (std::pow(ratio[1], 1 / 11.0) - 1), 11.9, 0.1);  // printed 12.6
  EXPECT_NEAR(100 * (std::pow(headline, 0.1) - 1), 19.0, 0.1);
  EXPECT_NEAR(100 * (std::pow(best, 0.1) - 1), 52.9, 0.1);
}

class EnergyOfTheReproduction : public testing::Test {
 protected:
  Paper of(double seconds, const std::string& powercap) {
    setenv("HEDDLE_POWERCAP", powercap.c_str(), 1);
    Lab lab({.device = Device::cpu(), .seconds = seconds, .folder = folder.path(".")});
    Paper paper{.name = "model"};
    Record record(lab, paper);
    paper5::energy(record);
    unsetenv("HEDDLE_POWERCAP");
    return paper;
  }
  ScratchFolder folder;
};

TEST_F(EnergyOfTheReproduction, tells_joules_by_format_and_by_method_in_both_precisions) {
  for (const char* name : {"cant", "cop20k_A", "mac_econ_fwd500"})
    write_matrix(folder.path(std::string(name) + ".mtx"), generate("stencil2d5,n=20"));
  const test::PlantedPackage package;
  const Paper paper = of(0.002, package.folder());
  ASSERT_EQ(paper.tables.size(), 2u);
  EXPECT_GE(paper.tables[0].rows.size(), 3 * 6u);
  for (const auto& row : paper.tables[0].rows) EXPECT_NE(row[3], "-") << row[2];
  EXPECT_EQ(paper.tables[1].rows.size(), 5u);
  for (const auto& row : paper.tables[1].rows) EXPECT_NE(row[5].find('J'), std::string::npos) << row[0];
  ASSERT_EQ(paper.also_measured.size(), 1u);
  EXPECT_EQ(paper.also_measured[0].basis, "RAPL: package-0");
}

TEST_F(EnergyOfTheReproduction, says_that_nothing_counts_them) {
  const Paper paper = of(0.002, folder.path("nowhere"));
  EXPECT_TRUE(paper.tables.empty());
  ASSERT_EQ(paper.also_measured.size(), 1u);
  EXPECT_NE(paper.also_measured[0].now.find("nothing counts them here: RAPL"), std::string::npos);
}

}  // namespace
}  // namespace heddle::reproduce

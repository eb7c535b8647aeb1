// The words of the rules of what is swept: rows and lengths of paper 2, the corpus and the orders of paper 3.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include <heddle/generate.hpp>
#include <heddle/io.hpp>

#include "reproduce/corpus.hpp"
#include "reproduce/planted.hpp"
#include "support/command.hpp"

namespace heddle::reproduce {
namespace {

using test::ScratchFolder;

// Gains with few rows and less with many; the first alone; neither.
TEST(Verdicts, of_R32_want_a_gain_that_shrinks) {
  const auto word = [](double few, double many) {
    return judged("R32",
                  [=](const std::string& matrix, const std::string& what, Precision) {
                    if (what != "csr_ell T=1 L=1048576 escape=no") return 1.0;
                    return matrix.find("rows=4,") != std::string::npos ? few : many;
                  })
        .verdict;
  };
  EXPECT_EQ(word(3, 1.5), confirmed);
  EXPECT_EQ(word(2, 2.5), mixed);
  EXPECT_EQ(word(0.8, 0.9), refuted);
}

TEST(Verdicts, of_R33_take_ten_of_fourteen) {
  // sell is as fast as HYB; the hybrid is faster on so many matrices, slower on the others.
  const auto word = [](std::size_t ahead) {
    return judged("R33",
                  [=](const std::string& matrix, const std::string& what, Precision) {
                    if (!starts(what, "csr_ell")) return 1.0;
                    std::size_t place = 0;
                    while (matrix != fourteen()[place].name) ++place;
                    return place < ahead ? 0.5 : 2.0;
                  })
        .verdict;
  };
  EXPECT_EQ(word(14), confirmed);
  EXPECT_EQ(word(10), confirmed);
  EXPECT_EQ(word(9), mixed);
  EXPECT_EQ(word(0), refuted);
}

// Real files, whatever is in them: in AMD order as fast as before on all, on three, on none.
TEST(Verdicts, of_R36_go_by_the_four_real_files) {
  const ScratchFolder folder;
  for (const char* name : {"fd18", "G2_circuit", "trans4", "Raj1"}) {
    write_matrix(folder.path(std::string(name) + ".mtx"), generate("stencil2d5,n=5"));
    std::string order;  // for a build without AMD
    for (int row = 0; row < 25; ++row) order += std::to_string((row + 7) % 25) + "\n";
    folder.write(std::string(name) + ".amd.txt", order);
  }
  const auto word = [&](const std::string& faster) {
    return judged(
               "R36",
               [&](const std::string& matrix, const std::string&, Precision) {
                 const auto at = matrix.find(" in AMD order");
                 const bool gains = at != std::string::npos && faster.find(matrix.substr(0, at)) != std::string::npos;
                 return gains ? 0.5 : 1.0;
               },
               folder.path(""))
        .verdict;
  };
  EXPECT_EQ(word(""), confirmed);
  EXPECT_EQ(word("trans4"), mixed);
  EXPECT_EQ(word("fd18 G2_circuit trans4 Raj1"), refuted);
  EXPECT_EQ(judged("R36", slower_where([](const auto&, const auto&, Precision) { return false; })).verdict,
            Verdict::not_testable)
      << "which rows of a stand-in are neighbours says nothing";
}

// Over the seeded corpus: RgCSR slower than HYB nowhere, in double, everywhere.
TEST(Verdicts, of_R28_go_by_precision) {
  // Ahead on the small ones; in the other precision behind on all.
  const auto word = [](bool f32, bool f64) {
    return judged("R28",
                  [=](const std::string& matrix, const std::string& what, Precision precision) {
                    const bool ahead = precision == Precision::f32 ? f32 : f64;
                    const bool small = matrix < "corpus 1061";
                    if (!starts(what, "hyb")) return 1.0;
                    return ahead && small ? 2.0 : 0.5;
                  })
        .verdict;
  };
  EXPECT_EQ(word(true, true), confirmed);
  EXPECT_EQ(word(true, false), mixed);
  EXPECT_EQ(word(false, false), refuted);
}

TEST(Verdicts, of_R37_want_a_slower_mean_and_a_faster_matrix) {
  const auto word = [](double mostly, double once) {
    std::map<std::string, int> numbers;
    return judged("R37",
                  [=](const std::string& matrix, const std::string& what, Precision) mutable {
                    numbers.emplace(matrix, static_cast<int>(numbers.size()));
                    if (what != "rgcsr group=128 on one core") return 1.0;
                    return numbers[matrix] == 0 ? once : mostly;
                  })
        .verdict;
  };
  EXPECT_EQ(word(2, 0.5), confirmed);
  EXPECT_EQ(word(2, 2), mixed);
  EXPECT_EQ(word(0.5, 0.5), mixed);
}

// The model has 25 GFLOP/s in float and 16.7 in double at the 100 GB/s that planted times go with.
TEST(Verdicts, of_R27_and_R29_go_by_the_share_of_the_model) {
  const auto word = [](const std::string& id, double rgcsr_rate, double hyb_rate) {
    return judged(id,
                  [=](const std::string& matrix, const std::string& what, Precision precision) {
                    int number = 0;
                    std::sscanf(matrix.c_str(), "corpus %d", &number);
                    const auto& one = stand_in_corpus()[static_cast<std::size_t>(number)];
                    const double model = precision == Precision::f32 ? 25e9 : 100e9 / 6;
                    const double rate = starts(what, "hyb") ? hyb_rate : rgcsr_rate;
                    return 2 * static_cast<double>(matrix_of(one).nnz()) / (rate * model);
                  })
        .verdict;
  };
  EXPECT_EQ(word("R27", 0.95, 0.5), confirmed);
  EXPECT_EQ(word("R27", 0.85, 0.5), mixed) << "80 % in double is reached, 93 % in float is not";
  EXPECT_EQ(word("R27", 0.5, 0.5), refuted);
  EXPECT_EQ(word("R29", 0.5, 0.4), confirmed);
  EXPECT_EQ(word("R29", 0.5, 0.6), refuted);
  EXPECT_EQ(word("R29", 0.01, 0.6), Verdict::not_testable) << "nothing reaches that share";
}

}  // namespace
}  // namespace heddle::reproduce

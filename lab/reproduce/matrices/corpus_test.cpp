// The seeded corpus has the sizes of paper 3's Table 2.
#include "reproduce/matrices/corpus.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>
#include <heddle/io.hpp>

#include "support/command.hpp"

namespace heddle::reproduce {
namespace {

struct Averages {
  double rows = 0, entries = 0, count = 0;
  std::int64_t fewest_rows = INT64_MAX, most_rows = 0, most_entries = 0;
};

Averages averages(bool small) {
  Averages of;
  for (const CorpusMatrix& one : stand_in_corpus()) {
    if (one.small() != small) continue;
    ++of.count;
    of.rows += static_cast<double>(one.profile.rows);
    of.entries += static_cast<double>(one.profile.nnz);
    of.fewest_rows = std::min(of.fewest_rows, one.profile.rows);
    of.most_rows = std::max(of.most_rows, one.profile.rows);
    of.most_entries = std::max(of.most_entries, one.profile.nnz);
  }
  of.rows /= of.count, of.entries /= of.count;
  return of;
}

TEST(Corpus, has_the_sizes_of_table_2) {
  const Averages small = averages(true), large = averages(false);
  EXPECT_EQ(small.count, 1061);
  EXPECT_EQ(large.count, 537);
  EXPECT_NEAR(small.rows / 3253, 1, 0.08);
  EXPECT_NEAR(small.entries / 64899, 1, 0.12);
  EXPECT_NEAR(large.rows / 116059, 1, 0.08);
  EXPECT_NEAR(large.entries / 2684263, 1, 0.12);
  EXPECT_GE(small.fewest_rows, 5);
  EXPECT_GE(large.fewest_rows, 10000);
  EXPECT_LE(large.most_rows, 2063494);
  EXPECT_LE(large.most_entries, 52672325);
}

TEST(Corpus, makes_what_it_announces) {
  for (const CorpusMatrix& one : part_of_corpus(40)) {
    if (one.profile.nnz > 500000) continue;
    const Csr<double> A = matrix_of(one);
    EXPECT_TRUE(violations(A.view(), Require::canonical).empty()) << one.name();
    EXPECT_EQ(A.rows, one.profile.rows) << one.name();
    EXPECT_NEAR(static_cast<double>(A.nnz()) / static_cast<double>(one.profile.nnz), 1, 0.1) << one.name();
  }
}

TEST(Corpus, has_every_kind_and_says_which) {
  for (const char* kind : {"blocks", "band", "circuit", "graph"}) {
    const auto& all = stand_in_corpus();
    const auto count = std::count_if(all.begin(), all.end(), [&](const CorpusMatrix& one) {
      return one.name().ends_with(std::string(", ") + kind);
    });
    EXPECT_GT(count, 40) << kind;
  }
}

TEST(Corpus, is_cut_to_parts_with_the_same_share_of_small_ones) {
  const auto part = part_of_corpus(10);
  const auto small = std::count_if(part.begin(), part.end(), [](const CorpusMatrix& one) { return one.small(); });
  EXPECT_EQ(part.size(), 160u);
  EXPECT_NEAR(static_cast<double>(small) / 160, 1061.0 / 1598, 0.02);
}

// Claims about a host's times want all sizes; to see that everything runs a few small ones do.
TEST(Corpus, is_the_same_on_a_cpu_as_on_a_gpu_but_for_its_step_and_quick_runs) {
  const auto taken = [](Device device, bool quick) {
    Lab lab({.device = device, .seconds = 0, .quick = quick, .corpus_step = 40});
    return corpus_items(lab).size();
  };
  EXPECT_EQ(taken(Device::cpu(), false), part_of_corpus(40).size());
  EXPECT_LT(taken(Device::cpu(), true), 20u);
  EXPECT_LT(taken(Device::emulator(), false), 20u);
}

// Files of a folder in the place of the stand-ins: small and large apart, what is not square left out by its name.
TEST(Corpus, may_be_a_folder_of_files) {
  const test::ScratchFolder folder;
  write_matrix(folder.path("large.hdl"), generate("stencil2d5,n=101"));
  write_matrix(folder.path("small.mtx"), generate("stencil2d5,n=9"));
  write_matrix(folder.path("wide.mtx"), generate("random,rows=20,cols=30,per_row=3"));
  Lab lab({.device = Device::cpu(), .seconds = 0, .quick = true, .corpus = folder.path(".")});
  std::vector<std::string> kinds;
  for (const CorpusItem& item : corpus_items(lab)) {
    try {
      const Matrix& matrix = item.get(lab);
      EXPECT_TRUE(matrix.facts.real());
      kinds.push_back(item.name + (matrix.facts.rows < 10000 ? " small" : " large"));
    } catch (const Error& error) {
      kinds.push_back(error.what());
    }
  }
  EXPECT_EQ(kinds,
            (std::vector<std::string>{"large large", "small small", folder.path("./wide.mtx") + " is not square"}));
  EXPECT_EQ(corpus_origin(lab), "real files");
}

}  // namespace
}  // namespace heddle::reproduce

// The words of the rules of what is swept: rows and lengths of paper 2, the corpus and the orders of paper 3.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <numeric>

#include <heddle/generate.hpp>
#include <heddle/io.hpp>

#include "reproduce/claims/planted.hpp"
#include "reproduce/matrices/corpus.hpp"
#include "support/command.hpp"
#include "support/zoo.hpp"

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
// Where RgCSR is ahead of HYB: two of three of the corpus are small, 1,061 of 1,598.
enum class Ahead { nowhere, on_all, on_small, on_large, on_few_small };

Claim of_R28(Ahead f32, Ahead f64) {
  return judged("R28", [=](const std::string& matrix, const std::string& what, Precision precision) {
    if (!has(what, "hyb")) return 1.0;
    const Ahead where = precision == Precision::f32 ? f32 : f64;
    const bool small = matrix < "corpus 1061", few = matrix < "corpus 0300";
    const bool ahead = where == Ahead::on_all || (where == Ahead::on_small && small) ||
                       (where == Ahead::on_large && !small) || (where == Ahead::on_few_small && few);
    return ahead ? 2.0 : 0.5;
  });
}

TEST(Verdicts, of_R28_count_most_and_small_ones_apart_in_each_precision) {
  EXPECT_EQ(of_R28(Ahead::on_small, Ahead::on_small).verdict, confirmed);
  EXPECT_EQ(of_R28(Ahead::nowhere, Ahead::nowhere).verdict, refuted);
  EXPECT_EQ(of_R28(Ahead::on_large, Ahead::on_large).verdict, refuted) << "few of all, and not the small ones";
  struct Case {
    Ahead f32, f64;
    std::vector<std::string> against;
  };
  for (const Case& c : {Case{Ahead::on_all, Ahead::on_all, {"above all small ones, f32", "above all small ones, f64"}},
                        Case{Ahead::on_few_small, Ahead::on_few_small, {"most, f32", "most, f64"}},
                        Case{Ahead::on_small, Ahead::on_all, {"above all small ones, f64"}},
                        Case{Ahead::nowhere, Ahead::on_small, {"most, f32", "above all small ones, f32"}}}) {
    const Claim claim = of_R28(c.f32, c.f64);
    EXPECT_EQ(claim.verdict, mixed) << c.against.front();
    EXPECT_EQ(claim.against, c.against);
    EXPECT_EQ(claim.judged, 4u);
  }
}

TEST(Verdicts, of_R37_want_the_printed_mean_and_a_faster_matrix) {
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
  EXPECT_EQ(word(2, 0.8), confirmed);
  EXPECT_EQ(word(2, 2), mixed) << "faster on none";
  EXPECT_EQ(word(0.5, 0.5), mixed) << "faster on average";
  EXPECT_EQ(word(1.1, 0.8), mixed) << "91 % are not 55 %";
  EXPECT_EQ(word(1, 1), refuted);
}

TEST(Verdicts, of_a_claim_about_the_host_need_no_gpu) {
  Lab lab({.device = Device::cpu()});
  Paper paper{.name = "rgcsr", .claims = {claim("R37"), claim("R8")}};
  Record record(lab, paper);
  for (const char* id : {"R37", "R8"}) {
    Findings seen = record.findings(id);
    seen.add("one", true);
    record.judge(seen, "");
  }
  EXPECT_EQ(paper.claims[0].verdict, confirmed);
  EXPECT_EQ(paper.claims[1].reason, "speaks of a GPU's times; this is the cpu");
}

// The model has 25 GFLOP/s in float and 16.7 in double at the 100 GB/s that planted times go with; the data sheet says
// 125.
TEST(Verdicts, of_R27_and_R29_go_by_the_share_of_the_model) {
  const auto word = [](const std::string& id, double rgcsr_rate, double hyb_rate) {
    return judged(id,
                  [=](const std::string& matrix, const std::string& what, Precision precision) {
                    int number = 0;
                    std::sscanf(matrix.c_str(), "corpus %d", &number);
                    const auto& one = stand_in_corpus()[static_cast<std::size_t>(number)];
                    const double model = precision == Precision::f32 ? 25e9 : 100e9 / 6;
                    const double rate = has(what, "hyb") ? hyb_rate : rgcsr_rate;
                    return 2 * static_cast<double>(matrix_of(one).nnz()) / (rate * model);
                  })
        .verdict;
  };
  EXPECT_EQ(word("R27", 1.2, 0.5), confirmed);
  EXPECT_EQ(word("R27", 0.95, 0.5), mixed) << "of what was measured, not of the data sheet";
  EXPECT_EQ(word("R27", 0.85, 0.5), mixed) << "80 % in double is reached, 93 % in float is not";
  EXPECT_EQ(word("R27", 0.5, 0.5), refuted);
  EXPECT_EQ(word("R29", 0.5, 0.4), confirmed);
  EXPECT_EQ(word("R29", 0.5, 0.6), refuted);
  EXPECT_EQ(word("R29", 0.01, 0.6), Verdict::not_testable) << "nothing reaches that share";
}

// The share of the small that RgCSR wins, and of the large that HYB wins; both formats win everywhere alike; the reverse.
TEST(Verdicts, of_R45_go_by_the_shares_that_beat_a_core) {
  const auto word = [](double rgcsr_small, double rgcsr_large, double hyb_small, double hyb_large) {
    return judged("R45",
                  [=](const std::string& matrix, const std::string& what, Precision) {
                    const bool small = matrix < "corpus 1061";
                    if (has(what, "one core")) return 1.0;
                    if (has(what, "hyb")) return small ? hyb_small : hyb_large;
                    return small ? rgcsr_small : rgcsr_large;
                  })
        .verdict;
  };
  EXPECT_EQ(word(0.5, 2, 2, 0.5), confirmed);
  EXPECT_EQ(word(0.5, 0.5, 2, 2), mixed);
  EXPECT_EQ(word(2, 0.5, 0.5, 2), refuted);
}

TEST(Verdicts, of_R46_go_by_the_share_of_the_model_without_cached_x) {
  Lab sizes({.device = Device::cpu(), .quick = true});
  const auto word = [&](double hyb, double rgcsr) {
    return judged("R46",
                  [&](const std::string& matrix, const std::string& what, Precision precision) {
                    const double model = 2e9 * planted_read_gbps / (precision == Precision::f32 ? 12 : 20);
                    const double rate = model * (has(what, "rgcsr") ? rgcsr : hyb);
                    return 2 * static_cast<double>(sizes.matrix(matrix).facts.nnz) / rate;
                  })
        .verdict;
  };
  EXPECT_EQ(word(0.8, 0.75), confirmed);
  EXPECT_EQ(word(0.7, 0.75), mixed) << "78 % in double";
  EXPECT_EQ(word(0.5, 0.3), refuted);
}

// Changing over gains on both matrices, on the one that does not escape to HYB, from the GPU's memory, never.
TEST(Verdicts, of_R16_go_by_all_and_by_those_without_the_escape) {
  const auto judge = [](double escaping, double other, double from_host) {
    return judged("R16", [=](const std::string& matrix, const std::string& what, Precision) {
      const double gain = matrix == "stencil2d5,nx=200,ny=1" ? escaping : other;
      return what == "cg by hyb" ? gain : what.ends_with("host memory") ? 1 / from_host : 1.0;
    });
  };
  EXPECT_EQ(judge(1.2, 1.3, 1).verdict, confirmed);
  EXPECT_EQ(judge(0.1, 1.3, 1).verdict, mixed);
  EXPECT_EQ(judge(0.1, 1.3, 1).against,
            (std::vector<std::string>{"from host memory, all", "from the GPU's memory, all"}));
  EXPECT_EQ(judge(1.2, 1.3, 0.5).verdict, mixed);
  EXPECT_EQ(judge(0.7, 0.8, 1).verdict, refuted);
}

// ---- claims about counts: the numbers are planted as files

const PlantedTimes equal_times = [](const std::string&, const std::string&, Precision) { return 1.0; };

void write_all(const ScratchFolder& folder, const std::vector<std::string>& names, const Csr<double>& A) {
  for (const std::string& name : names) write_matrix(folder.path(subject(name).files[0] + ".hdl"), A);
}

// Stand-ins have the printed zeros of the two sorted matrices; rows that are all alike have none, whatever the group.
TEST(Verdicts, of_R7_go_by_the_growth_and_the_printed_zeros) {
  const ScratchFolder one, all;
  const Csr<double> alike = generate("dense,rows=40");
  write_all(one, {"fd18"}, alike);
  std::vector<std::string> names{"scircuit", "webbase-1M", "fd18", "trans4", "Raj1"};
  for (const TableOneRow& row : table_one()) names.emplace_back(row.name);
  write_all(all, names, alike);
  write_all(all, {"G2_circuit"}, test::with_lengths({1, 5, 3}, 20, 1));  // sorted it has 0.05 %, next to nothing
  EXPECT_EQ(judged("R7", equal_times).verdict, confirmed);
  EXPECT_EQ(judged("R7", equal_times, one.path("")).verdict, mixed);
  EXPECT_EQ(judged("R7", equal_times, all.path("")).verdict, refuted);
}

std::vector<std::string> names_of(const std::vector<Williams>& set) {
  std::vector<std::string> names;
  for (const Williams& one : set) names.emplace_back(one.name);
  return names;
}

// Rows of 64 fill whole warps; one warp of rows from 1 to 31 is half padding; four rows are a warp of a few entries.
TEST(Verdicts, of_R13_go_by_the_mean_and_the_largest_of_both_readings) {
  const ScratchFolder full, half, tiny;
  std::vector<std::int64_t> lengths(32);
  std::iota(lengths.begin(), lengths.end(), 1);
  write_all(full, names_of(fourteen()), generate("dense,rows=64"));
  write_all(half, names_of(fourteen()), test::with_lengths(lengths, 64, 1));
  write_all(tiny, names_of(fourteen()), test::with_lengths({1, 2, 3, 9}, 20, 1));
  EXPECT_EQ(judged("R13", equal_times, full.path("")).verdict, confirmed);
  EXPECT_EQ(judged("R13", equal_times, half.path("")).verdict, mixed) << "padding is too much, warps are not";
  EXPECT_EQ(judged("R13", equal_times, tiny.path("")).verdict, refuted);
}

// Edges from vertex 0 to each of these, both ways.
Csr<double> with_edges(Index rows, const std::vector<Index>& to) {
  const auto count = static_cast<std::int64_t>(to.size());
  Coo<double> entries{rows, rows, Buffer<Index>(2 * count), Buffer<Index>(2 * count), Buffer<double>(2 * count)};
  for (std::int64_t k = 0; k < count; ++k) {
    const Index other = to[static_cast<std::size_t>(k)];
    entries.row[2 * k] = entries.col[2 * k + 1] = 0;
    entries.col[2 * k] = entries.row[2 * k + 1] = other;
    entries.val[2 * k] = entries.val[2 * k + 1] = 1;
  }
  return to_csr(entries);
}

// `near` fits as it is; RCM makes `apart` fit; a star's hub is always too far from a leaf.
TEST(Verdicts, of_R19_go_by_the_counts_before_and_after_rcm) {
  constexpr Index far = 40000, star = 70000;
  const Csr<double> near = generate("stencil2d5,n=5"), apart = with_edges(far, {far - 1});
  std::vector<Index> leaves(star - 1);
  std::iota(leaves.begin(), leaves.end(), 1);
  const Csr<double> never = with_edges(star, leaves);
  const auto word = [&](std::size_t fitting, std::size_t with_rcm) {
    const ScratchFolder folder;
    const std::vector<std::string> names = names_of(eleven());
    for (std::size_t k = 0; k < names.size(); ++k)
      write_all(folder, {names[k]}, k < fitting ? near : k < with_rcm ? apart : never);
    return judged("R19", equal_times, folder.path("")).verdict;
  };
  EXPECT_EQ(word(7, 10), confirmed);
  EXPECT_EQ(word(7, 11), mixed);
  EXPECT_EQ(word(0, 5), refuted);
}

// In blocks of 32 rows of one length every second group of 64 is half padding.
TEST(Verdicts, of_R44_go_by_the_zeros_of_small_and_large_real_matrices) {
  std::vector<std::int64_t> alike(12000, 2), blocks(12000), uneven(12000);
  for (std::size_t row = 0; row < alike.size(); ++row)
    blocks[row] = row / 32 % 2 == 0 ? 1 : 3, uneven[row] = row % 2 == 0 ? 1 : 3;
  const auto word = [&](const std::vector<std::int64_t>& large) {
    const ScratchFolder folder;
    write_matrix(folder.path("small.hdl"), test::with_lengths({alike.begin(), alike.begin() + 960}, 960, 1));
    write_matrix(folder.path("large.hdl"), test::with_lengths(large, 12000, 1));
    return judged("R44", equal_times, {}, folder.path("")).verdict;
  };
  EXPECT_EQ(word(alike), confirmed);
  EXPECT_EQ(word(blocks), mixed);
  EXPECT_EQ(word(uneven), refuted);
  EXPECT_EQ(judged("R44", equal_times).verdict, Verdict::not_testable) << "zeros of stand-ins are ours";
}

// An arrow's entries lie far from the diagonal until RCM comes; a full matrix stays as it is.
TEST(Verdicts, of_R48_take_eight_of_eleven) {
  const Csr<double> apart = with_edges(60, {59}), full = generate("dense,rows=9");
  const auto word = [&](std::size_t lower) {
    const ScratchFolder folder;
    const std::vector<std::string> names = names_of(eleven());
    for (std::size_t k = 0; k < names.size(); ++k) write_all(folder, {names[k]}, k < lower ? apart : full);
    return judged("R48", equal_times, folder.path("")).verdict;
  };
  EXPECT_EQ(word(8), confirmed);
  EXPECT_EQ(word(7), mixed);
  EXPECT_EQ(word(0), refuted);
}

// Half of the time is spent on x; RCM saves all of that, on the irregular matrices, on all, on the others alone.
TEST(Verdicts, of_R22_go_by_irregular_and_regular_real_files) {
  const ScratchFolder folder;
  write_all(folder, {"cop20k_A", "scircuit", "webbase-1M", "pdb1HYS", "qcd5_4"}, generate("stencil2d5,n=5"));
  const auto word = [&](bool irregular, bool regular) {
    return judged(
               "R22",
               [=](const std::string& matrix, const std::string& what, Precision) {
                 if (what.find("pseudo x") != std::string::npos) return 0.5;
                 const auto at = matrix.find(" in RCM order");
                 const bool is_regular = matrix.starts_with("pdb1HYS") || matrix.starts_with("qcd5_4");
                 return at != std::string::npos && (is_regular ? regular : irregular) ? 0.5 : 1.0;
               },
               folder.path(""))
        .verdict;
  };
  EXPECT_EQ(word(true, false), confirmed);
  EXPECT_EQ(word(true, true), mixed);
  EXPECT_EQ(word(false, true), refuted);
}

TEST(Verdicts, of_R39_stay_open_where_both_caches_are_one) {
  EXPECT_EQ(judged("R39", equal_times).verdict, Verdict::not_testable);
}

}  // namespace
}  // namespace heddle::reproduce

// The word of every rule, by numbers that are planted in place of timings and files: each gives each word.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <heddle/generate.hpp>
#include <heddle/io.hpp>

#include "reproduce/claims/planted.hpp"
#include "reproduce/nominal.hpp"
#include "reproduce/page/fifteen_years.hpp"
#include "reproduce/page/markdown.hpp"
#include "support/command.hpp"

namespace heddle::reproduce {
namespace {

using test::ScratchFolder;

TEST(Verdicts, of_findings_follow_the_share_that_holds) {
  const auto word = [](double share, int held, int judged) {
    ClaimText text = claim_text("R3");
    text.share = share;
    Findings seen(text, "cases");
    for (int k = 0; k < judged; ++k) seen.add(std::to_string(k), k < held);
    return seen.ruling().verdict;
  };
  EXPECT_EQ(word(1, 9, 9), confirmed);
  EXPECT_EQ(word(1, 8, 9), mixed);
  EXPECT_EQ(word(1, 1, 9), mixed);
  EXPECT_EQ(word(1, 0, 9), refuted);
  EXPECT_EQ(word(10.0 / 14, 10, 14), confirmed);
  EXPECT_EQ(word(10.0 / 14, 9, 14), mixed);
  EXPECT_EQ(word(1, 0, 0), Verdict::not_testable);
}

TEST(Verdicts, rest_on_what_can_say_something_alone) {
  Lab lab({.device = Device::cpu(), .quick = true});
  const Matrix &lengths = lab.matrix("gemat12"), &pattern = lab.matrix("cant"), &own = lab.generated("band,rows=30");
  Findings seen(claim_text("R23"), "matrices");  // which needs a pattern like the original's
  seen.see(lengths, false);
  seen.see(pattern, true);
  seen.see(own, true);
  EXPECT_EQ(seen.ruling().judged, 2u);
  EXPECT_EQ(seen.ruling().verdict, confirmed) << "what the stand-in by lengths shows does not count";
  EXPECT_EQ(seen.basis(), "1 artificial matrix, 1 stand-in; 1 stand-in that can say nothing about it takes no part");
  Findings of_files(claim_text("R22"), "matrices");
  of_files.see(pattern, true);
  EXPECT_EQ(of_files.ruling().verdict, Verdict::not_testable);
}

TEST(Verdicts, are_told_with_counts_and_the_names_of_the_exceptions) {
  Claim told = claim("R3");
  told.reason.clear();
  told.held = 2, told.judged = 3, told.unit = "matrices", told.against = {"cant"}, told.now = "1.5 in the mean";
  EXPECT_EQ(evidence(told), "2 of 3 matrices (not cant); 1.5 in the mean");
  told.held = told.judged = 0;
  EXPECT_EQ(evidence(told), "1.5 in the mean");
}

TEST(FifteenYears, tell_of_each_idea_by_its_claims_word_and_numbers) {
  Outcome outcome{.device_kind = "gpu"};
  Paper& paper = outcome.papers.emplace_back();
  for (const auto& [id, verdict] : {std::pair("R3", confirmed), std::pair("R4", mixed), std::pair("R25", refuted),
                                    std::pair("R22", Verdict::not_testable), std::pair("R18", confirmed)}) {
    paper.claims.push_back(claim(id));
    paper.claims.back().verdict = verdict;
    paper.claims.back().number = std::string("number of ") + id;
    paper.claims.back().reason.clear();
    paper.claims.back().judged = 1;
  }
  std::vector<std::string> words;
  for (const Fate& fate : fates_of(outcome)) {
    words.push_back(fate.word);
    EXPECT_EQ(fate.number, "number of " + fate.claims.front()) << fate.idea;
  }
  EXPECT_EQ(words, (std::vector<std::string>{"pays", "pays in part", "does not pay", "cannot be told here", "holds"}));
  const std::string page = to_markdown(outcome);
  const auto begin = page.find("## What fifteen years changed"), end = page.find("## Verdicts");
  ASSERT_NE(begin, std::string::npos);
  EXPECT_LT(std::count(page.begin() + static_cast<std::ptrdiff_t>(begin),
                       page.begin() + static_cast<std::ptrdiff_t>(end), '\n'),
            24)
      << "a screen";
  EXPECT_NE(page.find("\n[R3]: page-tables.md#r3\n"), std::string::npos);
  outcome.device_kind = "cpu";
  EXPECT_TRUE(fates_of(outcome).empty()) << "the times of a CPU tell nothing of it";
}

TEST(Verdicts, count_each_word_once_and_self_checks_not_at_all) {
  Outcome outcome;
  Paper& paper = outcome.papers.emplace_back();
  for (const Verdict verdict : {confirmed, mixed, mixed, refuted, Verdict::not_testable}) {
    paper.claims.push_back(claim("R3"));
    paper.claims.back().verdict = verdict;
  }
  paper.self_checks.push_back({"a lattice", "39 a row", true});
  paper.also_measured.push_back({"best T", "0.7", "13 matrices"});
  EXPECT_EQ(tally(outcome), "1 confirmed, 2 mixed, 1 refuted, 1 not testable here");
  const std::string page = tables_in_markdown(outcome);
  EXPECT_NE(page.find("## Self-checks"), std::string::npos);
  EXPECT_NE(page.find("| a lattice | 39 a row | holds |"), std::string::npos);
  EXPECT_NE(page.find("* **best T**: 0.7 (13 matrices)\n"), std::string::npos);
}

TEST(Verdicts, of_R3_R24_R15_go_by_matrix) {
  const auto is_ell = [](const std::string& what) { return what == "literal ellpack"; };
  EXPECT_EQ(words_by_matrix("R3", is_ell, "rma10"), each_word);
  const auto is_hyb = [](const std::string& what) { return starts(what, "literal hyb"); };
  EXPECT_EQ(words_by_matrix("R24", is_hyb, "dw8192"), each_word);
  const auto unpacked = [](const std::string& what) { return !starts(what, "csr_ell"); };
  EXPECT_EQ(words_by_matrix("R15", unpacked, "lengths,rows=512,max=96,law=F2"), each_word);
  EXPECT_EQ(words_by_matrix("R31", unpacked, "lengths,rows=1024,max=96,law=F2"), each_word);
}

bool of_many_threads(const std::string& what) {
  return starts(what, "literal ellr_t T=16") || starts(what, "literal ellr_t T=32");
}

TEST(Verdicts, of_R5_R25_go_by_matrix) {
  EXPECT_EQ(words_by_matrix("R5", of_many_threads, "cant"), each_word);
  const auto another = [](const std::string& what) { return !starts(what, "literal ellr_t"); };
  EXPECT_EQ(words_by_matrix("R25", another, "cant"), each_word);
}

TEST(Verdicts, of_R40_go_by_what_building_by_trials_takes) {
  const auto word = [](const std::string& slow_on) {
    return judged("R40",
                  [=](const std::string& matrix, const std::string& what, Precision) {
                    const bool slow = slow_on == "all" || slow_on == matrix;
                    return slow && what == "building ellr T=auto" ? 100.0 : 1.0;
                  })
        .verdict;
  };
  EXPECT_EQ(word("none"), confirmed);
  EXPECT_EQ(word("cant"), mixed);
  EXPECT_EQ(word("all"), refuted);
}

// Times by the bytes of a matrix: so and so many GB/s of those that tests take for nominal.
TEST(Verdicts, of_R35_go_by_the_share_of_the_data_sheet_and_one_core) {
  Lab sizes({.device = Device::cpu(), .quick = true});
  std::map<std::string, double> bytes;
  for (const TableOneRow& row : table_one()) {
    const Specimen& facts = sizes.matrix(row.name).facts;
    bytes[row.name] = static_cast<double>(8 * facts.nnz + 8 * facts.rows + 4 * facts.cols);
  }
  const auto word = [&](double share, double share_of_cant, double over_core) {
    return judged("R35",
                  [&](const std::string& matrix, const std::string& what, Precision) {
                    const double seconds =
                        bytes[matrix] / (1e9 * planted_sheet_gbps) / (matrix == "cant" ? share_of_cant : share);
                    return starts(what, "csr on") || starts(what, "MKL on") ? over_core * seconds : seconds;
                  })
        .verdict;
  };
  EXPECT_EQ(word(0.6, 0.6, 31), confirmed);
  EXPECT_EQ(word(0.6, 0.5, 31), mixed);
  EXPECT_EQ(word(0.6, 0.6, 10), mixed);
  EXPECT_EQ(judged("R35",
                   [&](const std::string& matrix, const std::string& what, Precision) {
                     const bool excepted = matrix == "mac_econ" || matrix == "cop20k_A";
                     const double seconds = bytes[matrix] / (1e9 * planted_sheet_gbps) / (excepted ? 0.3 : 0.6);
                     return starts(what, "csr on") || starts(what, "MKL on") ? 40 * seconds : seconds;
                   })
                .verdict,
            confirmed)
      << "the paper's own table excepts mac_econ and cop20k_A";
  EXPECT_EQ(word(0.5, 0.5, 10), refuted);
}

TEST(Verdicts, of_R38_go_by_every_comparison_with_the_host) {
  const auto word = [](double one, double all) {
    return judged("R38",
                  [=](const std::string&, const std::string& what, Precision) {
                    return what.ends_with("on one core") ? one : what.ends_with("on all cores") ? all : 1.0;
                  })
        .verdict;
  };
  EXPECT_EQ(word(5, 3), confirmed);
  EXPECT_EQ(word(5, 1.5), mixed);
  EXPECT_EQ(word(1.5, 1), refuted);
}

TEST(Verdicts, of_R42_go_by_matrix) {
  const auto sorting = [](const std::string& what) {
    return what == "building sell" || what == "building csr_ell, built on the host";
  };
  EXPECT_EQ(words_by_matrix("R42", sorting, "cant"), each_word);
  const Claim by_gpu = judged("R42", [](const std::string&, const std::string& what, Precision) {
    return what == "building csr_ell" ? 0.1 : starts(what, "building ellr") ? 1.0 : 2.0;
  });
  EXPECT_EQ(by_gpu.verdict, confirmed) << "what a GPU builds is not compared with what a host builds";
}

// HYB is 20 times faster on both, on one, on none.
TEST(Verdicts, of_R9_go_by_the_two_matrices_with_a_giant_row) {
  Words words;
  for (const std::string slow : {"trans4 Raj1", "trans4", ""})
    words.push_back(judged("R9", [&](const std::string& matrix, const std::string& what, Precision) {
                      return has(what, "rgcsr") && slow.find(matrix) != std::string::npos ? 20.0 : 1.0;
                    }).verdict);
  EXPECT_EQ(words, each_word);
}

TEST(Verdicts, of_R8_R12_R21_R23_go_by_precision) {
  const auto best_group_is_small = [](const std::string& what) {
    return has(what, "rgcsr block=32") || has(what, "rgcsr block=64");
  };
  EXPECT_EQ(words_by_precision("R8", best_group_is_small), each_word);
  const auto not_hybrid = [](const std::string& what) { return !starts(what, "csr_ell"); };
  EXPECT_EQ(words_by_precision("R12", not_hybrid), each_word);
  const auto by_texture = [](const std::string& what) {
    return what == "literal ellpack" || what == "literal hyb rule=cusp";
  };
  EXPECT_EQ(words_by_precision("R21", by_texture), each_word);
  EXPECT_EQ(words_by_precision(
                "R23", [](const std::string& what) { return what == "literal rgcsr block=128 loads=uncached"; }),
            each_word);
}

// Equal within 2 %: not faster, and no slower.
TEST(Verdicts, take_times_that_are_close_for_equal) {
  const auto word = [](const char* id, const char* loser, double time) {
    return judged(id,
                  [=](const std::string&, const std::string& what, Precision) { return has(what, loser) ? time : 1; })
        .verdict;
  };
  EXPECT_EQ(word("R24", "literal hyb", 1.01), refuted);
  EXPECT_EQ(word("R24", "literal hyb", 1.03), confirmed);
  EXPECT_EQ(word("R5", "ellr_t T=16", 0.99), confirmed);
  EXPECT_EQ(word("R5", "ellr_t T=16", 0.97), refuted);
  EXPECT_EQ(word("R8", "rgcsr block=64", 0.99), confirmed);
  EXPECT_EQ(word("R8", "rgcsr block=64", 0.97), refuted);
}

// 16 bits gain a tenth, or more than the bytes they save, or lose.
TEST(Verdicts, of_R20_go_by_precision_and_by_what_the_bytes_allow) {
  const auto word = [](double gain_f32, double gain_f64) {
    return judged("R20",
                  [=](const std::string&, const std::string& what, Precision precision) {
                    return what == "ell16" ? 1 : precision == Precision::f32 ? gain_f32 : gain_f64;
                  })
        .verdict;
  };
  EXPECT_EQ(word(1.1, 1.1), confirmed);
  EXPECT_EQ(word(1.1, 1.3), mixed);
  EXPECT_EQ(word(0.9, 0.8), refuted);
}

using Times = std::map<std::string, double>;

// Times of the papers' kernels, by their names; 1 where there is none.
Verdict with_times(const std::string& id, const Times& times) {
  return judged(id,
                [&](const std::string&, const std::string& what, Precision) {
                  const auto found = times.find(what);
                  return found == times.end() ? 1.0 : found->second;
                })
      .verdict;
}

const std::string crs = "literal crs", vector = "literal crs_vector", padded = "literal spmv4gpu",
                  ell = "literal ellpack", hyb = "literal hyb", ellr = "literal ellpack_r";

TEST(Verdicts, of_R4_go_by_the_steps_of_the_order) {
  EXPECT_EQ(with_times("R4", {{crs, 9}, {vector, 8}, {padded, 7}, {ell, 3}, {hyb, 2}, {ellr, 1}}), confirmed);
  EXPECT_EQ(with_times("R4", {{crs, 9}, {vector, 8}, {padded, 1}, {ell, 3}, {hyb, 2}, {ellr, 1.5}}), mixed);
  EXPECT_EQ(with_times("R4", {{crs, 9}, {vector, 8}, {padded, 1}, {ell, 2}, {hyb, 3}, {ellr, 4}}), refuted);
}

// Equal times make rates that rise with the entries.
TEST(Verdicts, of_R34_go_by_sentences) {
  EXPECT_EQ(with_times("R34", {{crs, 9}, {vector, 8}, {padded, 7}, {ell, 3}, {hyb, 3}, {ellr, 1}}), confirmed);
  EXPECT_EQ(with_times("R34", {{crs, 9}, {vector, 8}, {padded, 9}, {ell, 3}, {hyb, 2}, {ellr, 1}}), mixed);
  const Claim none = judged("R34", [](const std::string& matrix, const std::string& what, Precision) {
    static Lab sizes({.device = Device::cpu(), .quick = true});
    const auto nnz = static_cast<double>(sizes.matrix(matrix).facts.nnz);
    const double time = what == crs ? 1 : what == vector ? 2 : what == hyb ? 3 : 4;
    return time * nnz * nnz;  // rates fall
  });
  EXPECT_EQ(none.verdict, refuted) << none.now;
}

TEST(Verdicts, of_R11_go_by_how_close_the_rule_comes) {
  // Every setting but the first one tried, the rule's, is faster on the matrices named.
  const auto word = [](const std::string& matrices, const std::string& folder = {}) {
    std::map<std::string, std::string> first;
    return judged(
               "R11",
               [=](const std::string& matrix, const std::string& what, Precision) mutable {
                 if (starts(what, "building")) return 1.0;
                 const std::string rule = first.emplace(matrix, what).first->second;
                 const bool beaten = matrices == "all" || matrices == matrix;
                 return what == rule || !beaten ? 1.0 : 0.5;
               },
               folder)
        .verdict;
  };
  EXPECT_EQ(word("none"), confirmed);
  EXPECT_EQ(word("scircuit"), mixed);
  const ScratchFolder folder;  // rows that can be stored in more than one way
  for (const Williams& one : fourteen())
    write_matrix(folder.path(subject(one.name).files[0] + ".hdl"), generate("lengths,rows=200,max=300,law=F1"));
  EXPECT_EQ(word("all", folder.path("")), refuted);
}

TEST(Nominal, bandwidth_goes_by_the_name_of_the_device) {
  EXPECT_EQ(nominal_gbps("NVIDIA H200"), 4800);
  EXPECT_EQ(nominal_gbps("NVIDIA H100 PCIe"), 2000);
  EXPECT_TRUE(std::isnan(nominal_gbps("AMD EPYC")));
}

TEST(Verdicts, of_R14_follow_the_mean) {
  const auto word = [](double build) {
    return judged("R14", [=](const std::string&, const std::string& what,
                             Precision) { return starts(what, "building") ? build : 1.0; })
        .verdict;
  };
  EXPECT_EQ(word(44), confirmed);
  EXPECT_EQ(word(46), refuted);
  EXPECT_EQ(judged("R14",
                   [](const std::string&, const std::string& what, Precision) {
                     return what == "building csr_ell" ? 100 : starts(what, "building") ? 10 : 1;
                   })
                .verdict,
            mixed)
      << "sending the matrix takes long, building does not";
}

// ELLPACK is faster where rows are short and slower where they are long; not on qcd5_4; nowhere.
TEST(Verdicts, of_R43_go_by_matrix) {
  const auto word = [](const std::function<bool(const std::string&)>& holds) {
    return judged("R43",
                  [&](const std::string& matrix, const std::string& what, Precision) {
                    const bool is_long = matrix == "dense2" || matrix == "wbp256";
                    const char* loser = is_long == holds(matrix) ? "literal ellpack" : "literal crs_vector";
                    return what == loser ? 2.0 : 1.0;
                  })
        .verdict;
  };
  EXPECT_EQ(word([](const std::string&) { return true; }), confirmed);
  EXPECT_EQ(word([](const std::string& matrix) { return matrix != "qcd5_4"; }), mixed);
  EXPECT_EQ(word([](const std::string&) { return false; }), refuted);
}

void write(const ScratchFolder& folder, const std::string& name, const std::string& generator) {
  write_matrix(folder.path(subject(name).files[0] + ".mtx"), generate(generator));
}

TEST(Verdicts, of_R1_and_R2_go_by_the_real_files) {
  const PlantedTimes none = slower_where([](const auto&, const auto&, Precision) { return false; });
  const ScratchFolder right, one, wrong;
  for (const ScratchFolder* folder : {&right, &one})
    write_matrix(folder->path("dense2.hdl"), generate("dense,rows=2000"));
  for (const ScratchFolder* folder : {&one, &wrong}) write(*folder, "gemat12", "lengths,rows=100,max=64,law=F1");
  for (const char* id : {"R1", "R2"}) {
    EXPECT_EQ(judged(id, none, right.path("")).verdict, confirmed) << id;
    EXPECT_EQ(judged(id, none, one.path("")).verdict, mixed) << id;
    EXPECT_EQ(judged(id, none, one.path("")).against, std::vector<std::string>{"gemat12"}) << id;
    EXPECT_EQ(judged(id, none, wrong.path("")).verdict, refuted) << id;
    EXPECT_EQ(judged(id, none).verdict, Verdict::not_testable) << id << ": stand-ins have the print built in";
  }
}

}  // namespace
}  // namespace heddle::reproduce

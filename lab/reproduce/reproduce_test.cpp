// What the verdicts rest on: statistics, stand-ins, paper 5's kernel, and a run that survives what goes wrong in it.
#include "reproduce/reproduce.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>
#include <heddle/io.hpp>

#include "layout/sliced_build.hpp"
#include "reproduce/claims/claims.hpp"
#include "reproduce/numbers.hpp"
#include "reproduce/page/html.hpp"
#include "reproduce/page/markdown.hpp"
#include "reproduce/record.hpp"
#include "support/command.hpp"
#include "support/tree.hpp"
#include "support/zoo.hpp"

namespace heddle::reproduce {
namespace {

using test::ScratchFolder;

const double missing = std::nan("");

TEST(Numbers, leaves_missing_ones_out) {
  EXPECT_DOUBLE_EQ(mean({1, missing, 3}), 2);
  EXPECT_NEAR(geometric_mean({2, missing, 8}), 4, 1e-12);
  EXPECT_DOUBLE_EQ(median({5, missing, 1, 3}), 3);
  EXPECT_EQ(present({missing, 1}), 1u);
  EXPECT_EQ(count_above({missing, 1, 2}, 1), 1u);
  for (const double none : {mean({}), geometric_mean({missing}), median({}), largest({}), smallest({})})
    EXPECT_TRUE(std::isnan(none));
  EXPECT_EQ(fixed(missing, 2), "-");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(significant(0.01894), "0.0189");
}

TEST(Numbers, rank_correlation_sees_order_alone) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {1, 10, 100, 1000}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, missing, 3}, {9, 4, 5, 1}), -1);
  EXPECT_NEAR(rank_correlation({1, 2, 3, 4}, {1, 1, 2, 2}), 0.894, 0.001);
  EXPECT_TRUE(std::isnan(rank_correlation({1, 2}, {1, 2})));
}

TEST(Numbers, fit_finds_the_coefficients_that_made_the_values) {
  std::vector<Fit3> rows;
  Numbers values;
  for (const double p : {1.0, 2.0, 5.0})
    for (const double m : {4.0, 9.0})
      rows.push_back({{1, p - 1, p * m}}), values.push_back(7 + 3 * (p - 1) + 2 * p * m);
  const Fit3 found = fit(rows, values);
  EXPECT_NEAR(found.c[0], 7, 1e-9);
  EXPECT_NEAR(found.c[1], 3, 1e-9);
  EXPECT_NEAR(found.c[2], 2, 1e-9);
}

TEST(StandIns, have_the_rows_entries_and_longest_row_asked_for) {
  for (const Profile& wanted : {Profile{1484, 6110, 13, 1.60}, Profile{480, 17087, 36, 0.49},
                                Profile{20000, 131000, 19000, 0, 40}, Profile{46835, 2374001, 145, 27.78}}) {
    const Vector<std::int64_t> lengths = lengths_of(wanted);
    EXPECT_EQ(static_cast<std::int64_t>(lengths.size()), wanted.rows);
    EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}), wanted.nnz);
    EXPECT_EQ(*std::max_element(lengths.begin(), lengths.end()), wanted.longest);
    EXPECT_GE(*std::min_element(lengths.begin(), lengths.end()), 1);
  }
}

TEST(StandIns, are_canonical_matrices_with_these_lengths) {
  const Csr<double> A = matrix_of({300, 2000, 90, 8});
  EXPECT_TRUE(violations(A.view(), Require::canonical).empty());
  EXPECT_EQ(A.nnz(), 2000);
  const Profile small = shrunk({100000, 700000, 90000, 0, 40}, 7000);
  EXPECT_LE(small.nnz, 7100);
  EXPECT_LE(small.longest, small.rows);
  EXPECT_TRUE(violations(matrix_of(small).view(), Require::canonical).empty());
}

TEST(TestSets, name_a_stand_in_for_every_matrix_of_the_tables) {
  for (const TableOneRow& row : table_one()) EXPECT_EQ(subject(row.name).name, row.name);
  for (const Williams& one : fourteen()) EXPECT_FALSE(subject(one.name).files.empty());
  for (const Williams& one : eleven()) EXPECT_FALSE(subject(one.name).files.empty());
}

// The pseudo x must change nothing but the reading of x.
template <class V, class Codec>
void expect_both_products(const Csr<double>& from) {
  const Csr<V> A = convert<V>(from.view());
  const auto store =
      build_sliced<V, Codec>(A.view(), one_slice(A.rows), {}, {.start = false, .length = true}, RowPieces{A.ptr});
  const std::vector<V> x(static_cast<std::size_t>(A.cols), V(2));
  std::vector<V> with_x(static_cast<std::size_t>(A.rows), V(7)), without = with_x;
  const auto multiply = [&](std::vector<V>& y, ReadsX reads) {
    multiply_row_per_lane(simt::Emulator{}, store.view(), Product<V>{x.data(), {.y = y.data()}, {}}, reads);
  };
  multiply(with_x, ReadsX::yes);
  multiply(without, ReadsX::no);
  for (std::int64_t row = 0; row < A.rows; ++row) {
    V sum = 0;
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) sum += A.val[k];
    EXPECT_EQ(with_x[static_cast<std::size_t>(row)], 2 * sum) << row;
    EXPECT_EQ(without[static_cast<std::size_t>(row)], V(1.5) * sum) << row;
  }
}

TEST(PseudoX, multiplies_with_x_or_with_a_constant_in_its_place) {
  const Csr<double> A = test::with_lengths({3, 0, 1, 40, 7, 2, 5, 0, 9}, 60, 3);
  expect_both_products<float, Index32>(A);
  expect_both_products<double, Index32>(A);
  expect_both_products<float, Column16>(A);
  expect_both_products<double, Column16>(A);
}

std::vector<PaperPlan> all_plans() {
  return {ellpack_r_paper(), csr_ell_paper(), rgcsr_paper(), ellr_t_paper(), model_paper()};
}

TEST(Claims, belong_to_one_experiment_each_and_are_told_in_words) {
  std::multiset<std::string> decided;
  for (const PaperPlan& plan : all_plans())
    for (const Experiment& experiment : plan.experiments)
      decided.insert(experiment.claims.begin(), experiment.claims.end());
  const std::vector<std::string> ids = claim_ids();
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size()) << "some id is there twice";
  EXPECT_EQ(decided.size(), ids.size());
  for (const std::string& id : ids) {
    EXPECT_EQ(decided.count(id), 1u) << id;
    for (const std::string& text : {claim(id).statement, claim(id).then, claim(id).rule})
      EXPECT_FALSE(text.empty()) << id;
  }
  for (const char* id : {"R6", "R10"}) EXPECT_FALSE(decided.contains(id)) << id << " is no claim of a paper";
}

// docs/claims.md is the papers' sentences, by where they stand; it names every claim that is judged and no other.
TEST(Claims, each_have_a_line_on_the_page_of_all_claims) {
  const tree::Files& files = tree::all();
  const auto page = files.find("docs/claims.md");
  ASSERT_NE(page, files.end());
  const std::regex number(R"(\bR[0-9]+\b)");
  std::set<std::string> named;
  for (auto at = std::sregex_iterator(page->second.begin(), page->second.end(), number); at != std::sregex_iterator();
       ++at)
    named.insert(at->str());
  const std::vector<std::string> ids = claim_ids();
  EXPECT_EQ(named, std::set<std::string>(ids.begin(), ids.end()));
}

// What the papers have: their tables, figures and parts with something that can be checked.
TEST(Claims, leave_no_table_and_no_figure_of_a_paper_without_a_line) {
  const std::vector<std::vector<std::string>> parts{
      {"Table I", "Table I, last column", "Fig. 4", "Fig. 5", "Fig. 6", "text", "future work"},
      {"Table I", "Fig. 1", "rules", "rules, the reason for T", "Fig. 2", "IV-A", "results", "IV-D", "storage",
       "preprocessing", "C2050", "CG"},
      {"Fig. 1, example", "Table 1", "Table 2", "Table 3", "Table 4", "Table 5", "Tables 6 and 7", "Figs. 6 to 8",
       "text", "future work"},
      {"abstract, results", "results", "parameters", "Table I", "text"},
      {"Table 2", "Table 3", "section on RCM", "section on 16 bits", "headline, Table 5", "headline, Table 6",
       "Table 6", "Table 7", "future work"}};
  const std::string page = tree::all().at("docs/claims.md");
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto begin = page.find("## Paper " + std::to_string(k + 1));
    ASSERT_NE(begin, std::string::npos);
    std::istringstream lines(page.substr(begin, page.find("## Paper " + std::to_string(k + 2)) - begin));
    std::set<std::string> found;
    for (std::string line; std::getline(lines, line);) {
      const auto end = line.find(" |", 2);
      if (!line.starts_with("| ") || end == std::string::npos) continue;
      found.insert(line.substr(2, end - 2));
      const auto last = line.rfind(" | ");
      EXPECT_GT(line.size() - last, 6u) << "tested by nothing: " << line;
    }
    for (const std::string& part : parts[k]) EXPECT_TRUE(found.contains(part)) << "paper " << k + 1 << ": " << part;
  }
}

TEST(Reproduce, knows_its_papers_with_dashes_too) {
  EXPECT_EQ(parse_paper("ellr-t"), "ellr_t");
  EXPECT_THROW(parse_paper("ellpack"), Error);
}

Settings quick(const std::string& folder = {}) {
  return {.device = Device::cpu(), .seconds = 0, .quick = true, .folder = folder, .stopped = {}};
}

const Specimen* find(const Outcome& outcome, const std::string& name) {
  for (const Specimen& one : outcome.matrices)
    if (one.name == name) return &one;
  return nullptr;
}

TEST(Reproduce, takes_a_real_matrix_by_its_name_and_a_stand_in_for_the_others) {
  const ScratchFolder folder;
  write_matrix(folder.path("dw2048.mtx"), generate("stencil2d5,n=9"));
  std::filesystem::create_directory(folder.path("mac_econ_fwd500"));
  write_matrix(folder.path("mac_econ_fwd500/mac_econ_fwd500.hdl"), generate("stencil2d5,n=8"));
  Settings settings = quick(folder.path(""));
  settings.device = Device::emulator();
  const Outcome outcome = run(settings, {"ellr_t"});
  ASSERT_TRUE(find(outcome, "dw2048"));
  EXPECT_EQ(find(outcome, "dw2048")->origin, Origin::real);
  EXPECT_EQ(find(outcome, "dw2048")->source, "dw2048.mtx");
  EXPECT_EQ(find(outcome, "dw2048")->rows, 81);
  EXPECT_EQ(find(outcome, "mac_econ")->rows, 64) << "by the collection's name, in a folder of its own";
  EXPECT_EQ(find(outcome, "cant")->origin, Origin::stand_in);
  EXPECT_TRUE(outcome.papers[0].claims[0].basis.starts_with("2 real files, ")) << outcome.papers[0].claims[0].basis;
}

TEST(Reproduce, takes_the_stand_in_for_a_file_that_cannot_be_read_and_says_so) {
  const ScratchFolder folder;
  folder.write("cant.mtx", "this is no matrix\n");
  const Outcome outcome = run(quick(folder.path("")), {"ellr_t"});
  EXPECT_TRUE(outcome.papers[0].failures.empty());
  ASSERT_TRUE(find(outcome, "cant"));
  EXPECT_FALSE(find(outcome, "cant")->real());
  EXPECT_NE(find(outcome, "cant")->source.find("cant.mtx could not be read"), std::string::npos);
  EXPECT_EQ(outcome.papers[0].tables[0].rows.size(), table_one().size());
}

// conf5_4-8x8-05 of the collection is complex.
TEST(Reproduce, takes_the_real_parts_of_a_complex_file_and_says_so) {
  const ScratchFolder folder;
  folder.write("conf5_4-8x8-05.mtx",
               "%%MatrixMarket matrix coordinate complex general\n3 3 4\n1 1 0.5 2\n2 2 0 1\n3 1 -1 0\n3 3 2 2\n");
  const Outcome outcome = run(quick(folder.path("")), {"ellr_t"});
  ASSERT_TRUE(find(outcome, "qcd5_4"));
  EXPECT_TRUE(find(outcome, "qcd5_4")->real());
  EXPECT_EQ(find(outcome, "qcd5_4")->source, "conf5_4-8x8-05.mtx, the real parts of its complex values");
  EXPECT_EQ(find(outcome, "qcd5_4")->nnz, 4);
}

TEST(Reproduce, keeps_what_it_has_when_it_is_stopped) {
  int asked = 0;
  Settings settings = quick();
  settings.stopped = [&] { return ++asked > 40; };
  const Outcome outcome = run(settings, {"ellr_t", "ellpack_r"});
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_GT(outcome.measurements.size(), 5u);
  ASSERT_EQ(outcome.papers.size(), 2u);
  for (const Paper& paper : outcome.papers)
    for (const Claim& claim : paper.claims) EXPECT_TRUE(claim.exact || claim.reason == "interrupted") << claim.id;
}

TEST(Reproduce, does_not_judge_times_without_a_gpu) {
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    Settings settings = quick();
    settings.device = device;
    const auto outcome = run(settings, {"ellr_t"});
    for (const Claim& claim : outcome.papers[0].claims) {
      EXPECT_EQ(claim.verdict, Verdict::not_testable);
      EXPECT_NE(claim.reason.find(to_string(device)), std::string::npos) << claim.reason;
      EXPECT_FALSE(claim.now.empty()) << "what was measured is shown all the same";
    }
  }
}

// R19 speaks of the real files: with stand-ins it stays open, with all eleven it is judged.
TEST(Reproduce, judges_16_bit_columns_by_real_matrices_alone) {
  const ScratchFolder folder;
  for (const Williams& one : eleven())
    write_matrix(folder.path(subject(one.name).files[0] + ".mtx"), generate("band,rows=40"));
  Lab lab(quick(folder.path("")));
  Paper paper{.name = "model", .claims = {claim("R19"), claim("R48")}};
  Record record(lab, paper);
  model_paper().experiments[2].run(record);
  EXPECT_EQ(paper.claims[0].now, "11 of 11 before, 11 after RCM");
  EXPECT_EQ(paper.claims[0].verdict, Verdict::refuted) << "the paper counts 7 and 10";
  EXPECT_EQ(paper.claims[0].basis, "11 real files");
}

// R1 and R2 on the paper's own matrices, where they are at hand.
TEST(Reproduce, finds_the_printed_statistics_of_the_real_matrices) {
  const std::string folder = tree::folder() + "/../shared/matrices";
  if (!std::filesystem::exists(folder + "/gemat12.mtx.gz")) GTEST_SKIP() << "the real matrices are not here";
  Lab lab(quick(folder));
  Paper paper{.name = "ellpack_r", .claims = {claim("R1"), claim("R2")}};
  Record record(lab, paper);
  ellpack_r_paper().experiments[0].run(record);
  for (const Claim& judged : paper.claims) {
    EXPECT_EQ(judged.verdict, Verdict::confirmed) << judged.now;
    EXPECT_EQ(judged.held, 4u);
    EXPECT_EQ(judged.basis, "4 real files") << "a full matrix and a lattice are self-checks";
  }
  EXPECT_EQ(paper.self_checks.size(), 2u);
  for (const SelfCheck& check : paper.self_checks) EXPECT_TRUE(check.holds) << check.what;
}

std::string in_one_line(const std::string& text) { return std::regex_replace(text, std::regex(R"(\s+)"), " "); }

TEST(Reproduce, has_a_page_that_says_where_its_matrices_come_from) {
  Outcome outcome;
  outcome.matrices.push_back({.name = "cant", .source = "gen:like,name=cant", .origin = Origin::stand_in});
  outcome.matrices.push_back({.name = "qh1484", .source = "qh1484.mtx", .origin = Origin::real});
  for (const std::string& page : {to_html(outcome), in_one_line(to_markdown(outcome))}) {
    EXPECT_NE(page.find("from their files: qh1484."), std::string::npos);
    EXPECT_NE(page.find("Stand-ins: 1,"), std::string::npos);
  }
}

TEST(Reproduce, has_pages_whose_lines_a_person_can_read) {
  Outcome outcome;
  Paper& paper = outcome.papers.emplace_back();
  paper.claims.push_back(claim("R34"));
  paper.tables.push_back({.title = "a table", .note = std::string(60, 'w') + " " + std::string(70, 'v')});
  for (const std::string& page : {to_markdown(outcome), tables_in_markdown(outcome)}) {
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) EXPECT_TRUE(line.starts_with("|") || line.size() <= 130) << line;
  }
}

TEST(Reproduce, has_titles_of_columns_where_their_numbers_stand) {
  Outcome outcome;
  outcome.papers.push_back({.name = "one",
                            .title = "a paper",
                            .tables = {{.columns = {"matrix", "us"}, .rows = {{"cant", "1.5"}, {"pwtk", "-"}}}}});
  const std::string page = to_html(outcome);
  EXPECT_NE(page.find("<th>matrix</th><th class=\"number\">us</th>"), std::string::npos);
  EXPECT_NE(page.find("<td>cant</td><td class=\"number\">1.5</td>"), std::string::npos);
}

}  // namespace
}  // namespace heddle::reproduce

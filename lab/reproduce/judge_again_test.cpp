// The times of the lab: of one kernel one, and those of a stored result under the rules of today.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>
#include <heddle/io.hpp>

#include "reproduce/claims/claims.hpp"
#include "reproduce/reproduce.hpp"
#include "support/command.hpp"

namespace heddle::reproduce {
namespace {

using test::ScratchFolder;

const double missing = std::nan("");

Settings quick(const std::string& folder = {}) {
  return {.device = Device::cpu(), .seconds = 0, .quick = true, .folder = folder, .stopped = {}};
}

// ---- one kernel, one time

TEST(Lab, times_a_kernel_once_whatever_words_its_plan_is_asked_by) {
  int asked = 0;
  Settings settings = quick();
  settings.planted = [&](const std::string&, const std::string& what, Precision) {
    if (what.starts_with("building")) return 1.0;
    return static_cast<double>(++asked);
  };
  Lab lab(settings);
  const Matrix& matrix = lab.matrix("cant");
  const auto seconds = [&](const char* plan) { return lab.seconds(matrix, plan, Precision::f32); };
  EXPECT_EQ(seconds("ellr T=1 block=256"), 1);
  EXPECT_EQ(seconds("ellr cache=x"), 1) << "which are the settings that go without saying";
  EXPECT_EQ(seconds("ellr"), 1);
  EXPECT_EQ(seconds("ellr cache=all"), 2);
  EXPECT_EQ(lab.seconds(matrix, "ellr", Precision::f64), 3);
  EXPECT_EQ(lab.measurements().size(), 3u);
}

// A warm time stays what it was when the cold one is taken.
TEST(Lab, keeps_the_warm_time_when_it_takes_the_cold_one) {
  int asked = 0;
  Settings settings = quick();
  settings.planted = [&](const std::string&, const std::string&, Precision) { return static_cast<double>(++asked); };
  Lab lab(settings);
  const Matrix& matrix = lab.matrix("cant");
  const double warm = lab.seconds(matrix, "csr", Precision::f32);
  EXPECT_EQ(lab.seconds(matrix, "csr", Precision::f32, Caches::cold), warm) << "planted times are both at once";
  EXPECT_EQ(lab.seconds(matrix, "csr", Precision::f32), warm);
}

TEST(Lab, tells_how_far_stored_times_of_one_kernel_lie_apart) {
  Lab first(quick());
  Outcome stored{.device_kind = "cpu", .quick = true};
  stored.matrices.push_back(first.matrix("cant").facts);
  for (const auto& [plan, seconds] : {std::pair("ellr T=1 block=256", 1.0), {"ellr cache=x", 1.5}, {"csr", 4.0}})
    stored.measurements.push_back({"cant", plan, "f32", seconds, missing, missing, "ok"});
  Settings settings = quick();
  settings.stored = &stored;
  Lab lab(settings);
  const Matrix& matrix = lab.matrix("cant");
  EXPECT_EQ(lab.seconds(matrix, "ellr cache=x", Precision::f32), 1) << "the first that was taken";
  EXPECT_TRUE(std::isnan(lab.seconds(matrix, "ell", Precision::f32)));
  ASSERT_EQ(lab.notes().size(), 1u);
  EXPECT_NE(lab.notes()[0].find("1 products were measured again"), std::string::npos) << lab.notes()[0];
  EXPECT_NE(lab.notes()[0].find("1.50 times at most"), std::string::npos) << lab.notes()[0];
  stored.matrices[0].nnz += 1;
  EXPECT_THROW(Lab(settings).matrix("cant"), Error) << "another matrix than was measured";
}

// ---- judged again

// Different for every matrix, kernel and precision, and the same whenever it is asked for.
double scattered_time(const std::string& matrix, const std::string& what, Precision precision) {
  const std::size_t mixed = std::hash<std::string>{}(matrix + '|' + what + '|' + name_of(precision));
  return 1 + static_cast<double>(mixed % 1000) / 250;
}

// Every time that a rule of today asks for is among those that were stored, and gives the same word.
TEST(JudgeAgain, gives_the_stored_verdicts_where_no_rule_has_changed) {
  Settings settings = quick();
  settings.planted = scattered_time;
  const Outcome stored = run(settings, paper_names());
  settings.planted = [](const std::string& matrix, const std::string& what, Precision) -> double {
    ADD_FAILURE() << what << " of " << matrix << " was not stored";
    return 1;
  };
  const Outcome again = judge_again(stored, settings);
  ASSERT_EQ(again.papers.size(), stored.papers.size());
  std::set<Verdict> words;
  for (std::size_t i = 0; i < stored.papers.size(); ++i) {
    const Paper &before = stored.papers[i], &after = again.papers[i];
    ASSERT_EQ(after.claims.size(), before.claims.size());
    for (std::size_t k = 0; k < before.claims.size(); ++k) {
      EXPECT_EQ(after.claims[k].verdict, before.claims[k].verdict) << before.claims[k].id;
      EXPECT_EQ(after.claims[k].now, before.claims[k].now) << before.claims[k].id;
      words.insert(before.claims[k].verdict);
    }
    ASSERT_EQ(after.tables.size(), before.tables.size());
    for (std::size_t k = 0; k < before.tables.size(); ++k)
      EXPECT_EQ(after.tables[k].rows, before.tables[k].rows) << before.tables[k].title;
  }
  EXPECT_EQ(words.size(), 4u) << "some word was not tried";
}

TEST(JudgeAgain, follows_a_rule_that_has_changed_and_keeps_what_has_no_times) {
  Settings settings = quick();
  settings.planted = scattered_time;
  Outcome stored = run(settings, {"csr_ell"});
  for (Claim& one : stored.papers[0].claims)
    if (one.id == "R12" || one.id == "R16") one.verdict = Verdict::not_testable, one.rule = "another rule of then";
  const Outcome again = judge_again(stored, settings);
  for (const Claim& one : again.papers[0].claims) {
    if (one.id == "R12") {
      EXPECT_EQ(one.rule, claim("R12").rule);
    }
    if (one.id == "R16") {
      EXPECT_EQ(one.rule, "another rule of then");
    }
  }
  EXPECT_EQ(again.measurements.size(), stored.measurements.size());
  EXPECT_NE(again.notes[0].find("R14, R16 stay as they were judged"), std::string::npos) << again.notes[0];
}

TEST(JudgeAgain, wants_the_files_that_were_measured) {
  const ScratchFolder folder;
  write_matrix(folder.path("dw2048.mtx"), generate("stencil2d5,n=9"));
  Settings settings = quick(folder.path(""));
  settings.planted = scattered_time;
  const Outcome stored = run(settings, {"ellr_t"});
  EXPECT_NO_THROW(judge_again(stored, settings));
  settings.folder.clear();
  EXPECT_THROW(judge_again(stored, settings), Error);
}

}  // namespace
}  // namespace heddle::reproduce

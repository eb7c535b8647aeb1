#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <heddle/choose.hpp>
#include <heddle/generate.hpp>

#include "core/check.hpp"
#include "plan/choice_cache.hpp"
#include "plan/predict/model.hpp"
#include "plan/tune.hpp"
#include "support/own_cache.hpp"
#include "support/same_facts.hpp"
#include "support/zoo.hpp"

namespace heddle {
namespace {

const Machine& h200() { return built_in_machine(Device::Kind::gpu); }
const Machine& two_cores() { return built_in_machine(Device::Kind::cpu); }

std::string chosen(const std::string& text, const Machine& machine, ChooseOptions options = {}, int value_bytes = 4) {
  return choose(analyze(generate<double>(text), Detail::planning), machine, options, value_bytes).plan.format;
}

const Candidate& quickest_of(const Choice& choice) {
  return *std::ranges::min_element(choice.candidates, {}, &Candidate::predicted_seconds);
}

struct Expected {
  const char *matrix, *layout;
};

// Layouts that were the fastest on an H200 (docs/notebook/2026-11-19-performance.md).
// Snapshot.
TEST(Choose, takes_the_layout_of_weave_that_suits_each_class_on_a_large_gpu) {
  for (const auto& [matrix, layout] : {Expected{"stencil2d5,n=1000", "diagonals"},
                                       {"stencil3d27,n=75", "diagonals"},
                                       {"fem,n=27,dof=3", "blocks"},
                                       {"circuit,rows=171000", "segments"},
                                       {"arrow,rows=500000", "segments"},
                                       {"dense,rows=1400", "long"},
                                       {"stencil2d5,n=100", "padded"},
                                       {"lp,rows=4284,cols=1092610,per_row=1300", "tiles"}}) {
    const Csr<double> A = generate<double>(matrix);
    const Choice choice = choose(A, analyze(A, Detail::planning), h200());
    ASSERT_EQ(choice.plan.format, "weave") << matrix;
    EXPECT_EQ(*choice.plan.find("layout"), layout) << matrix;
    EXPECT_FALSE(choice.plan.find("values")) << "that is for the values to say";
  }
}

// Snapshot. The rule itself: preferences_test.cpp.
TEST(Choose, takes_half_the_bytes_for_a_few_percent_on_a_gpu) {
  struct Case {
    const char *matrix, *layout;
    bool is_quickest;
  };
  for (const auto& [matrix, layout, is_quickest] : {Case{"empty,rows=130k", "padded", true},
                                                    {"empty,rows=150k", "segments", false},
                                                    {"empty,rows=190k", "segments", true}}) {
    const Choice choice = choose(analyze(generate<double>(matrix), Detail::planning), h200(), {}, 8);
    EXPECT_EQ(*choice.plan.find("layout"), layout) << matrix;
    EXPECT_EQ(quickest_of(choice).plan == choice.plan, is_quickest) << matrix;
    EXPECT_EQ(choice.reason.find(" MB") == std::string::npos, is_quickest) << choice.reason;
  }
}

// Figures of two cores of a machine that others use too; memory so much quicker.
Machine busy_cores(double quicker) {
  constexpr std::int64_t kib = 1 << 10, mib = 1 << 20;
  Machine machine = two_cores();
  machine.cache_bytes = 480 * mib;
  machine.read = {{256 * kib, 309}, {mib, 313}, {4 * mib, 158}, {16 * mib, 60}, {64 * mib, 33}, {512 * mib, 25}};
  machine.core_read = {{32 * kib, 182}, {mib, 174}, {4 * mib, 30}, {16 * mib, 29}, {64 * mib, 15}, {512 * mib, 13}};
  machine.gather = {{32 * kib, 3.04}, {256 * kib, 2.61}, {mib, 2.38},      {2 * mib, 1.26},
                    {4 * mib, 0.95},  {8 * mib, 0.85},   {16 * mib, 0.49}, {64 * mib, 0.30}};
  for (Machine::Rate& rate : machine.read) rate.giga *= quicker;
  machine.entry_ns = 0.4, machine.entry_all_ns = 0.49;
  return machine;
}

// Snapshot. Predicted to be a little slower than csr, and taken where caches do not hold the matrix.
TEST(Choose, takes_what_is_steady_for_a_few_percent_on_a_cpu) {
  struct Case {
    const char* matrix;
    double quicker;
    const char *format, *quickest;
  };
  for (const auto& [matrix, quicker, format, quickest] : {Case{"circuit,rows=60k", 1.0, "runs", "runs"},
                                                          {"circuit,rows=400k", 0.7, "csr", "csr"},
                                                          {"circuit,rows=400k", 1.1, "runs", "csr"}}) {
    const Csr<double> A = generate<double>(matrix);
    const Choice choice = choose(A, analyze(A, Detail::planning), busy_cores(quicker));
    EXPECT_EQ(choice.plan.format, format) << matrix << ", " << quicker;
    EXPECT_EQ(quickest_of(choice).plan.format, quickest) << matrix << ", " << quicker;
    const bool said = choice.reason.find("nothing else uses the machine") != std::string::npos;
    EXPECT_EQ(said, std::string(format) != quickest) << choice.reason;
  }
}

// Snapshot.
TEST(Choose, leaves_padded_formats_alone_when_one_row_is_long) {
  for (const Machine* machine : {&h200(), &two_cores()})
    for (const char* matrix : {"arrow,rows=200000", "circuit,rows=100000"}) {
      const std::string format = chosen(matrix, *machine);
      EXPECT_TRUE(format != "ell" && format != "ellr" && format != "sell" && format != "rgcsr") << matrix << format;
    }
}

TEST(Choose, says_the_same_every_time_and_with_any_number_of_threads) {
  const Csr<double> A = generate<double>("rmat,scale=13");
  set_threads(1);
  const Choice alone = choose(analyze(A, Detail::planning), h200());
  set_threads(3);
  const Choice together = choose(analyze(A, Detail::planning), h200());
  EXPECT_EQ(to_string(alone.plan), to_string(together.plan));
  EXPECT_EQ(alone.reason, together.reason);
  ASSERT_EQ(alone.candidates.size(), together.candidates.size());
  for (std::size_t i = 0; i < alone.candidates.size(); ++i) {
    EXPECT_EQ(alone.candidates[i].plan, together.candidates[i].plan);
    EXPECT_EQ(alone.candidates[i].predicted_seconds, together.candidates[i].predicted_seconds);
  }
}

TEST(Choose, gives_plans_whose_text_round_trips_and_builds) {
  for (const auto& specimen : test::zoo(test::Zoo::small)) {
    SCOPED_TRACE(specimen.name);
    const Structure facts = analyze(specimen.A, Detail::planning);
    for (const Machine* machine : {&h200(), &two_cores()}) {
      const Choice choice = choose(specimen.A, facts, *machine, {.device = Device::cpu()});
      EXPECT_EQ(Plan::parse(to_string(choice.plan)), choice.plan);
      EXPECT_TRUE(choice.candidates.front().fits);
      EXPECT_TRUE(footprint(specimen.A.view(), choice.plan).fits) << to_string(choice.plan);
      EXPECT_FALSE(choice.reason.empty());
      EXPECT_TRUE(identical(build(specimen.A, choice, {.device = Device::cpu()}).restore(), specimen.A));
    }
  }
}

TEST(Choose, takes_csr_where_there_is_nothing_to_multiply) {
  for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 4}, {4, 0}, {4, 4}}) {
    const Csr<double> A = make_csr<double>(rows, cols, std::vector<Offset>(rows + 1, 0), {}, {});
    const Choice choice = choose(A, analyze(A), h200(), {.device = Device::cpu()});
    EXPECT_EQ(choice.plan.format, "csr");
    EXPECT_EQ(optimize(A, {.device = Device::cpu()}).rows(), rows);
  }
}

TEST(Choose, counts_building_when_few_products_are_expected) {
  const Structure facts = analyze(generate<double>("fem,n=20,dof=3"), Detail::planning);
  const auto total = [](const Candidate& c, double n) { return c.predicted_build_seconds + n * c.predicted_seconds; };
  for (const double n : {1.0, 10.0, 100.0, 1e4}) {
    const Choice choice = choose(facts, h200(), {.expected_multiplies = n});
    for (const Candidate& other : choice.candidates)
      if (other.fits) {
        EXPECT_LE(total(choice.candidates.front(), n), total(other, n)) << n << to_string(other.plan);
      }
  }
  EXPECT_NE(choose(facts, h200(), {.expected_multiplies = 1}).plan.format, "bell");
  EXPECT_EQ(choose(facts, two_cores(), {.expected_multiplies = 1}).plan.format.substr(0, 3), "csr");
}

// Snapshot.
TEST(Choose, takes_diagonals_of_weave_on_the_cpu_for_grids_and_not_for_graphs) {
  const auto chosen = [](const char* text) {
    const Csr<double> A = generate<double>(text);
    return to_string(choose(A, analyze(A, Detail::planning), two_cores(), {.device = Device::cpu()}).plan);
  };
  // Large enough for constant diagonals to be stored as such.
  EXPECT_TRUE(chosen("stencil3d7,n=42").starts_with("weave layout=diagonals")) << chosen("stencil3d7,n=42");
  EXPECT_FALSE(chosen("rmat,scale=12").starts_with("weave")) << chosen("rmat,scale=12");
  // One row of all columns has as many diagonals as entries.
  EXPECT_FALSE(chosen("arrow,rows=20000").starts_with("weave")) << chosen("arrow,rows=20000");
}

TEST(Choose, never_takes_what_exceeds_the_memory_of_the_device) {
  const Structure facts = analyze(generate<double>("stencil2d5,n=300"), Detail::planning);
  Machine small = h200();
  const Choice roomy = choose(facts, small);
  small.memory_bytes = roomy.candidates.front().bytes;
  const Choice tight = choose(facts, small);
  for (const Candidate& c : tight.candidates)
    if (c.fits) {
      EXPECT_LT(c.bytes, small.memory_bytes);
    }
  EXPECT_NE(tight.plan, roomy.plan);
}

TEST(Choose, offers_the_selectors_of_the_papers_by_name) {
  const test::OwnCache cache;
  const Csr<double> A = generate<double>("stencil2d5,n=20");
  const Structure facts = analyze(A, Detail::planning);
  EXPECT_EQ(choose(facts, h200(), {.selector = "csr_ell_rules"}).plan.format, "csr_ell");
  const Choice trials = choose(A, facts, two_cores(), {.device = Device::cpu(), .selector = "ellr_trials"});
  EXPECT_EQ(trials.plan.format, "ellr");
  EXPECT_EQ(trials.candidates.size(), 12u);
  for (const Candidate& c : trials.candidates) EXPECT_GT(c.measured_seconds, 0) << to_string(c.plan);
  EXPECT_THROW(choose(facts, h200(), {.selector = "dice"}), Error);
}

TEST(Effort, measure_times_the_best_few_and_csr) {
  const test::OwnCache cache;
  const Csr<double> A = generate<double>("stencil2d5,n=30");
  const Choice choice = choose(A, analyze(A, Detail::planning), two_cores(),
                               {.effort = Effort::measure, .device = Device::cpu(), .use_cache = false});
  int measured = 0;
  bool csr = false;
  for (const Candidate& c : choice.candidates) {
    measured += c.measured_seconds > 0;
    csr |= c.measured_seconds > 0 && c.plan.format == "csr";
    if (c.measured_seconds > 0) {
      EXPECT_GE(c.measured_seconds, choice.candidates.front().measured_seconds);
    }
  }
  EXPECT_GE(measured, 2);
  EXPECT_LE(measured, 6);
  EXPECT_TRUE(csr);
  EXPECT_TRUE(cache.files().empty());
}

TEST(Effort, an_order_is_tried_where_plans_are_tried_and_never_taken_by_the_model_alone) {
  const test::OwnCache cache;
  const Csr<double> A = generate<double>("mesh,rows=6000"), grid = generate<double>("stencil2d5,n=60");
  const auto tried_order = [](const Choice& choice) {
    for (const Candidate& c : choice.candidates)
      if (c.plan == Plan::parse("ell16 reorder=rcm") && c.measured_seconds > 0) return true;
    return false;
  };
  ChooseOptions options{.effort = Effort::exhaustive, .device = Device::cpu(), .use_cache = false};
  EXPECT_TRUE(tried_order(choose(A, analyze(A, Detail::planning), two_cores(), options)));
  options.reorder = false;
  EXPECT_FALSE(tried_order(choose(A, analyze(A, Detail::planning), two_cores(), options)));
  for (const Candidate& c : choose(analyze(A, Detail::planning), h200()).candidates)
    EXPECT_EQ(c.plan.find("reorder"), nullptr);
  // An order cannot improve a grid in its natural order, but it costs a launch and a permutation.
  const Structure facts = analyze(grid, Detail::planning);
  EXPECT_GT(predict(facts, h200(), Plan::parse("ell16 reorder=rcm")), predict(facts, h200(), Plan::parse("ell16")));
  const Structure scattered = analyze(generate<double>("random,rows=300000,per_row=12"), Detail::planning);
  EXPECT_LT(predict(scattered, h200(), Plan::parse("ell16 reorder=rcm")),
            predict(scattered, h200(), Plan::parse("ell16")));
}

TEST(Effort, exhaustive_times_every_candidate_that_fits) {
  const test::OwnCache cache;
  const Csr<float> A = generate<float>("arrow,rows=3000");
  const Choice choice = choose(A, analyze(A, Detail::planning), two_cores(),
                               {.effort = Effort::exhaustive, .device = Device::cpu(), .use_cache = false});
  for (const Candidate& c : choice.candidates) EXPECT_EQ(c.measured_seconds > 0, c.fits) << to_string(c.plan);
}

TEST(Effort, has_a_name_each_way) {
  for (const Effort effort : {Effort::model, Effort::measure, Effort::exhaustive})
    EXPECT_EQ(parse_effort(to_string(effort)), effort);
  EXPECT_THROW(parse_effort("lots"), Error);
}

TEST(Choose, takes_a_matrix_in_the_memory_of_a_device_for_what_it_is_on_the_host) {
  const Csr<double> A = generate<double>("fem,n=8,dof=3"), there = A.to(Device::emulator());
  const Choice here = choose(A, analyze(A, Detail::planning), h200()),
               on_device = choose(there, analyze(there, Detail::planning), h200());
  EXPECT_EQ(to_string(here.plan), to_string(on_device.plan));
  EXPECT_EQ(here.predicted_seconds, on_device.predicted_seconds);
  EXPECT_EQ(here.reason, on_device.reason);
}

TEST(Optimize, takes_a_matrix_in_the_memory_of_a_device) {
  const test::OwnCache cache;
  const Csr<double> A = generate<double>("stencil2d5,n=24");
  for (const Effort effort : {Effort::model, Effort::measure}) {
    const ChooseOptions options{.effort = effort, .device = Device::emulator()};
    EXPECT_TRUE(identical(optimize(A.to(Device::emulator()), options).restore(), A));
  }
}

TEST(Optimize, multiplies_like_csr) {
  const test::OwnCache cache;
  for (const char* text : {"stencil2d9,n=20", "circuit,rows=3000", "lp,rows=20,cols=300,per_row=30"}) {
    const Csr<double> A = generate<double>(text);
    std::vector<double> x(static_cast<std::size_t>(A.cols), 1.0), y(static_cast<std::size_t>(A.rows)), expected = y;
    build(A).multiply(x, expected);
    for (const Device device : {Device::cpu(), Device::emulator()}) {
      optimize(A, {.device = device}).multiply(x, y);
      for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-9) << text;
    }
    optimize(Csr<double>(A), {.device = Device::cpu()}).multiply(x, y);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-9) << text;
  }
}

// A remembered choice with the times 1, 2, ... in the order of the candidates.
struct Remembered {
  ChoiceKey key{0x123, "a GPU", 132, 8, Effort::measure, "model"};
  std::vector<Candidate> candidates{{.plan = Plan::parse("csr")}, {.plan = Plan::parse("sell sigma=1024")}};

  Remembered() {
    double time = 0;
    for (Candidate& c : candidates) c.measured_seconds = c.measured_build_seconds = ++time;
    write_choice(key, candidates);
  }
  static bool reads(const ChoiceKey& key, std::vector<Candidate>* into = nullptr) {
    std::vector<Candidate> fresh{{.plan = Plan::parse("coo")}, {.plan = Plan::parse("sell sigma=1024")}};
    const bool found = read_choice(key, fresh);
    if (into) *into = fresh;
    return found;
  }
};

TEST(ChoiceCache, gives_back_the_times_of_the_plans_it_knows) {
  const test::OwnCache cache;
  const Remembered remembered;
  std::vector<Candidate> found;
  ASSERT_TRUE(Remembered::reads(remembered.key, &found));
  EXPECT_EQ(found[0].measured_seconds, 0);
  EXPECT_EQ(found[1].measured_seconds, 2);
  EXPECT_EQ(found[1].measured_build_seconds, 2);
}

TEST(ChoiceCache, does_not_know_another_matrix_device_precision_or_effort) {
  const test::OwnCache cache;
  const Remembered remembered;
  for (int change = 0; change < 6; ++change) {
    ChoiceKey other = remembered.key;
    if (change == 0) other.pattern_hash ^= 1;
    if (change == 1) other.device += "2";
    if (change == 2) other.units = 78;
    if (change == 3) other.value_bytes = 4;
    if (change == 4) other.effort = Effort::exhaustive;
    if (change == 5) other.selector = "ellr_trials";
    EXPECT_FALSE(Remembered::reads(other)) << change;
  }
}

void rewrite(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

TEST(ChoiceCache, ignores_a_file_cut_at_any_byte_or_with_any_byte_changed) {
  const test::OwnCache cache;
  const Remembered remembered;
  ASSERT_EQ(cache.files().size(), 1u);
  const std::string file = cache.files().front(), text = test::content_of(file);
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    rewrite(file, text.substr(0, cut));
    EXPECT_FALSE(Remembered::reads(remembered.key)) << cut;
    std::string changed = text;
    changed[cut] = static_cast<char>(changed[cut] ^ 1);
    rewrite(file, changed);
    EXPECT_FALSE(Remembered::reads(remembered.key)) << cut;
  }
  rewrite(file, text);
  EXPECT_TRUE(Remembered::reads(remembered.key));
}

TEST(ChoiceCache, ignores_the_file_of_another_matrix_under_its_own_name) {
  const test::OwnCache cache;
  const Remembered remembered;
  ChoiceKey other = remembered.key;
  other.pattern_hash = 0x456;
  const std::string file = cache.files().front();
  std::filesystem::copy_file(file, std::filesystem::path(file).parent_path() / choice_file_name(other));
  EXPECT_FALSE(Remembered::reads(other));
}

TEST(ChoiceCache, is_used_the_second_time_and_gives_the_same_plan) {
  const test::OwnCache cache;
  const Csr<double> A = generate<double>("stencil2d5,n=25");
  const Structure facts = analyze(A, Detail::planning);
  const ChooseOptions options{.effort = Effort::measure, .device = Device::cpu()};
  const Choice first = choose(A, facts, two_cores(), options), second = choose(A, facts, two_cores(), options);
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(first.plan, second.plan);
  EXPECT_EQ(first.candidates.front().measured_seconds, second.candidates.front().measured_seconds);
  EXPECT_FALSE(
      choose(A, facts, two_cores(), {.device = Device::cpu()}).from_cache);  // the model does not ask the cache
}

TEST(Trials, cost_a_small_share_of_all_products_or_do_not_take_place) {
  const auto candidates = [] {
    std::vector<Candidate> made;
    for (const double build : {0.010, 0.500, 0.020, 0.005})
      made.push_back({.predicted_seconds = 1e-3, .predicted_build_seconds = build});
    return made;
  };
  const auto builds = [](const std::vector<Candidate>& ranked) {
    std::vector<double> all;
    for (const Candidate& c : ranked) all.push_back(c.predicted_build_seconds);
    return all;
  };
  // Each takes what building takes and 16 ms; on a GPU 0.8 ms more.
  std::vector<Candidate> few = candidates();
  EXPECT_EQ(keep_affordable(few, 4, 0.075, false), 2u);
  EXPECT_EQ(builds(few), (std::vector{0.010, 0.020, 0.500, 0.005}));
  EXPECT_EQ(keep_affordable(few = candidates(), 4, 0.120, false), 3u);
  EXPECT_EQ(builds(few), (std::vector{0.010, 0.020, 0.005, 0.500}));
  EXPECT_EQ(keep_affordable(few = candidates(), 3, 0.9, false), 3u);
  EXPECT_EQ(builds(few), builds(candidates()));
  EXPECT_EQ(keep_affordable(few = candidates(), 4, 0.030, false), 0u);  // one alone says nothing
  EXPECT_EQ(keep_affordable(few = candidates(), 4, 0.063, false), 2u);
  EXPECT_EQ(keep_affordable(few = candidates(), 4, 0.063, true), 2u);  // the first and the last
  EXPECT_EQ(builds(few), (std::vector{0.010, 0.005, 0.500, 0.020}));
}

// Predictions may be wrong: the clock decides whether another trial begins.
TEST(Trials, end_when_their_time_is_spent) {
  const Csr<double> A = generate<double>("stencil2d5,n=200");
  const auto tried = [&](double allowance) {
    std::vector<Candidate> candidates;
    for (int i = 0; i < 3; ++i) candidates.push_back({.plan = Plan::parse("csr"), .predicted_seconds = 1e-9});
    measure_candidates(A, {.device = Device::cpu()}, 3, allowance, candidates);
    return std::ranges::count_if(candidates, [](const Candidate& c) { return c.measured_seconds > 0; });
  };
  EXPECT_EQ(tried(0), 0);
  EXPECT_EQ(tried(1e-6), 0);  // making x takes longer
  EXPECT_EQ(tried(60), 3);
}

TEST(Trials, are_made_where_there_are_many_products_and_are_not_remembered_then) {
  const test::OwnCache cache;
  const Csr<double> A = generate<double>("stencil2d5,n=25");
  const Structure facts = analyze(A, Detail::planning);
  const auto tried = [&](double products) {
    const Choice choice = choose(A, facts, two_cores(),
                                 {.effort = Effort::measure, .expected_multiplies = products, .device = Device::cpu()});
    EXPECT_FALSE(choice.from_cache);
    return std::ranges::count_if(choice.candidates, [](const Candidate& c) { return c.measured_seconds > 0; });
  };
  EXPECT_EQ(tried(100), 0);
  EXPECT_GE(tried(1e9), 2);
  EXPECT_TRUE(cache.files().empty());
}

TEST(ChoiceCache, that_cannot_be_written_changes_nothing) {
  const test::OwnCache cache;
  setenv("HEDDLE_CACHE", "/dev/null/heddle", 1);
  const Csr<double> A = generate<double>("stencil2d5,n=10");
  const Choice choice =
      choose(A, analyze(A, Detail::planning), two_cores(), {.effort = Effort::measure, .device = Device::cpu()});
  EXPECT_GT(choice.candidates.front().measured_seconds, 0);
}

}  // namespace
}  // namespace heddle

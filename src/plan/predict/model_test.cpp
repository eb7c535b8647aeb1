// The model of seconds (model.hpp), and its costs.
#include "plan/predict/model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <heddle/choose.hpp>
#include <heddle/formats.hpp>
#include <heddle/generate.hpp>

#include "plan/all_rules.hpp"
#include "plan/candidates.hpp"
#include "plan/predict/building.hpp"
#include "plan/predict/predicted_parts.hpp"
#include "support/workload_of.hpp"

namespace heddle {
namespace {

using test::cpu_target;
using test::gpu_target;
using test::on_cpu;
using test::target_of_kind;

TEST(Model, takes_longer_for_more_of_anything) {
  const Machine& machine = built_in_machine(Device::Kind::gpu);
  const Cost& cost = *cost_of(Plan{}, gpu_target);
  const Workload base{
      .stream_bytes = 1e7, .x_bytes = 1e6, .misses = 1e6, .sectors = 1e6, .slots = 1e6, .teams = 1e4, .chain = 10};
  const double before = predict(base, cost, machine, 8).seconds;
  for (double Workload::*part : {&Workload::stream_bytes, &Workload::misses, &Workload::sectors, &Workload::slots,
                                 &Workload::teams, &Workload::chain}) {
    Workload more = base;
    more.*part *= 100;
    EXPECT_GT(predict(more, cost, machine, 8).seconds, before);
  }
}

TEST(Model, of_a_cpu_lets_cores_wait_in_the_last_round_of_large_pieces) {
  Machine machine = built_in_machine(Device::Kind::cpu);
  machine.units = 16;
  const Cost& cost = *cost_of(Plan{}, cpu_target);
  const auto walk = [&](double pieces) {
    return predict({.slots = 1e6, .tasks = 1000, .pieces = pieces}, cost, machine, 8).walk;
  };
  EXPECT_DOUBLE_EQ(walk(32), walk(0));
  EXPECT_DOUBLE_EQ(walk(33) / walk(0), 3 * 16 / 33.0);
  EXPECT_DOUBLE_EQ(walk(4) / walk(0), 4);
  EXPECT_EQ(on_cpu("dense,rows=1000,cols=300", "ell").pieces, 8);  // 128 rows each
  EXPECT_EQ(on_cpu("dense,rows=1000,cols=300", "csr").pieces, 0);
  // Rows that runs keeps aside are shared, the others are not: 16 to a slice.
  EXPECT_EQ(on_cpu("dense,rows=1000,cols=300", "runs").pieces, 63);
  EXPECT_GE(on_cpu("lp,rows=36,cols=90000,per_row=17000", "runs").pieces, 150);
}

TEST(Model, of_a_cpu_takes_longer_for_more_work_slower_cores_and_slower_threads) {
  Machine machine = built_in_machine(Device::Kind::cpu);
  machine.units = 16;
  machine.wake_us = 1;
  machine.wake_all_us = 4;
  const Cost& cost = *cost_of(Plan{}, cpu_target);
  const Workload base{.stream_bytes = 1e6,
                      .x_bytes = 4e6,
                      .misses = 1e5,
                      .sectors = 1e5,
                      .slots = 1e5,
                      .teams = 1e4,
                      .chain = 1e3,
                      .tasks = 8};
  const auto seconds = [&](const Workload& w, const Machine& m) { return predict(w, cost, m, 8).seconds; };
  const double before = seconds(base, machine);
  for (double Workload::*part : {&Workload::stream_bytes, &Workload::misses, &Workload::sectors, &Workload::slots,
                                 &Workload::teams, &Workload::chain}) {
    Workload more = base;
    more.*part *= 100;
    EXPECT_GT(seconds(more, machine), before);
  }
  Workload alone = base;
  alone.tasks = 1;
  EXPECT_GT(seconds(alone, machine), before);
  Machine slower = machine;
  slower.entry_ns *= 2, slower.entry_all_ns *= 2;
  Workload plain = base;
  plain.sectors = 0;  // values of a table come from the first cache, whose speed was measured for itself
  EXPECT_DOUBLE_EQ(predict(plain, cost, slower, 8).walk, 2 * predict(plain, cost, machine, 8).walk);
  EXPECT_GT(seconds(base, slower), before);
  slower = machine;
  slower.wake_all_us = 40;
  EXPECT_GT(seconds(base, slower), before);
  EXPECT_EQ(seconds(alone, slower), seconds(alone, machine));  // wakes no worker
}

TEST(Model, of_a_cpu_knows_that_cores_get_in_each_others_way) {
  Machine machine = built_in_machine(Device::Kind::cpu);
  machine.units = 16;
  const Cost& cost = *cost_of(Plan{}, cpu_target);
  const auto walk = [&](const Workload& w) { return predict(w, cost, machine, 8).walk; };
  const Workload alone{.slots = 1e5, .tasks = 1}, together{.slots = 1e5, .tasks = 16};
  const double one = walk(alone), all = walk(together);
  machine.entry_all_ns = 2 * machine.entry_ns;  // two threads share a core
  EXPECT_DOUBLE_EQ(walk(alone), one);
  EXPECT_DOUBLE_EQ(walk(together), 2 * all);
  EXPECT_DOUBLE_EQ(walk({.slots = 1e5, .tasks = 2}), one / Cost::alone / 2 * (1 + 1.0 / 15));
  // False sharing: none where one core does all; of sorted windows only those that cores share.
  const auto foreign = [&](double tasks, double rows, double window) {
    Workload w{.slots = 1e5, .tasks = tasks};
    const double before = walk(w);
    w.false_sharing = rows, w.sharing_window = window;
    return walk(w) - before;
  };
  EXPECT_EQ(foreign(1, 1e5, 0), 0);
  EXPECT_EQ(foreign(1, 1e5, 1024), 0);
  EXPECT_GT(foreign(16, 1e5, 0), foreign(16, 1e5, 1024));
  EXPECT_NEAR(foreign(16, 1e5, 1024), foreign(16, 1e6, 1024), 1e-12);
  EXPECT_NEAR(foreign(16, 2e3, 1024), 4 * foreign(16, 2e3, 256), 1e-12);
}

// On every CPU, though runs is a candidate only where instructions leave lanes out.
TEST(Model, counts_the_steps_of_runs_for_a_cpu_that_does_not_propose_it) {
  const Csr<double> A = generate<double>("circuit,rows=20000");
  const Structure facts = analyze(A, Detail::planning);
  for (const Isa isa : {Isa::baseline, Isa::avx512}) {
    Machine machine = built_in_machine(Device::Kind::cpu);
    machine.isa = isa;
    EXPECT_GE(predicted_parts(A, facts, machine, Plan::parse("runs")).work.slots, static_cast<double>(A.nnz()));
  }
}

TEST(Candidates, have_smaller_windows_where_cores_would_share_those_of_1024_rows) {
  const auto offered = [](std::int64_t rows, CandidateOptions options) {
    Structure facts;
    facts.rows = facts.cols = rows;
    return std::ranges::count(candidate_plans(facts, options), Plan::parse("sell sigma=256"));
  };
  const auto cores = [](int count) {
    Target target = cpu_target;
    target.units = count;
    return CandidateOptions{.target = target};
  };
  EXPECT_EQ(offered(2000, cores(16)), 1);
  EXPECT_EQ(offered(20000, cores(16)), 0);
  EXPECT_EQ(offered(2000, cores(2)), 1);
  EXPECT_EQ(offered(3000, cores(2)), 0);
  EXPECT_EQ(offered(2000, {.target = gpu_target}), 0);
}

TEST(Model, of_a_cpu_knows_long_rows_that_go_through_x_together) {
  Machine machine = built_in_machine(Device::Kind::cpu);
  machine.units = 2;
  machine.entry_ns = machine.entry_all_ns = 0.5;
  const Cost& cost = *cost_of(Plan::parse("sell"), cpu_target);
  const auto misses = [&](Workload w) { return predict(w, cost, machine, 8).misses; };
  Workload rows = on_cpu("lp,rows=256,cols=50000,per_row=1000", "sell sigma=1024");
  EXPECT_GT(rows.swept_bytes, 0);
  EXPECT_LT(rows.swept_misses, 0.5 * rows.misses);
  Workload apart = rows;
  apart.swept_bytes = 0;
  const double together = misses(rows);
  EXPECT_LT(together, 0.6 * misses(apart));
  machine.entry_all_ns = 2;  // threads that share a core, and its cache
  EXPECT_GT(misses(rows) / misses(apart), together / misses(apart) + 0.05);
  rows.swept_bytes = 1e9;
  EXPECT_NEAR(misses(rows), misses(apart), 1e-3 * misses(apart));
  // Rows of other lengths get ahead of each other; short ones are anywhere.
  EXPECT_EQ(on_cpu("lengths,law=F3,max=128,rows=4096", "sell").swept_bytes, 0);
  const Workload few = on_cpu("random,rows=20000,per_row=5", "sell");
  EXPECT_GE(few.swept_misses, 0.9 * few.misses);
}

TEST(Model, of_a_cpu_reads_from_the_caches_of_as_many_cores_as_are_busy) {
  Machine machine = built_in_machine(Device::Kind::cpu);
  machine.units = 8;
  machine.core_read = {{1 << 20, 100}, {4 << 20, 10}};
  machine.read = {{4 << 20, 800}, {64 << 20, 80}};
  const Cost& cost = *cost_of(Plan{}, cpu_target);
  const auto stream = [&](double bytes, double tasks) {
    return predict({.stream_bytes = bytes, .tasks = tasks}, cost, machine, 8).stream * cost.stream;
  };
  EXPECT_NEAR(stream(1 << 20, 1), 1.048576e6 / 100e9, 1e-9);
  EXPECT_NEAR(stream(4 << 20, 1), 4.194304e6 / 10e9, 1e-9);   // one core, and its cache is too small
  EXPECT_NEAR(stream(4 << 20, 4), 4.194304e6 / 400e9, 1e-9);  // that of four is not
  EXPECT_NEAR(stream(64 << 20, 8), 67.108864e6 / 80e9, 1e-9);
}

TEST(Model, of_a_cpu_adds_reading_to_the_work_where_a_core_has_its_part_in_its_own_caches) {
  Machine machine = built_in_machine(Device::Kind::cpu);
  machine.units = 1;
  machine.core_read = machine.read = {{1 << 20, 100}, {16 << 20, 10}};
  const auto t = [&](double bytes) {
    return predict({.stream_bytes = bytes, .slots = bytes / 10, .tasks = 1}, *cost_of(Plan{}, cpu_target), machine, 8);
  };
  const Prediction near = t(1 << 20), far = t(64 << 20);
  EXPECT_DOUBLE_EQ(near.seconds, near.start + near.stream + near.walk);
  EXPECT_DOUBLE_EQ(far.seconds, far.start + std::hypot(far.stream, far.walk));
}

TEST(Model, has_costs_for_every_plan_that_rules_propose) {
  for (const char* text : {"fem,n=8,dof=3", "stencil2d5,n=20", "rmat,scale=8"}) {
    const Structure facts = analyze(generate<double>(text), Detail::planning);
    for (const Rules* rules : all_rules())
      for (const bool on_gpu : {true, false})
        for (const Plan& plan : rules->plans(facts, target_of_kind(on_gpu))) {
          EXPECT_NE(cost_of(plan, target_of_kind(on_gpu)), nullptr) << to_string(plan);
          EXPECT_EQ(plan.format, rules->format);
          EXPECT_FALSE(rules->suits(facts, plan).empty());
        }
  }
  EXPECT_EQ(find_rules("no such format"), nullptr);
  EXPECT_EQ(cost_of(Plan::parse("weave"), gpu_target), nullptr) << "layouts have lines of their own";
  EXPECT_EQ(cost_key(Plan::parse("weave layout=blocks r=3")), "weave:blocks");
  EXPECT_TRUE(std::isnan(predict(Structure{}, built_in_machine(Device::Kind::gpu), Plan::parse("nothing"), 8)));
}

TEST(Cost, of_a_format_without_a_line_is_a_guess_that_says_so) {
  for (const Target& target : {gpu_target, cpu_target}) {
    const Plan unknown = Plan::parse("abacus");
    const Cost &guess = *cost_of(unknown, target), &csr = *cost_of(Plan{}, target);
    EXPECT_FALSE(guess.fitted());
    EXPECT_TRUE(csr.fitted());
    EXPECT_NE(guess.place_f64_ps, csr.place_f64_ps);
    EXPECT_GT(guess.stream, 0);
    EXPECT_NE(build_cost(unknown, target.on_gpu).once_us, build_cost(Plan{}, target.on_gpu).once_us);
    EXPECT_GT(build_cost(unknown, target.on_gpu).entry_ns, 0);
  }
}

// What a format takes to start is waiting for threads: where none is called, all formats start alike.
TEST(Model, starts_alike_where_one_thread_does_all) {
  Machine machine = built_in_machine(Device::Kind::cpu);
  machine.units = 16;
  const auto start = [&](const char* plan, double tasks) {
    Workload work;
    work.slots = 1000, work.tasks = tasks;
    return predict(work, *cost_of(Plan::parse(plan), cpu_target), machine, 8).start;
  };
  EXPECT_EQ(start("runs", 1), start("sell", 1));
  EXPECT_GT(start("sell", 1), 0);
  EXPECT_NE(start("runs", 4), start("sell", 4));
  EXPECT_GT(start("sell", 4), start("sell", 1));
}

TEST(Model, counts_more_for_building_what_is_harder_to_build) {
  const Structure facts = analyze(generate<double>("fem,n=10,dof=3"), Detail::planning);
  const Machine& machine = built_in_machine(Device::Kind::cpu);
  const auto build_seconds = [&](const char* text) {
    const Plan plan = Plan::parse(text);
    const Subject subject{facts, 8, cpu_target};
    return predict_build_seconds(subject, plan, workload(*find_rules(plan.format), subject, plan), machine);
  };
  EXPECT_LT(build_seconds("csr"), build_seconds("sell"));
  EXPECT_LT(build_seconds("sell"), build_seconds("bell r=3 c=3"));
  EXPECT_LT(build_seconds("ell16"), build_seconds("ell16 reorder=rcm"));
}

// Loading elements of x one by one costs formats that gather them more than those that do not.
TEST(Cost, of_places_is_higher_where_gathers_are_slow) {
  const auto place = [](const char* plan, bool fast) {
    Target target = cpu_target;
    target.gathers = {fast, fast, fast};
    return cost_of(Plan::parse(plan), target)->place_f64_ps;
  };
  const auto times = [&](const char* plan) { return place(plan, false) / place(plan, true); };
  for (const char* gathering : {"csr", "sell", "weave layout=rows"})
    for (const char* other : {"dia", "runs", "weave layout=diagonals", "bcsr"})
      EXPECT_EQ(times(gathering) > times(other), true) << gathering << ", " << other;
}

}  // namespace
}  // namespace heddle

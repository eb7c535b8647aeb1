#include "plan/all_rules.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <utility>

#include <heddle/choose.hpp>
#include <heddle/formats.hpp>
#include <heddle/generate.hpp>

#include "cost/row_counts.hpp"
#include "formats/csr_ell/csr_ell_shape.hpp"
#include "plan/candidates.hpp"
#include "plan/predict/building.hpp"
#include "plan/predict/model.hpp"
#include "support/workload_of.hpp"
#include "support/zoo.hpp"

namespace heddle {
namespace {

using test::cpu_target;
using test::gpu_target;
using test::on_cpu;
using test::target_of_kind;

// Settings and values that cost fewer bytes: 8-bit columns, none at all, one column for four, values of one table or
// none.
TEST(Workload, knows_what_shorter_columns_and_values_save) {
  for (const auto& [matrix, plan, stored_as] :
       {std::tuple{"stencil2d5,n=100", "weave layout=rows lanes=1 per_lane=4 columns=bytes", "columns=bytes"},
        {"dense,rows=150,cols=400", "weave layout=long", "columns=runs"},
        {"fem,n=9,dof=4", "weave layout=long", "columns=quads"},
        {"stencil2d5,n=250", "weave layout=diagonals", "values=constant"},
        {"stencil2d5,n=1150", "weave layout=rows", "values=dictionary"},
        {"random,rows=30000,cols=30000,per_row=9,values=ones", "weave layout=rows", "values=uniform"}}) {
    const Csr<float> A = generate<float>(matrix);
    const Structure facts = analyze(A, Detail::planning);
    const Operator<float> op = build(A, Plan::parse(plan));
    EXPECT_NE(to_string(op.plan()).find(stored_as), std::string::npos) << to_string(op.plan());
    const Workload work = workload(*find_rules("weave"), {facts, 4, gpu_target}, Plan::parse(plan));
    const auto bytes = static_cast<double>(op.bytes());
    EXPECT_NEAR(work.bytes, bytes, 0.08 * bytes + 8192) << matrix << ": " << to_string(op.plan());
  }
}

TEST(Workload, knows_a_large_table_of_values_from_a_sample_of_them) {
  Csr<double> A = test::with_lengths(std::vector<std::int64_t>(2100, 2000), 2000, 1);
  const Plan plan = Plan::parse("weave layout=rows");
  for (const std::int64_t different : {5000, 30000}) {  // the second: more than a table is worth
    for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = 0.1 + static_cast<double>((k * 2654435761 >> 8) % different);
    const auto exact = static_cast<double>(build(A, plan).bytes());
    for (const Detail detail : {Detail::planning, Detail::all}) {
      const Structure facts = analyze(A, detail);
      EXPECT_NEAR(workload(*find_rules("weave"), {facts, 8, gpu_target}, plan).bytes, exact, 0.08 * exact);
      const double fetched = workload(*find_rules("weave"), {facts, 8, cpu_target}, plan).sectors;
      EXPECT_EQ(fetched > 0, different == 5000);  // from the table
    }
  }
}

TEST(Workload, counts_what_a_table_and_uneven_masks_add_to_diagonals) {
  const auto on_gpu = [](const char* matrix, const char* plan) {
    return workload(*find_rules("weave"), {analyze(generate<double>(matrix), Detail::planning), 8, gpu_target},
                    Plan::parse(plan));
  };
  const char* matrix = "elasticity,nx=16,ny=12,nz=12";  // 600,000 entries of few values
  const Workload table = on_gpu(matrix, "weave layout=diagonals values=dictionary"),
                 raw = on_gpu(matrix, "weave layout=diagonals values=raw"),
                 four_rows = on_gpu(matrix, "weave layout=diagonals values=raw per_lane=4");
  EXPECT_DOUBLE_EQ(table.slots, 3 * raw.slots);
  EXPECT_LT(table.stream_bytes, raw.stream_bytes);
  EXPECT_GT(four_rows.chain, 1.9 * raw.chain);
  EXPECT_DOUBLE_EQ(raw.teams, 4 * four_rows.teams);
}

// The model counts the lanes, teams and groups that building would take by itself.
TEST(Workload, settles_teams_and_lanes_as_building_does) {
  for (const auto& [matrix, plan] : {std::tuple{"lp,rows=20,cols=20000,per_row=9000", "weave layout=long"},
                                     {"lp,rows=200,cols=20000,per_row=500", "weave layout=long"},
                                     {"random,rows=50000,cols=50000,per_row=12", "weave layout=segments"},
                                     {"stencil2d9,n=260", "weave layout=segments"}}) {
    const Csr<double> A = generate<double>(matrix);
    const Structure facts = analyze(A, Detail::planning);
    for (const int value_bytes : {4, 8}) {
      const auto counted = [&](const Plan& p) {
        return workload(*find_rules("weave"), {facts, value_bytes, gpu_target}, p);
      };
      const Plan settled = resolve(A.view(), Plan::parse(plan), value_bytes);
      const Workload open = counted(Plan::parse(plan)), named = counted(settled);
      EXPECT_EQ(open.teams, named.teams) << matrix << ": " << to_string(settled);
      EXPECT_EQ(open.chain, named.chain) << matrix << ": " << to_string(settled);
    }
  }
}

// Snapshot.
TEST(Workload, proposes_ell_on_a_cpu_where_it_pads_little_and_rows_are_short) {
  const auto proposed = [](const char* matrix, bool on_gpu) {
    return find_rules("ell")->plans(analyze(generate<float>(matrix), Detail::planning), target_of_kind(on_gpu)).size();
  };
  EXPECT_EQ(proposed("random,rows=500,cols=500,per_row=9", false), 1u);
  EXPECT_EQ(proposed("lengths,rows=2000,law=uniform,max=32", false), 0u);  // two places an entry
  EXPECT_EQ(proposed("lengths,rows=2000,law=uniform,max=32", true), 1u);
  EXPECT_EQ(proposed("random,rows=500,cols=5000,per_row=200", false), 0u);
  EXPECT_EQ(proposed("random,rows=500,cols=5000,per_row=200", true), 1u);
}

// Snapshot.
TEST(Workload, proposes_diagonals_on_a_cpu_where_little_is_beside_them) {
  const auto proposed = [](const char* matrix, bool on_gpu) {
    return find_rules("dia")->plans(analyze(generate<float>(matrix), Detail::planning), target_of_kind(on_gpu)).size();
  };
  EXPECT_EQ(proposed("stencil2d5,n=60", false), 1u);
  EXPECT_EQ(proposed("mesh,rows=5000", false), 0u);  // the main diagonal alone
}

TEST(Workload, finds_rows_without_entries_and_values_of_a_table_at_a_price) {
  const auto counted = [](const char* matrix, const char* plan_text, int value_bytes) {
    const Structure facts = analyze(generate<double>(matrix), Detail::planning);
    return workload(*find_rules("weave"), {facts, value_bytes, gpu_target}, Plan::parse(plan_text));
  };
  const char *segments = "weave layout=segments", *constant = "stencil2d5,n=1000";  // two values, 5 M entries
  const Workload full = counted("random,rows=20k,per_row=2", segments, 8),
                 empty = counted("empty,rows=20k", segments, 8);
  EXPECT_GT(empty.chain, full.chain + 5);
  EXPECT_GT(empty.slots, full.slots);
  EXPECT_GT(counted(constant, "weave layout=rows", 8).slots,
            1.5 * counted(constant, "weave layout=rows values=raw", 8).slots);
}

// Snapshot.
TEST(Workload, proposes_sums_where_rows_come_back_to_what_they_read) {
  const auto proposed = [](const char* matrix) {
    const auto plans = find_rules("weave")->plans(analyze(generate<float>(matrix), Detail::planning), gpu_target);
    return std::count(plans.begin(), plans.end(), Plan::parse("weave layout=sums"));
  };
  EXPECT_EQ(proposed("random,rows=100000,cols=100000,per_row=12"), 1);
  EXPECT_EQ(proposed("random,rows=300000,cols=3000000,per_row=4"), 0);
}

TEST(Building, knows_long_rows_and_when_values_are_looked_at) {
  const auto parts = [](const Csr<double>& A, const char* plan_text) {
    const Subject subject{analyze(A, Detail::planning), 8, gpu_target};
    const Plan plan = Plan::parse(plan_text);
    return build_parts(subject, plan, workload(*find_rules("weave"), subject, plan),
                       built_in_machine(Device::Kind::gpu));
  };
  const Csr<double> few = generate<double>("stencil2d5,n=1000"), fewer = generate<double>("stencil2d5,n=300"),
                    long_rows = generate<double>("dense,rows=20,cols=400");
  EXPECT_EQ(parts(few, "weave layout=segments").some_long, 0);
  EXPECT_GT(parts(long_rows, "weave layout=segments").some_long, 0);
  EXPECT_GT(parts(few, "weave layout=segments").table, 0);  // 5 M entries: a table
  EXPECT_EQ(parts(few, "weave layout=segments values=raw").table, 0);
  EXPECT_EQ(parts(few, "weave layout=diagonals").table, 0);   // each has one value
  EXPECT_EQ(parts(fewer, "weave layout=segments").table, 0);  // 450,000: none
  EXPECT_EQ(parts(few, "weave layout=segments").looked_at, 0);
  const Csr<double> many_values = generate<double>("random,rows=40k,per_row=8");
  EXPECT_GT(parts(many_values, "weave layout=segments").looked_at, 0);  // wasted work
  EXPECT_EQ(parts(many_values, "weave layout=padded").looked_at, 0);    // not a million entries: values are not read
}

TEST(Building, gets_new_memory_for_large_arrays) {
  const auto new_memory = [](const char* text, Device::Kind kind) {
    const Structure facts = analyze(generate<double>(text), Detail::planning);
    const Subject subject{facts, 8, target_of(built_in_machine(kind))};
    const Workload work = workload(*find_rules("csr"), subject, Plan{});
    return build_parts(subject, Plan{}, work, built_in_machine(kind)).new_bytes;
  };
  EXPECT_EQ(new_memory("stencil2d5,n=50", Device::Kind::cpu), 0);
  EXPECT_GT(new_memory("stencil2d5,n=200", Device::Kind::cpu), 0);
  EXPECT_EQ(new_memory("stencil2d5,n=200", Device::Kind::gpu), 0);
}

TEST(Building, is_shared_by_the_cores_where_there_is_enough_of_it) {
  const auto seconds = [](const char* matrix, const char* plan_text, int cores) {
    const Structure facts = analyze(generate<double>(matrix), Detail::planning);
    const Plan plan = Plan::parse(plan_text);
    Machine machine = built_in_machine(Device::Kind::cpu);
    machine.units = cores;
    const Subject subject{facts, 8, target_of(machine)};
    return predict_build_seconds(subject, plan, workload(*find_rules(plan.format), subject, plan), machine);
  };
  for (const char* plan : {"csr", "sell", "weave layout=rows"}) {
    EXPECT_EQ(seconds("stencil2d5,n=60", plan, 16), seconds("stencil2d5,n=60", plan, 1)) << plan;
    EXPECT_LT(seconds("stencil2d5,n=500", plan, 16), 0.7 * seconds("stencil2d5,n=500", plan, 1))
        << plan;  // memory is not
  }
  const char* even_rows = "random,rows=20k,per_row=8";  // to be sorted all the same
  EXPECT_GE(seconds(even_rows, "sell sigma=1024", 2), seconds(even_rows, "sell", 2));
}

TEST(Building, counts_diagonals_of_lists_that_slices_do_not_share) {
  const auto listed = [](const char* matrix) {
    const Structure facts = analyze(generate<double>(matrix), Detail::planning);
    const Subject subject{facts, 8, gpu_target};
    const Plan plan = Plan::parse("weave layout=diagonals");
    return build_parts(subject, plan, workload(*find_rules("weave"), subject, plan),
                       built_in_machine(Device::Kind::gpu))
        .listed;
  };
  EXPECT_LT(listed("stencil2d5,n=400"), 200e-9);                              // a few lists of five
  EXPECT_GT(listed("band,rows=160000,width=2,fill=0.8"), 0.5 * 1250 * 5e-9);  // one for each of 1250 slices
}

TEST(Workload, is_finite_and_not_negative_for_awkward_matrices) {
  for (const auto& specimen : test::zoo(test::Zoo::small)) {
    const Structure facts = analyze(specimen.A, Detail::planning);
    for (const bool on_gpu : {true, false})
      for (const Plan& plan : candidate_plans(facts, {.target = target_of_kind(on_gpu)})) {
        const Workload w = workload(*find_rules(plan.format), {facts, 4, target_of_kind(on_gpu)}, plan);
        for (const double part :
             {w.bytes, w.stored, w.stream_bytes, w.x_bytes, w.misses, w.sectors, w.slots, w.teams, w.chain})
          EXPECT_TRUE(std::isfinite(part) && part >= 0) << specimen.name << " " << to_string(plan) << " " << part;
        const Machine& machine = built_in_machine(on_gpu ? Device::Kind::gpu : Device::Kind::cpu);
        const Prediction t = predict(w, *cost_of(plan, target_of_kind(on_gpu)), machine, 4);
        EXPECT_TRUE(std::isfinite(t.seconds) && t.seconds > 0) << specimen.name << " " << to_string(plan);
      }
  }
}

TEST(Workload, counts_the_same_split_as_csr_ell_itself) {
  for (const char* text : {"rmat,scale=11", "lengths,law=F3,max=128,rows=4096", "circuit,rows=5000", "stencil2d5,n=200",
                           "lengths,law=constant,max=4,rows=9000"}) {
    const Csr<double> A = generate<double>(text);
    const CsrEllShape shape = csr_ell_shape(analyze(A));
    const auto exact = static_cast<double>(footprint(A.view(), Plan::parse("csr_ell")).stored);
    EXPECT_NEAR((shape.packed_places + shape.long_entries) / exact, 1, 0.03) << text;
  }
}

TEST(RowCounts, round_clip_and_cut_rows) {
  const Structure facts = analyze(test::with_lengths({1, 1, 1, 9}, 20, 1));
  EXPECT_EQ(rounded_entries(facts.rows_len, 4, 12, 4), 4 + 4 + 4 + 12);
  EXPECT_EQ(clipped_entries(facts.rows_len, 4, 12, 2), 1 + 1 + 1 + 2);
  EXPECT_EQ(two_thirds_width(facts.rows_len, 4), 1);
}

// Snapshot.
TEST(Workload, calls_threads_for_work_that_can_be_divided) {
  EXPECT_EQ(on_cpu("stencil2d5,n=20", "csr").tasks, 1);  // 2,000 entries
  EXPECT_GT(on_cpu("stencil2d5,n=300", "csr").tasks, 16);
  // 12,300 entries, and 2,500 rows: three threads by slices, one by diagonals, whose places are half the work.
  EXPECT_GT(on_cpu("stencil2d5,n=50", "sell").tasks, 2.5);
  EXPECT_EQ(on_cpu("stencil2d5,n=50", "dia").tasks, 1);
  EXPECT_EQ(on_cpu("stencil2d5,n=50", "weave layout=diagonals").tasks, 1);
  // Two slices of 64 rows, and four of 32.
  EXPECT_LT(on_cpu("dense,rows=100,cols=3000", "weave layout=rows lanes=1 per_lane=2 sort=1").tasks, 2.5);
  EXPECT_LT(on_cpu("dense,rows=100,cols=3000", "sell").tasks, 4.5);
  EXPECT_GT(on_cpu("dense,rows=100,cols=3000", "csr").tasks, 16);
  // One long row makes its slice the work of one thread.
  EXPECT_LT(on_cpu("arrow,rows=20000", "sell").tasks, 3);
  // Rows of csr are shared where they are long.
  EXPECT_GT(on_cpu("dense,rows=4,cols=100000", "csr").tasks, 16);
  EXPECT_LT(on_cpu("dense,rows=4,cols=100000", "csr_padded").tasks, 4.5);
  // Where elements of x are loaded one by one fewer of them are enough; places of diagonals load none.
  const double gathered = on_cpu("stencil2d5,n=50", "sell").tasks, runs = on_cpu("stencil2d5,n=50", "runs").tasks;
  Target loading = cpu_target;
  loading.gathers = {};
  EXPECT_GT(on_cpu("stencil2d5,n=50", "sell", loading).tasks, 2 * gathered);
  EXPECT_EQ(on_cpu("stencil2d5,n=50", "runs", loading).tasks, runs);
  EXPECT_EQ(on_cpu("stencil2d5,n=50", "weave layout=diagonals", loading).tasks, 1);
}

// Rows of csr take whole steps where they are gathered, and share them where elements are loaded one by one.
TEST(Workload, counts_steps_of_rows_where_gathers_are_fast) {
  constexpr double rows = 1000;
  for (const auto& [isa, step] : {std::pair{Isa::avx512, 8}, {Isa::avx2, 4}, {Isa::baseline, 1}}) {
    Target target = cpu_target;
    target.isa = isa;
    const auto slots = [&](const char* matrix) { return on_cpu(matrix, "csr", target).slots; };
    EXPECT_EQ(slots("lengths,law=constant,max=9,rows=1000"), rows * ((9 + step - 1) / step) * step);
    EXPECT_EQ(slots("lengths,law=constant,max=8,rows=1000"), rows * 8);
    EXPECT_EQ(slots("lengths,law=constant,max=3,rows=1000"), rows * 3);    // eight rows at once
    EXPECT_GE(slots("empty,rows=1000,share=0.1,per_row=8"), step * rows);  // one step of an empty row, too
    target.gathers = {};
    EXPECT_EQ(slots("lengths,law=constant,max=9,rows=1000"), rows * 9);
  }
}

TEST(Workload, counts_entries_beside_diagonals_as_more_than_places) {
  const Workload grid = on_cpu("stencil2d5,n=100", "dia"), road = on_cpu("road,rows=10000", "dia");
  EXPECT_EQ(grid.beside, 0);
  EXPECT_EQ(grid.chain, 0);
  EXPECT_LT(grid.teams, 1);
  EXPECT_GT(road.beside, 0);
  EXPECT_EQ(road.chain, road.beside);
  EXPECT_GT(road.slots, road.stored);
  EXPECT_GT(road.teams, 5000);  // it has rows without entries
}

}  // namespace
}  // namespace heddle

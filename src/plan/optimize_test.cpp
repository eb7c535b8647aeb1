// What optimize is told about the operator that it builds, and stopping it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

#include <heddle/heddle.hpp>

#include "core/parallel.hpp"
#include "core/watch.hpp"
#include "plan/prospects.hpp"

namespace heddle {
namespace {

const Csr<double>& grid() {
  static const Csr<double> A = generate<double>("stencil2d5,n=60");
  return A;
}

TEST(Optimize, builds_as_it_is_told) {
  const auto op = optimize(grid(), {.device = Device::emulator()}, {.transposed = true, .right_hand_sides = 3});
  EXPECT_EQ(op.device(), Device::emulator());
  std::vector<double> x(3600, 1), y(3600), z(3600);
  op.multiply(x, y);
  op.multiply_transposed(1, x, 0, z);
  EXPECT_EQ(y, z);
  const auto taken = optimize(Csr<double>(grid()), {.device = Device::cpu()}, {.transposed = true});
  taken.multiply_transposed(1, x, 0, z);
  EXPECT_EQ(y, z);
  const auto at_once = optimize(grid(), {.expected_multiplies = 1, .device = Device::cpu()}, {.transposed = true});
  at_once.multiply_transposed(1, x, 0, z);
  EXPECT_EQ(y, z);
}

// The values of the grid are two: a table could hold them, or floats, or one value for each diagonal.
TEST(Optimize, does_not_count_on_values_that_will_change) {
  const ChooseOptions options{.device = Device::cpu()};
  const Structure fixed = prospects_of(grid(), options, {}).facts;
  const Structure changing = prospects_of(grid(), options, {.updates = true}).facts;
  EXPECT_EQ(fixed.distinct_values, 2);
  EXPECT_TRUE(fixed.f32_exact);
  EXPECT_GT(fixed.diagonals.constant, 0);
  EXPECT_TRUE(changing.distinct_capped);
  EXPECT_EQ(changing.distinct_guess, grid().nnz());
  EXPECT_FALSE(changing.f32_exact);
  EXPECT_EQ(changing.diagonals.constant, 0);
  auto op = optimize(grid(), options, {.updates = true});
  Csr<double> twice = grid();
  for (double& value : twice.val) value *= 2;
  op.update_values(twice.val);
  EXPECT_TRUE(identical(op.restore(), twice));
}

TEST(Optimize, says_why) {
  const auto op = optimize(grid(), {.device = Device::cpu()});
  EXPECT_NE(op.explain().find("\nchosen: "), std::string::npos) << op.explain();
  EXPECT_NE(op.explain().find("predicted"), std::string::npos) << op.explain();
  EXPECT_NE(optimize(Csr<double>{2, 2, {0, 0, 0}, {}, {}}).explain().find("no entries"), std::string::npos);
  EXPECT_NE(optimize(grid(), {.expected_multiplies = 1, .device = Device::cpu()}).explain().find("csr has done 1"),
            std::string::npos);
  EXPECT_EQ(build(grid()).explain().find("chosen"), std::string::npos);
}

// What building asks is asked before a plan is chosen, by questions of more plans than one.
template <class V>
void expect_same_as_built(const Csr<double>& given) {
  const Csr<V> A = convert<V>(given.view());
  const Device device = Device::emulator();
  const Csr<V> there = A.to(device);
  const auto op = optimize(there, {.device = device});
  const Choice choice = choose(there, {.device = device});
  const auto built = build(there, choice);
  EXPECT_EQ(op.plan(), built.plan());
  EXPECT_EQ(op.bytes(), built.bytes());
  EXPECT_TRUE(identical(op.restore(), A)) << to_string(op.plan());
}

TEST(Optimize, builds_on_a_device_what_choosing_and_building_do) {
  for (const char* matrix : {"stencil2d5,n=40", "fem,n=12,dof=3", "stencil3d7,n=36,coefficients=varying"}) {
    SCOPED_TRACE(matrix);
    expect_same_as_built<double>(generate<double>(matrix));
  }
  for (const char* matrix : {"circuit,rows=50000", "random,rows=70000,per_row=5"}) {
    SCOPED_TRACE(matrix);
    expect_same_as_built<float>(generate<double>(matrix));
  }
}

TEST(Optimize, refuses_arrays_on_a_device_that_are_no_matrix) {
  Csr<double> A = grid();
  std::swap(A.col[7], A.col[8]);
  try {
    (void)optimize(A.to(Device::emulator()), {.device = Device::emulator()});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
  }
}

TEST(Optimize, refuses_two_devices) {
  try {
    (void)optimize(grid(), {.device = Device::cpu()}, {.device = Device::emulator()});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
  }
}

TEST(KeepGoing, is_asked_at_every_stage_and_stops_there) {
  const ChooseOptions options{.effort = Effort::measure, .device = Device::cpu(), .use_cache = false};
  const std::set<std::string> all{"arrange", "analyze", "try", "build"};
  const auto view =
      csr_view(grid().rows, grid().cols, grid().nnz(), grid().ptr.data(), grid().col.data(), grid().val.data());
  std::set<std::string> seen;
  const auto note = [&](std::string_view stage, double done) {
    EXPECT_GE(done, 0);
    EXPECT_LE(done, 1);
    seen.emplace(stage);
    return true;
  };
  ChooseOptions asks = options;
  asks.keep_going = note;
  (void)optimize(view, asks);
  EXPECT_EQ(seen, all);
  seen.clear();
  (void)optimize(view, options, {.keep_going = note});
  EXPECT_EQ(seen, all);
  for (const std::string& last : all) {
    asks.keep_going = [&](std::string_view stage, double) { return stage != last; };
    try {
      (void)optimize(view, asks);
      FAIL() << "not stopped in " << last;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::stopped);
      EXPECT_STREQ(name_of(error.kind()), "stopped");
      EXPECT_NE(error.message().find(last), std::string::npos) << error.what();
    }
  }
  EXPECT_NO_THROW((void)build(grid(), {}, {.device = Device::cpu()})) << "no watch is left";
}

TEST(KeepGoing, may_throw) {
  const BuildOptions options{.keep_going = [](std::string_view, double) -> bool { throw std::runtime_error("mine"); }};
  EXPECT_THROW((void)build(grid(), {}, options), std::runtime_error);
}

TEST(KeepGoing, is_asked_between_parallel_loops_on_the_calling_thread) {
  int asked = 0;
  const auto thread = std::this_thread::get_id();
  const KeepGoing ask = [&](std::string_view stage, double) {
    EXPECT_TRUE(std::this_thread::get_id() == thread);
    EXPECT_EQ(stage, "loops");
    parallel_tasks(10, [](std::int64_t) {});  // it may use the library
    return ++asked < 3;
  };
  const Watch watch(ask);
  Watch::enter("loops");
  EXPECT_EQ(asked, 1);
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_THROW(while (std::chrono::steady_clock::now() - begun < std::chrono::seconds(20))
                   parallel_tasks(4, [](std::int64_t) {}),
               Error);
  EXPECT_EQ(asked, 3);
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(100));
}

TEST(KeepGoing, is_asked_inside_a_loop_whose_tasks_take_long) {
  for (const int threads : {1, 2}) {
    set_threads(threads);
    int asked = 0;
    std::atomic<int> done{0};
    const KeepGoing ask = [&](std::string_view, double) { return ++asked < 3; };
    const Watch watch(ask);
    EXPECT_THROW(parallel_tasks(400,
                                [&](std::int64_t) {
                                  std::this_thread::sleep_for(std::chrono::milliseconds(5));
                                  ++done;
                                }),
                 Error);
    EXPECT_EQ(asked, 3);
    EXPECT_LT(done, 300) << threads << " threads";
  }
  set_threads(0);
}

// The other stages do not ask it, and Error(stopped) is not thrown.
TEST(KeepGoing, a_watch_of_trials_ends_these_and_those_tried_so_far_decide) {
  int asked = 0;
  const KeepGoing two = [&](std::string_view stage, double) {
    EXPECT_EQ(stage, "try");
    return ++asked <= 2;
  };
  const ChooseOptions options{.effort = Effort::exhaustive, .device = Device::cpu(), .use_cache = false};
  const Watch watch(two, Watch::Ends::trials);
  const Choice choice = choose(grid(), options);
  EXPECT_TRUE(Watch::trials_ended());
  EXPECT_EQ(asked, 3) << "once it has said no, it is not asked again";
  EXPECT_EQ(std::ranges::count_if(choice.candidates, [](const Candidate& c) { return c.measured_seconds > 0; }), 2);
  EXPECT_GT(choice.candidates.front().measured_seconds, 0);
  ChooseOptions stopped = options;
  stopped.keep_going = [](std::string_view stage, double) { return stage != "analyze"; };
  EXPECT_THROW((void)choose(grid(), stopped), Error) << "the caller's own question is asked as well";
}

}  // namespace
}  // namespace heddle

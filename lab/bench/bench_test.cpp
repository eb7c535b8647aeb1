#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <regex>
#include <thread>

#include <heddle/generate.hpp>

#include "bench/results.hpp"
#include "bench/timing.hpp"
#include "core/check.hpp"
#include "machine/machine_measure.hpp"

namespace heddle::bench {
namespace {

//  A = [ 2 . 1 ]
//      [ . . . ]
//      [ . 3 . ]
template <class V>
Csr<V> small_matrix() {
  return make_csr<V>(3, 3, std::vector<Offset>{0, 2, 2, 3}, std::vector<Index>{0, 2, 1}, std::vector<V>{2, 1, 3});
}

template <class V>
std::vector<V> product(const Csr<V>& A, std::span<const V> x) {
  std::vector<V> y(A.rows);
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) y[row] += A.val[k] * x[A.col[k]];
  return y;
}

TEST(Timing, is_the_median_with_the_distance_of_the_deciles) {
  const Timing odd = summary({5, 1, 3});
  EXPECT_DOUBLE_EQ(odd.median, 3);
  EXPECT_EQ(odd.repeats, 3);
  EXPECT_DOUBLE_EQ(summary({4, 1, 2, 3}).median, 2.5);
  std::vector<double> tenths;
  for (int i = 0; i <= 10; ++i) tenths.push_back(10 + i);
  EXPECT_DOUBLE_EQ(summary(tenths).spread, (19.0 - 11.0) / 15);
  EXPECT_EQ(summary({7}).spread, 0);
}

TEST(Median, of_an_even_count_is_the_mean_of_the_two_in_the_middle_or_the_upper_of_them) {
  EXPECT_DOUBLE_EQ(median({5, 1, 3}), 3);
  EXPECT_DOUBLE_EQ(upper_median({5, 1, 3}), 3);
  EXPECT_DOUBLE_EQ(median({8, 1, 4, 2}), 3);
  EXPECT_DOUBLE_EQ(upper_median({8, 1, 4, 2}), 4);
  EXPECT_DOUBLE_EQ(median({7}), 7);
}

// A busy host may take the core away for longer than the time there is: then once more.
TEST(Timing, measures_a_call_of_known_length) {
  using namespace std::chrono_literals;
  Timing timing;
  for (int tries = 0; tries < 20 && timing.repeats < 3; ++tries) {
    timing = time_calls(0.05, [] { std::this_thread::sleep_for(5ms); });
    EXPECT_GE(timing.median, 5e-3);
  }
  EXPECT_LT(timing.median, 50e-3);
  EXPECT_GE(timing.repeats, 3);
}

TEST(Timing, does_not_repeat_a_call_that_takes_longer_than_the_budget) {
  using namespace std::chrono_literals;
  int calls = 0;
  const Timing timing = time_calls(0.001, [&] {
    ++calls;
    std::this_thread::sleep_for(20ms);
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(timing.repeats, 1);
  EXPECT_GE(timing.median, 20e-3);
}

TEST(Timing, prepares_each_call_outside_the_timed_part) {
  using namespace std::chrono_literals;
  int prepared = 0;
  const Timing timing = time_calls(
      0.01, [] {},
      [&] {
        ++prepared;
        std::this_thread::sleep_for(2ms);
      });
  EXPECT_EQ(prepared, timing.repeats + 1);
  EXPECT_LT(timing.median, 1e-3);
}

TEST(Ceilings, of_this_machine_are_plausible) {
  const Machine machine = measure_machine(Device::cpu());
  EXPECT_GT(machine.read_gbps, 0.05);
  EXPECT_LT(machine.read_gbps, 1e5);
  EXPECT_GT(machine.copy_gbps, 0.05);
  EXPECT_LT(machine.copy_gbps, 1e5);
  EXPECT_GT(machine.launch_us, 0);
  EXPECT_LT(machine.launch_us, 1e6);
}

TEST(Reference, accepts_a_right_product_and_names_the_row_of_a_wrong_one) {
  const Csr<double> A = small_matrix<double>();
  const Reference<double> reference(A.view());
  std::vector<double> y = product<double>(A, reference.x());
  EXPECT_EQ(reference.compare(y).row, -1);
  EXPECT_LE(reference.compare(y).max_error, 1e-15);
  y[2] *= 1 + 1e-13;
  EXPECT_EQ(reference.compare(y).row, 2);
  EXPECT_NEAR(reference.compare(y).max_error, 1e-13, 1e-15);
  y[1] = std::nan("");
  EXPECT_EQ(reference.compare(y).row, 1);
  EXPECT_EQ(reference.compare(y).max_error, INFINITY);
}

TEST(Results, of_a_plan_follow_from_its_time_and_its_bytes) {
  const Csr<float> A = small_matrix<float>();
  const Reference<float> reference(A.view());
  const Settings settings{.device = Device::cpu(), .seconds = 0.001, .cold = true, .read_gbps = 10};
  const Result result = bench_plan(A, Plan::parse("csr lanes=4"), reference, settings);
  ASSERT_EQ(result.status, "ok");
  EXPECT_EQ(result.plan, "csr lanes=4");
  EXPECT_EQ(result.peer, "");
  EXPECT_EQ(result.precision, "f32");
  EXPECT_GT(result.seconds, 0);
  EXPECT_GT(result.cold_seconds, 0);
  EXPECT_DOUBLE_EQ(result.gflops, 6 / result.seconds / 1e9);
  EXPECT_EQ(result.bytes, build(A, Plan{}, {.device = Device::cpu()}).bytes() + 6 * 4);
  EXPECT_DOUBLE_EQ(result.gbps, static_cast<double>(result.bytes) / result.seconds / 1e9);
  EXPECT_DOUBLE_EQ(result.roofline, result.gbps / 10);
  EXPECT_GE(result.build_seconds, 0);
  EXPECT_LE(result.max_error, 1e-7);
}

TEST(Results, carry_the_error_of_a_plan_instead_of_throwing_it) {
  const Csr<double> A = small_matrix<double>();
  const Reference<double> reference(A.view());
  const Result result = bench_plan(A, Plan::parse("csr lanes=3"), reference, {});
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.status.find("lanes"), std::string::npos) << result.status;
  EXPECT_TRUE(std::isnan(result.seconds));
}

struct LazyPeer : Peer<double> {  // forgets the last row
  std::span<double> y;
  std::string name() const override { return "lazy"; }
  Device device() const override { return Device::cpu(); }
  void prepare(const CsrView<double>&, std::span<const double>, std::span<double> given) override { y = given; }
  void multiply(Stream) const override { std::fill(y.begin(), y.end() - 1, 0.0); }
  std::int64_t bytes() const override { return 1; }
};

TEST(Results, say_that_a_peer_computed_nonsense) {
  const Csr<double> A = small_matrix<double>();
  const Reference<double> reference(A.view());
  LazyPeer lazy;
  const Result result = bench_peer<double>(A, lazy, reference, {.device = Device::cpu(), .seconds = 0.001});
  EXPECT_EQ(result.status, "wrong result in row 0");
  EXPECT_EQ(result.max_error, INFINITY);  // the row that was not written is NaN
}

TEST(Peers, agree_with_the_reference) {
  const std::vector<std::string> names = peer_names(Device::cpu());
  if (names.empty()) GTEST_SKIP() << "this build has no peers";
  const Csr<double> A = generate<double>("lengths,rows=500,law=uniform,max=40");
  const Reference<double> reference(A.view());
  for (const std::string& name : names) {
    const Result result = bench_peer<double>(A, name, reference, {.device = {}, .seconds = 0.001});
    EXPECT_EQ(result.status, "ok");
    EXPECT_EQ(result.peer, name);
    EXPECT_GT(result.bytes, 0);
  }
}

TEST(Peers, of_an_unknown_name_are_refused) {
  for (const std::function<void()>& ask : {std::function<void()>([] { make_peer<double>("abacus", Device::cpu()); }),
                                           std::function<void()>([] { select_peers({"abacus"}, Device::cpu()); }),
                                           std::function<void()>([] { make_peer<double>("abacus", Device::gpu()); })}) {
    try {
      ask();
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_EQ(error.where(), "abacus");
    }
  }
}

TEST(Peers, are_all_of_them_none_or_those_of_a_library) {
  const std::vector<std::string> all = peer_names(Device::gpu());
  EXPECT_EQ(select_peers({"all"}, Device::gpu()), all);
  EXPECT_TRUE(select_peers({"none"}, Device::gpu()).empty());
  EXPECT_TRUE(select_peers({"all"}, Device::emulator()).empty());
  if (all.empty()) GTEST_SKIP() << peer_absence(Device::gpu());
  EXPECT_EQ(select_peers({"cusparse"}, Device::gpu()), all);
  EXPECT_EQ(select_peers({"cusparse:bsr", "cusparse:csr_alg2"}, Device::gpu()),
            (std::vector<std::string>{"cusparse:bsr", "cusparse:csr_alg2"}));
  EXPECT_THROW(select_peers({"cusparse:csr_alg9"}, Device::gpu()), Error);
  EXPECT_THROW(select_peers({"cusparse"}, Device::cpu()), Error);
}

TEST(Peers, of_an_absent_library_are_unavailable_with_the_reason) {
  EXPECT_EQ(peer_names(Device::gpu()).empty(), !peer_absence(Device::gpu()).empty());
  EXPECT_EQ(peer_absence(Device::cpu()), "");
  if (peer_absence(Device::gpu()).empty()) GTEST_SKIP() << "cuSPARSE is here";
  try {
    select_peers({"cusparse:csr_alg1"}, Device::gpu());
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    EXPECT_NE(std::string(error.what()).find("cuSPARSE is absent"), std::string::npos) << error.what();
  }
}

TEST(Peers, of_the_cpu_are_there_or_unavailable_with_the_reason) {
  const std::vector<std::string> names = peer_names(Device::cpu());
  for (const std::string library : {"eigen", "openmp", "librsb", "graphblas", "petsc", "mkl"}) {
    const auto belongs = [&](const std::string& name) { return name.substr(0, name.find(':')) == library; };
    if (const auto count = std::count_if(names.begin(), names.end(), belongs); count > 0) {
      const std::vector<std::string> selected = select_peers({library}, Device::cpu());
      EXPECT_EQ(std::count_if(selected.begin(), selected.end(), belongs), count);
      continue;
    }
    try {
      select_peers({library}, Device::cpu());
      ADD_FAILURE() << library << " was selected";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unavailable);
      EXPECT_NE(std::string(error.what()).find("absent"), std::string::npos) << error.what();
    }
  }
}

bool has_petsc() {
  const std::vector<std::string> names = peer_names(Device::cpu());
  return std::find(names.begin(), names.end(), "petsc:aij_one_thread") != names.end();
}

TEST(Peers, of_the_cpu_tell_their_versions) {
  const std::map<std::string, std::string> versions = peer_versions(Device::cpu());
  for (const std::string& name : peer_names(Device::cpu())) {
    const auto found = versions.find(name.substr(0, name.find(':')));
    ASSERT_NE(found, versions.end()) << name;
    EXPECT_TRUE(std::regex_match(found->second, std::regex("[0-9]+([.][0-9]+)+"))) << name << ": " << found->second;
  }
}

TEST(Peers, of_petsc_have_no_floats_and_say_so) {
  EXPECT_TRUE(multiplies<double>("petsc:aij_one_thread"));
  EXPECT_FALSE(multiplies<float>("petsc:aij_one_thread"));
  EXPECT_TRUE(multiplies<float>("eigen"));
  if (!has_petsc()) GTEST_SKIP() << "PETSc is absent";
  const Csr<float> A = small_matrix<float>();
  const Reference<float> reference(A.view());
  const Result result = bench_peer<float>(A, "petsc:aij_one_thread", reference, {.device = {}, .seconds = 0.001});
  EXPECT_NE(result.status.find("doubles only"), std::string::npos) << result.status;
}

TEST(Peers, of_petsc_leave_the_signals_of_the_process_alone) {
  if (!has_petsc()) GTEST_SKIP() << "PETSc is absent";
  make_peer<double>("petsc:aij_one_thread", Device::cpu());
  for (const int signal : {SIGINT, SIGTERM, SIGSEGV, SIGFPE, SIGABRT, SIGBUS, SIGILL}) {
    struct sigaction action {};
    ASSERT_EQ(sigaction(signal, nullptr, &action), 0);
    EXPECT_EQ(action.sa_handler, SIG_DFL) << "signal " << signal;
  }
}

TEST(Peers, that_cannot_be_made_have_the_reason_as_status) {
  const Csr<double> A = small_matrix<double>();
  const Reference<double> reference(A.view());
  const Result result = bench_peer<double>(A, "abacus", reference, {.device = Device::cpu(), .seconds = 0.001});
  EXPECT_EQ(result.peer, "abacus");
  EXPECT_NE(result.status.find("no such peer"), std::string::npos) << result.status;
}

}  // namespace
}  // namespace heddle::bench

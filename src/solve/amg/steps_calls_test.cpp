// What the set-up of amg asks of a device, counted on the emulator: waits of the host, and kernels that a rehearsal has
// not loaded.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include <heddle/generate.hpp>
#include <heddle/solve.hpp>

#include "core/emulated_calls.hpp"
#include "solve/amg/grids.hpp"
#include "solve/loading.hpp"
#include "solve/precondition/preconditioners.hpp"
#include "support/same_grids.hpp"

namespace heddle::test {
namespace {

using namespace solve_method;

// An answer is a copy there. Every grid but the last waits for its flags, the number of roots, the eigenvalue of the
// folded matrix where it has weak couplings, the sizes of P, A P and R A P; the next one for its diagonal, and once or
// twice for its eigenvalue: eight. Rows that do not fit the small tables are one more, and so is a graph of nodes; six are
// for the finest grid and the inverse of the last.
TEST(StepsCalls, of_a_set_up_wait_for_sizes_and_for_little_else) {
  const auto steps = steps_on(Device::emulator());
  const auto waits = [&](const char* name, int block, std::size_t grids) {
    const Csr<double> A = generate<double>(name).to(Device::emulator());
    const std::int64_t before = emulated_calls.copies;
    const Grids made = make_grids(*steps, A.view(), {.block = block});
    EXPECT_EQ(made.all.size(), grids) << name;
    return emulated_calls.copies - before;
  };
  EXPECT_EQ(waits("stencil2d5,n=60", 1, 3), 22);
  EXPECT_EQ(waits("stencil2d5,n=60,coefficients=varying", 1, 3), 22);
  EXPECT_EQ(waits("stencil3d7,n=20", 1, 3), 22);
  EXPECT_EQ(waits("stencil3d27,n=14", 1, 2), 14);
  EXPECT_EQ(waits("elasticity,nx=8,ny=6,nz=6", 3, 2), 20);
}

// ------------------------------------------------------------------------------------------------------ rehearsals

using Launched = std::tuple<void (*)(void*), int, std::size_t>;  // what tells one kernel from another
std::set<Launched>* launched = nullptr;
std::mutex guard;

template <class F>
std::set<Launched> launched_by(const F& work) {
  std::set<Launched> found;
  launched = &found;
  emulated_calls.launched = [](void (*body)(void*), int threads, std::size_t shared_bytes) {
    constexpr std::size_t counters = 1024;  // of a sort: their number goes by the keys
    const std::lock_guard lock(guard);
    launched->insert({body, threads, shared_bytes > counters ? shared_bytes : 0});
  };
  work();
  emulated_calls.launched = nullptr;
  return found;
}

struct Case {
  const char* name;
  int block = 1;
  bool fitted = false;
};

TEST(StepsCalls, of_any_set_up_launch_kernels_that_a_rehearsal_has_launched) {
  const auto steps = steps_on(Device::emulator());
  const auto always = launched_by([] { rehearse<double>({Device::emulator(), "cg", "amg"}); });
  std::map<std::pair<bool, bool>, std::set<Launched>> of_kind = {{{false, false}, always}};  // by blocks and vectors
  for (const auto& [name, block, fitted] :
       {Case{"stencil2d5,n=60"}, Case{"stencil2d5,n=160"}, Case{"stencil2d5,n=60,coefficients=varying"},
        Case{"stencil3d7,n=24"}, Case{"stencil3d27,n=14"}, Case{"elasticity,nx=8,ny=6,nz=6", 3},
        Case{"elasticity,nx=8,ny=6,nz=6", 3, true}, Case{"stencil2d5,n=60", 1, true}}) {
    const Csr<double> A = generate<double>(name);
    PreconditionerOptions options;
    GridOptions wishes{.block = block};
    if (fitted) wishes.near = uneven_vectors(A.rows), options.near_nullspace.assign(1, 0.0);
    const RehearsedSetUp kind = set_up_of(A, options);
    std::set<Launched>& known = of_kind[{kind.blocks, kind.fitted}];
    if (known.empty()) {
      known = launched_by([&] { steps->rehearse(kind); });
      known.insert(always.begin(), always.end());
    }
    const auto needed = launched_by([&] { make_grids(*steps, A.view(), wishes); });
    const auto missing =
        std::count_if(needed.begin(), needed.end(), [&](const auto& one) { return !known.contains(one); });
    EXPECT_EQ(missing, 0) << name << ": of " << needed.size();
    EXPECT_GT(needed.size(), 20u);
  }
}

}  // namespace
}  // namespace heddle::test

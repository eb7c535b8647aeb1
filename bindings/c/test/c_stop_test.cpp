// Long work of the C library asks whether to go on.
#include <chrono>
#include <cstdio>
#include <numeric>
#include <utility>

#include "grid.hpp"
#include "small_matrix.hpp"

using namespace heddle_test;

namespace {

// Stops when it is asked once more than `allowed` times.
struct Stopper {
  int allowed = 0, asked = 0;
  static int32_t ask(void* context, double done, const char* stage) {
    auto& mine = *static_cast<Stopper*>(context);
    EXPECT_GE(done, 0);
    EXPECT_LE(done, 1);
    EXPECT_STRNE(stage, "");
    return ++mine.asked > mine.allowed;
  }
};

TEST(CStop, making_operators_and_preconditioners_can_be_stopped) {
  Stopper stopper{1};
  const Matrix matrix("gen:stencil2d5,nx=20,ny=20");
  heddle_options o = cpu_options();
  o.keep_going = Stopper::ask, o.context = &stopper;
  heddle_operator* op = nullptr;
  EXPECT_EQ(heddle_operator_create(matrix.handle, &o, &op), HEDDLE_STOPPED);
  EXPECT_EQ(op, nullptr);
  EXPECT_STREQ(heddle_status_name(HEDDLE_STOPPED), "stopped");
  const Operator there(matrix.handle);
  HEDDLE_INIT(heddle_preconditioner_options, amg);
  amg.keep_going = Stopper::ask, amg.context = &stopper;
  heddle_preconditioner* none = nullptr;
  EXPECT_EQ(heddle_preconditioner_create(there.handle, nullptr, "amg", &amg, &none), HEDDLE_STOPPED);
  EXPECT_EQ(none, nullptr);
}

TEST(CStop, work_on_a_matrix_can_be_stopped_and_leaves_outputs_as_they_were) {
  const Matrix matrix("gen:stencil2d5,nx=300,ny=300");
  const Operator op(matrix.handle);
  HEDDLE_INIT(heddle_arrays, arrays);
  ASSERT_EQ(heddle_matrix_get_arrays(matrix.handle, &arrays), HEDDLE_OK);
  arrays.layout = HEDDLE_CSC, arrays.keep_going = Stopper::ask;
  heddle_matrix* made = nullptr;
  std::vector<int32_t> order(90000, -7);
  char text[10] = "as it was";
  const auto stopped = [&](auto call) {
    Stopper stopper;
    arrays.keep_going_context = &stopper;
    EXPECT_EQ(call(&stopper), HEDDLE_STOPPED) << heddle_last_error();
    EXPECT_EQ(made, nullptr);
    EXPECT_EQ(stopper.asked, 1);
  };
  const auto ask = Stopper::ask;
  stopped([&](void*) { return heddle_matrix_create(&arrays, &made); });
  stopped([&](void* to) { return heddle_matrix_transpose(matrix.handle, ask, to, &made); });
  stopped([&](void* to) { return heddle_matrix_analyze_json(matrix.handle, ask, to, text, 10, nullptr); });
  stopped([&](void* to) { return heddle_matrix_order(matrix.handle, "rcm", 0, ask, to, order.data()); });
  EXPECT_EQ(order, std::vector<int32_t>(90000, -7));
  std::iota(order.begin(), order.end(), 0);
  stopped([&](void* to) { return heddle_matrix_permute(matrix.handle, order.data(), nullptr, ask, to, &made); });
  stopped([&](void* to) { return heddle_operator_restore(op.handle, ask, to, &made); });
  EXPECT_STREQ(text, "as it was");
}

// Goes on as long as nothing is done.
struct UntilSomeIsDone {
  int stopped = 0;
  static int32_t ask(void* context, double done, const char*) {
    return static_cast<UntilSomeIsDone*>(context)->stopped += done > 0;
  }
};

// What the C library does once the C++ library has moved the entries, of which that says nothing but 0: the order of
// the caller's values.
TEST(CStop, moving_the_order_of_values_can_be_stopped) {
  ASSERT_EQ(heddle_set_threads(1), HEDDLE_OK);
  const Matrix matrix("gen:random,rows=400000,cols=400000,per_row=20");
  heddle_matrix *turned = nullptr, *made = nullptr;
  ASSERT_EQ(heddle_matrix_transpose(matrix.handle, nullptr, nullptr, &turned), HEDDLE_OK);
  std::vector<int32_t> order(400000);
  std::iota(order.rbegin(), order.rend(), 0);
  UntilSomeIsDone permuting, transposing;
  const auto ask = UntilSomeIsDone::ask;
  EXPECT_EQ(heddle_matrix_permute(turned, order.data(), order.data(), ask, &permuting, &made), HEDDLE_STOPPED);
  EXPECT_EQ(heddle_matrix_transpose(turned, ask, &transposing, &made), HEDDLE_STOPPED);
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(permuting.stopped, 1);
  EXPECT_EQ(transposing.stopped, 1);
  heddle_matrix_destroy(turned);
  EXPECT_EQ(heddle_set_threads(0), HEDDLE_OK);
}

struct Looks {
  int count = 0;
  double seconds = 0;
};

// Of half a second of it; the first look of each call, at its beginning, is not counted. There is one every 50 ms.
template <class F>
Looks looks_during(F&& call) {
  Stopper stopper{1 << 30};
  Looks looks;
  for (int calls = 1; looks.seconds < 0.5; ++calls) {
    heddle_matrix* made = nullptr;
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(call(&stopper, &made), HEDDLE_OK) << heddle_last_error();
    looks.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    looks.count = stopper.asked - calls;
    heddle_matrix_destroy(made);
  }
  return looks;
}

TEST(CStop, long_work_is_asked_about_while_it_goes_on) {
  const char* const random = "gen:random,rows=400000,cols=400000,per_row=20";
  const Matrix matrix(random), smaller("gen:random,rows=200000,cols=200000,per_row=10");
  std::vector<int32_t> order(200000);
  const auto ask = Stopper::ask;
  for (const int threads : {1, 2}) {
    ASSERT_EQ(heddle_set_threads(threads), HEDDLE_OK);
    for (const auto& [what, looks] : {std::pair{"generate", looks_during([&](void*to, heddle_matrix**made) {
                                                  return heddle_matrix_read(random, HEDDLE_F64, ask, to, made);
                                                })},
                                      {"analyze", looks_during([&](void*to, heddle_matrix**) {
                                         return heddle_matrix_analyze_json(matrix.handle, ask, to, nullptr, 0, nullptr);
                                       })},
                                      {"order", looks_during([&](void*to, heddle_matrix**) {
                                         return heddle_matrix_order(smaller.handle, "rcm", 0, ask, to, order.data());
                                       })},
                                      {"transpose", looks_during([&](void*to, heddle_matrix**made) {
                                         return heddle_matrix_transpose(matrix.handle, ask, to, made);
                                       })}})
      EXPECT_GT(looks.count, 2) << what << " with " << threads << " threads, in " << looks.seconds << " s";
  }
  EXPECT_EQ(heddle_set_threads(0), HEDDLE_OK);
}

TEST(CStop, reading_is_stopped_whatever_the_file) {
  const Matrix matrix("gen:random,rows=200000,cols=200000,per_row=10");
  for (const char* name : {"stop.hdl", "stop.mtx.gz"}) {
    const std::string path = testing::TempDir() + name;
    ASSERT_EQ(heddle_matrix_write(matrix.handle, path.c_str(), nullptr, nullptr), HEDDLE_OK) << heddle_last_error();
    Stopper never{1 << 30}, at_once;
    heddle_matrix* made = nullptr;
    ASSERT_EQ(heddle_matrix_read(path.c_str(), HEDDLE_F64, Stopper::ask, &never, &made), HEDDLE_OK);
    heddle_matrix_destroy(made);
    made = nullptr;
    EXPECT_GE(never.asked, 1) << name;
    EXPECT_EQ(heddle_matrix_read(path.c_str(), HEDDLE_F64, Stopper::ask, &at_once, &made), HEDDLE_STOPPED) << name;
    EXPECT_EQ(made, nullptr);
    std::remove(path.c_str());
  }
}

TEST(CStop, an_update_of_a_preconditioner_is_done_anew_after_a_stop) {
  const Grid grid;
  HEDDLE_INIT(heddle_preconditioner_options, settings);
  settings.coarsest = 40, settings.updates = 1;
  heddle_preconditioner *kept = nullptr, *fresh = nullptr;
  ASSERT_EQ(heddle_preconditioner_create(grid.op, nullptr, "amg", &settings, &kept), HEDDLE_OK);
  ASSERT_EQ(heddle_preconditioner_create(grid.op, nullptr, "amg", &settings, &fresh), HEDDLE_OK);
  HEDDLE_INIT(heddle_arrays, arrays);
  ASSERT_EQ(heddle_matrix_get_arrays(grid.matrix, &arrays), HEDDLE_OK);
  std::vector<double> values(static_cast<const double*>(arrays.values),
                             static_cast<const double*>(arrays.values) + 4380);
  for (double& value : values) value *= 3;
  Stopper stopper;
  int64_t changed = -7;
  EXPECT_EQ(heddle_preconditioner_update(kept, values.data(), Stopper::ask, &stopper, &changed), HEDDLE_STOPPED);
  EXPECT_EQ(changed, -7);
  std::vector<double> z(900), wanted(900);
  for (auto* one : {kept, fresh})
    ASSERT_EQ(heddle_preconditioner_update(one, values.data(), nullptr, nullptr, &changed), HEDDLE_OK);
  EXPECT_EQ(changed, 0);
  ASSERT_EQ(heddle_preconditioner_apply(kept, grid.b.data(), z.data(), nullptr), HEDDLE_OK);
  ASSERT_EQ(heddle_preconditioner_apply(fresh, grid.b.data(), wanted.data(), nullptr), HEDDLE_OK);
  EXPECT_EQ(z, wanted);
  heddle_preconditioner_destroy(kept);
  heddle_preconditioner_destroy(fresh);
}

}  // namespace

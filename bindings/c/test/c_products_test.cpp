// Through the C library: products that are recorded, that begin before the plan is known, and in another order.
#include <atomic>
#include <thread>

#include "small_matrix.hpp"

using namespace heddle_test;

namespace {

// y = A x and z = A y, as work to be recorded.
struct Twice {
  const heddle_operator* op;
  const double* x;
  double *y, *z;
  int calls = 0;

  static int32_t queue(void* context, heddle_stream stream) {
    auto& mine = *static_cast<Twice*>(context);
    ++mine.calls;
    return heddle_multiply(mine.op, mine.x, mine.y, stream) || heddle_multiply(mine.op, mine.y, mine.z, stream);
  }
};

TEST(CRecording, calls_its_work_where_there_are_no_graphs) {
  const Operator op(arrays_of(Small{}));
  Vector x = x3, y(3), z(3);
  Twice work{op.handle, x.data(), y.data(), z.data()};
  heddle_recording* recording = nullptr;
  ASSERT_EQ(heddle_recording_create({HEDDLE_CPU, 0}, Twice::queue, &work, &recording), HEDDLE_OK);
  ASSERT_EQ(heddle_recording_run(recording, nullptr), HEDDLE_OK) << heddle_last_error();
  EXPECT_EQ(y, product);
  EXPECT_EQ(z, op.times(product, 3));
  x = {2, 20, 200};
  ASSERT_EQ(heddle_recording_run(recording, nullptr), HEDDLE_OK);
  EXPECT_EQ(y, doubled);
  heddle_recording_destroy(recording);
}

TEST(CRecording, needs_work_that_does_not_fail) {
  const auto fails = [](void*, heddle_stream) -> int32_t { return 1; };
  heddle_recording* recording = nullptr;
  EXPECT_EQ(heddle_recording_create({HEDDLE_CPU, 0}, nullptr, nullptr, &recording), HEDDLE_USAGE);
  EXPECT_EQ(heddle_recording_run(nullptr, nullptr), HEDDLE_USAGE);
  ASSERT_EQ(heddle_recording_create({HEDDLE_CPU, 0}, fails, nullptr, &recording), HEDDLE_OK);
  EXPECT_EQ(heddle_recording_run(recording, nullptr), HEDDLE_STOPPED);
  heddle_recording_destroy(recording);
  heddle_recording_destroy(nullptr);
}

// The values of a matrix with one entry in every row: vectors in the memory of a GPU, without CUDA.
Matrix diagonal(const Vector& values) {
  std::vector<int32_t> numbers(values.size() + 1);
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<int32_t>(k);
  HEDDLE_INIT(heddle_arrays, a);
  a.rows = a.cols = a.nnz = static_cast<int64_t>(values.size());
  a.offset_type = a.index_type = HEDDLE_I32;
  a.offsets = a.indices = numbers.data(), a.values = values.data();
  return Matrix(a);
}

double* values_of(const heddle_matrix* matrix) {
  HEDDLE_INIT(heddle_arrays, a);
  EXPECT_EQ(heddle_matrix_get_arrays(matrix, &a), HEDDLE_OK);
  return static_cast<double*>(const_cast<void*>(a.values));
}

TEST(CRecording, replays_a_graph_on_a_gpu) {
  heddle_options o = cpu_options();
  o.device = {HEDDLE_GPU, 0};
  heddle_matrix *x = nullptr, *y = nullptr, *z = nullptr, *back = nullptr;
  if (heddle_matrix_to(diagonal(x3).handle, o.device, &x) == HEDDLE_UNAVAILABLE) GTEST_SKIP() << heddle_last_error();
  ASSERT_EQ(heddle_matrix_to(diagonal({0, 0, 0}).handle, o.device, &y), HEDDLE_OK);
  ASSERT_EQ(heddle_matrix_to(diagonal({0, 0, 0}).handle, o.device, &z), HEDDLE_OK);
  const Operator op(arrays_of(Small{}), &o);
  Twice work{op.handle, values_of(x), values_of(y), values_of(z)};
  heddle_recording* recording = nullptr;
  ASSERT_EQ(heddle_recording_create(o.device, Twice::queue, &work, &recording), HEDDLE_OK) << heddle_last_error();
  for (int k = 0; k < 3; ++k) ASSERT_EQ(heddle_recording_run(recording, nullptr), HEDDLE_OK) << heddle_last_error();
  EXPECT_EQ(work.calls, 1);
  ASSERT_EQ(heddle_matrix_to(z, {HEDDLE_CPU, 0}, &back), HEDDLE_OK);
  const double* found = values_of(back);
  EXPECT_EQ(Vector(found, found + 3), op.times(product, 3));
  heddle_recording_destroy(recording);
  for (heddle_matrix* one : {x, y, z, back}) heddle_matrix_destroy(one);
}

struct Overlapped {
  heddle_overlapped* handle = nullptr;
  explicit Overlapped(const heddle_matrix* matrix, const heddle_options* options = nullptr) {
    EXPECT_EQ(heddle_overlapped_create(matrix, options, &handle), HEDDLE_OK) << heddle_last_error();
  }
  Overlapped(const Overlapped&) = delete;
  ~Overlapped() { heddle_overlapped_destroy(handle); }
  std::string plan() const {
    char text[200];
    EXPECT_EQ(heddle_overlapped_plan(handle, text, sizeof text, nullptr), HEDDLE_OK);
    return text;
  }
  bool settled() const {
    int32_t result = -1;
    EXPECT_EQ(heddle_overlapped_settled(handle, &result), HEDDLE_OK);
    return result == 1;
  }
};

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

// Holds the other thread back until it is told.
struct Gate {
  std::atomic<bool> open{false};
  static int32_t wait(void* context, double, const char*) {
    while (!static_cast<Gate*>(context)->open) std::this_thread::yield();
    return 0;
  }
};

TEST(COverlapped, begins_by_csr_and_goes_on_by_the_plan_of_another_thread) {
  const Matrix matrix("gen:stencil2d5,nx=90,ny=90");
  const Vector x(8100, 1);
  heddle_options o = cpu_options();
  const Operator chosen(matrix.handle, &o);
  const Vector wanted = chosen.times(x, 8100);
  char plan[200];
  ASSERT_EQ(heddle_operator_plan(chosen.handle, plan, sizeof plan, nullptr), HEDDLE_OK);
  Gate gate;
  o.keep_going = Gate::wait, o.context = &gate;
  const Overlapped overlapped(matrix.handle, &o);
  Vector y(8100, 5);
  EXPECT_EQ(heddle_overlapped_multiply(overlapped.handle, 1, x.data(), 0, y.data(), nullptr), HEDDLE_OK);
  EXPECT_EQ(y, wanted);
  EXPECT_FALSE(overlapped.settled());
  EXPECT_EQ(overlapped.plan().substr(0, 3), "csr");
  gate.open = true;
  while (!overlapped.settled()) std::this_thread::yield();
  // Of a machine that is busy, or a library that is sanitized, figures may be such that csr is chosen.
  EXPECT_EQ(first_word(overlapped.plan()), first_word(plan));
  ASSERT_EQ(heddle_overlapped_multiply(overlapped.handle, 2, x.data(), -1, y.data(), nullptr), HEDDLE_OK);
  EXPECT_EQ(y, wanted);
}

TEST(COverlapped, gives_an_operator_away_that_takes_new_values_in_the_order_of_the_caller) {
  const std::vector<int32_t> rows{2, 0, 1}, columns{2, 0, 1};
  Vector values{3, 1, 2};
  HEDDLE_INIT(heddle_arrays, a);
  a.layout = HEDDLE_COO, a.rows = a.cols = a.nnz = 3, a.index_type = HEDDLE_I32;
  a.row_indices = rows.data(), a.indices = columns.data(), a.values = values.data();
  const Overlapped overlapped(Matrix(a).handle);
  heddle_operator* op = nullptr;
  const char* failure = nullptr;
  ASSERT_EQ(heddle_overlapped_take(overlapped.handle, &op, &failure), HEDDLE_OK) << heddle_last_error();
  EXPECT_STREQ(failure, "");
  values = {30, 10, 20};
  ASSERT_EQ(heddle_operator_update(op, values.data(), nullptr), HEDDLE_OK) << heddle_last_error();
  Vector y(3);
  ASSERT_EQ(heddle_multiply(op, x3.data(), y.data(), nullptr), HEDDLE_OK);
  EXPECT_EQ(y, (Vector{10, 200, 3000}));
  heddle_operator_destroy(op);
  EXPECT_EQ(heddle_overlapped_multiply(overlapped.handle, 1, x3.data(), 0, y.data(), nullptr), HEDDLE_USAGE);
  EXPECT_EQ(heddle_overlapped_take(overlapped.handle, &op, nullptr), HEDDLE_USAGE);
}

TEST(COverlapped, goes_on_by_csr_where_the_other_thread_is_stopped_and_tells_why) {
  const auto stop = [](void*, double, const char*) -> int32_t { return 1; };
  heddle_options o = cpu_options();
  o.keep_going = stop;
  const Overlapped overlapped(Matrix("gen:stencil2d5,nx=90,ny=90").handle, &o);
  heddle_operator* op = nullptr;
  const char* failure = "";
  ASSERT_EQ(heddle_overlapped_take(overlapped.handle, &op, &failure), HEDDLE_OK);
  EXPECT_NE(std::string(failure), "");
  char plan[200];
  ASSERT_EQ(heddle_operator_plan(op, plan, sizeof plan, nullptr), HEDDLE_OK);
  EXPECT_EQ(std::string(plan).substr(0, 3), "csr");
  heddle_operator_destroy(op);
}

TEST(COverlapped, refuses_options_that_are_not_for_it) {
  heddle_options o = cpu_options();
  o.plan = "csr";
  heddle_overlapped* none = nullptr;
  EXPECT_EQ(heddle_overlapped_create(Matrix(arrays_of(Small{})).handle, &o, &none), HEDDLE_USAGE);
  o.plan = nullptr, o.updates = 1;
  EXPECT_EQ(heddle_overlapped_create(Matrix(arrays_of(Small{})).handle, &o, &none), HEDDLE_USAGE);
  EXPECT_EQ(none, nullptr);
}

// Rows 0 to 3 of a path that is numbered 0 2 1 3: the far couplings come near.
TEST(COrders, make_a_matrix_narrow_and_keep_the_order_of_new_values) {
  const std::vector<int32_t> rows{0, 2, 2, 1, 1, 3}, columns{2, 0, 1, 2, 3, 1};
  Vector values{1, 2, 3, 4, 5, 6};
  HEDDLE_INIT(heddle_arrays, a);
  a.layout = HEDDLE_COO, a.rows = a.cols = 4, a.nnz = 6, a.index_type = HEDDLE_I32;
  a.row_indices = rows.data(), a.indices = columns.data(), a.values = values.data();
  const Matrix matrix(a);
  std::vector<int32_t> order(4);
  ASSERT_EQ(heddle_matrix_order(matrix.handle, "rcm", 0, nullptr, nullptr, order.data()), HEDDLE_OK)
      << heddle_last_error();
  Matrix moved(a);
  heddle_matrix_destroy(moved.handle);
  ASSERT_EQ(heddle_matrix_permute(matrix.handle, order.data(), order.data(), nullptr, nullptr, &moved.handle),
            HEDDLE_OK);
  std::vector<char> facts(100000);
  ASSERT_EQ(heddle_matrix_analyze_json(moved.handle, nullptr, nullptr, facts.data(), 100000, nullptr), HEDDLE_OK);
  EXPECT_NE(std::string(facts.data()).find("\"bandwidth\":1,"), std::string::npos) << facts.data();
  for (double& value : values) value *= 10;
  const Vector x{1, 10, 100, 1000};
  const auto ordered = [&](const Vector& v) {
    Vector made;
    for (const int32_t old : order) made.push_back(v[static_cast<std::size_t>(old)]);
    return made;
  };
  Operator op(moved.handle);
  EXPECT_EQ(op.times(ordered(x), 4), ordered({100, 5400, 32, 60}));
  ASSERT_EQ(heddle_operator_update(op.handle, values.data(), nullptr), HEDDLE_OK);
  EXPECT_EQ(op.times(ordered(x), 4), ordered({1000, 54000, 320, 600}));
}

TEST(COrders, of_rows_alone_leave_columns_where_they_are) {
  const Matrix matrix(arrays_of(Small{}));
  std::vector<int32_t> order(3);
  ASSERT_EQ(heddle_matrix_order(matrix.handle, "length", 0, nullptr, nullptr, order.data()), HEDDLE_OK);
  EXPECT_EQ(order, (std::vector<int32_t>{1, 0, 2}));
  heddle_matrix* moved = nullptr;
  ASSERT_EQ(heddle_matrix_permute(matrix.handle, order.data(), nullptr, nullptr, nullptr, &moved), HEDDLE_OK);
  EXPECT_EQ(Operator(moved).times(x3, 3), (Vector{251, 14, 620}));
  heddle_matrix_destroy(moved);
}

TEST(COrders, that_are_none_are_errors) {
  const Matrix matrix(arrays_of(Small{}));
  std::vector<int32_t> order{0, 1, 1};
  heddle_matrix* none = nullptr;
  EXPECT_EQ(heddle_matrix_permute(matrix.handle, order.data(), nullptr, nullptr, nullptr, &none), HEDDLE_INPUT);
  EXPECT_EQ(heddle_matrix_order(matrix.handle, "nonsense", 0, nullptr, nullptr, order.data()), HEDDLE_USAGE);
  EXPECT_NE(std::string(heddle_last_hint()).find("rcm"), std::string::npos);
  EXPECT_EQ(heddle_matrix_order(matrix.handle, "length", -1, nullptr, nullptr, order.data()), HEDDLE_USAGE);
  EXPECT_EQ(heddle_matrix_order(matrix.handle, "rcm", 0, nullptr, nullptr, nullptr), HEDDLE_USAGE);
  EXPECT_EQ(none, nullptr);
}

}  // namespace

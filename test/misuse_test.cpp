// Calls that a program should not make: each is an error that says what is wrong, never a crash or a wrong number.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <limits>
#include <new>
#include <vector>

#include <heddle/heddle.hpp>

#include "core/parallel.hpp"
#include "support/command.hpp"
#include "support/zoo.hpp"

namespace {

// The allocation by `new` with this number fails; none below 0.
std::atomic<std::int64_t> failing{-1};

void* allocated(std::size_t bytes) {
  if (failing.load(std::memory_order_relaxed) >= 0 && failing.fetch_sub(1) == 0) throw std::bad_alloc();
  if (void* memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// With those for std::nothrow, which sorting asks: what one of them gave, the other takes back.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return allocated(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](std::size_t bytes, const std::nothrow_t& how) noexcept { return operator new(bytes, how); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void* operator new(std::size_t bytes) { return allocated(bytes); }
void* operator new[](std::size_t bytes) { return allocated(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace heddle::test {
namespace {

void expect_error(ErrorKind kind, const std::function<void()>& call, const std::string& what) {
  try {
    call();
    ADD_FAILURE() << what << ": no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << what << ": " << error.what();
  }
}

TEST(MovedFrom, an_operator_says_so_whatever_it_is_asked) {
  const Csr<double> A = generate<double>("stencil2d5,n=4");
  Operator<double> op = build(A, {}, {.transposed = true});
  Operator<double> heir = std::move(op);
  std::vector<double> x(16), y(16);
  const auto expect_usage = [&](const char* what, const std::function<void()>& call) {
    expect_error(ErrorKind::usage, call, what);
  };
  expect_usage("rows", [&] { (void)op.rows(); });
  expect_usage("cols", [&] { (void)op.cols(); });
  expect_usage("nnz", [&] { (void)op.nnz(); });
  expect_usage("device", [&] { (void)op.device(); });
  expect_usage("plan", [&] { (void)op.plan(); });
  expect_usage("bytes", [&] { (void)op.bytes(); });
  expect_usage("takes_turns", [&] { (void)op.takes_turns(); });
  expect_usage("multiply", [&] { op.multiply(x, y); });
  expect_usage("multiply_transposed", [&] { op.multiply_transposed(1, x, 0, y); });
  expect_usage("multiply_many", [&] { op.multiply_many({x, 1}, {y, 1}); });
  expect_usage("multiply_many_transposed", [&] { op.multiply_many_transposed(1, {x, 1}, 0, {y, 1}); });
  expect_usage("update_values", [&] { op.update_values(A.val); });
  expect_usage("restore", [&] { (void)op.restore(); });
  op = std::move(heir);
  EXPECT_EQ(op.rows(), 16);
}

TEST(MovedFrom, an_overlapped_operator_says_so) {
  Overlapped<double> op(generate<double>("stencil2d5,n=4"), {.device = Device::cpu()});
  std::vector<double> x(16), y(16);
  (void)std::move(op).take();
  expect_error(
      ErrorKind::usage, [&] { op.multiply(x, y); }, "multiply");
  expect_error(
      ErrorKind::usage, [&] { (void)op.now(); }, "now");
  expect_error(
      ErrorKind::usage, [&] { (void)op.settled(); }, "settled");
  expect_error(
      ErrorKind::usage, [&] { op.wait(); }, "wait");
  expect_error(
      ErrorKind::usage, [&] { (void)op.error(); }, "error");
}

// Everything that takes a matrix and could run over the end of an array.
void expect_refused(const Csr<double>& A, const char* what) {
  SCOPED_TRACE(what);
  const ScratchFolder folder;
  const Permutation rows = Permutation::identity(A.rows), cols = Permutation::identity(A.cols);
  const auto expect_input = [&](const char* name, const std::function<void()>& call) {
    expect_error(ErrorKind::input, call, name);
  };
  expect_input("analyze", [&] { (void)analyze(A); });
  expect_input("analyze for planning", [&] { (void)analyze(A, Detail::planning); });
  expect_input("choose", [&] { (void)choose(A, {.device = Device::cpu()}); });
  expect_input("choose by facts", [&] {
    (void)choose(A, analyze(generate<double>("stencil2d5,n=4")), built_in_machine(Device::Kind::cpu));
  });
  expect_input("optimize", [&] { (void)optimize(A, {.device = Device::cpu()}); });
  expect_input("build", [&] { (void)build(A); });
  expect_input("footprint", [&] { (void)footprint(A.view(), Plan{}); });
  expect_input("resolve", [&] { (void)resolve(A.view(), Plan{}); });
  expect_input("transpose", [&] { (void)transpose(A.view()); });
  expect_input("to_coo", [&] { (void)to_coo(A.view()); });
  expect_input("convert", [&] { (void)convert<float>(A.view()); });
  expect_input("row_numbers", [&] { (void)row_numbers(A.view()); });
  expect_input("rcm_order", [&] { (void)rcm_order(A.view()); });
  expect_input("length_order", [&] { (void)length_order(A.view()); });
  if (amd_available()) expect_input("amd_order", [&] { (void)amd_order(A.view()); });
  expect_input("permute", [&] { (void)permute(A.view(), rows, cols); });
  expect_input("permute_rows", [&] { (void)permute_rows(A.view(), rows); });
  expect_input("bandwidth", [&] { (void)bandwidth(A.view()); });
  for (const char* name : {"a.mtx", "a.hdl"}) expect_input(name, [&] { write_matrix(folder.path(name), A.view()); });
}

TEST(Unchecked, arrays_are_looked_at_by_whatever_takes_them) {
  Csr<double> given = generate<double>("stencil2d5,n=4");
  const Operator<double> op = build(std::move(given));
  expect_refused(given, "given away");

  Csr<double> outside = generate<double>("stencil2d5,n=4");
  outside.col[3] = 16;
  expect_refused(outside, "a column outside");

  Csr<double> beyond = generate<double>("stencil2d5,n=4");
  beyond.ptr[5] = 1 << 20;
  expect_refused(beyond, "an offset beyond the entries");
}

TEST(Unchecked, fewer_values_than_columns_are_seen) {
  Csr<double> A = generate<double>("stencil2d5,n=4");
  A.val = Buffer<double>(3);
  const ScratchFolder folder;
  const auto expect_input = [&](const char* name, const std::function<void()>& call) {
    expect_error(ErrorKind::input, call, name);
  };
  expect_input("analyze", [&] { (void)analyze(A); });
  expect_input("transpose", [&] { (void)transpose(A.view()); });
  expect_input("to_coo", [&] { (void)to_coo(A.view()); });
  expect_input("convert", [&] { (void)convert<float>(A.view()); });
  expect_input("permute_rows", [&] { (void)permute_rows(A.view(), Permutation::identity(16)); });
  expect_input("optimize", [&] { (void)optimize(A, {.device = Device::cpu()}); });
  for (const char* name : {"a.mtx", "a.hdl"}) expect_input(name, [&] { write_matrix(folder.path(name), A.view()); });
}

TEST(Unchecked, a_matrix_on_a_device_has_arrays_of_the_right_sizes) {
  Csr<double> A = generate<double>("stencil2d5,n=4").to(Device::emulator());
  A.ptr = Buffer<Offset>(3, Device::emulator());
  expect_error(
      ErrorKind::input, [&] { (void)analyze(A, Detail::planning); }, "analyze");
  expect_error(
      ErrorKind::input, [&] { (void)optimize(A, {.device = Device::emulator()}); }, "optimize");
}

TEST(Strides, that_64_bits_do_not_hold_are_refused) {
  const auto op = build(generate<double>("stencil2d5,n=4"), {}, {.right_hand_sides = 9});
  constexpr std::int64_t one = 1;
  for (const std::int64_t stride : {std::numeric_limits<std::int64_t>::max(), one << 62, one << 61, one << 60})
    for (const std::int64_t count : {2, 3, 5, 9})
      for (const VectorOrder order : {VectorOrder::by_vector, VectorOrder::by_element}) {
        std::vector<double> x(144), y(144);
        const std::string what = std::to_string(stride) + ", " + std::to_string(count);
        expect_error(
            ErrorKind::input,
            [&] {
              op.multiply_many({x, count, order, stride}, {y, count, order, stride});
            },
            what);
        expect_error(
            ErrorKind::input,
            [&] {
              op.multiply_many({x, count}, {y, count, order, stride});
            },
            what);
      }
}

TEST(Strides, of_vectors_without_elements_do_not_matter) {
  const auto op = build(to_csr(Coo<double>{.rows = 3, .cols = 0}));
  std::vector<double> x, y(6, 1.0);
  op.multiply_many({x, 2, VectorOrder::by_vector, std::numeric_limits<std::int64_t>::max()}, {y, 2});
  EXPECT_EQ(y, std::vector<double>(6, 0.0));
}

TEST(Permutations, that_are_none_are_refused) {
  const Csr<double> A = generate<double>("stencil2d5,n=4");
  const Permutation right = Permutation::identity(16);
  for (const Index wrong : {0, 99, -1}) {
    Permutation order{Buffer<Index>(16)};
    std::fill(order.new_to_old.begin(), order.new_to_old.end(), wrong);
    const std::string what = std::to_string(wrong);
    expect_error(
        ErrorKind::input, [&] { (void)permute(A.view(), order, right); }, what);
    expect_error(
        ErrorKind::input, [&] { (void)permute(A.view(), right, order); }, what);
    expect_error(
        ErrorKind::input, [&] { (void)permute_rows(A.view(), order); }, what);
    expect_error(
        ErrorKind::input, [&] { (void)order.inverse(); }, what);
  }
  expect_error(
      ErrorKind::usage, [] { (void)Permutation::identity(-1); }, "identity");
}

TEST(Windows, as_large_as_numbers_get_are_the_whole_matrix) {
  const Csr<double> A = generate<double>("circuit,rows=9000");
  const Permutation whole = length_order(A.view());
  for (const std::int64_t window : {std::numeric_limits<std::int64_t>::max(), std::int64_t{1} << 62, A.rows + 1}) {
    const Permutation order = length_order(A.view(), window);
    EXPECT_TRUE(std::equal(order.new_to_old.begin(), order.new_to_old.end(), whole.new_to_old.begin())) << window;
  }
}

TEST(Windows, a_piece_of_work_may_be_larger_than_the_work) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::vector<std::pair<std::int64_t, std::int64_t>> pieces;
  parallel_ranges(10, most, [&](std::int64_t begin, std::int64_t end) { pieces.emplace_back(begin, end); });
  EXPECT_EQ(pieces, (std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 10}}));
  std::atomic<std::int64_t> sum{0};
  parallel_ranges(most, most / 3, [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
  EXPECT_EQ(sum, most);
}

// Whichever allocation by `new` fails, the library says so in its own words.
void expect_errors_of_ours(const char* what, const std::function<void()>& call) {
  call();  // what is made once and kept
  for (std::int64_t at = 0; at < 20'000; ++at) {
    bool done = false;
    failing = at;
    try {
      call();
      done = true;
    } catch (const Error& error) {
      failing = -1;
      EXPECT_EQ(error.kind(), ErrorKind::unavailable) << what << ", allocation " << at << ": " << error.what();
    } catch (const std::bad_alloc&) {
      failing = -1;
      FAIL() << what << ", allocation " << at << ": std::bad_alloc";
    }
    if (done && failing.exchange(-1) >= 0) return;
  }
  FAIL() << what << " does not end";
}

TEST(OutOfMemory, is_an_error_of_the_library_wherever_it_happens) {
  const Csr<double> A = generate<double>("circuit,rows=300");
  const Machine& machine = built_in_machine(Device::Kind::cpu);
  const Structure facts = analyze(A);
  const ChooseOptions here{.device = Device::cpu(), .use_cache = false};
  auto op = build(A, Plan::parse("sell"), {.updates = true});
  set_threads(1);  // a thread that cannot be told of is not what is tried here
  expect_errors_of_ours("analyze", [&] { (void)analyze(A); });
  expect_errors_of_ours("choose", [&] { (void)choose(facts, machine, here); });
  expect_errors_of_ours("optimize", [&] { (void)optimize(A, here); });
  expect_errors_of_ours("predict", [&] { (void)predict(A, facts, machine, Plan::parse("weave layout=rows")); });
  expect_errors_of_ours("footprint", [&] { (void)footprint(A.view(), Plan::parse("hyb")); });
  expect_errors_of_ours("build", [&] { (void)build(A, Plan::parse("weave"), {.updates = true}); });
  expect_errors_of_ours("restore", [&] { (void)op.restore(); });
  expect_errors_of_ours("update_values", [&] { op.update_values(A.val); });
  expect_errors_of_ours("transpose", [&] { (void)transpose(A.view()); });
  expect_errors_of_ours("rcm_order", [&] { (void)rcm_order(A.view()); });
  expect_errors_of_ours("make_csr", [&] { (void)make_csr<double>(A.rows, A.cols, A.ptr, A.col, A.val); });
  const ScratchFolder folder;
  for (const char* name : {"a.mtx", "a.hdl", "a.mtx.gz"}) {
    const std::string path = folder.path(name);
    expect_errors_of_ours("write_matrix", [&] { write_matrix(path, A.view()); });
    expect_errors_of_ours("read_matrix", [&] { (void)read_matrix<double>(path); });
  }
  const Csr<double> grid = generate<double>("stencil2d5,n=6");
  const auto system = build(grid);
  const std::vector<double> b(36, 1.0);
  std::vector<double> x(36);
  for (const char* name : {"jacobi", "block_jacobi", "fsai", "amg"}) {
    const SolveOptions<double> options{.preconditioner = name, .matrix = &grid};
    expect_errors_of_ours(name, [&] { (void)make_preconditioner(name, system, grid); });
    expect_errors_of_ours("solve", [&] { (void)solve(system, b, x, options); });
  }
}

}  // namespace
}  // namespace heddle::test

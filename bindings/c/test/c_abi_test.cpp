// The C library as a caller of any language sees it: heddle.h and libheddle.so.0, nothing else.
#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <utility>

#include "small_matrix.hpp"

using namespace heddle_test;

namespace {

TEST(CAbi, multiplies_a_matrix_of_every_integer_type_and_base) {
  const Small small;
  for (const int64_t base : {0, 1})
    for (const heddle_type offset_type : {HEDDLE_I32, HEDDLE_I64})
      for (const heddle_type index_type : {HEDDLE_I32, HEDDLE_I64}) {
        const auto offsets4 = as<int32_t>(small.offsets, base);
        const auto offsets8 = as<int64_t>(small.offsets, base);
        const auto columns4 = as<int32_t>(small.columns, base);
        const auto columns8 = as<int64_t>(small.columns, base);
        heddle_arrays a = arrays_of(small);
        a.index_base = base, a.offset_type = offset_type, a.index_type = index_type;
        a.offsets = offset_type == HEDDLE_I32 ? static_cast<const void*>(offsets4.data()) : offsets8.data();
        a.indices = index_type == HEDDLE_I32 ? static_cast<const void*>(columns4.data()) : columns8.data();
        EXPECT_EQ(Operator(a).times(x3, 3), product);
      }
}

TEST(CAbi, takes_new_values_in_the_order_of_the_arrays_it_was_given) {
  const Small small;
  std::vector<std::size_t> shuffled(7);
  std::iota(shuffled.begin(), shuffled.end(), 0);
  std::swap(shuffled[0], shuffled[5]);
  std::swap(shuffled[2], shuffled[6]);
  std::vector<int64_t> rows, columns;
  Vector values;
  for (const std::size_t k : shuffled) {
    rows.push_back(small.rows[k]), columns.push_back(small.columns[k]);
    values.push_back(small.values[k] / 2);  // and once more below: repeated entries are summed
  }
  rows.insert(rows.end(), rows.begin(), rows.end());
  columns.insert(columns.end(), columns.begin(), columns.end());
  values.insert(values.end(), values.begin(), values.end());
  heddle_arrays a = arrays_of(small);
  a.layout = HEDDLE_COO, a.nnz = 14;
  a.offsets = nullptr, a.row_indices = rows.data(), a.indices = columns.data(), a.values = values.data();
  Operator op(a);
  EXPECT_EQ(op.times(x3, 3), product);
  for (double& value : values) value *= 2;
  ASSERT_EQ(heddle_operator_update(op.handle, values.data(), nullptr), HEDDLE_OK) << heddle_last_error();
  EXPECT_EQ(op.times(x3, 3), doubled);
  HEDDLE_INIT(heddle_operator_info, info);
  ASSERT_EQ(heddle_operator_get_info(op.handle, &info), HEDDLE_OK);
  EXPECT_EQ(info.nnz, 7);
  EXPECT_EQ(info.values, 14);
}

// Not symmetric: [ 1 2 . ; . . 3 ], by columns.
TEST(CAbi, takes_columns_and_gives_the_transpose) {
  const std::vector<int32_t> offsets{0, 1, 2, 3}, rows{0, 0, 1};
  Vector values{1, 2, 3};
  HEDDLE_INIT(heddle_arrays, a);
  a.layout = HEDDLE_CSC, a.rows = 2, a.cols = 3, a.nnz = 3, a.offset_type = a.index_type = HEDDLE_I32;
  a.offsets = offsets.data(), a.indices = rows.data(), a.values = values.data();
  const Matrix matrix(a);
  Matrix flipped(a);
  heddle_matrix_destroy(flipped.handle);
  ASSERT_EQ(heddle_matrix_transpose(matrix.handle, nullptr, nullptr, &flipped.handle), HEDDLE_OK)
      << heddle_last_error();
  Operator op(matrix.handle), transposed(flipped.handle);
  EXPECT_EQ(op.times({1, 10, 100}, 2), (Vector{21, 300}));
  EXPECT_EQ(transposed.times({1, 10}, 3), (Vector{1, 2, 30}));
  values = {4, 5, 6};
  ASSERT_EQ(heddle_operator_update(transposed.handle, values.data(), nullptr), HEDDLE_OK);
  EXPECT_EQ(transposed.times({1, 10}, 3), (Vector{4, 5, 60}));
}

TEST(CAbi, multiplies_with_factors_transposed_and_several_vectors) {
  heddle_options o = cpu_options();
  o.transposed = 1, o.right_hand_sides = 2;
  const Operator op(arrays_of(Small{}), &o);
  Vector y{1, 1, 1};
  ASSERT_EQ(heddle_multiply_add(op.handle, 1, 2, x3.data(), -1, y.data(), nullptr), HEDDLE_OK);
  EXPECT_EQ(y, (Vector{27, 501, 1239}));
  y = {1, 1, 1};
  ASSERT_EQ(heddle_multiply_known(op.handle, HEDDLE_HOST_MEMORY, 0, 2, x3.data(), -1, y.data(), nullptr), HEDDLE_OK);
  EXPECT_EQ(y, (Vector{27, 501, 1239}));
  EXPECT_EQ(heddle_multiply_known(op.handle, 3, 0, 2, x3.data(), -1, y.data(), nullptr), HEDDLE_USAGE);
  // Two vectors, one after another and side by side.
  const Vector one_after_another{1, 10, 100, 0, 0, 1}, side_by_side{1, 0, 10, 0, 100, 1};
  Vector result(6);
  const heddle_vectors x{const_cast<double*>(one_after_another.data()), 1, 3}, z{result.data(), 2, 1};
  ASSERT_EQ(heddle_multiply_many(op.handle, 0, 2, 1, &x, 0, &z, nullptr), HEDDLE_OK) << heddle_last_error();
  EXPECT_EQ(result, (Vector{14, 0, 251, 2, 620, 6}));
  const heddle_vectors rows{const_cast<double*>(side_by_side.data()), 2, 1}, columns{result.data(), 1, 3};
  ASSERT_EQ(heddle_multiply_many(op.handle, 1, 2, 1, &rows, 0, &columns, nullptr), HEDDLE_OK) << heddle_last_error();
  EXPECT_EQ(result, (Vector{14, 251, 620, 0, 2, 6}));
}

TEST(CAbi, a_transpose_that_was_not_asked_for_is_an_error_with_a_hint) {
  const Operator op(arrays_of(Small{}));
  Vector y(3);
  EXPECT_EQ(heddle_multiply_add(op.handle, 1, 1, x3.data(), 0, y.data(), nullptr), HEDDLE_USAGE);
  EXPECT_NE(std::string(heddle_last_hint()).find("transposed"), std::string::npos);
}

TEST(CAbi, gives_back_what_it_was_given_once_it_is_not_needed) {
  const Small small;
  int released = 0;
  heddle_arrays a = arrays_of(small);
  std::vector<int32_t> columns = as<int32_t>(small.columns, 0);
  a.index_type = HEDDLE_I32, a.indices = columns.data();
  a.ownership = HEDDLE_GIVE, a.context = &released;
  a.release = [](void* context) { ++*static_cast<int*>(context); };
  {
    const Matrix matrix(a);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  columns[0] = 7;
  heddle_matrix* none = nullptr;
  EXPECT_EQ(heddle_matrix_create(&a, &none), HEDDLE_INPUT);
  EXPECT_EQ(released, 1);
  EXPECT_EQ(none, nullptr);
}

TEST(CAbi, an_operator_needs_neither_arrays_nor_matrix_any_more) {
  for (const int32_t ownership : {HEDDLE_COPY, HEDDLE_BORROW}) {
    auto small = std::make_unique<Small>();
    heddle_arrays a = arrays_of(*small);
    a.ownership = ownership;
    const Operator op(a);
    std::fill(small->values.begin(), small->values.end(), -1.0);
    small.reset();
    EXPECT_EQ(op.times(x3, 3), product);
  }
}

TEST(CAbi, takes_values_and_vectors_that_are_known_to_lie_on_the_host) {
  Operator op(arrays_of(Small{}));
  Vector values = Small{}.values;
  for (double& value : values) value *= 2;
  ASSERT_EQ(heddle_operator_update_known(op.handle, HEDDLE_HOST_MEMORY, values.data(), nullptr), HEDDLE_OK);
  Vector y(3);
  const heddle_vectors X{const_cast<double*>(x3.data()), 1, 3}, Y{y.data(), 1, 3};
  ASSERT_EQ(heddle_multiply_many_known(op.handle, HEDDLE_HOST_MEMORY, 0, 1, 1, &X, 0, &Y, nullptr), HEDDLE_OK);
  EXPECT_EQ(y, doubled);
  EXPECT_EQ(heddle_operator_update_known(op.handle, 3, values.data(), nullptr), HEDDLE_USAGE);
  EXPECT_EQ(heddle_multiply_many_known(op.handle, -1, 0, 1, 1, &X, 0, &Y, nullptr), HEDDLE_USAGE);
}

TEST(CAbi, says_what_is_wrong_with_arrays) {
  const Small small;
  const auto error = [&](auto change) {
    heddle_arrays a = arrays_of(small);
    change(a);
    heddle_matrix* none = nullptr;
    EXPECT_NE(heddle_matrix_create(&a, &none), HEDDLE_OK);
    EXPECT_EQ(none, nullptr);
    return std::string(heddle_last_error());
  };
  const std::vector<int64_t> outside{0, 1, 0, 5, 2, 1, 2};
  EXPECT_NE(error([&](auto& a) { a.indices = outside.data(); }).find("5"), std::string::npos);
  EXPECT_NE(error([](auto& a) { a.offsets = nullptr; }).find("offsets"), std::string::npos);
  EXPECT_NE(error([](auto& a) { a.rows = -1; }).find("rows"), std::string::npos);
  EXPECT_NE(error([](auto& a) { a.layout = 9; }).find("layout 9"), std::string::npos);
  EXPECT_NE(error([](auto& a) { a.value_type = 9; }).find("HEDDLE_F64"), std::string::npos);
  EXPECT_NE(error([](auto& a) { a.index_base = 2; }).find("index_base"), std::string::npos);
  EXPECT_NE(error([](auto& a) { a.size = 0; }).find("size"), std::string::npos);
}

TEST(CAbi, null_arguments_are_errors) {
  heddle_operator* op = nullptr;
  EXPECT_EQ(heddle_matrix_create(nullptr, nullptr), HEDDLE_USAGE);
  EXPECT_EQ(heddle_operator_create(nullptr, nullptr, &op), HEDDLE_USAGE);
  EXPECT_STREQ(heddle_last_error(), "matrix: NULL");
  EXPECT_EQ(heddle_multiply(nullptr, nullptr, nullptr, nullptr), HEDDLE_USAGE);
  heddle_matrix_destroy(nullptr);
  heddle_operator_destroy(nullptr);
  heddle_preconditioner_destroy(nullptr);
}

TEST(CAbi, vectors_that_are_null_are_errors_where_they_have_elements) {
  heddle_options o = cpu_options();
  o.transposed = 1;
  const Operator op(arrays_of(Small{}), &o);
  Vector y{1, 2, 3};
  const double* x = x3.data();
  double* none = nullptr;
  const heddle_vectors X{const_cast<double*>(x), 1, 3}, Y{y.data(), 1, 3}, N{nullptr, 1, 3};
  for (const auto& [name, status] : {
           std::pair{"x", heddle_multiply(op.handle, nullptr, y.data(), nullptr)},
           {"y", heddle_multiply(op.handle, x, nullptr, nullptr)},
           {"x", heddle_multiply_add(op.handle, 1, 1, nullptr, 0, y.data(), nullptr)},
           {"y", heddle_multiply_known(op.handle, HEDDLE_HOST_MEMORY, 0, 1, x, 0, none, nullptr)},
           {"x", heddle_multiply_many(op.handle, 0, 1, 1, &N, 0, &Y, nullptr)},
           {"y", heddle_multiply_many_known(op.handle, HEDDLE_HOST_MEMORY, 1, 1, 1, &X, 0, &N, nullptr)},
           {"values", heddle_operator_update(op.handle, nullptr, nullptr)},
       })
    EXPECT_EQ(status, HEDDLE_USAGE) << name;
  EXPECT_EQ(heddle_multiply(op.handle, x, nullptr, nullptr), HEDDLE_USAGE);
  EXPECT_STREQ(heddle_last_error(), "y: NULL");
  EXPECT_EQ(y, (Vector{1, 2, 3}));
  HEDDLE_INIT(heddle_arrays, empty);
  empty.offset_type = empty.index_type = HEDDLE_I32, empty.layout = HEDDLE_COO;
  const Operator nothing(empty);
  EXPECT_EQ(heddle_multiply(nothing.handle, nullptr, nullptr, nullptr), HEDDLE_OK) << heddle_last_error();
  EXPECT_EQ(heddle_operator_update(nothing.handle, nullptr, nullptr), HEDDLE_OK) << heddle_last_error();
}

TEST(CAbi, a_caller_of_an_older_header_gets_defaults) {
  HEDDLE_INIT(heddle_options, o);
  o.size = offsetof(heddle_options, effort);
  o.plan = "csr";
  o.effort = "a word that would be refused";
  const Operator op(arrays_of(Small{}), &o);
  HEDDLE_INIT(heddle_operator_info, info);
  info.size = offsetof(heddle_operator_info, values);
  info.values = -7;
  ASSERT_EQ(heddle_operator_get_info(op.handle, &info), HEDDLE_OK);
  EXPECT_EQ(info.nnz, 7);
  EXPECT_EQ(info.values, -7);
  EXPECT_EQ(info.size, offsetof(heddle_operator_info, values));
}

TEST(CAbi, text_tells_its_length_and_is_cut) {
  HEDDLE_INIT(heddle_options, o);
  o.plan = "csr";
  const Operator op(arrays_of(Small{}), &o);
  int64_t length = 0;
  ASSERT_EQ(heddle_operator_plan(op.handle, nullptr, 0, &length), HEDDLE_OK);
  std::vector<char> text(static_cast<std::size_t>(length) + 1, 'x');
  ASSERT_EQ(heddle_operator_plan(op.handle, text.data(), length + 1, nullptr), HEDDLE_OK);
  EXPECT_EQ(std::string(text.data()).substr(0, 3), "csr");
  EXPECT_EQ(std::string(text.data()).size(), static_cast<std::size_t>(length));
  ASSERT_EQ(heddle_operator_plan(op.handle, text.data(), 3, nullptr), HEDDLE_OK);
  EXPECT_STREQ(text.data(), "cs");
}

TEST(CAbi, explains_choice_and_conversions) {
  heddle_options o = cpu_options();
  const Operator op(arrays_of(Small{}), &o);
  std::vector<char> text(100000);
  ASSERT_EQ(heddle_operator_explain_json(op.handle, text.data(), 100000, nullptr), HEDDLE_OK);
  for (const char* part : {"\"plan\":", "\"reason\":", "\"candidates\":[{", "int64"})
    EXPECT_NE(std::string(text.data()).find(part), std::string::npos) << part;
  const Matrix matrix("gen:stencil2d5,nx=20,ny=20");
  ASSERT_EQ(heddle_choose_json(matrix.handle, &o, text.data(), 100000, nullptr), HEDDLE_OK);
  EXPECT_NE(std::string(text.data()).find("\"plan\":"), std::string::npos);
  ASSERT_EQ(heddle_matrix_analyze_json(matrix.handle, nullptr, nullptr, text.data(), 100000, nullptr), HEDDLE_OK);
  EXPECT_NE(std::string(text.data()).find("\"symmetric\":true"), std::string::npos);
  ASSERT_EQ(heddle_devices_json(text.data(), 100000, nullptr), HEDDLE_OK);
  EXPECT_NE(std::string(text.data()).find("\"device\":\"cpu\""), std::string::npos);
}

TEST(CAbi, explains_by_what_was_measured_then) {
  heddle_options o = cpu_options();
  o.effort = "measure";
  const Operator op(Matrix("gen:stencil2d5,nx=60,ny=60").handle, &o);
  std::vector<char> text(100000), again(100000);
  for (auto* to : {&text, &again})
    ASSERT_EQ(heddle_operator_explain_json(op.handle, to->data(), 100000, nullptr), HEDDLE_OK);
  EXPECT_NE(std::string(text.data()).find("\"measured_seconds\":"), std::string::npos);
  const std::string first(text.data());
  const auto measured = first.find("\"measured_seconds\":") + 19;
  EXPECT_NE(first.substr(measured, 4), "null") << first;
  EXPECT_EQ(first, again.data());
  o.plan = "csr";
  const Operator given(Matrix("gen:stencil2d5,nx=60,ny=60").handle, &o);
  ASSERT_EQ(heddle_operator_explain_json(given.handle, text.data(), 100000, nullptr), HEDDLE_OK);
  EXPECT_NE(std::string(text.data()).find("\"candidates\":[]"), std::string::npos) << text.data();
}

// The driver's own memory, counted.
struct Pool {
  int (*take)(void**, std::size_t) = nullptr;
  int (*give)(void*) = nullptr;
  int taken = 0, given = 0;

  Pool() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) return;
    take = reinterpret_cast<int (*)(void**, std::size_t)>(dlsym(driver, "cuMemAlloc_v2"));
    give = reinterpret_cast<int (*)(void*)>(dlsym(driver, "cuMemFree_v2"));
  }
  static void* allocate(void* context, int32_t, std::size_t bytes, heddle_stream) {
    auto& mine = *static_cast<Pool*>(context);
    void* memory = nullptr;
    if (mine.take(&memory, bytes) == 0) ++mine.taken;
    return memory;
  }
  static void free(void* context, int32_t, void* memory, std::size_t, heddle_stream) {
    auto& mine = *static_cast<Pool*>(context);
    mine.given += mine.give(memory) == 0;
  }
};

TEST(CAbi, memory_of_a_gpu_comes_from_the_allocator_of_the_caller) {
  HEDDLE_INIT(heddle_options, o);
  o.device = {HEDDLE_GPU, 0};
  const Matrix matrix("gen:stencil2d5,nx=20,ny=20");
  heddle_operator* op = nullptr;
  if (heddle_operator_create(matrix.handle, &o, &op) == HEDDLE_UNAVAILABLE) GTEST_SKIP() << heddle_last_error();
  heddle_operator_destroy(op);
  Pool pool;
  ASSERT_TRUE(pool.take && pool.give);
  HEDDLE_INIT(heddle_device_allocator, allocator);
  allocator.allocate = Pool::allocate, allocator.free = Pool::free, allocator.context = &pool;
  ASSERT_EQ(heddle_set_device_allocator(&allocator), HEDDLE_OK) << heddle_last_error();
  ASSERT_EQ(heddle_operator_create(matrix.handle, &o, &op), HEDDLE_OK) << heddle_last_error();
  EXPECT_GT(pool.taken, 0);
  ASSERT_EQ(heddle_set_device_allocator(nullptr), HEDDLE_OK);
  const Vector x(400, 1);
  Vector y(400, -1);
  ASSERT_EQ(heddle_multiply(op, x.data(), y.data(), nullptr), HEDDLE_OK) << heddle_last_error();
  EXPECT_EQ(y[0], 2);
  heddle_operator_destroy(op);
  EXPECT_EQ(pool.given, pool.taken);
}

TEST(CAbi, an_allocator_has_both_functions_or_none) {
  HEDDLE_INIT(heddle_device_allocator, allocator);
  EXPECT_EQ(heddle_set_device_allocator(&allocator), HEDDLE_OK);
  allocator.allocate = Pool::allocate;
  EXPECT_EQ(heddle_set_device_allocator(&allocator), HEDDLE_USAGE);
  allocator.free = Pool::free;
  EXPECT_EQ(heddle_set_device_allocator(&allocator), HEDDLE_OK);
  EXPECT_EQ(heddle_set_device_allocator(nullptr), HEDDLE_OK);
}

}  // namespace

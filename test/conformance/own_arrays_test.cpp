// Arrays of the caller's: any integer types, orders and bases, on the host and on devices; what is copied, and in which
// order values come back.
#include <gtest/gtest.h>

#include <type_traits>

#include <heddle/foreign.hpp>
#include <heddle/heddle.hpp>

#include "conformance/devices.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

//  [ 1 . 2 ]   as the caller has it: rows out of order, one entry in two parts
//  [ . 3 . ]
//  [ 4 5 6 ]
struct Triples {
  std::vector<std::int64_t> row{0, 0, 1, 2, 2, 2, 2}, col{2, 0, 1, 2, 0, 1, 0};
  std::vector<double> val{2, 1, 3, 6, 1, 5, 3};
};
const std::vector<Offset> ptr_of_result{0, 2, 3, 6};
const std::vector<Index> col_of_result{0, 2, 1, 0, 1, 2};
const std::vector<double> val_of_result{1, 2, 3, 4, 5, 6};

template <class T>
std::vector<T> counted_from(int base, const std::vector<std::int64_t>& numbers) {
  std::vector<T> made;
  for (const std::int64_t number : numbers) made.push_back(static_cast<T>(number + base));
  return made;
}

template <class T>
std::vector<T> fetched(const Buffer<T>& array) {
  const Buffer<T> here = array.to(Device::cpu());
  return {here.begin(), here.end()};
}

void expect_result(const Csr<double>& A) {
  EXPECT_EQ(fetched(A.ptr), ptr_of_result);
  EXPECT_EQ(fetched(A.col), col_of_result);
  EXPECT_EQ(fetched(A.val), val_of_result);
}

std::vector<std::int64_t> offsets_of(std::vector<std::int64_t> numbers, std::int64_t count) {
  std::vector<std::int64_t> ptr(static_cast<std::size_t>(count) + 1);
  for (const std::int64_t number : numbers) ++ptr[static_cast<std::size_t>(number) + 1];
  for (std::size_t i = 1; i < ptr.size(); ++i) ptr[i] += ptr[i - 1];
  return ptr;
}

// The triples in the order of their columns.
Triples by_columns() {
  const Triples given;
  std::vector<std::size_t> order{1, 4, 6, 2, 5, 0, 3};
  Triples sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.row[i] = given.row[order[i]];
    sorted.col[i] = given.col[order[i]];
    sorted.val[i] = given.val[order[i]];
  }
  return sorted;
}

template <class P, class C>
void check_types(Device device) {
  for (const int base : {0, 1}) {
    SCOPED_TRACE(base);
    const Triples given, columns = by_columns();
    const auto there = [&]<class T>(const std::vector<T>& array) { return Buffer<T>::copy_of(array, device); };
    const auto row = there(counted_from<P>(base, given.row));
    const auto col = there(counted_from<C>(base, given.col));
    const auto ptr = there(counted_from<P>(base, offsets_of(given.row, 3)));
    const auto val = there(given.val);
    const auto row_by_columns = there(counted_from<C>(base, columns.row));
    const auto ptr_by_columns = there(counted_from<P>(base, offsets_of(columns.col, 3)));
    const auto val_by_columns = there(columns.val);
    const ArrayOptions options{.base = base, .device = device};
    const Csr<double> made = make_csr(3, 3, ptr, col, val, options);
    EXPECT_EQ(made.val.device(), device);
    expect_result(made);
    expect_result(make_csr(csr_view(3, 3, 7, ptr.data(), col.data(), val.data(), options)));
    expect_result(make_csr(coo_view(3, 3, 7, row.data(), col.data(), val.data(), options)));
    expect_result(
        make_csr(csc_view(3, 3, 7, ptr_by_columns.data(), row_by_columns.data(), val_by_columns.data(), options)));
    const auto canonical_ptr = there(counted_from<P>(base, {0, 2, 3, 6}));
    const auto canonical_col = there(counted_from<C>(base, {0, 2, 1, 0, 1, 2}));
    expect_result(make_csr(3, 3, canonical_ptr, canonical_col, there(val_of_result), options));
  }
}

TEST(OwnArrays, have_any_integer_type) {
  for (const Device device : devices_to_try()) {
    SCOPED_TRACE(to_string(device));
    check_types<std::int64_t, std::int32_t>(device);
    check_types<int, long long>(device);
    check_types<unsigned, unsigned>(device);
    check_types<std::size_t, std::uint64_t>(device);
    check_types<std::int8_t, std::uint16_t>(device);
    check_types<std::uint8_t, std::int16_t>(device);
  }
}

TEST(OwnArrays, deduce_the_type_of_values) {
  const std::vector<int> ptr{0, 1}, col{0};
  static_assert(std::is_same_v<decltype(make_csr(1, 1, ptr, col, std::vector<float>{1})), Csr<float>>);
  static_assert(std::is_same_v<decltype(make_csr(1, 1, ptr, col, std::vector<double>{1})), Csr<double>>);
  EXPECT_EQ(make_csr(1, 1, ptr, col, std::vector<float>{7}).val[0], 7);
}

TEST(OwnArrays, have_a_map_from_their_entries_to_the_stored_ones) {
  const Triples given;
  EntryMap map;
  (void)make_csr(coo_view(3, 3, 7, given.row.data(), given.col.data(), given.val.data()), &map);
  EXPECT_FALSE(map.identity());
  EXPECT_EQ(map.given, 7);
  EXPECT_EQ(map.stored, 6);
  EXPECT_EQ(fetched(map.places()), (std::vector<Offset>{1, 0, 2, 5, 3, 4, 3}));
  std::vector<double> stored(6);
  to_stored_order<double>(map, given.val, stored);
  EXPECT_EQ(stored, val_of_result);
  EXPECT_THROW(to_stored_order<double>(map, stored, stored), Error);

  (void)make_csr(csr_view(3, 3, 6, ptr_of_result.data(), col_of_result.data(), val_of_result.data()), &map);
  EXPECT_TRUE(map.identity());
  EXPECT_EQ(fetched(map.places()), (std::vector<Offset>{0, 1, 2, 3, 4, 5}));
}

std::string refusal(const MatrixView<double>& A) {
  try {
    (void)make_csr(A);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(OwnArrays, that_are_no_matrix_are_refused_in_the_callers_counting) {
  const double val[] = {1, 2};
  const std::int64_t far[] = {0, std::int64_t{1} << 40}, from_one[] = {1, 2, 3}, falling[] = {0, 2, 1};
  const int ptr[] = {0, 1, 2}, col[] = {0, 2}, below[] = {0, 1}, negative[] = {0, -5};
  EXPECT_EQ(refusal(csr_view(2, 2, 2, ptr, col, val)), "matrix arrays: col[1] = 2 in row 1 is outside 0..1");
  EXPECT_EQ(refusal(csr_view(2, 2, 2, ptr, far, val)),
            "matrix arrays: col[1] = 1099511627776 in row 1 is outside 0..1");
  EXPECT_EQ(refusal(csr_view(2, 2, 2, from_one, below, val, {.base = 1})),
            "matrix arrays: col[0] = 0 in row 1 is outside 1..2");
  EXPECT_EQ(refusal(csr_view(2, 2, 2, from_one, col, val)),
            "matrix arrays: ptr[0] = 1, not 0; arrays that count from 1 say so by ArrayOptions::base");
  EXPECT_EQ(refusal(csr_view(2, 2, 2, falling, col, val)), "matrix arrays: ptr[2] = 1, but there are 2 entries");
  EXPECT_EQ(refusal(csc_view(2, 2, 2, ptr, col, val)), "matrix arrays: row[1] = 2 in column 1 is outside 0..1");
  EXPECT_EQ(refusal(coo_view(2, 2, 2, col, negative, val)),
            "matrix arrays: entry 1 at (2, -5) is outside the 2 x 2 matrix");
  EXPECT_EQ(refusal(csr_view(2, 2, 2, ptr, col, val, {.base = 2})), "arrays count from 0 or from 1, not from 2");
  EXPECT_EQ(refusal(csr_view(2, 2, 2, ptr, static_cast<const int*>(nullptr), val)), "col is null");
  EXPECT_EQ(refusal(csr_view(-1, 2, 0, ptr, col, val)), "a matrix cannot have -1 rows and 2 columns");
}

std::vector<double> product(const Operator<double>& op) {
  std::vector<double> x(static_cast<std::size_t>(op.cols())), y(static_cast<std::size_t>(op.rows()));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 5) + 1;
  op.multiply(x, y);
  return y;
}

bool says(const Operator<double>& op, const char* words) { return op.explain().find(words) != std::string::npos; }

TEST(OwnArrays, are_used_where_they_lie_by_csr) {
  std::vector<Offset> ptr = ptr_of_result;
  std::vector<Index> col = col_of_result;
  std::vector<double> val = val_of_result;
  const auto view = csr_view(3, 3, 6, ptr.data(), col.data(), val.data());
  const auto op = build(view, Plan::parse("csr"), {.device = Device::cpu()});
  EXPECT_TRUE(says(op, "in use, not copied: row offsets, columns, values\n")) << op.explain();
  EXPECT_EQ(product(op), (std::vector<double>{7, 6, 32}));
  val[2] = 100;  // not allowed; it shows that nothing was copied
  EXPECT_EQ(product(op)[1], 200);
  val[2] = 3;
  const auto sell = build(view, Plan::parse("sell"), {.device = Device::cpu()});
  EXPECT_TRUE(says(sell, "the caller's arrays: not in use any more\n")) << sell.explain();
  const auto chosen = optimize(view, {.expected_multiplies = 1, .device = Device::cpu()});
  EXPECT_TRUE(says(chosen, "in use, not copied: row offsets, columns, values\n")) << chosen.explain();
  EXPECT_TRUE(says(chosen, "chosen: ")) << chosen.explain();
}

TEST(OwnArrays, are_converted_where_types_do_not_fit) {
  const std::vector<int> ptr{0, 2, 3, 6};
  const auto op = build(csr_view(3, 3, 6, ptr.data(), col_of_result.data(), val_of_result.data()), Plan::parse("csr"),
                        {.device = Device::cpu()});
  EXPECT_TRUE(says(op, "converted once: row offsets from int32 to int64\n")) << op.explain();
  EXPECT_TRUE(says(op, "in use, not copied: columns, values\n")) << op.explain();
  EXPECT_EQ(product(op), (std::vector<double>{7, 6, 32}));
  const Triples given;
  const auto coo =
      optimize(coo_view(3, 3, 7, given.row.data(), given.col.data(), given.val.data()), {.device = Device::cpu()});
  EXPECT_TRUE(says(coo, "converted once: entries (coo) to rows (csr); 1 entries added")) << coo.explain();
  EXPECT_TRUE(says(coo, "update_values: 7 values in the caller's order, those of the same place are added up"))
      << coo.explain();
  EXPECT_EQ(product(coo), (std::vector<double>{7, 6, 32}));
}

TEST(OwnArrays, on_a_device_are_used_there) {
  for (const Device device : devices_to_try()) {
    if (device == Device::cpu()) continue;
    const auto ptr = Buffer<int>::copy_of(std::vector<int>{1, 3, 4, 7}, device);
    const auto col = Buffer<int>::copy_of(std::vector<int>{1, 3, 2, 1, 2, 3}, device);
    const auto ours = Buffer<Index>::copy_of(col_of_result, device);
    const auto offsets = Buffer<Offset>::copy_of(ptr_of_result, device);
    const auto val = Buffer<double>::copy_of(val_of_result, device);
    const auto op = build(csr_view(3, 3, 6, ptr.data(), col.data(), val.data(), {.base = 1, .device = device}),
                          Plan::parse("csr"), {.device = device});
    EXPECT_TRUE(says(op, "columns counted from 0")) << op.explain();
    EXPECT_TRUE(says(op, "in use, not copied: values\n")) << op.explain();
    EXPECT_FALSE(says(op, "by the host")) << op.explain();
    EXPECT_EQ(product(op), (std::vector<double>{7, 6, 32}));
    const auto all = build(csr_view(3, 3, 6, offsets.data(), ours.data(), val.data(), {.device = device}),
                           Plan::parse("csr"), {.device = device});
    EXPECT_TRUE(says(all, "in use, not copied: row offsets, columns, values\n")) << all.explain();
    const auto twisted = Buffer<int>::copy_of(std::vector<int>{3, 1, 2, 1, 2, 3}, device);
    const auto sorted = build(csr_view(3, 3, 6, ptr.data(), twisted.data(), val.data(), {.base = 1, .device = device}),
                              Plan::parse("csr"), {.device = device});
    EXPECT_TRUE(says(sorted, "rows sorted by column; by the host")) << sorted.explain();
  }
}

// Large enough that every layout has something to do; its entries in an order of no kind, some of them in two parts.
struct Shuffled {
  Csr<double> A = with_lengths({9, 0, 3, 40, 1, 1, 7, 12, 0, 5, 5, 5, 33, 2, 8, 21, 3, 3}, 60, 3);
  std::vector<int> row, col;
  std::vector<double> val;

  Shuffled() {
    std::vector<Entry> entries;
    for (std::int64_t r = 0; r < A.rows; ++r)
      for (Offset k = A.ptr[r]; k < A.ptr[r + 1]; ++k) entries.push_back({static_cast<Index>(r), A.col[k], A.val[k]});
    for (std::size_t i = 0; i < 20; ++i) {
      entries[i * 3].value -= 5;
      entries.push_back({entries[i * 3].row, entries[i * 3].col, 5});
    }
    Dice dice(11);
    for (std::size_t i = entries.size() - 1; i > 0; --i)
      std::swap(entries[i], entries[static_cast<std::size_t>(dice.below(static_cast<std::int64_t>(i) + 1))]);
    for (const Entry& entry : entries) row.push_back(entry.row), col.push_back(entry.col), val.push_back(entry.value);
  }
  MatrixView<double> view() const {
    return coo_view(A.rows, A.cols, static_cast<std::int64_t>(val.size()), row.data(), col.data(), val.data());
  }
};

TEST(OwnArrays, take_new_values_in_their_own_order) {
  const Shuffled given;
  std::vector<double> values = given.val;
  for (double& value : values) value = 3 * value + 1;
  Coo<double> entries{given.A.rows, given.A.cols, Buffer<Index>::copy_of(given.row), Buffer<Index>::copy_of(given.col),
                      Buffer<double>::copy_of(values)};
  const Csr<double> fresh = to_csr(entries);
  for (const Device device : devices_to_try())
    for (const char* plan : {"csr", "coo", "sell", "weave", "weave layout=rows values=dictionary", "dia"})
      for (const bool updates : {false, true}) {
        SCOPED_TRACE(to_string(device) + ", " + plan);
        if (!footprint(given.A.view(), Plan::parse(plan)).fits) continue;
        auto op = build(given.view(), Plan::parse(plan), {.device = device, .transposed = true, .updates = updates});
        EXPECT_EQ(op.entries(), static_cast<std::int64_t>(values.size()));
        EXPECT_TRUE(identical(op.restore(), given.A));
        op.update_values(values);
        EXPECT_TRUE(identical(op.restore(), fresh));
        const auto expected = build(fresh, Plan::parse("csr"), {.device = Device::cpu(), .transposed = true});
        EXPECT_EQ(product(op), product(expected));
        std::vector<double> x(static_cast<std::size_t>(op.rows()), 1), y(60), z(60);
        op.multiply_transposed(1, x, 0, y);
        expected.multiply_transposed(1, x, 0, z);
        EXPECT_EQ(y, z);
        const Buffer<double> there = Buffer<double>::copy_of(given.val, device);
        op.update_values(there, {}, Memory::device);
        EXPECT_TRUE(identical(op.restore(), given.A));
        EXPECT_THROW(op.update_values(given.A.val), Error) << "the stored entries are fewer";
      }
}

TEST(OwnArrays, may_tell_their_order_to_an_operator_of_the_canonical_matrix) {
  const Shuffled given;
  EntryMap order;
  const Csr<double> A = make_csr(given.view(), &order);
  std::vector<double> values = given.val;
  for (double& value : values) value = 3 * value + 1;
  for (const Device device : devices_to_try())
    for (const bool updates : {false, true}) {
      SCOPED_TRACE(to_string(device) + (updates ? ", updates" : ""));
      const BuildOptions how{.device = device, .updates = updates};
      auto expected = build(given.view(), Plan::parse("sell"), how);
      expected.update_values(values);
      for (const Device from : {Device::cpu(), device}) {
        auto op = build(A, Plan::parse("sell"), how);
        set_entry_order(op, order.to(from));
        EXPECT_EQ(op.entries(), static_cast<std::int64_t>(values.size()));
        op.update_values(values);
        EXPECT_TRUE(identical(op.restore(), expected.restore()));
        op.update_values(Buffer<double>::copy_of(given.val, device), {}, Memory::device);
        EXPECT_TRUE(identical(op.restore(), A));
      }
      auto other = build(make_csr(3, 3, ptr_of_result, col_of_result, val_of_result), Plan::parse("csr"), how);
      EXPECT_THROW(set_entry_order(other, order), Error) << "of another matrix";
    }
}

TEST(OwnVectors, of_a_preconditioner_lie_anywhere) {
  const auto A = make_csr(3, 3, ptr_of_result, col_of_result, val_of_result);
  const std::vector<double> r{2, 9, 12}, expected{2, 3, 2};
  for (const Device device : devices_to_try()) {
    SCOPED_TRACE(to_string(device));
    const auto op = build(A, Plan::parse("csr"), {.device = device});
    const auto M = make_preconditioner("jacobi", op, A);
    const auto r_there = Buffer<double>::copy_of(r, device);
    for (const bool there : {false, true}) {
      std::vector<double> z(3);
      apply_from_anywhere<double>(*M, device, there ? r_there.span() : std::span<const double>(r), z);
      EXPECT_EQ(z, expected);
      Buffer<double> z_there(3, device);
      apply_from_anywhere<double>(*M, device, there ? r_there.span() : std::span<const double>(r), z_there.span());
      EXPECT_EQ(fetched(z_there), expected);
    }
  }
}

TEST(OwnArrays, are_never_written_to) {
  for (const bool updates : {false, true}) {
    const std::vector<double> val = val_of_result;
    auto op = build(csr_view(3, 3, 6, ptr_of_result.data(), col_of_result.data(), val.data()), Plan::parse("csr"),
                    {.device = Device::cpu(), .updates = updates});
    EXPECT_EQ(says(op, "values"), !updates) << op.explain();
    op.update_values(std::vector<double>{6, 5, 4, 3, 2, 1});
    EXPECT_EQ(val, val_of_result);
    EXPECT_FALSE(says(op, "values")) << op.explain();
    EXPECT_EQ(product(op), (std::vector<double>{21, 8, 10}));
  }
}

TEST(OwnVectors, are_named_by_pointers) {
  for (const Device device : devices_to_try()) {
    const auto op = build(make_csr(3, 3, ptr_of_result, col_of_result, val_of_result), {}, {.device = device});
    const auto x = Buffer<double>::copy_of(std::vector<double>{1, 2, 3}, device);
    auto y = Buffer<double>::copy_of(std::vector<double>{1, 1, 1}, device);
    op.multiply(x.data(), y.data(), Memory::device);
    EXPECT_EQ(fetched(y), (std::vector<double>{7, 6, 32}));
    op.multiply(2.0, x.data(), -1.0, y.data(), Memory::device);
    EXPECT_EQ(fetched(y), (std::vector<double>{7, 6, 32}));
    double here[3] = {1, 2, 3}, result[3] = {};
    op.multiply(here, result, Memory::host);
    EXPECT_EQ(result[2], 32);
    EXPECT_THROW(op.multiply(nullptr, result, Memory::host), Error);
    EXPECT_THROW(op.multiply(here, here, Memory::host), Error);
  }
}

// What examples/own_gpu_arrays.cpp does on a GPU.
TEST(OwnVectors, are_solved_where_they_lie) {
  const std::vector<double> val{4, -1, -1, 4, -1, -1, 4}, twice{8, -2, -2, 8, -2, -2, 8};
  for (const Device device : devices_to_try()) {
    SCOPED_TRACE(to_string(device));
    const auto there = [&]<class T>(const std::vector<T>& array) { return Buffer<T>::copy_of(array, device); };
    const auto ptr = there(std::vector<int>{0, 2, 5, 7}), col = there(std::vector<int>{0, 1, 0, 1, 2, 1, 2});
    const auto values = there(val), new_values = there(twice), x = there(std::vector<double>{1, 2, 3});
    auto y = there(std::vector<double>(3, 0.0)), z = there(std::vector<double>(3, 0.0));
    const auto view = csr_view(3, 3, 7, ptr.data(), col.data(), values.data(), {.device = device});
    auto op = optimize(view, {.device = device}, {.updates = true});
    op.multiply(x.data(), y.data(), Memory::device);
    EXPECT_EQ(fetched(y), (std::vector<double>{2, 4, 10}));
    op.update_values({new_values.data(), 7}, {}, Memory::device);
    const SolveOptions<double> how{.method = "cg", .tolerance = 1e-12};
    EXPECT_TRUE(solve(op, {y.data(), 3}, {z.data(), 3}, how).converged());
    const std::vector<double> b{2, 4, 10}, half{0.5, 1, 1.5};
    std::vector<double> z_here(3, 0.0);
    EXPECT_TRUE(solve(op, b, z_here, how).converged());
    EXPECT_EQ(fetched(z), z_here) << "host vectors are copied, nothing else";
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(z_here[i], half[i], 1e-11);
  }
}

TEST(OwnArrays, are_multiplied_transposed_and_by_several_vectors) {
  const Triples given;
  const auto view = coo_view(3, 3, 7, given.row.data(), given.col.data(), given.val.data());
  for (const Device device : devices_to_try()) {
    SCOPED_TRACE(to_string(device));
    const auto op = optimize(view, {.device = device}, {.transposed = true, .right_hand_sides = 2});
    const std::vector<double> x{1, 2, 3}, two{1, 2, 3, 1, 0, 0};
    std::vector<double> y(3), both(6);
    op.multiply_transposed(1, x, 0, y);
    EXPECT_EQ(y, (std::vector<double>{13, 21, 20}));
    op.multiply_many({two, 2}, {both, 2});
    EXPECT_EQ(both, (std::vector<double>{7, 6, 32, 1, 0, 4}));
  }
}

TEST(Recording, repeats_its_work) {
  for (const Device device : devices_to_try()) {
    const auto op = build(make_csr(3, 3, ptr_of_result, col_of_result, val_of_result), {}, {.device = device});
    const auto x = Buffer<double>::copy_of(std::vector<double>{1, 2, 3}, device);
    auto y = Buffer<double>::copy_of(std::vector<double>{0, 0, 0}, device);
    Recording twice(device, [&](Stream stream) {
      op.multiply(1.0, x.data(), 1.0, y.data(), Memory::device, stream);
      op.multiply(1.0, x.data(), 1.0, y.data(), Memory::device, stream);
    });
    EXPECT_EQ(fetched(y), (std::vector<double>{0, 0, 0}));
    for (int i = 0; i < 3; ++i) twice.run();
    EXPECT_EQ(fetched(y), (std::vector<double>{42, 36, 192}));
    const Recording moved = std::move(twice);
    EXPECT_THROW(twice.run(), Error);
  }
  EXPECT_THROW(Recording(Device::cpu(), nullptr), Error);
}

}  // namespace
}  // namespace heddle::test

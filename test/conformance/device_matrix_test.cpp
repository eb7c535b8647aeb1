// Matrices whose arrays lie on a device already: the same operator as from the same matrix in host memory.
#include <gtest/gtest.h>

#include <cstring>

#include <heddle/heddle.hpp>

#include "conformance/devices.hpp"
#include "conformance/plans.hpp"
#include "simt/csr/device_pattern.hpp"
#include "support/builders.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

std::vector<Device> kernel_devices() {
  std::vector<Device> devices = devices_to_try();
  devices.erase(devices.begin());
  return devices;
}

std::string error_of(const Csr<double>& A, const Plan& plan, Device device) {
  try {
    (void)build(A, plan, {device});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class DeviceMatrix : public testing::TestWithParam<std::string> {
 protected:
  Plan plan() const { return Plan::parse(GetParam()); }
};

template <class V>
void expect_same_operator(const Csr<V>& A, const Plan& plan, Device device) {
  const auto from_host = build(A, plan, {device});
  const auto from_there = build(A.to(device), plan, {device});
  EXPECT_EQ(from_there.plan(), from_host.plan());
  EXPECT_EQ(from_there.bytes(), from_host.bytes());
  EXPECT_TRUE(identical(from_there.restore(), A));
  std::vector<V> x(static_cast<std::size_t>(A.cols)), y(static_cast<std::size_t>(A.rows), V(2)), z = y;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<V>(i % 17) / V(3);
  from_host.multiply(V(2), x, V(1), y);
  from_there.multiply(V(2), x, V(1), z);
  EXPECT_TRUE(y.empty() || std::memcmp(y.data(), z.data(), y.size() * sizeof(V)) == 0);
}

TEST_P(DeviceMatrix, gives_the_operator_of_the_same_matrix_in_host_memory) {
  for (const Device device : kernel_devices())
    for (const Specimen& specimen : zoo(Zoo::small)) {
      if (!footprint(specimen.A.view(), plan()).fits) continue;
      SCOPED_TRACE(specimen.name + " on " + to_string(device));
      expect_same_operator(specimen.A, plan(), device);
      expect_same_operator(convert<float>(specimen.A.view()), plan(), device);
    }
}

INSTANTIATE_TEST_SUITE_P(formats, DeviceMatrix, testing::ValuesIn(default_plans()), readable);

TEST(DeviceMatrix, is_refused_with_the_words_of_the_host_when_it_is_none) {
  const Csr<double> good = from_entries(4, 5, {{0, 1, 1}, {0, 3, 2}, {2, 0, 3}, {2, 2, 4}, {2, 4, 5}, {3, 3, 6}});
  const auto broken = [&](auto change) {
    Csr<double> A = good;
    change(A);
    return A;
  };
  const Csr<double> wrong[] = {
      broken([](auto& A) { A.ptr[0] = 1; }),         broken([](auto& A) { A.ptr[4] = 5; }),
      broken([](auto& A) { A.ptr[1] = 4; }),         broken([](auto& A) { A.ptr[1] = -7; }),
      broken([](auto& A) { A.ptr[3] = INT64_MAX; }), broken([](auto& A) { A.col[5] = 5; }),
      broken([](auto& A) { A.col[0] = -1; }),        broken([](auto& A) { std::swap(A.col[2], A.col[3]); }),
      broken([](auto& A) { A.col[1] = 1; }),         broken([](auto& A) { A.ptr = {0, 2}; }),
      broken([](auto& A) { A.rows = -1; }),          broken([](auto& A) { A.val = {1, 2}; }),
  };
  for (const Device device : kernel_devices())
    for (const Csr<double>& A : wrong) {
      const std::string expected = error_of(A, Plan::parse("csr"), device);
      EXPECT_NE(expected, "no error");
      EXPECT_EQ(error_of(A.to(device), Plan::parse("csr"), device), expected);
    }
}

// Of a large one more is asked before it is known to be a matrix: its values, diagonals and samples of short rows, the
// steps of long ones.
TEST(DeviceMatrix, is_refused_where_more_is_asked_at_once) {
  const Plan plan = Plan::parse("weave");
  for (const char* name : {"gen:stencil2d5,n=230", "gen:circuit,rows=50000", "gen:dense,rows=520"}) {
    const Csr<double> good = read_matrix(name);
    ASSERT_GT(good.nnz(), 1 << 18);
    const auto with_ptr = [&](std::int64_t row, Offset value) {
      Csr<double> A = good;
      A.ptr[row] = value;
      return A;
    };
    Csr<double> far = good;
    for (std::int64_t k = 0; k < far.nnz(); k += 1000) far.col[k] = k % 3000 == 0 ? INT32_MAX : INT32_MIN;
    const std::int64_t middle = good.rows / 2;
    const Csr<double> wrong[] = {with_ptr(0, -7),          with_ptr(1, INT64_MIN),
                                 with_ptr(128, INT64_MAX), with_ptr(middle, good.nnz() + 9),
                                 with_ptr(middle + 1, 0),  with_ptr(good.rows, INT64_MAX),
                                 with_ptr(good.rows, 3),   far};
    for (const Device device : kernel_devices()) {
      for (const Csr<double>& A : wrong)
        EXPECT_EQ(error_of(A.to(device), plan, device), error_of(A, plan, device)) << name;
      const Operator<double> op = build(good.to(device), plan, {device});
      EXPECT_TRUE(identical(op.restore(), good)) << "the device works as before: " << name;
      EXPECT_EQ(to_string(op.plan()), to_string(settled<double>({good.view()}, "weave"))) << name;
    }
  }
}

// Rows and entries are read in shares that rarely come out even, four columns at a time where memory allows it. Of
// blocks beyond the L2 that may all be full few values are looked for before it is known that they are.
TEST(DeviceMatrix, has_a_table_of_values_where_they_are_few) {
  const Csr<double> generated = read_matrix("gen:elasticity,nx=53,ny=18,nz=18");
  const auto layout = [](const Plan& plan) { return *plan.find("layout") + " " + *plan.find("values"); };
  for (const Device device : kernel_devices()) {
    Csr<double> A = generated;
    const auto few = build(A.to(device), Plan::parse("weave"), {device});
    EXPECT_EQ(layout(few.plan()), "blocks dictionary");
    EXPECT_TRUE(identical(few.restore(), A));
    for (std::int64_t k = 0; k < 300; ++k) A.val[A.nnz() / 300 * k] = 0.1 * static_cast<double>(k);
    const auto many = build(A.to(device), Plan::parse("weave"), {device});
    EXPECT_EQ(layout(many.plan()), "blocks raw");
    EXPECT_TRUE(identical(many.restore(), A));
  }
}

TEST(DeviceMatrix, is_looked_at_to_its_end_wherever_it_begins) {
  for (std::int64_t rows = 1; rows < 20; ++rows)
    for (const std::int64_t gap : {0, 1}) {
      std::vector<std::int64_t> lengths;
      for (std::int64_t row = 0; row < rows; ++row) lengths.push_back(row * 5 % 4);
      lengths.back() = 9;
      const Csr<double> A = with_lengths(lengths, 50, 3);
      Buffer<Index> col(A.nnz() + gap);
      std::copy(A.col.begin(), A.col.end(), col.begin() + gap);
      const PatternView view{A.rows, A.cols, A.ptr, col.span().subspan(static_cast<std::size_t>(gap))};
      const DevicePattern found = look_at(simt::Emulator{}, view, Device::emulator());
      EXPECT_TRUE(found.canonical);
      EXPECT_EQ(found.longest, 9);
      std::swap(col[col.size() - 1], col[col.size() - 2]);
      EXPECT_FALSE(look_at(simt::Emulator{}, view, Device::emulator()).canonical);
    }
}

TEST(DeviceMatrix, that_a_format_refuses_is_refused_with_the_words_of_the_host) {
  const Csr<double> A = with_lengths({9, 1, 1, 0, 4}, 70000, 3);
  for (const Device device : kernel_devices())
    for (const char* plan : {"weave layout=rows values=constant", "weave layout=rows lanes=3"}) {
      const std::string expected = error_of(A, Plan::parse(plan), device);
      EXPECT_NE(expected, "no error") << plan;
      EXPECT_EQ(error_of(A.to(device), Plan::parse(plan), device), expected);
    }
}

TEST(DeviceMatrix, lies_on_one_device) {
  const Csr<double> A = with_lengths({3, 1}, 5, 3);
  const Csr<double> torn{A.rows, A.cols, A.ptr.to(Device::emulator()), A.col, A.val.to(Device::emulator())};
  EXPECT_NE(error_of(torn, {}, Device::emulator()).find("one device"), std::string::npos);
}

TEST(DeviceMatrix, goes_through_the_host_to_another_device) {
  const Csr<double> A = with_lengths({3, 1, 0, 5}, 7, 3);
  for (const Device from : kernel_devices())
    for (const Device to : devices_to_try()) {
      const auto op = build(A.to(from), Plan::parse("weave layout=rows"), {to});
      EXPECT_EQ(op.device(), to);
      EXPECT_TRUE(identical(op.restore(), A));
    }
}

TEST(DeviceMatrix, keeps_its_arrays_when_it_is_given_up) {
  for (const Device device : kernel_devices()) {
    Csr<double> A = with_lengths({3, 1, 0, 5}, 7, 3).to(device);
    const double* val = A.val.data();
    const auto op = build(std::move(A), Plan::parse("csr"), {device});
    EXPECT_EQ(A.val.data(), nullptr);
    EXPECT_NE(val, nullptr);
    EXPECT_TRUE(identical(op.restore(), with_lengths({3, 1, 0, 5}, 7, 3)));
  }
}

TEST(DeviceMatrix, serves_transposed_products_and_new_values) {
  const Csr<double> A = with_lengths({3, 1, 0, 5, 2, 9}, 11, 3);
  for (const Device device : kernel_devices()) {
    auto op = build(A.to(device), Plan::parse("weave layout=rows"), {device, true, true});
    std::vector<double> x(6, 1), y(11), z(11), values(static_cast<std::size_t>(A.nnz()), 2);
    op.update_values(values);
    op.multiply_transposed(1, x, 0, y);
    Csr<double> B = A;
    std::fill(B.val.begin(), B.val.end(), 2);
    build(transpose(B.view()), Plan::parse("csr")).multiply(x, z);
    EXPECT_EQ(y, z);
  }
}

}  // namespace
}  // namespace heddle::test

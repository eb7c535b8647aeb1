// The papers' kernels against the reference, on the emulator, and what they store.
#include "reproduce/kernels/literal.hpp"

#include <gtest/gtest.h>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>

#include "bench/results.hpp"
#include "support/zoo.hpp"

namespace heddle::reproduce {
namespace {

using Kernel = Literal::Kernel;
using Loads = Literal::Loads;

std::vector<Literal> every_literal() {
  std::vector<Literal> list;
  for (const Kernel kernel :
       {Kernel::crs, Kernel::crs_vector, Kernel::spmv4gpu, Kernel::ellpack, Kernel::hyb, Kernel::ellpack_r})
    for (const Loads loads : {Loads::texture, Loads::past, Loads::data_cache, Loads::plain, Loads::uncached})
      list.push_back({.kernel = kernel, .block = 64, .loads = loads});
  list.push_back({.kernel = Kernel::hyb, .block = 64, .rule = Literal::Escape::cusp});
  for (const Kernel kernel : {Kernel::ellpack, Kernel::hyb})
    list.push_back({.kernel = kernel, .block = 64, .near = true});
  for (const int T : {1, 2, 4, 8, 16, 32})
    for (const int block : {64, 128}) list.push_back({.kernel = Kernel::ellr_t, .T = T, .block = block});
  for (const int T : {1, 2, 8}) list.push_back({.kernel = Kernel::ellr_t, .T = T, .block = 16});
  for (const int group : {32, 128}) list.push_back({.kernel = Kernel::rgcsr, .block = group});
  for (const int T : {1, 2, 8, 32})
    for (const int C : {4, 32})
      for (const int sigma : {1, 8, 1000})
        list.push_back({.kernel = Kernel::sliced, .T = T, .block = 64, .C = C, .sigma = sigma});
  return list;
}

template <class V>
void expect_products(const Csr<double>& from, const std::string& name) {
  const Csr<V> A = convert<V>(from.view());
  const bench::Reference<V> reference(A.view());
  for (const Literal& literal : every_literal()) {
    const LiteralOperator<V> op(A, literal, Device::emulator());
    std::vector<V> y(static_cast<std::size_t>(A.rows), V(7));
    op.multiply(reference.x().data(), y.data(), {});
    EXPECT_EQ(reference.compare(y).row, -1) << name << ", " << to_text(literal);
  }
}

// Empty rows, a row longer than a warp, one much longer than the others (hyb's rest spans several warps), and rows that
// are no multiple of a block or a group.
TEST(Literal, kernels_multiply_as_the_reference_does) {
  const Csr<double> uneven = test::with_lengths({3, 0, 1, 40, 7, 2, 5, 0, 9, 33, 32, 31}, 60, 3);
  std::vector<std::int64_t> lengths(150, 2);
  for (const std::size_t row : {3u, 70u, 149u}) lengths[row] = 130;
  lengths[71] = 0;
  const Csr<double> giants = test::with_lengths({lengths.begin(), lengths.end()}, 200, 5);
  const Csr<double> none = test::with_lengths({}, 4, 1);
  for (const auto& [name, A] : {std::pair("uneven", &uneven), std::pair("giants", &giants), std::pair("none", &none)}) {
    expect_products<float>(*A, name);
    expect_products<double>(*A, name);
  }
}

// Several intervals of the flat kernel meet in a row, and rows end at the ends of intervals.
TEST(Literal, hyb_sums_rows_that_go_over_warps) {
  for (const std::int64_t longest : {64, 96, 1000, 20000}) {
    std::vector<std::int64_t> lengths(40, 1);
    for (std::size_t row = 0; row < 10; ++row) lengths[row] = longest;
    const Csr<double> A = test::with_lengths(lengths, longest + 7, 11);
    const bench::Reference<double> reference(A.view());
    const LiteralOperator<double> op(A, {.kernel = Kernel::hyb}, Device::emulator());
    std::vector<double> y(static_cast<std::size_t>(A.rows), 7);
    op.multiply(reference.x().data(), y.data(), {});
    EXPECT_EQ(reference.compare(y).row, -1) << longest;
  }
}

// The example of paper 3: 13 entries in 8 rows; ELLPACK stores 24 places, groups of 4 rows store 20. SpMV4GPU gives
// every row a multiple of 16.
TEST(Literal, formats_store_what_the_papers_count) {
  const Csr<double> A = test::with_lengths({2, 1, 1, 1, 1, 2, 3, 2}, 8, 1);
  const auto stored = [&](const Literal& literal) {
    return LiteralOperator<double>(A, literal, Device::emulator()).stored();
  };
  EXPECT_EQ(stored({.kernel = Kernel::crs}), 13);
  EXPECT_EQ(stored({.kernel = Kernel::spmv4gpu}), 8 * 16);
  EXPECT_EQ(stored({.kernel = Kernel::ellpack}), 24);
  EXPECT_EQ(stored({.kernel = Kernel::ellpack_r}), 24);
  EXPECT_EQ(stored({.kernel = Kernel::ellr_t, .T = 2}), 2 * 16 * 2) << "16 rows of two pairs";
  EXPECT_EQ(stored({.kernel = Kernel::rgcsr, .block = 16}), 24);
  EXPECT_EQ(stored({.kernel = Kernel::sliced, .C = 4}), 20);
  EXPECT_EQ(stored({.kernel = Kernel::sliced, .C = 4, .sigma = 8}), 4 * 3 + 4 * 1);
  EXPECT_EQ(stored({.kernel = Kernel::sliced, .T = 2, .C = 4}), 4 * 2 + 4 * 4);
  const Csr<double> two_groups = test::with_lengths(std::vector<std::int64_t>(16, 2), 16, 1);
  EXPECT_EQ(LiteralOperator<double>(two_groups, {.kernel = Kernel::rgcsr, .block = 16}, Device::emulator()).stored(),
            32);
}

TEST(Literal, refuses_the_cpu_and_padding_without_end) {
  const Csr<double> A = generate("band,rows=20");
  EXPECT_THROW(LiteralOperator<double>(A, {}, Device::cpu()), Error);
  std::vector<std::int64_t> lengths(60000, 1);
  lengths[0] = 50000;
  const Csr<double> giant = test::with_lengths(lengths, 60000, 1);
  EXPECT_THROW(LiteralOperator<double>(giant, {.kernel = Kernel::ellpack}, Device::emulator()), Error);
}

TEST(Literal, columns_of_16_bits_reach_32767_places_and_not_one_more) {
  const auto with_column = [](Index col) {
    Coo<double> entries{40000, 40000, Buffer<Index>(1), Buffer<Index>(1), Buffer<double>(1)};
    entries.row[0] = 0, entries.col[0] = col, entries.val[0] = 3;
    return to_csr(entries);
  };
  const Literal near{.kernel = Kernel::ellpack, .near = true};
  const Csr<double> A = with_column(32767);
  const bench::Reference<double> reference(A.view());
  std::vector<double> y(40000, 7);
  LiteralOperator<double>(A, near, Device::emulator()).multiply(reference.x().data(), y.data(), {});
  EXPECT_EQ(reference.compare(y).row, -1);
  EXPECT_THROW(LiteralOperator<double>(with_column(32768), near, Device::emulator()), Error);
  EXPECT_THROW(LiteralOperator<double>(A, {.kernel = Kernel::crs, .near = true}, Device::emulator()), Error);
}

TEST(Literal, names_tell_every_setting) {
  EXPECT_EQ(to_text({.kernel = Kernel::ellr_t, .T = 4, .block = 128}), "literal ellr_t T=4 block=128");
  EXPECT_EQ(to_text({.kernel = Kernel::crs_vector, .loads = Loads::data_cache}), "literal crs_vector loads=data_cache");
  EXPECT_EQ(to_text({.kernel = Kernel::hyb, .rule = Literal::Escape::cusp}), "literal hyb rule=cusp");
  EXPECT_EQ(to_text({.kernel = Kernel::ellpack, .near = true}), "literal ellpack columns=16");
  EXPECT_EQ(to_text({.kernel = Kernel::sliced, .T = 2, .block = 64, .C = 8, .sigma = 16}),
            "literal sliced C=8 sigma=16 T=2 block=64");
}

}  // namespace
}  // namespace heddle::reproduce

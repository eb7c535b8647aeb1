// What kernels build from a matrix on the device is what the host builds from one in its memory: every array, every
// bit.
#include <gtest/gtest.h>

#include <heddle/generate.hpp>

#include "formats/csr_ell/csr_ell.hpp"
#include "formats/registered.hpp"
#include "simt/emulator.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

// All numbers that mean something: not the gap that alignment leaves in a warp, nor scratch.
template <class V>
std::vector<std::vector<double>> numbers_of(const CsrEllFormat<V>& made) {
  std::vector<std::vector<double>> lists;
  const auto list = [&](const auto& array, auto... members) {
    std::vector<double>& numbers = lists.emplace_back();
    for (const auto& item : array) (numbers.push_back(static_cast<double>(item.*members)), ...);
  };
  const auto plain = [&](const auto& array) { lists.emplace_back(array.begin(), array.end()); };
  list(made.warp, &EllWarp::start, &EllWarp::first, &EllWarp::rows, &EllWarp::lanes, &EllWarp::steps);
  list(made.piece, &CsrPiece::begin, &CsrPiece::end, &CsrPiece::row, &CsrPiece::alone);
  list(made.crossing, &Crossing::row, &Crossing::share, &Crossing::count);
  plain(made.ell_row), plain(made.ell_length), plain(made.ell_col), plain(made.ell_val);
  plain(made.csr_row), plain(made.csr_col), plain(made.csr_val);
  plain(made.hyb.ell.col), plain(made.hyb.ell.val), plain(made.hyb.rest.col), plain(made.hyb.rest.row);
  lists.push_back({static_cast<double>(made.partial.size()), static_cast<double>(made.hyb.ell.shape.slice)});
  return lists;
}

template <class V>
void expect_the_same(const Csr<V>& A, const std::string& plan, bool by_kernels = true) {
  const Device emulator = Device::emulator();
  const Csr<V> there = A.to(emulator);
  const Source<V> source{there.view(), nullptr, emulator};
  auto settings = settings_from<CsrEllFormat>(Plan::parse(plan)), by_rule = settings;
  CsrEllFormat<V>::settle(settings, A.view());
  ASSERT_TRUE(CsrEllFormat<V>::settle_there(simt::Emulator{}, by_rule, source));
  EXPECT_EQ(write_settings(by_rule.fields(), "csr_ell"), write_settings(settings.fields(), "csr_ell"));
  const auto made = CsrEllFormat<V>::build_there(simt::Emulator{}, source, settings);
  ASSERT_EQ(made.has_value(), by_kernels);
  if (!made) return;
  const auto expected = numbers_of(CsrEllFormat<V>::build({A.view()}, settings)), got = numbers_of(*made);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(got[i] == expected[i]) << "array " << i;
  EXPECT_EQ(bytes_of(*made), CsrEllFormat<V>::footprint(A.view(), settings, sizeof(V)).bytes);
}

TEST(CsrEllBuild, makes_of_every_matrix_what_the_host_makes) {
  for (const Specimen& specimen : zoo(Zoo::small)) {
    if (specimen.A.rows == 0) continue;
    SCOPED_TRACE(specimen.name);
    const auto escape = csr_ell_by_rules(specimen.A.view()).escape;
    if (escape == 0) expect_the_same(specimen.A, "csr_ell");
    expect_the_same(specimen.A, "csr_ell escape=no");
    expect_the_same(convert<float>(specimen.A.view()), "csr_ell escape=no T=3 M=2 L=32");
  }
}

TEST(CsrEllBuild, makes_large_matrices_of_both_kinds_of_row) {
  for (const char* text : {"circuit,rows=9000", "lp,rows=40,cols=9000,per_row=900", "rmat,scale=12,edges=6",
                           "lengths,law=F2,max=128,rows=5000", "random,rows=300,cols=2000,per_row=256"})
    for (const char* plan : {"csr_ell", "csr_ell T=200 M=9 L=64", "csr_ell T=1", "csr_ell T=4096 M=1"}) {
      SCOPED_TRACE(std::string(text) + ", " + plan);
      expect_the_same(generate<double>(text), plan);
    }
}

TEST(CsrEllBuild, makes_the_escape_where_all_entries_fit_into_its_ellpack) {
  expect_the_same(generate<double>("epidemiology,nx=90,ny=90"), "csr_ell escape=yes");
  expect_the_same(with_lengths(std::vector<std::int64_t>(9000, 4), 5000, 1), "csr_ell");
  std::vector<std::int64_t> lengths(9000, 4);
  lengths[77] = 5;  // left over by Cusp's rule
  expect_the_same(with_lengths(lengths, 5000, 1), "csr_ell", false);
}

// Which block comes first is up to the GPU.
TEST(CsrEllBuild, does_not_depend_on_the_order_of_blocks) {
  simt::emulator::set_order(simt::emulator::Order::reverse);
  expect_the_same(generate<double>("circuit,rows=5000"), "csr_ell");
  simt::emulator::set_order(simt::emulator::Order::forward);
}

TEST(CsrEllBuild, leaves_very_long_packed_rows_to_the_host) {
  expect_the_same(with_lengths({1, 5000, 3}, 6000, 1), "csr_ell T=4097", false);
}

}  // namespace
}  // namespace heddle::test

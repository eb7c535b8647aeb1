// The steps of the set-up of amg: kernels against the host's, bit by bit, in both orders of blocks and warps.
#include "solve/amg/steps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include <heddle/generate.hpp>
#include <heddle/solve.hpp>

#include "core/check.hpp"
#include "solve/amg/grids.hpp"
#include "solve/amg/roots_of_long_rows.hpp"
#include "support/dense_matrix.hpp"
#include "support/same_grids.hpp"

namespace heddle::test {
namespace {

using namespace solve_method;

struct Case {
  std::string name;
  Csr<double> A;
  int block = 1;
  double strength = 0.25;
};

Csr<double> path(Index n, double diagonal = 2) {
  std::vector<Entry> entries;
  for (Index i = 0; i < n; ++i) {
    entries.push_back({i, i, diagonal});
    if (i > 0) entries.push_back({i, i - 1, -1}), entries.push_back({i - 1, i, -1});
  }
  return from_entries(n, n, entries);
}

// A ring whose nodes also see some hubs; every 50th node is alone.
Csr<double> hubs(Index n) {
  std::vector<Entry> entries;
  std::vector<double> diagonal(static_cast<std::size_t>(n), 1e-3);
  const auto couple = [&](Index i, Index j) {
    if (i == j || i % 50 == 7 || j % 50 == 7) return;
    entries.push_back({i, j, -1.0});
    entries.push_back({j, i, -1.0});
    diagonal[static_cast<std::size_t>(i)] += 1;
    diagonal[static_cast<std::size_t>(j)] += 1;
  };
  for (Index i = 0; i < n; ++i) {
    couple(i, (i + 1) % n);
    for (Index hub = 0; hub < n; hub += 250)
      if ((i * 7 + hub) % 23 == 0 && std::abs(hub - i) > 1) couple(hub, i);
  }
  for (Index i = 0; i < n; ++i) entries.push_back({i, i, diagonal[static_cast<std::size_t>(i)]});
  return from_entries(n, n, entries);
}

// Couplings at the limit of being strong, whose flags differ from those of their mirrors.
Csr<double> with_ragged_flags(Csr<double> A) {
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
      const std::uint64_t dice = static_cast<std::uint64_t>(k) * 0x9e3779b97f4a7c15u >> 61;
      if (A.col[k] != row) A.val[k] *= dice < 3 ? 0.25 : dice < 5 ? std::nextafter(0.25, 0) : 1;
    }
  return A;
}

// Row sums of zero: nothing but the constant is flat.
Csr<double> closed(Csr<double> A) {
  for (std::int64_t row = 0; row < A.rows; ++row) {
    double sum = 0;
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) sum += A.col[k] == row ? 0 : A.val[k];
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
      if (A.col[k] == row) A.val[k] = -sum;
  }
  return A;
}

Csr<double> diagonal(Index n) {
  std::vector<Entry> entries;
  for (Index i = 0; i < n; ++i) entries.push_back({i, i, 1.0 + i});
  return from_entries(n, n, entries);
}

std::vector<Case> zoo() {
  std::vector<Case> all;
  const auto grid = [&](const char* name, int block = 1) { all.push_back({name, generate<double>(name), block}); };
  grid("stencil2d5,n=32");
  grid("stencil2d5,n=25,coefficients=varying");
  grid("stencil3d7,n=9");
  grid("stencil3d27,n=6");
  grid("elasticity,nx=4,ny=3,nz=3", 3);
  for (const int block : {2, 4, 5, 6}) grid("stencil2d5,nx=15,ny=16", block);
  all.push_back({"path", path(5000)});
  all.push_back({"hubs", hubs(1500)});
  all.push_back({"ragged", with_ragged_flags(generate<double>("stencil2d5,n=30"))});
  all.push_back({"closed", closed(generate<double>("stencil2d5,n=20,coefficients=varying"))});
  all.push_back({"diagonal", diagonal(300)});
  all.push_back({"all weak but the strongest", generate<double>("stencil2d5,n=20,coefficients=varying"), 1, 1.0});
  all.push_back({"all strong", generate<double>("stencil3d27,n=6"), 1, 0.0});
  return all;
}

class OnEmulator : public testing::TestWithParam<simt::emulator::Order> {
 protected:
  void SetUp() override { simt::emulator::set_order(GetParam()); }
  void TearDown() override { simt::emulator::set_order(simt::emulator::Order::forward); }
};

TEST_P(OnEmulator, every_step_gives_the_bits_of_the_host) {
  const auto host = steps_on_host(), device = steps_on(Device::emulator());
  for (const Case& on : zoo()) {
    SCOPED_TRACE(on.name + fmt::format(", block {}", on.block));
    const CsrView<double> A = on.A.view();
    const Buffer<double> inverse = host->positive_inverse(A);
    ASSERT_TRUE(same_bits(inverse, device->positive_inverse(A)));
    const Couplings here = host->couplings(A, inverse, on.block, on.strength),
                    there = device->couplings(A, inverse, on.block, on.strength);
    ASSERT_TRUE(same_bits(here.made, there.made));
    ASSERT_TRUE(same_bits(here.strong, there.strong));
    ASSERT_EQ(here.fold, there.fold);
    ASSERT_EQ(here.order.step, there.order.step);
    const Aggregates nodes = host->aggregates(A, here), other = device->aggregates(A, here);
    ASSERT_EQ(nodes.count, other.count);
    ASSERT_TRUE(same_bits(nodes.of, other.of));
    const Buffer<double> folded = host->folded_inverse(A, here, inverse);
    ASSERT_TRUE(same_bits(folded, device->folded_inverse(A, here, inverse)));
    ASSERT_EQ(host->largest_eigenvalue(A, nullptr, inverse), device->largest_eigenvalue(A, nullptr, inverse));
    const double largest = host->largest_eigenvalue(A, &here, folded);
    ASSERT_EQ(largest, device->largest_eigenvalue(A, &here, folded));
    Interpolation from{.couplings = here, .aggregates = nodes};
    Csr<double> P, P_there, B, B_there, R, R_there, plain, plain_there;
    KnownPatterns known, known_there, of_plain;
    host->interpolate(A, from, folded, 4.0 / 3 / largest, P, known);
    device->interpolate(A, from, folded, 4.0 / 3 / largest, P_there, known_there);
    ASSERT_TRUE(same_bits(P, P_there));
    from.smooth = false;
    host->interpolate(A, from, folded, 1, plain, of_plain);
    device->interpolate(A, from, folded, 1, plain_there, of_plain);
    ASSERT_TRUE(same_bits(plain, plain_there));
    ASSERT_EQ(host->product_work(A, P.view()), device->product_work(A, P.view()));
    ASSERT_EQ(host->longest_row(A), device->longest_row(A));
    ASSERT_EQ(known.P.longest, host->longest_row(P.view()));
    ASSERT_EQ(known.P.longest, known_there.P.longest);
    host->transpose(P.view(), R, known);
    device->transpose(P.view(), R_there, known_there);
    ASSERT_TRUE(same_bits(R, R_there));
    host->coarse_matrix(R.view(), A, P.view(), B, known);
    device->coarse_matrix(R.view(), A, P.view(), B_there, known_there);
    ASSERT_TRUE(same_bits(B, B_there));
    ASSERT_TRUE(same_bits(host->narrowed(B.val), device->narrowed(B.val)));
    ASSERT_EQ(host->fits_float(B.val), device->fits_float(B.val));
    ASSERT_EQ(host->span_of(B.val), device->span_of(B.val));
    const Buffer<double> coarse = host->coarse_inverse(B.view(), R.view(), inverse);
    ASSERT_TRUE(same_bits(coarse, device->coarse_inverse(B.view(), R.view(), inverse)));
    if (B.rows < 150) {
      ASSERT_TRUE(same_bits(host->dense_inverse(B.view(), coarse), device->dense_inverse(B.view(), coarse)));
    }
  }
}

TEST_P(OnEmulator, whole_hierarchies_have_the_bits_of_the_host) {
  for (const Case& on : zoo())
    for (const bool fitted : {false, true}) {
      SCOPED_TRACE(on.name + (fitted ? ", fitted" : ""));
      GridOptions options{on.block, on.strength, 60};
      if (fitted) options.near = uneven_vectors(on.A.rows);
      const Grids here = make_grids(*steps_on_host(), on.A.view(), options),
                  there = make_grids(*steps_on(Device::emulator()), on.A.view(), options);
      EXPECT_TRUE(same_bits(here, there));
      if (fitted && here.all.size() > 1) {
        EXPECT_EQ(here.all[1].A.rows % options.near.count, 0);
      }
    }
}

TEST_P(OnEmulator, interpolations_that_are_fitted_to_vectors_have_the_bits_of_the_host) {
  const auto host = steps_on_host(), device = steps_on(Device::emulator());
  for (const Case& on : zoo()) {
    SCOPED_TRACE(on.name + fmt::format(", block {}", on.block));
    const CsrView<double> A = on.A.view();
    const Buffer<double> inverse = host->positive_inverse(A);
    Interpolation here, there;
    here.couplings = there.couplings = host->couplings(A, inverse, on.block, on.strength);
    here.aggregates = there.aggregates = host->aggregates(A, here.couplings);
    const NearNullspace near = uneven_vectors(A.rows), next = host->fit(near, A.rows, here),
                        next_there = device->fit(near, A.rows, there);
    ASSERT_TRUE(same_bits(next.vectors, next_there.vectors));
    for (const bool smooth : {true, false}) {
      here.smooth = there.smooth = smooth;
      Csr<double> P, P_there;
      KnownPatterns known, known_there;
      host->interpolate(A, here, inverse, 0.7, P, known);
      device->interpolate(A, there, inverse, 0.7, P_there, known_there);
      ASSERT_TRUE(same_bits(P, P_there));
      if (smooth) continue;
      // T times the vectors of the next grid are the vectors.
      for (int v = 0; v < near.count; ++v)
        for (std::int64_t row = 0; row < P.rows; ++row) {
          double sum = 0;
          for (Offset k = P.ptr[row]; k < P.ptr[row + 1]; ++k) sum += P.val[k] * next.vectors[v * P.cols + P.col[k]];
          const bool empty = P.ptr[row] == P.ptr[row + 1];
          ASSERT_NEAR(sum, empty ? 0 : near.vectors[v * P.rows + row], 1e-9);
        }
    }
  }
}

// Numbers that differ everywhere, at couplings that no rounding makes strong or weak.
Csr<double> with_other_numbers(const Csr<double>& A) {
  Csr<double> other = A;
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
      other.val[k] *= A.col[k] == row ? 1.7 * (1 + 1e-4 * static_cast<double>(row % 5)) : 1.7;
  return other;
}

TEST_P(OnEmulator, renewed_grids_have_the_bits_of_new_ones_where_no_flag_changed) {
  for (const auto& [name, block, fitted] :
       {std::tuple("stencil2d5,n=25,coefficients=varying", 1, false),
        std::tuple("stencil3d7,n=9,coefficients=varying", 1, false), std::tuple("elasticity,nx=4,ny=3,nz=3", 3, false),
        std::tuple("stencil2d5,n=25,coefficients=varying", 1, true),
        std::tuple("elasticity,nx=4,ny=3,nz=3", 3, true)}) {
    SCOPED_TRACE(name);
    const Csr<double> A = generate<double>(name), other = with_other_numbers(A);
    for (const Device device : {Device::cpu(), Device::emulator()}) {
      const auto steps = steps_on(device);
      GridOptions options{.block = block, .coarsest = 40, .renewable = true};
      if (fitted)
        options.near = uneven_vectors(A.rows), options.near.count = 2;  // more would leave rounding as couplings
      Grids grids = make_grids(*steps, A.view(), options);
      ASSERT_GE(grids.all.size(), 2u);
      ASSERT_EQ(renew_grids(*steps, other.view(), options, grids), 0);
      EXPECT_TRUE(same_bits(grids, make_grids(*steps, other.view(), options)));
    }
  }
}

TEST_P(OnEmulator, renewing_counts_the_flags_that_new_numbers_would_change) {
  const Csr<double> A = generate<double>("stencil2d5,n=20");
  Csr<double> other = A;
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
      if (std::abs(A.col[k] - row) == 1) other.val[k] = -0.1;
  const GridOptions options{.coarsest = 300, .renewable = true};
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    const auto steps = steps_on(device);
    Grids grids = make_grids(*steps, A.view(), options);
    EXPECT_EQ(renew_grids(*steps, other.view(), options, grids), 2 * 20 * 19) << to_string(device);
  }
}

TEST_P(OnEmulator, roots_of_a_path_that_is_cut_into_tiles_are_those_of_the_host) {
  const Csr<double> A = path(40000);
  const auto host = steps_on_host(), device = steps_on(Device::emulator());
  const Buffer<double> inverse = host->positive_inverse(A.view());
  const Couplings couplings = host->couplings(A.view(), inverse, 1, 0.25);
  ASSERT_NE(couplings.order.step, 1);
  const Aggregates here = host->aggregates(A.view(), couplings), there = device->aggregates(A.view(), couplings);
  EXPECT_TRUE(same_bits(here.of, there.of));
  EXPECT_LE(here.count, A.rows / 3 + couplings.order.tiles);
}

TEST_P(OnEmulator, new_values_on_an_old_pattern_give_the_bits_of_new_rows) {
  const Csr<double> A = generate<double>("stencil2d5,n=30"), B = with_ragged_flags(A);
  for (const auto& steps : {steps_on_host(), steps_on(Device::emulator())}) {
    Csr<double> kept, fresh;
    KnownPatterns known{.keep = true}, unknown;
    steps->coarse_matrix(A.view(), A.view(), A.view(), kept, known);
    steps->coarse_matrix(B.view(), B.view(), B.view(), kept, known);
    steps->coarse_matrix(B.view(), B.view(), B.view(), fresh, unknown);
    EXPECT_TRUE(same_bits(kept, fresh));
  }
}

SIMT_KERNEL look_and_wait(StrongGraph graph, NodeOrder order, Index node, std::uint64_t* words,
                          const std::uint64_t* later, std::int64_t count, bool* found) {
  OpenNodes open(graph, order, node, *simt::shared<OpenNodes::Table>());
  found[0] = open.looks_at_root(words);
  simt::sync_warp();
  for (std::int64_t i = simt::lane(); i < count; i += simt::warp_size) words[i] = later[i];
  simt::sync_warp();
  found[1] = open.waits_for_root(words);
}

// On the emulator all lower nodes are decided when a node looks at them, so that here some are left open.
TEST(Roots, of_long_rows_wait_for_the_open_nodes_within_two_couplings_and_for_no_others) {
  const Csr<double> A = generate<double>("stencil3d27,n=11");
  const auto steps = steps_on_host();
  const Couplings couplings = steps->couplings(A.view(), steps->positive_inverse(A.view()), 1, 0.25);
  const StrongGraph graph = couplings.graph(A.view());
  const auto each_near = [&](Index node, const auto& f) {
    for (Offset k = A.ptr[node]; k < A.ptr[node + 1]; ++k) {
      if (!graph.strong[k]) continue;
      f(A.col[k]);
      for (Offset m = A.ptr[A.col[k]]; m < A.ptr[A.col[k] + 1]; ++m)
        if (graph.strong[m]) f(A.col[m]);
    }
  };
  const std::int64_t count = A.rows / 32 + 1;
  std::uint64_t dice = 7;
  const auto word = [&](int of_decided, int of_roots) {  // once in so many
    RootWord made;
    for (unsigned bit = 1; bit != 0; bit *= 2) {
      dice = dice * 6364136223846793005u + 1442695040888963407u;
      made.decided |= (dice >> 33) % 100 < static_cast<unsigned>(of_decided) ? bit : 0;
      made.roots |= (dice >> 43) % 1000 < static_cast<unsigned>(of_roots) ? bit & made.decided : 0;
    }
    return made.word();
  };
  int seen[2] = {};
  for (Index node = 0; node < A.rows; node += 13) {
    Buffer<std::uint64_t> before(count), later(count);
    for (std::int64_t i = 0; i < count; ++i) {
      before[i] = word(60, 4);
      const RootWord one = RootWord::of(before[i]), other = RootWord::of(word(100, 8));
      later[i] = RootWord{simt::full_warp, one.roots | (other.roots & ~one.decided)}.word();
    }
    bool expected[2] = {}, found[2] = {};
    each_near(node, [&](Index other) {
      if (other >= node) return;
      const bool open = (RootWord::of(before[other / 32]).decided & RootWord::bit(other)) == 0;
      expected[0] = expected[0] || RootWord::is_root(before.data(), other);
      expected[1] = expected[1] || (open && RootWord::is_root(later.data(), other));
    });
    simt::launch(simt::Here{}, {1, simt::warp_size, sizeof(OpenNodes::Table)}, look_and_wait, graph, couplings.order,
                 node, before.data(), static_cast<const std::uint64_t*>(later.data()), count, &found[0]);
    ASSERT_EQ(found[0], expected[0]) << node;
    ASSERT_TRUE(found[0] || found[1] == expected[1]) << node;
    ++seen[expected[0] ? 0 : expected[1] ? 1 : 0];
  }
  EXPECT_GT(seen[0], 10);
  EXPECT_GT(seen[1], 10);
}

INSTANTIATE_TEST_SUITE_P(Steps, OnEmulator,
                         testing::Values(simt::emulator::Order::forward, simt::emulator::Order::reverse),
                         [](const auto& order) {
                           return order.param == simt::emulator::Order::forward ? "forward" : "reverse";
                         });

std::string words(const Steps& steps, const Csr<double>& A) {
  try {
    make_grids(steps, A.view(), {.coarsest = 30});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Steps, refuse_in_the_same_words_on_every_side) {
  std::vector<Csr<double>> bad;
  for (const double entry : std::vector<double>{0.0, -2.0, -3.0, NAN, HUGE_VAL}) {
    bad.push_back(generate<double>("stencil2d5,n=20"));
    const Offset first = bad.back().ptr[7];
    for (Offset k = first; k < bad.back().ptr[8]; ++k)
      if (bad.back().col[k] == 7) bad.back().val[k] = entry;
    bad.push_back(generate<double>("stencil2d5,n=20"));
    if (entry != 0.0) bad.back().val[11] = entry;
    if (entry == 0.0) bad.back() = path(300, 1.2);
  }
  bad.push_back(dense(2, {1, 3, 3, 1}));
  for (const Csr<double>& A : bad) EXPECT_EQ(words(*steps_on_host(), A), words(*steps_on(Device::emulator()), A));
  EXPECT_NE(words(*steps_on_host(), bad[0]).find("row 8"), std::string::npos);
  EXPECT_NE(words(*steps_on_host(), bad.back()).find("not positive definite"), std::string::npos);
}

TEST(Steps, tiles_in_another_order_are_all_visited_once_and_cut_chains) {
  for (const std::int64_t distance : {10, 100})
    for (const std::int64_t tiles : {3, 4, 5, 61, 64, 1000}) {
      const std::int64_t tile = std::int64_t{1} << (distance == 10 ? NodeOrder::thin_tile : NodeOrder::wide_tile);
      const NodeOrder order = NodeOrder::for_graph(tiles * tile, 10, distance);
      ASSERT_EQ(order.tiles, tiles);
      std::vector<bool> seen(static_cast<std::size_t>(tiles));
      std::int64_t chain = 1, longest = 1;
      for (std::int64_t place = 0; place < tiles; ++place) {
        const std::int64_t at = order.tile_at(place);
        EXPECT_FALSE(seen[static_cast<std::size_t>(at)]);
        seen[static_cast<std::size_t>(at)] = true;
        EXPECT_TRUE(order.before(at * tile + 5, at * tile + 6));
        if (place > 0) {
          EXPECT_TRUE(order.before(order.tile_at(place - 1) * tile + 7, at * tile + 5));
        }
      }
      for (std::int64_t at = 1; at < tiles; ++at) {
        const bool later = order.before((at - 1) * tile, at * tile);
        chain = later ? chain + 1 : 1;
        longest = std::max(longest, chain);
      }
      EXPECT_LE(longest, 3) << tiles;
    }
  EXPECT_TRUE(NodeOrder::for_graph(1 << 20, 10, 10000).before(77, 1 << 19));
}

}  // namespace
}  // namespace heddle::test

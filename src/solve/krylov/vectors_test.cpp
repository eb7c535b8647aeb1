// The trips over vectors: the emulator's kernels against the CPU's loops, lengths around blocks and pieces, orders that
// no GPU promises.
#include "solve/krylov/vectors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/zoo.hpp"

namespace heddle::solve_method {
namespace {

using test::Dice;
using Numbers = std::vector<double>;

Numbers random_numbers(std::int64_t n, std::uint64_t seed) {
  Dice dice(seed);
  Numbers made(static_cast<std::size_t>(n));
  for (double& v : made) v = dice.real();
  return made;
}

// Small integers: sums are exact in any order.
Numbers integers(std::int64_t n, std::uint64_t seed) {
  Dice dice(seed);
  Numbers made(static_cast<std::size_t>(n));
  for (double& v : made) v = dice.integer();
  return made;
}

template <class Body>
void run(const Trips<double>& trips, const Body& body, const Trip& trip) {
  std::get<void (*)(const Body&, const Trip&)>(trips)(body, trip);
}

struct Place {
  Trips<double> trips;
  std::int64_t pieces;
};
std::vector<Place> places(std::int64_t n) {
  return {{trips<double>(OnCpu{}), pieces_on_cpu(n)}, {trips<double>(simt::Emulator{}), pieces_on_gpu(n)}};
}

double total(const Numbers& partial, std::int64_t pieces, int which = 0) {
  double sum = 0;
  for (std::int64_t i = 0; i < pieces; ++i) sum += partial[static_cast<std::size_t>(which * pieces + i)];
  return sum;
}

constexpr std::int64_t lengths[] = {1, 2, 3, 31, 255, 256, 257, 1000, 8191, 8193, 20001};

TEST(Vectors, a_dot_product_is_exact_on_small_integers_at_every_length) {
  for (const std::int64_t n : lengths) {
    const Numbers a = integers(n, 1), b = integers(n, 2);
    double expected = 0;
    for (std::size_t i = 0; i < a.size(); ++i) expected += a[i] * b[i];
    for (const Place& place : places(n)) {
      State state;
      Numbers partial(static_cast<std::size_t>(place.pieces), NAN);
      run(place.trips, Dot<double>{a.data(), b.data()}, {n, &state, nullptr, partial.data(), {}});
      EXPECT_EQ(total(partial, place.pieces), expected) << n;
    }
  }
}

TEST(Vectors, sums_do_not_depend_on_the_order_of_blocks_and_warps) {
  const std::int64_t n = 1500;
  const Numbers a = random_numbers(n, 3);
  const auto sums = [&](simt::emulator::Order order) {
    simt::emulator::set_order(order);
    State state;
    Numbers partial(static_cast<std::size_t>(pieces_on_gpu(n)));
    run(trips<double>(simt::Emulator{}), Dot<double>{a.data(), a.data()}, {n, &state, nullptr, partial.data(), {}});
    simt::emulator::set_order(simt::emulator::Order::forward);
    return partial;
  };
  EXPECT_EQ(sums(simt::emulator::Order::forward), sums(simt::emulator::Order::reverse));
}

// One iteration of cg from given sums, on both, in both orders of the emulator: blocks that run late must find the
// state as blocks that ran early did.
struct AfterCg {
  Numbers x, r, p;
  State state;
};

AfterCg cg_iteration(const Place& place, std::int64_t n, double small) {
  AfterCg made{random_numbers(n, 4), random_numbers(n, 5), random_numbers(n, 6), {}};
  const Numbers q = random_numbers(n, 7);
  Numbers pq(static_cast<std::size_t>(place.pieces), 0.0), rr(static_cast<std::size_t>(2 * place.pieces), 0.0);
  pq[0] = 4;
  made.state.iteration = 1;
  made.state.small = small;
  made.state.memory[1].rho = 2;
  run(place.trips, CgResidual<double>{q.data(), made.r.data(), nullptr}, {n, &made.state, pq.data(), rr.data(), {}});
  run(place.trips, CgDirection<double>{made.p.data(), made.x.data(), made.r.data(), nullptr, nullptr},
      {n, &made.state, rr.data(), nullptr, {}});
  return made;
}

void expect_close(const Numbers& one, const Numbers& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 1e-12);
}

TEST(Vectors, an_iteration_of_cg_is_the_same_on_the_emulator_in_any_order_of_blocks) {
  for (const std::int64_t n : {1, 700, 1500}) {
    const AfterCg cpu = cg_iteration(places(n)[0], n, 0), forward = cg_iteration(places(n)[1], n, 0);
    simt::emulator::set_order(simt::emulator::Order::reverse);
    const AfterCg reverse = cg_iteration(places(n)[1], n, 0);
    simt::emulator::set_order(simt::emulator::Order::forward);
    EXPECT_EQ(forward.x, reverse.x);
    EXPECT_EQ(forward.p, reverse.p);
    expect_close(cpu.x, forward.x);
    expect_close(cpu.r, forward.r);
    expect_close(cpu.p, forward.p);
    EXPECT_EQ(forward.state.alpha, 0.5);
    EXPECT_EQ(forward.state.stopped, never);
    EXPECT_EQ(forward.state.recorded, 1);
  }
}

TEST(Vectors, the_iteration_that_stops_still_changes_x_and_the_next_one_does_not) {
  const std::int64_t n = 700;
  for (const Place& place : places(n)) {
    AfterCg made = cg_iteration(place, n, 1e9);
    EXPECT_EQ(made.state.reason, Stop::small_residual);
    EXPECT_NE(made.x, random_numbers(n, 4));
    const AfterCg before = made;
    Numbers sums(static_cast<std::size_t>(2 * place.pieces), 1.0);
    const Trip trip{n, &made.state, sums.data(), sums.data(), {}};
    run(place.trips, Dot<double>{made.p.data(), made.r.data(), Dot<double>::opens}, trip);
    run(place.trips, CgResidual<double>{made.p.data(), made.r.data(), nullptr}, trip);
    run(place.trips, CgDirection<double>{made.p.data(), made.x.data(), made.r.data(), nullptr, nullptr}, trip);
    EXPECT_EQ(made.x, before.x);
    EXPECT_EQ(made.r, before.r);
    EXPECT_EQ(made.state.recorded, 1);
    EXPECT_EQ(made.state.reason, Stop::small_residual);
  }
}

TEST(Vectors, eight_columns_of_a_basis_are_multiplied_and_subtracted_in_one_trip_each) {
  const std::int64_t n = 600;
  const int count = 5;
  const Numbers basis = integers(8 * n, 8), w0 = integers(n, 9);
  for (const Place& place : places(n)) {
    State state;
    Numbers dots(static_cast<std::size_t>(8 * place.pieces)), norm(static_cast<std::size_t>(place.pieces)), w = w0;
    Numbers h(8, 0.0);
    run(place.trips, BasisDots<double>{basis.data(), w.data(), n, count, true}, {n, &state, nullptr, dots.data(), {}});
    EXPECT_EQ(state.iteration, 1);
    run(place.trips, BasisSubtract<double>{basis.data(), w.data(), n, count, h.data(), false},
        {n, &state, dots.data(), norm.data(), {}});
    Numbers expected = w0;
    for (int c = 0; c < count; ++c) {
      double dot = 0;
      for (std::int64_t i = 0; i < n; ++i)
        dot += basis[static_cast<std::size_t>(c * n + i)] * w0[static_cast<std::size_t>(i)];
      EXPECT_EQ(h[static_cast<std::size_t>(c)], dot);
      for (std::int64_t i = 0; i < n; ++i)
        expected[static_cast<std::size_t>(i)] -= dot * basis[static_cast<std::size_t>(c * n + i)];
    }
    EXPECT_EQ(w, expected);
    double squared = 0;
    for (const double v : w) squared += v * v;
    EXPECT_EQ(total(norm, place.pieces), squared);
  }
}

}  // namespace
}  // namespace heddle::solve_method

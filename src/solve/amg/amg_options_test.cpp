// amg by its options: the precision of its cycle, vectors of the near-nullspace, updates.
#include <heddle/solve.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>

#include "support/amg_solves.hpp"
#include "support/guarded_memory.hpp"

namespace heddle::test {
namespace {

// ------------------------------------------------------------------------------------------------- cycle in float

TEST(Amg, a_cycle_in_float_costs_no_iteration) {
  for (const char* name : {"stencil2d5,n=60", "stencil2d5,n=50,coefficients=varying", "stencil3d7,n=16",
                           "stencil3d27,n=12", "elasticity,nx=9,ny=5,nz=5"}) {
    const Csr<double> A = generate<double>(name);
    const std::int64_t wide = iterations(A, {.coarsest = 50, .double_cycle = true});
    EXPECT_EQ(iterations(A, {.coarsest = 50}), wide) << name;
    const auto op = build(A);
    EXPECT_NE(make_preconditioner("amg", op, A, {.coarsest = 50})->name().find("cycle in float"), std::string::npos);
  }
}

TEST(Amg, a_cycle_in_float_takes_residuals_of_any_size) {
  const Csr<double> A = generate<double>("stencil2d5,n=30");
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    const auto op = build(A, {}, {.device = device});
    const auto M = make_preconditioner("amg", op, A, {.coarsest = 50});
    const Numbers r = uneven(A.rows);
    Numbers z(r.size()), scaled(r), other(r.size());
    M->apply(r, z, {});
    for (const double factor : {0x1p-400, 0x1p400, 0.0}) {
      for (std::size_t i = 0; i < r.size(); ++i) scaled[i] = factor * r[i];
      M->apply(scaled, other, {});
      for (std::size_t i = 0; i < r.size(); ++i) EXPECT_NEAR(other[i], factor * z[i], 1e-14 * factor) << factor;
    }
  }
}

TEST(Amg, the_cycle_stays_in_double_where_numbers_do_not_fit_float) {
  for (const double factor : {1e35, 1e-35}) {
    Csr<double> A = generate<double>("stencil2d5,n=30");
    for (double& value : A.val) value *= factor;
    const auto op = build(A);
    EXPECT_EQ(make_preconditioner("amg", op, A, {.coarsest = 50})->name().find("float"), std::string::npos);
    EXPECT_LE(iterations(A, {.coarsest = 50}), 10);
  }
}

// --------------------------------------------------------------------------------------------------- rigid bodies

TEST(Amg, rigid_body_modes_are_what_an_unclamped_body_does_not_resist) {
  // Springs along the edges and diagonals of a cloud of points resist no motion of a rigid body.
  for (const int dimension : {2, 3}) {
    const std::size_t d = static_cast<std::size_t>(dimension), nodes = 6;
    Numbers at(nodes * d);
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = std::sin(1 + 3.0 * static_cast<double>(i * i));
    const Numbers modes = rigid_body_modes(at, dimension);
    ASSERT_EQ(modes.size(), at.size() * (dimension == 2 ? 3 : 6));
    for (std::size_t m = 0; m < modes.size() / at.size(); ++m)
      for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < i; ++j) {
          double longer = 0;
          for (std::size_t c = 0; c < d; ++c)
            longer +=
                (at[i * d + c] - at[j * d + c]) * (modes[m * at.size() + i * d + c] - modes[m * at.size() + j * d + c]);
          EXPECT_NEAR(longer, 0, 1e-14);
        }
  }
  EXPECT_THROW(rigid_body_modes(Numbers(6), 4), Error);
  EXPECT_THROW(rigid_body_modes(Numbers(7), 3), Error);
  EXPECT_THROW(rigid_body_modes(Numbers{1, NAN}, 2), Error);
}

TEST(Amg, needs_far_fewer_iterations_for_a_beam_with_the_modes_of_a_rigid_body) {
  const Csr<double> A = generate<double>("elasticity,nx=30,ny=2,nz=2");
  PreconditionerOptions options{.block = 3, .coarsest = 60};
  const std::int64_t before = iterations(A, options);
  options.near_nullspace = rigid_body_modes(beam_coordinates(30, 2, 2), 3);
  const std::int64_t with_modes = iterations(A, options);
  EXPECT_LT(2 * with_modes, before);
}

TEST(Amg, constants_as_vectors_are_as_good_as_none) {
  const Csr<double> A = generate<double>("stencil2d5,n=50");
  EXPECT_LE(iterations(A, {.coarsest = 50, .near_nullspace = Numbers(static_cast<std::size_t>(A.rows), 1.0)}),
            iterations(A, {.coarsest = 50}) + 1);
}

TEST(Amg, refuses_vectors_that_are_none) {
  const Csr<double> A = generate<double>("stencil2d5,n=20");
  EXPECT_THROW(iterations(A, {.near_nullspace = Numbers(401)}), Error);
  EXPECT_THROW(iterations(A, {.near_nullspace = Numbers(400 * 9, 1.0)}), Error);
  EXPECT_THROW(iterations(A, {.near_nullspace = Numbers(400, NAN)}), Error);
}

// -------------------------------------------------------------------------------------------------------- updates

TEST(Amg, updated_it_is_what_a_new_one_would_be) {
  for (const char* name : {"stencil2d5,n=18,coefficients=varying", "elasticity,nx=4,ny=2,nz=2"})
    for (const bool wide : {true, false})
      for (const Device device : {Device::cpu(), Device::emulator()}) {
        const Csr<double> A = generate<double>(name);
        Csr<double> other = A;
        for (std::int64_t row = 0; row < A.rows; ++row)
          for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) other.val[k] *= A.col[k] == row ? 3.001 : 3;
        auto op = build(A, Plan{"csr", {}}, {.device = device});
        const PreconditionerOptions options{.coarsest = 40, .double_cycle = wide, .updates = true};
        const auto M = make_preconditioner("amg", op, A, options);
        op.update_values(other.val);
        EXPECT_EQ(M->update_values(other.val), 0) << name;
        const auto fresh_op = build(other, Plan{"csr", {}}, {.device = device});
        const auto fresh = make_preconditioner("amg", fresh_op, other, options);
        const Numbers r = uneven(A.rows);
        Numbers z(r.size()), expected(r.size());
        M->apply(r, z, {});
        fresh->apply(r, expected, {});
        EXPECT_EQ(z, expected) << name;
      }
}

TEST(Amg, tells_how_many_couplings_an_update_has_changed_and_still_converges) {
  const Csr<double> A = generate<double>("stencil2d5,n=40");
  Csr<double> other = A;
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
      if (std::abs(A.col[k] - row) == 1) other.val[k] *= 0.1;
  auto op = build(A);
  const auto M = make_preconditioner("amg", op, A, {.coarsest = 40, .updates = true});
  op.update_values(other.val);
  EXPECT_GT(M->update_values(other.val), 1000);
  Numbers x(static_cast<std::size_t>(A.rows), 0.0);
  EXPECT_TRUE(solve(op, uneven(A.rows), x, {.method = "cg", .own_preconditioner = M}).converged());
}

Numbers applied(const Preconditioner<double>& M, std::int64_t rows) {
  const Numbers r = uneven(rows);
  Numbers z(r.size());
  M.apply(r, z, {});
  return z;
}

TEST(Amg, after_an_update_that_failed_anywhere_the_next_one_makes_it_what_a_new_one_would_be) {
  for (const bool wide : {true, false})
    for (const Device device : {Device::cpu(), Device::emulator()}) {
      const GuardedMemory memory;
      const Csr<double> A = generate<double>("stencil2d5,n=18,coefficients=varying");
      Csr<double> failing = A, good = A, indefinite = A;
      for (std::int64_t row = 0; row < A.rows; ++row)
        for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
          failing.val[k] *= A.col[k] == row ? 3.001 : 3;  // changes no flag
          good.val[k] *= 2;
          indefinite.val[k] *= -1;
        }
      auto op = build(A, Plan{"csr", {}}, {.device = device});
      const auto good_op = build(good, Plan{"csr", {}}, {.device = device});
      const PreconditionerOptions options{.coarsest = 40, .double_cycle = wide, .updates = true};
      const Numbers expected = applied(*make_preconditioner("amg", good_op, good, options), A.rows);
      const auto M = make_preconditioner("amg", op, A, options);
      ASSERT_GE(M->grids().size(), 2u);
      const auto update = [&](const Csr<double>& to) {
        op.update_values(to.val);
        return M->update_values(to.val);
      };
      EXPECT_EQ(update(failing), 0);  // the maps of the operators are made once
      int failed = 0;
      bool done = false;
      for (std::int64_t at = 0; !done && at < 2000; at += device.kind == Device::Kind::cpu ? 1 : 7) {
        op.update_values(failing.val);
        GuardedMemory::fail_at(at, GuardedMemory::Fault::once);
        try {
          M->update_values(failing.val);
          done = true;
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::unavailable) << error.what();
          ++failed;
        }
        GuardedMemory::fail_at(0, GuardedMemory::Fault::none);
        EXPECT_EQ(update(good), 0);
        ASSERT_EQ(applied(*M, A.rows), expected) << to_string(device) << " " << at;
      }
      EXPECT_TRUE(done);
      EXPECT_GT(failed, 5);
      EXPECT_THROW(M->update_values(indefinite.val), Error);
      EXPECT_EQ(update(good), 0);
      EXPECT_EQ(applied(*M, A.rows), expected);
    }
}

TEST(Amg, refuses_an_update_it_was_not_made_for) {
  const Csr<double> A = generate<double>("stencil2d5,n=20");
  const auto op = build(A);
  EXPECT_THROW(make_preconditioner("amg", op, A)->update_values(A.val), Error);
  EXPECT_THROW(make_preconditioner("jacobi", op, A)->update_values(A.val), Error);
  EXPECT_THROW(make_preconditioner("amg", op, A, {.updates = true})->update_values(A.val.span().first(7)), Error);
}

}  // namespace
}  // namespace heddle::test

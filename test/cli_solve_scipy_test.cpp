// heddle solve against SciPy: the same iteration counts for the same method and stopping rule, and solutions that agree
// with its direct solver (with its own GMRES where factors would fill up). Skipped, saying so, where SciPy or a matrix
// is missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "support/command.hpp"
#include "support/tree.hpp"

namespace heddle::test {
namespace {

// Prints SciPy's number of iterations, and the residual and the error of our x as SciPy sees them. MINRES has a rule of
// its own in SciPy: there the first iterate counts that meets ours. GMRES is preconditioned from the right, as ours is.
const char* const compare_script = R"(
import sys, numpy, scipy.io, scipy.sparse, scipy.sparse.linalg as la
matrix, rhs, method, precond, tolerance, ours = sys.argv[1:]
A = scipy.sparse.csr_matrix(scipy.io.mmread(matrix)).astype(float)
b, tolerance = numpy.loadtxt(rhs), float(tolerance)
inverse = scipy.sparse.diags(1 / A.diagonal()) if precond == 'jacobi' else None
count = 0
class Done(Exception): pass
def step(x):
    global count
    count += 1
    if method == 'minres' and numpy.linalg.norm(b - A @ x) <= tolerance * numpy.linalg.norm(b): raise Done
try:
    if method == 'gmres':
        B = A if inverse is None else A @ inverse
        la.gmres(B, b, tol=tolerance, atol=0, restart=30, maxiter=1000, callback=step, callback_type='pr_norm')
    elif method == 'minres':
        if inverse is not None: inverse = abs(inverse)
        la.minres(A, b, tol=1e-30, maxiter=20000, M=inverse, callback=step)
    else:
        getattr(la, method)(A, b, tol=tolerance, atol=0, maxiter=20000, M=inverse, callback=step)
except Done: pass
x = scipy.io.mmread(ours).ravel()
direct = la.spsolve(A.tocsc(), b) if len(b) < 6000 else la.gmres(A, b, tol=1e-14, atol=0, restart=60)[0]
print(count, numpy.linalg.norm(b - A @ x) / numpy.linalg.norm(b), numpy.linalg.norm(x - direct) / numpy.linalg.norm(direct))
)";

std::string matrices_folder() {
  const char* named = std::getenv("HEDDLE_MATRICES");
  return named != nullptr ? named : tree::folder() + "/../shared/matrices";
}

bool scipy_found() {
  static const bool found = run_program({"/usr/bin/python3", "-c", "import scipy.sparse.linalg"}).exit_code == 0;
  return found;
}

struct Case {
  const char *matrix, *method, *precond;
  double tolerance, error;  // of the residual asked for; of x, which the condition of the matrix decides
};

class SolveSciPy : public testing::TestWithParam<Case> {};

TEST_P(SolveSciPy, agrees_in_iterations_and_solution) {
  if (!scipy_found()) GTEST_SKIP() << "/usr/bin/python3 has no SciPy";
  const Case& c = GetParam();
  const ScratchFolder folder;
  std::string matrix = matrices_folder() + "/" + c.matrix + ".mtx.gz";
  if (std::string_view(c.matrix).starts_with("gen:")) {
    matrix = folder.path("A.mtx");
    ASSERT_EQ(heddle_command({"convert", c.matrix, matrix}).exit_code, 0);
  }
  if (!exists(matrix)) GTEST_SKIP() << "there is no " << matrix;
  const int rows = heddle_command({"info", matrix, "--json"}).json()["matrix"]["rows"];
  std::string numbers;
  for (int i = 0; i < rows; ++i) numbers += std::to_string((i * 37 % 101 - 40) / 16.0) + "\n";
  const std::string b = folder.write("b.txt", numbers), x = folder.path("x.mtx");
  std::ostringstream tolerance_text;
  tolerance_text << c.tolerance;
  const Outcome ours = heddle_command({"solve", matrix, "--rhs", b, "--method", c.method, "--precond", c.precond,
                                       "--tolerance", tolerance_text.str(), "--out", x, "--json"});
  ASSERT_EQ(ours.exit_code, 0) << ours.err;
  const Outcome scipy =
      run_program({"/usr/bin/python3", "-c", compare_script, matrix, b, c.method, c.precond, tolerance_text.str(), x});
  ASSERT_EQ(scipy.exit_code, 0) << scipy.err;
  std::istringstream words(scipy.out);
  int iterations = 0;
  double residual = 0, error = 0;
  words >> iterations >> residual >> error;
  // Beyond a few hundred iterations (1138_bus: 1,025 of SciPy's, 1,020 of ours) the order of additions decides on some.
  EXPECT_NEAR(ours.json()["iterations"].get<int>(), iterations, std::max(2, iterations / 200)) << scipy.out;
  EXPECT_LE(residual, c.tolerance * 1.000001);
  EXPECT_LE(error, c.error);
}

INSTANTIATE_TEST_SUITE_P(Generated, SolveSciPy,
                         testing::Values(Case{"gen:stencil3d7,n=12", "cg", "none", 1e-9, 1e-7},
                                         Case{"gen:stencil2d5,n=30,coefficients=varying", "cg", "jacobi", 1e-9, 1e-6},
                                         Case{"gen:stencil3d7,n=12", "minres", "none", 1e-9, 1e-7},
                                         Case{"gen:stencil2d5,n=30,coefficients=varying", "minres", "jacobi", 1e-8,
                                              1e-5},
                                         Case{"gen:stencil3d7,n=12", "gmres", "none", 1e-9, 1e-7},
                                         Case{"gen:elasticity,nx=4,ny=3,nz=3", "cg", "jacobi", 1e-8, 1e-5},
                                         Case{"gen:stencil3d27,n=10", "bicgstab", "jacobi", 1e-8, 1e-6}));
INSTANTIATE_TEST_SUITE_P(Real, SolveSciPy,
                         testing::Values(Case{"bcsstk16", "cg", "jacobi", 1e-8, 1e-3},
                                         Case{"1138_bus", "cg", "jacobi", 1e-8, 1e-3},
                                         Case{"Trefethen_2000", "cg", "jacobi", 1e-10, 1e-6},
                                         Case{"Trefethen_2000", "minres", "jacobi", 1e-10, 1e-6},
                                         Case{"cage10", "gmres", "none", 1e-10, 1e-8},
                                         Case{"cage10", "bicgstab", "none", 1e-10, 1e-8},
                                         Case{"cage10", "bicgstab", "jacobi", 1e-10, 1e-8},
                                         Case{"sherman5", "gmres", "jacobi", 1e-8, 1e-3}));

}  // namespace
}  // namespace heddle::test

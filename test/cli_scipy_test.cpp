// heddle multiply against SciPy, on real matrices. Skipped, saying so, where either is missing.
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/command.hpp"

namespace heddle::test {
namespace {

std::string matrices_folder() {
  const char* named = std::getenv("HEDDLE_MATRICES");
  return named != nullptr ? named : HEDDLE_SOURCE_FOLDER "/../shared/matrices";
}

// Both sides may be off by the bound of a row, (len + 3) eps |A| |x|; prints the largest error as a share of that.
const char* const compare_script = R"(
import sys, numpy, scipy.io, scipy.sparse
matrix, x, y, eps, transposed = sys.argv[1:6]
A = scipy.sparse.csr_matrix(scipy.io.mmread(matrix)).astype(float)
if transposed == '1': A = A.T.tocsr()
x = numpy.loadtxt(x)
y = scipy.io.mmread(y).ravel()
length = numpy.diff(A.indptr)
bound = 2 * (length + 3) * float(eps) * (abs(A) @ abs(x))
error = abs(y - A @ x)
assert (error[bound == 0] == 0).all()
print((error[bound > 0] / bound[bound > 0]).max() if (bound > 0).any() else 0.0)
)";

std::string vector_text(int length) {
  std::string text;
  for (int i = 0; i < length; ++i) text += std::to_string((i * 37 % 101 - 50) / 16.0) + "\n";
  return text;
}

void expect_agreement(const std::string& name, bool transposed, bool single) {
  SCOPED_TRACE(name + (transposed ? " transposed" : "") + (single ? " f32" : ""));
  const ScratchFolder folder;
  const std::string matrix = matrices_folder() + "/" + name + ".mtx.gz";
  const auto shape = heddle_command({"info", matrix, "--json"}).json()["matrix"];
  const std::string x = folder.write("x.txt", vector_text(shape[transposed ? "rows" : "cols"])),
                    y = folder.path("y.mtx");
  std::vector<std::string> words{"multiply", matrix, "--x", x, "--out", y, "--precision", single ? "f32" : "f64"};
  if (transposed) words.push_back("--transpose");
  const Outcome multiplied = heddle_command(words);
  ASSERT_EQ(multiplied.exit_code, 0) << multiplied.err;
  const Outcome compared = run_program({"/usr/bin/python3", "-c", compare_script, matrix, x, y,
                                        single ? "1.19e-7" : "2.22e-16", transposed ? "1" : "0"});
  ASSERT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_LE(std::stod(compared.out), 1.0);
}

class SciPy : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (run_program({"/usr/bin/python3", "-c", "import scipy.io"}).exit_code != 0)
      GTEST_SKIP() << "/usr/bin/python3 has no SciPy";
    if (!exists(matrices_folder() + "/" + GetParam() + ".mtx.gz"))
      GTEST_SKIP() << "no " << GetParam() << ".mtx.gz in " << matrices_folder();
  }
};

TEST_P(SciPy, agrees_within_the_bound) { expect_agreement(GetParam(), false, false); }
TEST_P(SciPy, agrees_within_the_bound_when_transposed) { expect_agreement(GetParam(), true, false); }
TEST_P(SciPy, agrees_within_the_bound_in_single_precision) { expect_agreement(GetParam(), false, true); }

INSTANTIATE_TEST_SUITE_P(General, SciPy, testing::Values("cage10", "west2021", "sherman5"));
INSTANTIATE_TEST_SUITE_P(Symmetric, SciPy, testing::Values("1138_bus", "bcsstk13"));
INSTANTIATE_TEST_SUITE_P(Pattern, SciPy, testing::Values("wiki-Vote", "email-Enron"));
INSTANTIATE_TEST_SUITE_P(Rectangular, SciPy, testing::Values("well1850", "beacxc", "lp_fit2d"));

}  // namespace
}  // namespace heddle::test

// heddle multiply against SciPy, on real matrices. Skipped, saying so, where either is missing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "support/command.hpp"
#include "support/tree.hpp"

namespace heddle::test {
namespace {

std::string matrices_folder() {
  const char* named = std::getenv("HEDDLE_MATRICES");
  return named != nullptr ? named : tree::folder() + "/../shared/matrices";
}

// For every (precision's eps, transposed or not, x, y): both sides may be off by the bound of a row,
// (len + 3) eps |A| |x|; prints the largest error as a share of that.
const char* const compare_script = R"(
import sys, numpy, scipy.io, scipy.sparse
matrix, cases = sys.argv[1], sys.argv[2:]
plain = scipy.sparse.csr_matrix(scipy.io.mmread(matrix)).astype(float)
for eps, transposed, x, y in zip(*[iter(cases)] * 4):
    A = plain.T.tocsr() if transposed == '1' else plain
    x = numpy.loadtxt(x)
    bound = 2 * (numpy.diff(A.indptr) + 3) * float(eps) * (abs(A) @ abs(x))
    error = abs(scipy.io.mmread(y).ravel() - A @ x)
    assert (error[bound == 0] == 0).all()
    print((error[bound > 0] / bound[bound > 0]).max())
)";

// Multiples of 1/16: exact in both precisions.
std::string vector_text(int length) {
  std::string text;
  for (int i = 0; i < length; ++i) text += std::to_string((i * 37 % 101 - 50) / 16.0) + "\n";
  return text;
}

bool scipy_found() {
  static const bool found = run_program({"/usr/bin/python3", "-c", "import scipy.io"}).exit_code == 0;
  return found;
}

class SciPy : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!scipy_found()) GTEST_SKIP() << "/usr/bin/python3 has no SciPy";
    if (!exists(file())) GTEST_SKIP() << "there is no " << file();
    shape_ = heddle_command({"info", file(), "--json"}).json()["matrix"];
  }
  std::string file() const { return matrices_folder() + "/" + GetParam() + ".mtx.gz"; }

  // The words the script wants for one product.
  std::vector<std::string> multiply(bool transposed, bool single) {
    const std::string tag = std::string(transposed ? "t" : "n") + (single ? "s" : "d");
    const std::string x = folder_.write("x" + tag, vector_text(shape_[transposed ? "rows" : "cols"]));
    const std::string y = folder_.path("y" + tag + ".mtx");
    std::vector<std::string> words{"multiply", file(), "--x", x, "--out", y, "--precision", single ? "f32" : "f64"};
    if (transposed) words.push_back("--transpose");
    const Outcome outcome = heddle_command(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return {single ? "1.1920929e-07" : "2.220446049250313e-16", transposed ? "1" : "0", x, y};
  }

  ScratchFolder folder_;
  nlohmann::json shape_;
};

TEST_P(SciPy, agrees_within_the_bound_in_both_precisions_and_transposed) {
  std::vector<std::string> words{"/usr/bin/python3", "-c", compare_script, file()};
  int products = 0;
  for (const auto& [transposed, single] : {std::pair(false, false), {true, false}, {false, true}}) {
    const auto more = multiply(transposed, single);
    words.insert(words.end(), more.begin(), more.end());
    ++products;
  }
  const Outcome compared = run_program(words);
  ASSERT_EQ(compared.exit_code, 0) << compared.err;
  std::istringstream shares(compared.out);
  for (double share; shares >> share; --products) EXPECT_LE(share, 1.0) << compared.out;
  EXPECT_EQ(products, 0) << compared.out;
}

INSTANTIATE_TEST_SUITE_P(General, SciPy, testing::Values("cage10", "west2021", "plskz362"));
INSTANTIATE_TEST_SUITE_P(Symmetric, SciPy, testing::Values("1138_bus", "bcsstk13"));
INSTANTIATE_TEST_SUITE_P(Pattern, SciPy, testing::Values("wiki-Vote", "email-Enron"));
INSTANTIATE_TEST_SUITE_P(Rectangular, SciPy, testing::Values("well1850", "beacxc", "lp_fit2d", "fast0507"));

}  // namespace
}  // namespace heddle::test

// The registry of methods and preconditioners: what stands there works, and stands in what users read.
#include "solve/methods.hpp"

#include <gtest/gtest.h>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>
#include <heddle/solve.hpp>

#include "support/tree.hpp"

namespace heddle::test {
namespace {

using solve_method::method_names;
using solve_method::preconditioner_names;

const Csr<double>& matrix() {
  static const Csr<double> A = generate("stencil2d5,n=12");
  return A;
}

Report solved(const std::string& method, const std::string& preconditioner) {
  const auto op = build(matrix(), Plan{}, {.device = Device::cpu()});
  const std::vector<double> b(static_cast<std::size_t>(op.rows()), 1.0);
  std::vector<double> x(b.size());
  return solve(op, b, x, {.method = method, .preconditioner = preconditioner});
}

TEST(Methods, each_of_them_solves_and_reports_its_name) {
  ASSERT_EQ(method_names().size(), 4u);
  for (const std::string& name : method_names()) {
    const Report report = solved(name, "none");
    EXPECT_TRUE(report.converged()) << name;
    EXPECT_EQ(report.method, name);
  }
}

TEST(Methods, each_preconditioner_is_made_and_reports_its_name) {
  ASSERT_EQ(preconditioner_names().size(), 7u);
  for (const std::string& name : preconditioner_names()) {
    const Report report = solved("gmres", name);
    EXPECT_TRUE(report.converged()) << name;
    EXPECT_TRUE(report.preconditioner.starts_with(name)) << report.preconditioner;
  }
}

TEST(Methods, an_unknown_name_is_answered_with_those_there_are) {
  const auto said = [](const std::string& method, const std::string& preconditioner) {
    try {
      (void)solved(method, preconditioner);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(said("sor", "none"), "sor: no such method; known: auto, cg, minres, bicgstab, gmres");
  EXPECT_EQ(said("cg", "ilu"),
            "ilu: no such preconditioner; known: none, jacobi, block_jacobi, chebyshev, fsai, spai, amg");
}

TEST(Methods, every_name_stands_in_the_headers_and_on_the_page) {
  for (const char* file : {"include/heddle/solve.hpp", "include/heddle.h", "docs/solvers.md"}) {
    const std::string text = tree::all().at(file);
    for (const auto& names : {method_names(), preconditioner_names()})
      for (const std::string& name : names) EXPECT_NE(text.find(name), std::string::npos) << name << " in " << file;
  }
}

}  // namespace
}  // namespace heddle::test

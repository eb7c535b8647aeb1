// Formats from outside in the planner: proposed, priced by a guess that says so, and passed over where they do not fit.
#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include "../../examples/custom_format/ones.hpp"
#include "plan/predict/predicted_parts.hpp"

namespace heddle::test {
namespace {

Csr<double> graph(const char* values) {
  return generate<double>(std::string("random,rows=60000,cols=60000,per_row=33,values=") + values);
}

void know_ones() {
  static const bool now = (register_format<Ones>(), true);
  ASSERT_TRUE(now);
}

Choice chosen(const Csr<double>& A, Device::Kind kind = Device::Kind::cpu) {
  return choose(analyze(A), built_in_machine(kind));
}

const Candidate* candidate(const Choice& choice, const std::string& plan) {
  for (const Candidate& c : choice.candidates)
    if (to_string(c.plan) == plan) return &c;
  return nullptr;
}

TEST(CustomWork, the_format_of_the_example_is_chosen_for_a_graph_and_the_reason_says_that_it_is_a_guess) {
  know_ones();
  const Choice choice = chosen(graph("ones"));
  EXPECT_EQ(to_string(choice.plan), "ones");
  EXPECT_NE(choice.reason.find("a guess: the costs of this format are not fitted"), std::string::npos) << choice.reason;
  EXPECT_EQ(candidate(choice, "ones")->bytes, 60001 * 8 + graph("ones").nnz() * 4);
  EXPECT_GT(candidate(choice, "csr")->predicted_seconds, choice.predicted_seconds);
}

TEST(CustomWork, a_prediction_part_by_part_says_that_it_is_a_guess) {
  know_ones();
  const Csr<double> A = graph("ones");
  const Machine& machine = built_in_machine(Device::Kind::cpu);
  const PredictedParts made = predicted_parts(A, analyze(A), machine, Plan::parse("ones"));
  EXPECT_FALSE(made.cost.fitted());
  EXPECT_FALSE(made.build_cost.fitted());
  EXPECT_EQ(made.product.seconds, predict(A, analyze(A), machine, Plan::parse("ones")));
}

TEST(CustomWork, where_values_differ_it_does_not_fit) {
  know_ones();
  const Choice choice = chosen(graph("random"));
  ASSERT_NE(candidate(choice, "ones"), nullptr);
  EXPECT_FALSE(candidate(choice, "ones")->fits);
  EXPECT_NE(choice.plan.format, "ones");
}

TEST(CustomWork, without_a_kernel_for_a_gpu_it_is_not_proposed_there) {
  know_ones();
  EXPECT_EQ(candidate(chosen(graph("ones"), Device::Kind::gpu), "ones"), nullptr);
}

TEST(CustomWork, optimize_builds_it_and_goes_on_without_it_where_values_will_change) {
  know_ones();
  const Csr<double> A = graph("ones");
  const std::vector<double> x(static_cast<std::size_t>(A.cols), 1.0);
  std::vector<double> y(static_cast<std::size_t>(A.rows)), z = y;
  build(A, Plan::parse("ones"), {.device = Device::cpu()}).multiply(x, y);
  const auto op = optimize(A, {.device = Device::cpu()}, {.updates = true});
  EXPECT_NE(op.plan().format, "ones");
  op.multiply(x, z);
  EXPECT_EQ(y, z);
}

}  // namespace
}  // namespace heddle::test

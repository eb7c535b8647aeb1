// heddle solve: results, verdicts and their exit codes, files, JSON.
#include <gtest/gtest.h>

#include <sstream>

#include "support/command.hpp"

namespace heddle::test {
namespace {

Outcome solve(std::vector<std::string> words) {
  words.insert(words.begin(), "solve");
  return heddle_command(words);
}

std::string matrix(const std::string& size_line, const std::string& entries) {
  return "%%MatrixMarket matrix coordinate real general\n" + size_line + "\n" + entries;
}

TEST(SolveCommand, solves_and_says_how_well) {
  const Outcome outcome = solve({"gen:stencil3d7,n=8", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const nlohmann::json json = outcome.json();
  EXPECT_EQ(json["command"], "solve");
  EXPECT_EQ(json["method"], "cg");
  EXPECT_EQ(json["status"], "converged");
  EXPECT_LE(json["true_residual"], 1e-8);
  EXPECT_LE(json["residual"], 1e-8);
  EXPECT_EQ(json["history"].size(), json["iterations"].get<std::size_t>() + 1);
  EXPECT_EQ(json["history"][0], 1.0);
  EXPECT_GE(json["seconds"], 0.0);
  EXPECT_FALSE(json["plan"].get<std::string>().empty());
}

// So large that analysing pays for 500 products whatever the machine: for small systems csr is taken without.
TEST(SolveCommand, takes_the_plan_that_the_planner_chooses_or_the_one_it_is_given) {
  const nlohmann::json chosen =
      heddle_command({"plan", "gen:stencil3d7,n=24", "--expected-multiplies", "500", "--device", "cpu", "--json"})
          .json();
  // A plan that was built has no `auto` any more.
  const auto begin = [](const nlohmann::json& plan) {
    const std::string text = plan.get<std::string>();
    return text.substr(0, text.find(" values="));
  };
  EXPECT_EQ(begin(solve({"gen:stencil3d7,n=24", "--device", "cpu", "--json"}).json()["plan"]), begin(chosen["plan"]));
  EXPECT_TRUE(
      solve({"gen:stencil3d7,n=8", "--plan", "coo", "--json"}).json()["plan"].get<std::string>().starts_with("coo"));
}

TEST(SolveCommand, takes_sparse_approximate_inverses) {
  const auto iterations = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"gen:stencil2d5,n=40", "--plan", "csr", "--json"});
    const Outcome outcome = solve(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.json()["iterations"].get<int>();
  };
  EXPECT_LT(iterations({"--precond", "fsai"}), iterations({"--precond", "jacobi"}));
  EXPECT_LT(iterations({"--precond", "fsai", "--power", "2"}), iterations({"--precond", "fsai"}));
  EXPECT_LT(iterations({"--precond", "spai", "--method", "gmres"}), iterations({"--method", "gmres"}));
  EXPECT_EQ(solve({"gen:stencil2d5,n=9", "--precond", "spai", "--method", "cg"}).exit_code, 2);
}

TEST(SolveCommand, takes_multigrid_and_reports_its_grids) {
  const Outcome outcome =
      solve({"gen:stencil2d5,n=60", "--precond", "amg", "--double-cycle", "--strength", "0.3", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const nlohmann::json json = outcome.json(), grids = json["multigrid"]["grids"];
  EXPECT_LE(json["iterations"], 12);
  EXPECT_GT(json["setup_seconds"], 0.0);
  ASSERT_GE(grids.size(), 2u);
  EXPECT_EQ(grids[0]["rows"], 3600);
  EXPECT_EQ(grids[0]["plan"], json["plan"]);
  EXPECT_LE(grids.back()["rows"], 300);
  std::int64_t rows = 0, nnz = 0;
  for (const auto& grid : grids) rows += grid["rows"].get<int>(), nnz += grid["nnz"].get<int>();
  EXPECT_DOUBLE_EQ(json["multigrid"]["grid_complexity"], static_cast<double>(rows) / 3600);
  EXPECT_DOUBLE_EQ(json["multigrid"]["operator_complexity"], static_cast<double>(nnz) / grids[0]["nnz"].get<double>());
  EXPECT_NE(solve({"gen:stencil2d5,n=60", "--precond", "amg"}).out.find("3,600 > "), std::string::npos);
  EXPECT_FALSE(solve({"gen:stencil2d5,n=6", "--json"}).json().contains("multigrid"));
  EXPECT_EQ(solve({"gen:stencil2d5,n=6", "--precond", "amg", "--strength", "2"}).exit_code, 2);
}

TEST(SolveCommand, says_which_matrix_multigrid_does_not_take) {
  const ScratchFolder folder;
  const std::string A = folder.write("A.mtx", matrix("2 2 3", "1 1 2\n2 1 1\n1 2 1\n"));
  const Outcome outcome = solve({A, "--precond", "amg", "--method", "gmres"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.err.find("row 2"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("--precond"), std::string::npos) << outcome.err;
}

TEST(SolveCommand, chooses_a_preconditioner_and_says_why) {
  const Outcome far = solve({"gen:stencil2d5,n=200", "--precond", "auto", "--json", "--device", "cpu"});
  ASSERT_EQ(far.exit_code, 0) << far.err;
  EXPECT_TRUE(far.json()["preconditioner"].get<std::string>().starts_with("amg")) << far.out;
  EXPECT_NE(far.json()["preconditioner_reason"].get<std::string>().find("iterations"), std::string::npos);
  const Outcome near = solve({"gen:stencil2d5,n=20", "--precond", "auto"});
  EXPECT_NE(near.out.find("precond   the diagonal is constant"), std::string::npos) << near.out;
  EXPECT_TRUE(solve({"gen:stencil2d5,n=20", "--json"}).json()["preconditioner_reason"].is_null());
}

TEST(SolveCommand, hands_on_the_settings_of_a_preconditioner) {
  const auto iterations = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"gen:stencil2d5,n=60", "--json", "--precond"});
    return solve(words).json()["iterations"].get<int>();
  };
  EXPECT_LT(iterations({"chebyshev", "--degree", "8"}), iterations({"chebyshev", "--degree", "2"}));
  EXPECT_LT(iterations({"amg", "--smoothing", "4"}), iterations({"amg", "--smoothing", "1"}));
  const Outcome coarse = solve({"gen:stencil2d5,n=60", "--precond", "amg", "--coarsest", "20", "--json"});
  EXPECT_LE(coarse.json()["multigrid"]["grids"].back()["rows"], 20);
}

TEST(SolveCommand, amg_takes_the_coordinates_of_a_body) {
  const ScratchFolder folder;
  std::string rows;
  for (int column = 0; column < 3; ++column)  // an array is written column by column
    for (int x = 1; x <= 40; ++x)
      for (int y = 0; y <= 2; ++y)
        for (int z = 0; z <= 2; ++z) rows += std::to_string(column == 0 ? x : column == 1 ? y : z) + "\n";
  const std::string nodes = folder.write("nodes.mtx", "%%MatrixMarket matrix array real general\n360 3\n" + rows);
  const auto solved = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"gen:elasticity,nx=40,ny=2,nz=2", "--precond", "amg", "--json"});
    return solve(words);
  };
  const int without = solved({}).json()["iterations"].get<int>();
  const Outcome with_modes = solved({"--coordinates", nodes});
  ASSERT_EQ(with_modes.exit_code, 0) << with_modes.err;
  EXPECT_LT(2 * with_modes.json()["iterations"].get<int>(), without);
  EXPECT_EQ(solved({"--coordinates", nodes, "--reorder", "rcm"}).exit_code, 2);
  const Outcome wrong = solve({"gen:stencil2d5,n=10", "--precond", "amg", "--coordinates", nodes});
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_NE(wrong.err.find("360 x 3"), std::string::npos) << wrong.err;
}

TEST(SolveCommand, goes_on_with_minres_where_cg_finds_the_matrix_indefinite) {
  const ScratchFolder folder;
  const std::string A = folder.write("A.mtx", matrix("3 3 7", "1 1 1\n1 2 2\n2 1 2\n2 2 1\n2 3 2\n3 2 2\n3 3 1\n"));
  const Outcome outcome = solve({A, "--rhs", folder.write("b.txt", "1\n2\n-3\n"), "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["method"], "minres");
  EXPECT_GE(outcome.json()["minres_from"], 0);
  EXPECT_EQ(solve({A, "--rhs", folder.path("b.txt"), "--method", "cg"}).exit_code, 4);
}

TEST(SolveCommand, writes_the_solution_of_the_right_hand_side_it_read) {
  const ScratchFolder folder;
  const std::string A = folder.write("A.mtx", matrix("2 2 3", "1 1 2\n2 1 1\n2 2 4\n"));
  const std::string b = folder.write("b.txt", "6\n11\n"), out = folder.path("x.mtx");
  for (const char* method : {"bicgstab", "gmres"}) {
    const Outcome outcome = solve({A, "--rhs", b, "--method", method, "--tolerance", "1e-13", "--out", out});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("converged"), std::string::npos);
    std::istringstream lines(content_of(out));
    std::string banner, sizes;
    double first = 0, second = 0;
    std::getline(lines, banner), std::getline(lines, sizes), lines >> first >> second;
    EXPECT_NEAR(first, 3, 1e-12) << content_of(out);
    EXPECT_NEAR(second, 2, 1e-12);
  }
}

TEST(SolveCommand, takes_several_right_hand_sides_as_columns) {
  const ScratchFolder folder;
  const std::string A = folder.write("A.mtx", matrix("2 2 2", "1 1 2\n2 2 4\n"));
  const std::string b = folder.write("b.mtx", "%%MatrixMarket matrix array real general\n2 3\n2\n4\n6\n8\n0\n0\n");
  const std::string out = folder.path("x.mtx");
  const Outcome outcome = solve({A, "--rhs", b, "--tolerance", "1e-14", "--out", out, "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["systems"].size(), 3u);
  EXPECT_EQ(outcome.json()["systems"][2]["iterations"], 0);
  EXPECT_NE(content_of(out).find("2 3 6\n1 1 1\n1 2 3\n1 3 0\n2 1 1\n2 2 2\n2 3 0\n"), std::string::npos)
      << content_of(out);
}

// Right-hand sides are dense: compared with the matrix before they are made so.
TEST(SolveCommand, takes_no_memory_for_right_hand_sides_that_are_none) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs more address space than this test leaves";
#endif
  const ScratchFolder folder;
  const Surroundings little{.memory_limit = 1L << 30};
  const auto expect_refused = [&](const std::string& system, const std::string& rhs, const std::string& word) {
    const Outcome outcome =
        heddle_command({"solve", system, "--rhs", rhs, "--device", "cpu", "--threads", "1"}, little);
    EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
    EXPECT_NE(outcome.err.find(word), std::string::npos) << outcome.err;
  };
  expect_refused("gen:stencil2d5,n=3", folder.write("square.mtx", matrix("30000 30000 1", "1 1 1\n")),
                 "30000 elements");
  expect_refused("gen:stencil2d5,n=1", folder.write("wide.mtx", matrix("1 2147483647 1", "1 1 1\n")),
                 "right-hand sides");
  const std::string itself = folder.path("A.mtx");
  ASSERT_EQ(heddle_command({"convert", "gen:stencil2d5,n=150", itself}).exit_code, 0);
  expect_refused(itself, itself, "22500 right-hand sides");
}

TEST(SolveCommand, solves_in_another_order_and_returns_to_the_first) {
  const ScratchFolder folder;
  std::string b;
  for (int i = 0; i < 144; ++i) b += std::to_string(i % 7 - 3) + "\n";
  const std::string rhs = folder.write("b.txt", b), plain = folder.path("plain.mtx"), rcm = folder.path("rcm.mtx");
  const std::vector<std::string> words{"gen:stencil2d5,n=12", "--rhs", rhs, "--tolerance", "1e-12"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    const Outcome outcome = solve(more);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  };
  with({"--out", plain});
  with({"--out", rcm, "--reorder", "rcm"});
  std::istringstream one(content_of(plain)), two(content_of(rcm));
  std::string line;
  for (int i = 0; i < 2; ++i) std::getline(one, line), std::getline(two, line);
  double a = 0, c = 0;
  int compared = 0;
  for (; one >> a && two >> c; ++compared) EXPECT_NEAR(a, c, 1e-9);
  EXPECT_EQ(compared, 144);
}

TEST(SolveCommand, changes_over_to_a_better_operator) {
  // A tolerance out of reach: building takes the time of some iterations, and there are many more, in whose time the
  // builder gets a core on a busy machine, too.
  const Outcome outcome = solve({"gen:stencil2d5,n=300", "--tolerance", "1e-300", "--max-iterations", "500", "--plan",
                                 "sell C=8", "--overlap", "--json"});
  EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
  const nlohmann::json change = outcome.json()["changeover"];
  EXPECT_EQ(change["happened"], true) << change;
  EXPECT_TRUE(change["plan"].get<std::string>().starts_with("sell")) << change;
  EXPECT_GT(change["build_seconds"], 0.0);
  EXPECT_EQ(outcome.json()["plan"], change["plan"]);
}

TEST(SolveCommand, goes_on_with_the_first_operator_when_the_better_one_cannot_be_built) {
  const Outcome outcome = solve({"gen:stencil2d5,n=20", "--plan", "no_such_format", "--overlap", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["changeover"]["happened"], false);
  EXPECT_FALSE(outcome.json()["changeover"]["error"].is_null());
}

TEST(SolveCommand, draws_the_history) {
  const ScratchFolder folder;
  const std::string plot = folder.path("plot.svg");
  const Outcome outcome = solve({"gen:stencil2d5,n=20", "--history", plot, "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string svg = content_of(plot);
  EXPECT_TRUE(svg.starts_with("<svg")) << svg.substr(0, 50);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  const std::size_t begin = svg.find("points='") + 8, end = svg.find('\'', begin);
  const std::string points = svg.substr(begin, end - begin);
  EXPECT_EQ(std::count(points.begin(), points.end(), ','), outcome.json()["iterations"].get<int>() + 1);
  EXPECT_NE(svg.find(">asked for 1e-08<"), std::string::npos);
  EXPECT_NE(svg.find(">10</text>"), std::string::npos) << "round numbers of iterations";
}

TEST(SolveCommand, shows_residuals_while_it_runs_on_a_terminal_and_nothing_in_a_pipe) {
  // Long enough for a line to be worth it, also on a fast machine.
  const std::vector<std::string> words{"solve", "gen:stencil2d5,n=500", "--device", "cpu", "--threads",
                                       "1",     "--max-iterations",     "400"};
  const Outcome shown = heddle_command(words, {.environment = {{"TERM", "xterm"}}, .terminal = true});
  EXPECT_NE(shown.out.find("iteration "), std::string::npos) << shown.out;
  const Outcome piped = heddle_command({"solve", "gen:stencil2d5,n=500", "--max-iterations", "50"});
  EXPECT_EQ(lines_in(piped.err), 1) << piped.err;
}

// ------------------------------------------------------------------------------------ other numbers of a pattern

std::string numbers(int seed) { return "gen:stencil2d5,n=60,coefficients=varying,seed=" + std::to_string(seed); }

TEST(SolveCommand, renews_multigrid_for_other_numbers) {
  const Outcome outcome = solve({numbers(1), "--then", numbers(2), "--then", numbers(1), "--precond", "amg", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const nlohmann::json json = outcome.json(), then = json["then"];
  ASSERT_EQ(then.size(), 2u);
  for (const auto& next : then) {
    EXPECT_EQ(next["status"], "converged");
    EXPECT_EQ(next["renewed"], true);
    EXPECT_GT(next["setup_seconds"], 0.0);
  }
  EXPECT_NE(then[0]["history"], json["history"]);
  EXPECT_EQ(then[1]["changed_couplings"], 0);  // the flags are those of the first numbers
  EXPECT_EQ(then[1]["history"], json["history"]);
}

TEST(SolveCommand, says_how_many_couplings_other_numbers_made_strong_or_weak) {
  const std::vector<std::string> words{numbers(1), "--then", numbers(2), "--precond", "amg", "--strength", "0.6"};
  std::vector<std::string> with_json = words;
  with_json.push_back("--json");
  EXPECT_GT(solve(with_json).json()["then"][0]["changed_couplings"], 100);
  EXPECT_NE(solve(words).out.find("became strong or weak"), std::string::npos);
}

TEST(SolveCommand, makes_other_preconditioners_anew_for_other_numbers) {
  const nlohmann::json next =
      solve({numbers(1), "--then", numbers(2), "--precond", "jacobi", "--plan", "csr", "--json"}).json()["then"][0];
  EXPECT_FALSE(next.contains("renewed"));
  EXPECT_EQ(next["history"], solve({numbers(2), "--precond", "jacobi", "--plan", "csr", "--json"}).json()["history"]);
}

TEST(SolveCommand, takes_grids_that_last_by_auto_and_writes_the_last_solution) {
  const ScratchFolder folder;
  const std::string out = folder.path("x.txt");
  const std::string first = "gen:stencil2d5,n=200,coefficients=varying", second = first + ",seed=5";
  const Outcome outcome = solve({first, "--then", second, "--precond", "auto", "--device", "cpu", "--reorder", "rcm",
                                 "--tolerance", "1e-10", "--out", out, "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["then"][0]["renewed"], true);
  EXPECT_FALSE(outcome.json()["then"][0]["preconditioner_reason"].is_null());
  std::istringstream x(content_of(out));
  int ones = 0;
  for (double element = 0; x >> element; ++ones) EXPECT_NEAR(element, 1, 1e-5);
  EXPECT_EQ(ones, 40000);
}

TEST(SolveCommand, refuses_numbers_of_another_pattern) {
  for (const char* other : {"gen:stencil2d9,n=60", "gen:stencil2d5,n=59"}) {
    const Outcome outcome = solve({numbers(1), "--then", other, "--precond", "amg"});
    EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
    EXPECT_NE(outcome.err.find("--then"), std::string::npos) << outcome.err;
  }
  for (const char* alone : {"--overlap", "--energy"})
    EXPECT_EQ(solve({numbers(1), "--then", numbers(2), alone}).exit_code, 2) << alone;
}

// ---------------------------------------------------------------------------------- what cannot be solved

struct Failure {
  const char* name;
  const char *size_line, *entries, *rhs;
  std::vector<std::string> words;
  int exit_code;
  const char* status;  // "": an error, no verdict
};

class SolveFailure : public testing::TestWithParam<Failure> {};

TEST_P(SolveFailure, has_its_verdict_and_exit_code) {
  const Failure& f = GetParam();
  const ScratchFolder folder;
  std::vector<std::string> words{folder.write("A.mtx", matrix(f.size_line, f.entries)), "--json"};
  if (*f.rhs) words.insert(words.end(), {"--rhs", folder.write("b.txt", f.rhs)});
  words.insert(words.end(), f.words.begin(), f.words.end());
  const Outcome outcome = solve(words);
  EXPECT_EQ(outcome.exit_code, f.exit_code) << outcome.err;
  EXPECT_EQ(lines_in(outcome.err), f.exit_code == 0 ? 0 : 1) << outcome.err;
  const nlohmann::json json = outcome.json();
  if (*f.status)
    EXPECT_EQ(json["status"], f.status) << outcome.err;
  else
    EXPECT_TRUE(json.contains("error")) << outcome.out;
}

const char* const swap = "1 2 1\n2 1 1\n";
INSTANTIATE_TEST_SUITE_P(
    Zoo, SolveFailure,
    testing::Values(
        Failure{"indefinite", "2 2 2", "1 1 1\n2 2 -1\n", "1\n1\n", {"--method", "cg"}, 4, "indefinite"},
        Failure{"indefinite_swap", "2 2 2", swap, "1\n0\n", {"--method", "cg"}, 4, "indefinite"},
        Failure{"singular", "2 2 1", "1 1 1\n", "1\n1\n", {"--method", "cg"}, 4, "breakdown"},
        Failure{"singular_minres", "2 2 1", "1 1 1\n", "1\n1\n", {"--method", "minres"}, 4, "stagnated"},
        Failure{"singular_gmres", "2 2 1", "1 1 1\n", "1\n1\n", {"--method", "gmres"}, 4, "stagnated"},
        Failure{"skew_bicgstab", "2 2 2", "1 2 1\n2 1 -1\n", "1\n0\n", {"--method", "bicgstab"}, 4, "breakdown"},
        Failure{
            "too_few_iterations", "2 2 2", "1 1 1\n2 2 5\n", "1\n1\n", {"--max-iterations", "1"}, 4, "max_iterations"},
        Failure{"no_iterations", "2 2 2", "1 1 1\n2 2 5\n", "1\n1\n", {"--max-iterations", "0"}, 4, "max_iterations"},
        Failure{"nan_rhs", "2 2 2", "1 1 1\n2 2 5\n", "1\nnan\n", {}, 4, "not_finite"},
        Failure{"too_large_x", "2 2 2", "1 1 1e-20\n2 2 1e-20\n", "1e300\n1e300\n", {}, 4, "not_finite"},
        Failure{"x_that_vanishes", "2 2 2", "1 1 1e30\n2 2 1e30\n", "1e-300\n1e-300\n", {}, 4, "stagnated"},
        Failure{"denormal_rhs", "2 2 2", "1 1 1\n2 2 1\n", "1e-308\n1e-308\n", {}, 0, "converged"},
        Failure{"zero_rhs", "2 2 2", "1 1 1\n2 2 5\n", "0\n0\n", {}, 0, "converged"},
        Failure{"zero_diagonal", "2 2 2", swap, "1\n2\n", {"--precond", "jacobi"}, 3, ""},
        Failure{"rectangular", "2 3 2", "1 1 1\n2 2 5\n", "", {}, 3, ""},
        Failure{"short_rhs", "2 2 2", "1 1 1\n2 2 5\n", "1\n", {}, 3, ""},
        Failure{"wrong_method", "2 2 2", "1 1 1\n2 2 5\n", "", {"--method", "sor"}, 2, ""},
        Failure{"wrong_plan", "2 2 2", "1 1 1\n2 2 5\n", "", {"--plan", "csr lanes=3"}, 2, ""},
        Failure{"negative_tolerance", "2 2 2", "1 1 1\n2 2 5\n", "", {"--tolerance", "-1"}, 2, ""},
        Failure{"empty", "0 0 0", "", "", {}, 0, "converged"},
        Failure{"one", "1 1 1", "1 1 4\n", "8\n", {}, 0, "converged"}),
    [](const testing::TestParamInfo<Failure>& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace heddle::test

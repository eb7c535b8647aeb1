#include "commands/demo_ending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include <heddle/choose.hpp>
#include <heddle/formats.hpp>
#include <heddle/generate.hpp>
#include <heddle/io.hpp>
#include <heddle/solve.hpp>

#include "bench/results.hpp"
#include "core/check.hpp"
#include "products/scipy_product.hpp"
#include "terminal/progress.hpp"
#include "terminal/table.hpp"
#include "terminal/text.hpp"

namespace heddle {

namespace {

using bench::Result;

// Rows of 4 to 24 entries and a few of 400, as the papers on rows of unequal length look at.
constexpr const char* unequal_rows = "lengths,rows=20000";
constexpr const char* equal_rows = "stencil2d5,n=150";

template <class V>
class Ending {
 public:
  Ending(Session& session, const Loaded<V>& matrix, const std::string& folder)
      : session_(session),
        matrix_(matrix),
        folder_(folder),
        settings_{.device = session.device(), .seconds = 0.05},
        bar_(session.terminal(), !session.quiet(), steps) {}

  void run() {
    session_.print("\n{}\n\n", session_.terminal().bold("8. What it is for"));
    products();
    solve_system();
    claims();
    check(bar_.complete(), ErrorKind::internal, "the bar does not end at {} steps", steps);
    bar_.hide();
    for (const std::string& line : lines_) session_.print("  {}\n", line);
  }

 private:
  static constexpr double steps = 13;

  double seconds_of(const bench::Reference<V>& reference, const Csr<V>& A, const std::string& plan) {
    bar_.begin(plan);
    const Result result = bench::bench_plan(A, Plan::parse(plan), reference, settings_);
    bar_.done();
    check(result.ok(), ErrorKind::internal, "{}: {}", plan, result.status);
    return result.seconds;
  }

  void say(std::string line) { lines_.push_back(std::move(line)); }

  // Eigen on the CPU, cuSPARSE on a GPU: the fastest of its ways.
  std::optional<Result> fastest_peer(const bench::Reference<V>& reference) {
    std::optional<Result> fastest;
    for (const std::string& name : bench::peer_names(settings_.device)) {
      if (!bench::multiplies<V>(name)) continue;
      bar_.begin(name);
      const Result result = bench::bench_peer(matrix_.A, name, reference, settings_);
      if (result.ok() && (!fastest || result.seconds < fastest->seconds)) fastest = result;
    }
    bar_.done();
    return fastest;
  }

  // One core: SciPy's products have no threads.
  double scipy_seconds() {
    const std::string path = folder_ + "/for-scipy.mtx";
    write_matrix(path, matrix_.A, {}, matrix_.facts);
    const double seconds = scipy_product_seconds(path, sizeof(V) == 8 ? "float64" : "float32");
    std::filesystem::remove(path);
    return seconds;
  }

  void products() {
    const Choice choice = choose(matrix_.A, {.device = settings_.device});
    const bench::Reference<V> reference(matrix_.A.view());
    const double chosen = seconds_of(reference, matrix_.A, to_string(choice.plan));
    const double csr = seconds_of(reference, matrix_.A, "csr");
    say(fmt::format("{}, {} entries", matrix_.facts.name, with_commas(matrix_.A.nnz())));
    const auto line = [&](const std::string& who, double seconds) {
      say(fmt::format("{:<44} {:>9} products a second", who, with_commas(std::llround(1 / seconds))));
      session_.json()["ending"]["products_per_second"][who] = 1 / seconds;
    };
    line("Heddle, " + to_string(choice.plan), chosen);
    line("Heddle, csr", csr);
    bar_.begin("SciPy");
    const std::string version = scipy_version();
    const double scipy = version.empty() ? bench::unknown : scipy_seconds();
    bar_.done();
    if (std::isfinite(scipy)) line("SciPy " + version + ", one core", scipy);
    if (const std::optional<Result> peer = fastest_peer(reference))
      line(peer->peer, peer->seconds);
    else if (!std::isfinite(scipy))
      say("no other library is here to compare with (SciPy; Eigen on a CPU, cuSPARSE on a GPU)");
    say("why this plan: " + choice.reason);
  }

  void solve_system() {
    bar_.begin("solving");
    const Operator<V> op = optimize(matrix_.A, {.device = settings_.device});
    Buffer<V> ones(op.cols()), b(op.rows()), x(op.rows());
    std::fill(ones.begin(), ones.end(), V(1));
    std::fill(x.begin(), x.end(), V(0));
    op.multiply(ones, b);
    const double tolerance = sizeof(V) == 8 ? 1e-9 : 1e-5;
    const Report report = solve<V>(op, b, x, {.preconditioner = "amg", .tolerance = tolerance, .matrix = &matrix_.A});
    bar_.done();
    say(fmt::format("A x = b by {} with {}: {} after {} iterations, {}; residual recomputed from x: {:.1e}",
                    report.method, report.preconditioner, name_of(report.status), report.iterations,
                    as_seconds(report.seconds), report.true_residual));
    session_.json()["ending"]["verdict"] = name_of(report.status);
  }

  void claim(const std::string& paper, const std::string& statement, const std::string& here, bool holds) {
    say(fmt::format("{}: {}: {}, {}", paper, statement, here, holds ? "holds here" : "does not hold here"));
    session_.json()["ending"]["claims"].push_back({{"paper", paper}, {"here", here}, {"holds", holds}});
  }

  void claims() {
    const Csr<V> unequal = generate<V>(unequal_rows), equal = generate<V>(equal_rows);
    const bench::Reference<V> reference(unequal.view());
    const auto time = [&](const std::string& plan) { return seconds_of(reference, unequal, plan); };
    const auto ratio = [](double a, double b) { return fmt::format("{:.2f} times as fast", a / b); };
    session_.json()["ending"]["claims"] = Json::array();

    const double ell = time("ell"), ellr = time("ellr T=1");
    claim("ELLPACK-R", "row lengths pay where rows are unequal", ratio(ell, ellr), ellr < ell);

    const double csr = time("csr"), hyb = time("hyb"), hybrid = time("csr_ell");
    claim("CSR/ELL hybrid", "it beats the better of CSR and HYB", ratio(std::min(csr, hyb), hybrid),
          hybrid < std::min(csr, hyb));

    const auto padding = [&](int group) {
      return footprint(unequal.view(), Plan::parse(fmt::format("rgcsr group={}", group)), sizeof(V)).padding_percent;
    };
    claim("row-grouped CSR", "zeros grow with the group",
          fmt::format("{:.0f} %, {:.0f} % for 32, 256 rows", padding(32), padding(256)), padding(32) < padding(256));

    double best = ellr;
    for (const int T : {2, 4, 8}) best = std::min(best, time(fmt::format("ellr T={}", T)));
    claim("ELLR-T", "several lanes a row beat one", ratio(ellr, best), best < ellr);

    const auto bytes = [&](const char* plan) {
      return static_cast<double>(footprint(equal.view(), Plan::parse(plan), sizeof(V)).bytes);
    };
    claim("16-bit columns", "they hold a mesh in fewer bytes",
          fmt::format("{:.0f} % of ELLPACK's", 100 * bytes("ell16") / bytes("ell")), bytes("ell16") < bytes("ell"));
    say("all claims, on many matrices: heddle reproduce");
  }

  Session& session_;
  const Loaded<V>& matrix_;
  const std::string& folder_;
  bench::Settings settings_;
  StepsBar bar_;
  std::vector<std::string> lines_;
};

}  // namespace

template <class V>
void demo_ending(Session& session, const Loaded<V>& matrix, const std::string& folder) {
  Ending<V>(session, matrix, folder).run();
}

template void demo_ending<float>(Session&, const Loaded<float>&, const std::string&);
template void demo_ending<double>(Session&, const Loaded<double>&, const std::string&);

}  // namespace heddle

#include <heddle/solve.hpp>

#include <algorithm>
#include <cmath>

#include <heddle/choose.hpp>
#include <heddle/reorder.hpp>

#include "commands/commands.hpp"
#include "core/check.hpp"
#include "pictures/history_plot.hpp"
#include "session/load.hpp"
#include "session/whole_file.hpp"
#include "solve/course.hpp"
#include "solve/methods.hpp"
#include "systems/coordinates.hpp"
#include "systems/lasting_amg.hpp"
#include "systems/right_sides.hpp"
#include "systems/solve_energy.hpp"
#include "systems/solve_json.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/text.hpp"

namespace heddle {

namespace {

struct Options {
  std::string matrix, rhs, method = "auto", precond = "none", plan = "auto", reorder = "none", out, history,
                           coordinates;
  double tolerance = -1, absolute = 0;  // -1: by the precision
  std::int64_t max_iterations = -1;
  int restart = 30, check_every = 0;
  std::vector<std::string> then;
  PreconditionerOptions preconditioner;
  bool overlap = false, energy = false;
};

template <class V>
Sides<V> sides_for(const Operator<V>& op, const Options& options) {
  if (!options.rhs.empty()) return read_sides<V>(options.rhs, op.rows());
  Sides<V> sides{Buffer<V>(op.rows()), op.rows(), 1, true};
  Buffer<V> ones(op.cols());
  std::fill(ones.begin(), ones.end(), V(1));
  op.multiply(ones, sides.values);
  return sides;
}

// P A P^T (P x) = P b: permuted once on the way in, once on the way out.
class Order {
 public:
  template <class V>
  Order(const Options& options, Csr<V>& A) {
    if (options.reorder == "none") return;
    order_ = options.reorder == "rcm" ? rcm_order(A.view()) : amd_order(A.view());
    apply(A);
  }
  template <class V>
  void apply(Csr<V>& A) const {
    if (order_.size() > 0) A = permute(A.view(), order_, order_);
  }
  template <class V>
  void apply(std::span<V> v) const {
    if (order_.size() == 0) return;
    const Buffer<V> old = Buffer<V>::copy_of(v);
    for (std::int64_t i = 0; i < order_.size(); ++i) v[static_cast<std::size_t>(i)] = old[order_.new_to_old[i]];
  }
  template <class V>
  void undo(std::span<V> v) const {
    if (order_.size() == 0) return;
    const Buffer<V> old = Buffer<V>::copy_of(v);
    for (std::int64_t i = 0; i < order_.size(); ++i) v[static_cast<std::size_t>(order_.new_to_old[i])] = old[i];
  }

 private:
  Permutation order_;
};

template <class V>
class Solving {
 public:
  Solving(Session& session, const Options& options) : session_(session), options_(options) {
    if (options_.tolerance < 0) options_.tolerance = SolveOptions<V>().tolerance;
  }

  void run() {
    const Plan plan = read_plan(options_.plan);
    matrix_ = load<V>(session_, options_.matrix);
    session_.json()["matrix"] = matrix_json(matrix_);
    session_.print("{}\n", session_.terminal().bold(headline(matrix_)));
    if (matrix_.A.rows != matrix_.A.cols)
      fail(ErrorKind::input, At{options_.matrix, "a system of equations needs a square matrix"},
           "the matrix is {} x {}", matrix_.A.rows, matrix_.A.cols);
    if (!options_.coordinates.empty())
      take_coordinates(options_.coordinates, matrix_.A.rows, options_.reorder != "none", options_.preconditioner);
    const Order order(options_, matrix_.A);
    Operator<V> op = options_.overlap ? build(matrix_.A, Plan{}, {.device = session_.device()}) : built(plan);
    SolveOptions<V> wishes = solve_options(plan);
    const Interruptible until_asked;  // then x is written as far as it is
    if (options_.then.empty()) {
      solve_system(op, wishes, order);
      put_result();
      print_result();
      if (options_.energy && b_.rows > 0) put_energy(session_, op, b_.values.span(), wishes);
      judge(options_.matrix);
    } else {
      solve_sequence(op, wishes, order);
    }
    if (!options_.out.empty()) session_.print("  wrote     {}\n", options_.out);
    if (!options_.history.empty()) session_.print("  plotted   {}\n", options_.history);
    session_.json()["interrupted"] = Interruptible::signal() != 0;
  }

 private:
  SolveOptions<V> solve_options(const Plan& plan) {
    SolveOptions<V> made{.method = options_.method,
                         .preconditioner = options_.precond,
                         .preconditioner_options = options_.preconditioner,
                         .tolerance = options_.tolerance,
                         .absolute_tolerance = options_.absolute,
                         .max_iterations = options_.max_iterations,
                         .restart = options_.restart,
                         .check_every = options_.check_every,
                         .progress = solve_progress(session_.terminal(), session_.quiet(),
                                                    options_.method == "auto" ? "solve" : options_.method),
                         .keep_going = [](const SolveProgress&) { return Interruptible::signal() == 0; },
                         .matrix = &matrix_.A};
    if (options_.overlap) made.better = [this, plan] { return built(plan); };
    return made;
  }

  // With the matrix and the operator as they are now; x goes into its file.
  void solve_system(const Operator<V>& op, const SolveOptions<V>& wishes, const Order& order) {
    b_ = sides_for(op, options_);
    x_ = Buffer<V>(b_.values.size());
    std::fill(x_.begin(), x_.end(), V(0));
    const auto each = [&](Buffer<V>& vectors, auto f) {
      for (std::int64_t i = 0; i < b_.count; ++i)
        f(vectors.span().subspan(static_cast<std::size_t>(i * b_.rows), b_.size()));
    };
    if (!b_.known) each(b_.values, [&](std::span<V> side) { order.apply(side); });
    reports_ =
        b_.rows > 0 ? solve_many<V>(op, b_.values, x_, wishes) : std::vector{solve<V>(op, b_.values, x_, wishes)};
    each(x_, [&](std::span<V> solution) { order.undo(solution); });
    if (!options_.out.empty()) write(x_, b_.count);
    if (!options_.history.empty()) plot();
  }
  void judge(const std::string& source) {
    for (const Report& report : reports_)
      if (!report.converged() && report.status != Status::stopped)
        return session_.fail_at_end(
            Error(ErrorKind::not_converged,
                  fmt::format("{} after {}: {}", name_of(report.status), course_of(report), report.reason), source));
  }

  // The matrix, and after it the other numbers of its pattern; files get what the last of them gave.
  void solve_sequence(Operator<V>& op, SolveOptions<V>& wishes, const Order& order) {
    LastingAmg<V> amg(op, wishes);
    const auto solved = [&] {
      wishes.own_preconditioner = amg.preconditioner();
      solve_system(op, wishes, order);
      for (Report& report : reports_) amg.complete(report);
    };
    solved();
    put_result();
    print_result();
    judge(options_.matrix);
    Json sequence = Json::array();
    for (const std::string& source : options_.then) {
      if (Interruptible::signal() != 0) break;
      take_numbers(source, order);
      op.update_values(matrix_.A.val);
      amg.renew();
      solved();
      sequence.push_back(then_json(amg));
      print_set_up(amg);
      print_result();
      judge(source);
    }
    session_.json()["then"] = std::move(sequence);
  }
  void take_numbers(const std::string& source, const Order& order) {
    Loaded<V> next = load<V>(session_, source);
    const auto same = [](const auto& one, const auto& other) { return std::ranges::equal(one.span(), other.span()); };
    const Csr<V>& A = matrix_.A;
    const bool as_large = next.A.rows == A.rows && next.A.cols == A.cols;
    if (as_large) order.apply(next.A);
    if (!as_large || !same(next.A.ptr, A.ptr) || !same(next.A.col, A.col))
      fail(ErrorKind::input, At{source, "give --then matrices of the same pattern, or solve this one by itself"},
           "its entries do not lie where those of {} do", matrix_.facts.name);
    matrix_.A.val = std::move(next.A.val);
    matrix_.facts = next.facts;
    session_.print("{}\n", session_.terminal().bold("then " + headline(matrix_)));
  }
  Json then_json(const LastingAmg<V>& amg) const {
    Json json{{"matrix", matrix_json(matrix_)}};
    if (amg.preconditioner()) {
      const AmgSetUp& set_up = amg.set_up();
      json["renewed"] = set_up.renewed;
      json["changed_couplings"] = set_up.renewed ? Json(set_up.changed) : Json();
    }
    json.update(report_json(telling(), options_.tolerance));
    return json;
  }
  void print_set_up(const LastingAmg<V>& amg) {
    if (!amg.preconditioner()) return;
    const AmgSetUp& set_up = amg.set_up();
    if (!set_up.renewed)
      session_.print("  set-up    anew in {}: {}\n", as_seconds(set_up.seconds), set_up.refused);
    else if (set_up.changed == 0)
      session_.print("  set-up    renewed in {}; the same couplings are strong, so it is as a new one\n",
                     as_seconds(set_up.seconds));
    else
      session_.print("  set-up    renewed in {}; {} coupling{} became strong or weak, the aggregates stay\n",
                     as_seconds(set_up.seconds), with_commas(set_up.changed), set_up.changed == 1 ? "" : "s");
  }

  // By the plan, or by the one that is chosen for some hundred iterations.
  Operator<V> built(const Plan& plan) const {
    constexpr double iterations = 500;
    const BuildOptions how{.device = session_.device(), .updates = !options_.then.empty()};
    if (plan != Plan{"auto", {}}) return build(matrix_.A, plan, how);
    return optimize(matrix_.A, {.expected_multiplies = iterations, .device = session_.device()}, how);
  }

  void write(const Buffer<V>& x, std::int64_t count) {
    if (count == 1) return write_vector<V>(options_.out, x.span());
    const std::int64_t rows = x.size() / count;
    Csr<V> columns{rows, count, Buffer<Offset>(rows + 1), Buffer<Index>(x.size()), Buffer<V>(x.size())};
    for (std::int64_t row = 0; row <= rows; ++row) columns.ptr[row] = row * count;
    for (std::int64_t k = 0; k < x.size(); ++k) {
      columns.col[k] = static_cast<Index>(k % count);
      columns.val[k] = x[k % count * rows + k / count];
    }
    write_matrix(options_.out, columns);
  }

  void plot() {
    write_whole_file(options_.history, history_svg(matrix_.facts.name, reports_.front(), options_.tolerance));
  }

  // Of several systems the first that did not converge, else the last, stands for all; "systems" has each.
  const Report& telling() const {
    const auto failed = std::find_if(reports_.begin(), reports_.end(), [](const Report& r) { return !r.converged(); });
    return failed != reports_.end() ? *failed : reports_.back();
  }

  void put_result() {
    if (reports_.empty()) return;
    Json& document = session_.json();
    document["precision"] = session_.precision();
    document["reorder"] = options_.reorder;
    document.update(report_json(telling(), options_.tolerance));
    if (!telling().grids.empty()) document["multigrid"] = multigrid_json(telling().grids);
    document["out"] = options_.out.empty() ? Json() : Json(options_.out);
    if (reports_.size() < 2) return;
    document["systems"] = Json::array();
    for (const Report& report : reports_) document["systems"].push_back(report_json(report, options_.tolerance));
  }

  void print_result() {
    std::string plan;
    for (std::size_t i = 0; i < reports_.size(); ++i) {
      if (reports_.size() > 1) session_.print("system {} of {}\n", i + 1, reports_.size());
      print_report(reports_[i], plan);
      plan = reports_[i].plan;
    }
    if (!reports_.empty() && !telling().grids.empty()) print_grids(telling());
    if (b_.known && !reports_.empty() && reports_[0].converged()) print_error(farthest_from_one(x_));
  }

  // The plan only where it is not that of the system before.
  void print_report(const Report& report, const std::string& plan_before) {
    const Terminal& terminal = session_.terminal();
    const std::string word = name_of(report.status);
    session_.print("  {}  {} in {}, preconditioner {}\n", report.converged() ? terminal.good(word) : terminal.bad(word),
                   course_of(report, with_commas(report.iterations)), as_seconds(report.seconds),
                   report.preconditioner);
    if (!report.preconditioner_reason.empty()) session_.print("  precond   {}\n", report.preconditioner_reason);
    if (report.minres_from >= 0)
      session_.print("  method    cg found after {} iteration{} that the matrix is not positive definite\n",
                     with_commas(report.minres_from), report.minres_from == 1 ? "" : "s");
    if (report.plan != plan_before) session_.print("  plan      {} on {}\n", report.plan, to_string(session_.device()));
    session_.print("  residual  {:.3e}, recomputed {:.3e}, asked for {:.1e} (relative to |b|)\n", report.residual,
                   report.true_residual, options_.tolerance);
    const double floor = std::max(1e-16, std::min(options_.tolerance, report.residual));
    session_.print("  history   {}\n",
                   residual_line(report.history, floor, std::min(60, terminal.width - 14), terminal.unicode));
    print_changeover(report.changeover);
    constexpr std::int64_t many = 500;
    if (report.preconditioner == "none" && report.iterations >= many)
      session_.note("{} iterations without a preconditioner: --precond auto may take far fewer",
                    with_commas(report.iterations));
    if (report.status == Status::stopped)
      session_.note("stopped by a signal: x is what {} iterations gave", with_commas(report.iterations));
  }

  // b is A times ones, so x is known; unless A maps other vectors to the same b.
  void print_error(double largest) {
    constexpr double suspicious = 0.01;
    session_.print("  error     {:.3e} is the largest (b is A times ones){}\n", largest,
                   largest > suspicious ? ": this x solves the system too, so A is singular or nearly so" : "");
  }

  void print_changeover(const Changeover& c) {
    if (!c.asked) return;
    if (!c.error.empty()) return session_.print("  overlap   no better operator: {}\n", c.error);
    if (!c.happened)
      return session_.print("  overlap   solved before {} was ready ({} of building)\n", options_.plan,
                            as_seconds(c.build_seconds));
    session_.print("  overlap   {} from iteration {} on: {} an iteration, {} before; {} of building {}\n", c.plan,
                   c.iteration, as_seconds(c.better_seconds), as_seconds(c.first_seconds), as_seconds(c.build_seconds),
                   c.break_even < 0 ? std::string("never pay off")
                                    : fmt::format("pay off after {} iterations", with_commas(c.break_even)));
  }

  void print_grids(const Report& report) {
    std::string rows;
    for (const GridInfo& grid : report.grids) rows += (rows.empty() ? "" : " > ") + with_commas(grid.rows);
    session_.print("  grids     {} rows, operator complexity {:.2f}, set up in {}\n", rows,
                   operator_complexity(report.grids), as_seconds(report.setup_seconds));
  }

  static double farthest_from_one(const Buffer<V>& x) {
    double worst = 0;
    for (const V v : x) worst = std::max(worst, std::abs(static_cast<double>(v) - 1));
    return worst;
  }

  Session& session_;
  Options options_;
  Loaded<V> matrix_;
  Sides<V> b_;
  Buffer<V> x_;
  std::vector<Report> reports_;
};

std::vector<std::string> or_auto(std::vector<std::string> names) {
  names.insert(names.begin(), "auto");
  return names;
}

void add_options(Command command, Options& options) {
  command.option("M", options.matrix, "Matrix file, or gen:KIND,key=value,...").required();
  command.option("--rhs", options.rhs,
                 "Vector file b, or a Matrix Market file with one column for each b; without it b is A times ones");
  command
      .option("--method", options.method,
              "cg: symmetric positive definite; minres: symmetric; bicgstab, gmres: any; auto: by the matrix")
      .check(one_of(or_auto(solve_method::method_names())))
      .shows_default();
  command
      .option("--precond,--preconditioner", options.precond,
              "jacobi, block_jacobi, spai: any matrix; chebyshev, fsai, amg (multigrid): symmetric positive definite; "
              "auto: amg, jacobi or none, whichever is predicted to be done first")
      .check(one_of(or_auto(solve_method::preconditioner_names())))
      .shows_default();
  command
      .option("--block", options.preconditioner.block,
              "block_jacobi, amg: unknowns that belong together; 0: by the structure")
      .check(whole_number_from(0, 32));
  command.option("--power", options.preconditioner.power, "fsai, spai: on the pattern of this power of the matrix")
      .check(whole_number_from(1, 3))
      .shows_default();
  command
      .option("--strength", options.preconditioner.strength,
              "amg: a coupling is strong from this share of the strongest one of its two nodes on")
      .check(number_from(0, 1))
      .shows_default();
  command.option("--degree", options.preconditioner.degree, "chebyshev: degree of the polynomial")
      .check(whole_number_from(1, 64))
      .shows_default();
  command.option("--smoothing", options.preconditioner.smoothing, "amg: degree of the polynomial of a grid")
      .check(whole_number_from(1, 16))
      .shows_default();
  command.option("--coarsest", options.preconditioner.coarsest, "amg: rows of a matrix that is inverted")
      .check(whole_number_from(1, 4096))
      .shows_default();
  command.option("--coordinates", options.coordinates,
                 "amg: Matrix Market file with 2 or 3 coordinates for each node of a body, and so many unknowns");
  command.flag("--double-cycle", options.preconditioner.double_cycle, "amg: the cycle in double, not in float");
  command.flag("--host-setup", options.preconditioner.host_setup, "amg: set up on the host, also for a GPU");
  command
      .option("--tolerance,--tol", options.tolerance, "|b - A x| <= tolerance |b|; without it 1e-8, and 1e-5 for f32")
      .check(number_from(0));
  command.option("--absolute-tolerance", options.absolute, "... or |b - A x| <= this").check(number_from(0));
  command.option("--max-iterations,--maxiter", options.max_iterations, "Without it 10 n, at most 100,000")
      .check(whole_number_from(0));
  command.option("--restart", options.restart, "Vectors that gmres keeps")
      .check(whole_number_from(1, 1000))
      .shows_default();
  command
      .option("--check-every", options.check_every,
              "Iterations between two checks of the residual; 0: 1 on the CPU, 4 to 64 on a GPU")
      .check(whole_number_from(0, 64));
  command
      .option("--plan", options.plan,
              "Format and settings, e.g. \"sell C=32\", or a file of `heddle plan --save`; auto: chosen by the model")
      .shows_default();
  Option overlap =
      command.flag("--overlap", options.overlap,
                   "Begin with csr while another thread chooses and builds the --plan; change over once it is ready");
  Option then =
      command
          .option(
              "--then", options.then,
              "Matrix of the same pattern to solve next, which keeps the plan and the grids of amg; may be repeated")
          .excludes(overlap);
  command.option("--reorder", options.reorder, "Solve in another order of the unknowns: none, rcm or amd")
      .check(one_of({"none", "rcm", "amd"}))
      .shows_default();
  command.option("--out", options.out, "Write x to this file: .txt, .csv or .npy by its suffix, else Matrix Market");
  command
      .flag("--energy", options.energy,
            "Joules of the solve, where the machine counts them; it is repeated for a second")
      .excludes(then);
  command.option("--history", options.history, "Draw the residuals into this SVG file");
}

}  // namespace

void add_solve(Command root, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = session.add_command(root, "solve", "A x = b by an iterative method", [=, &session] {
    session.with_precision([&](auto zero) { Solving<decltype(zero)>(session, *options).run(); });
  });
  add_options(command, *options);
}

}  // namespace heddle

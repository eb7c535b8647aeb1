// heddle_solve*: options in, reports out.
#include "guard.hpp"
#include "solve_options.hpp"

using namespace heddle::c;
using heddle::Csr;
using heddle::Operator;
using heddle::Report;
using heddle::SolveOptions;
using heddle::SolveProgress;

namespace {

template <class V>
void take_preconditioner(const heddle_solve_options& o, int64_t rows, SolveOptions<V>& how) {
  if (o.own) {
    const auto* M = std::get_if<std::shared_ptr<heddle::Preconditioner<V>>>(&o.own->made);
    if (!M) wrong_usage("another type of values than the operator's", "own");
    how.own_preconditioner = *M;
    return;
  }
  if (o.preconditioner) how.preconditioner = o.preconditioner;
  how.preconditioner_options = preconditioner_options(o.preconditioner_options, rows);
}

template <class V>
void take_limits(const heddle_solve_options& o, SolveOptions<V>& how) {
  if (o.tolerance < 0 || o.absolute_tolerance < 0) wrong_usage("a tolerance below 0");
  if (o.tolerance > 0 || o.only_absolute) how.tolerance = o.tolerance;
  how.absolute_tolerance = o.absolute_tolerance;
  if (o.max_iterations != 0) how.max_iterations = std::max<int64_t>(o.max_iterations, 0);
  if (o.restart != 0) how.restart = o.restart;
  how.check_every = o.check_every;
  if (o.graph < 0 || o.graph > 2) wrong_usage("0, 1 or 2 is needed", "graph");
  how.graph = static_cast<heddle::Graph>(o.graph);
  how.stream = {o.stream};
}

// `stop` outlives the solve: whether `progress` has asked for the end.
template <class V>
void take_callbacks(const heddle_solve_options& o, SolveOptions<V>& how, const std::shared_ptr<bool>& stop) {
  const auto tell = [o, stop](const SolveProgress& now, const void* x) {
    if (o.progress(o.context, now.iteration, now.residual, now.target, x) != 0) *stop = true;
  };
  if (o.progress && o.want_iterate) {
    how.iterate = [tell](const SolveProgress& now, std::span<const V> x) { tell(now, x.data()); };
  } else if (o.progress) {
    how.progress = [tell](const SolveProgress& now) { tell(now, nullptr); };
  }
  if (o.progress || o.keep_going)
    how.keep_going = [o, stop](const SolveProgress&) {
      return !*stop && (!o.keep_going || o.keep_going(o.context, 0, "solve") == 0);
    };
}

template <class V>
SolveOptions<V> solve_options(const heddle_solve_options& o, int64_t rows) {
  SolveOptions<V> how;
  if (o.method) how.method = o.method;
  take_preconditioner(o, rows, how);
  take_limits(o, how);
  take_callbacks(o, how, std::make_shared<bool>(false));
  if (o.matrix) {
    how.matrix = std::get_if<Csr<V>>(&o.matrix->csr);
    if (!how.matrix) wrong_usage("another type of values than the operator's", "matrix");
  }
  return how;
}

void hand_over_report(const Report& report, const heddle_solve_options& o, int64_t column, heddle_report* to) {
  if (o.take_history)
    o.take_history(o.context, column, report.history.data(), static_cast<int64_t>(report.history.size()));
  if (o.history) {
    const auto kept = std::min<int64_t>(o.history_capacity, static_cast<int64_t>(report.history.size()));
    std::copy_n(report.history.begin(), std::max<int64_t>(kept, 0), o.history + column * o.history_capacity);
  }
  if (!to) return;
  heddle_report mine{};
  mine.verdict = static_cast<heddle_verdict>(report.status);  // the same order
  mine.iterations = report.iterations;
  mine.history_length = static_cast<int64_t>(report.history.size());
  mine.residual = report.residual, mine.true_residual = report.true_residual, mine.rhs_norm = report.rhs_norm;
  mine.setup_seconds = report.setup_seconds, mine.seconds = report.seconds;
  put(mine.method, report.method);
  put(mine.preconditioner, report.preconditioner);
  put(mine.reason, report.reason);
  mine.loading_seconds = report.loading_seconds, mine.minres_from = report.minres_from;
  put(mine.preconditioner_reason, report.preconditioner_reason);
  hand_over(mine, to);
}

template <class V>
heddle::MatrixFree<V> free_matrix(const heddle_matrix_free& given) {
  heddle::MatrixFree<V> A;
  A.size = given.rows;
  A.multiply = [given](std::span<const V> r, std::span<V> z, heddle::Stream stream) {
    if (given.multiply(given.context, r.data(), z.data(), stream.handle) != 0) throw Stopped{};
  };
  A.device = device_of(given.device);
  A.symmetric = given.symmetric != 0, A.positive_definite = given.positive_definite != 0;
  return A;
}

// Of an array whose elements are as long as the caller's header says.
heddle_report* element(heddle_report* first, int64_t j) {
  return reinterpret_cast<heddle_report*>(reinterpret_cast<char*>(first) + static_cast<std::size_t>(j) * first->size);
}

// Before the solve: afterwards x has changed.
void check_reports(heddle_report* first, int64_t count) {
  if (!first || count == 0) return;
  need_size(*first);
  for (int64_t j = 1; j < count; ++j)
    if (element(first, j)->size != first->size)
      wrong_usage("not the size of the first report", "reports[" + std::to_string(j) + "]",
                  "HEDDLE_INIT(type, name) sets it");
}

}  // namespace

heddle_status heddle_solve(const heddle_operator* op, const void* b, void* x, const heddle_solve_options* options,
                           heddle_report* report) {
  return guard([&] {
    const auto& mine = needed(op, "op");
    const heddle_solve_options o = taken(options);
    check_reports(report, 1);
    std::visit(
        [&]<class V>(const Operator<V>& A) {
          const auto from = input<V>(b, mine.rows, "b");
          const auto to = output<V>(x, mine.cols, "x");
          hand_over_report(solve(A, from, to, solve_options<V>(o, mine.rows)), o, 0, report);
        },
        mine.op);
  });
}

heddle_status heddle_solve_matrix_free(const heddle_matrix_free* matrix, const void* b, void* x,
                                       const heddle_solve_options* options, heddle_report* report) {
  return guard([&] {
    const heddle_matrix_free given = taken(&needed(matrix, "matrix"));
    const heddle_solve_options o = taken(options);
    if (!given.multiply) wrong_usage("NULL", "multiply");
    if (given.rows < 0) wrong_usage("a number from 0 on is needed", "rows");
    check_reports(report, 1);
    const auto answer = [&]<class V>(V) {
      const Report found = solve(free_matrix<V>(given), input<V>(b, given.rows, "b"), output<V>(x, given.rows, "x"),
                                 solve_options<V>(o, given.rows));
      hand_over_report(found, o, 0, report);
    };
    if (given.type == HEDDLE_F64)
      answer(double{});
    else if (given.type == HEDDLE_F32)
      answer(float{});
    else
      wrong_usage("values are HEDDLE_F64 or HEDDLE_F32", "type");
  });
}

heddle_status heddle_solve_many(const heddle_operator* op, int64_t count, const void* b, void* x,
                                const heddle_solve_options* options, heddle_report* reports) {
  return guard([&] {
    const auto& mine = needed(op, "op");
    if (count < 0) wrong_usage("a number from 0 on is needed", "count");
    const heddle_solve_options o = taken(options);
    check_reports(reports, count);
    std::visit(
        [&]<class V>(const Operator<V>& A) {
          const auto from = input<V>(b, mine.rows * count, "b");
          const auto to = output<V>(x, mine.cols * count, "x");
          const auto made = solve_many(A, from, to, solve_options<V>(o, mine.rows));
          for (int64_t j = 0; j < std::ssize(made); ++j)
            hand_over_report(made[static_cast<std::size_t>(j)], o, j, reports ? element(reports, j) : nullptr);
        },
        mine.op);
  });
}

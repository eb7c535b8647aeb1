#include "records/bench_matrix.hpp"

#include <algorithm>

#include <heddle/choose.hpp>
#include <heddle/formats.hpp>

#include "bench/compare.hpp"
#include "bench/matrix_class.hpp"
#include "core/stopwatch.hpp"
#include "terminal/interrupt.hpp"

namespace heddle {

namespace {

using bench::Result;

template <class V>
class MatrixBench {
 public:
  MatrixBench(const Csr<V>& matrix, const BenchWork& asked, BenchRecord& to, const std::function<void()>& then)
      : A(matrix), work(asked), record(to), measured(then), reference(A.view()), machine(this_machine(device())) {}

  void choose_plan() {
    record.planning_seconds = seconds_of([&] {
      facts = analyze(A, Detail::planning);
      const Choice choice = choose(A, facts, machine, {.device = device()});
      record.chosen_predicted_seconds = choice.predicted_seconds;
      chosen = resolve(A.view(), choice.plan, sizeof(V));
    });
    record.chosen = to_string(chosen);  // and, once it is built, with what its values made of it
    record.matrix_class = bench::class_of(A.view(), facts);
    record.rows_len = facts.rows_len;
    record.bound = bench::physical_bound(A.view(), facts, machine);
  }

  void measure() {
    for (const Plan& plan : work.plans)
      if (plan.format == "auto")
        put_chosen();
      else
        put_own(measured_plan(plan));
    if (work.add_chosen) put_chosen();
    for (const std::string& name : work.peers)
      if (bench::multiplies<V>(name)) put(bench::bench_peer(A, name, reference, work.settings));
  }

 private:
  Device device() const { return work.settings.device; }

  void put(Result result) {
    record.results.push_back(std::move(result));
    measured();
    Interruptible::stop_if_asked();
  }

  Result measured_plan(const Plan& plan) const {
    Result result = bench::bench_plan(A, plan, reference, work.settings);
    result.predicted_seconds = predict(A, facts, machine, Plan::parse(result.plan));
    return result;
  }

  void put_chosen() {
    if (has_chosen()) return;
    Result result = measured_plan(chosen);
    record.chosen = result.plan;
    put_own(std::move(result));
  }

  // The chosen plan is listed once, whether it was asked for as `auto`, by its name or both.
  void put_own(Result result) {
    if (result.plan != record.chosen || !has_chosen()) put(std::move(result));
  }

  bool has_chosen() const {
    return std::any_of(record.results.begin(), record.results.end(),
                       [&](const Result& result) { return result.plan == record.chosen; });
  }

  const Csr<V>& A;
  const BenchWork& work;
  BenchRecord& record;
  const std::function<void()>& measured;
  const bench::Reference<V> reference;
  const Machine& machine;
  Structure facts;
  Plan chosen;
};

}  // namespace

template <class V>
BenchRecord bench_matrix(const std::string& source, const Loaded<V>& matrix, const BenchWork& work,
                         const std::function<void()>& measured) {
  const Csr<V>& A = matrix.A;
  BenchRecord record{.source = source,
                     .name = matrix.facts.name,
                     .precision = sizeof(V) == 8 ? "f64" : "f32",
                     .rows = A.rows,
                     .cols = A.cols,
                     .nnz = A.nnz()};
  MatrixBench<V> bench(A, work, record, measured);
  bench.choose_plan();
  try {
    bench.measure();
  } catch (const Interruptible::Stop&) {
    record.complete = false;
  }
  bench::put_break_even(record.results);
  return record;
}

template BenchRecord bench_matrix(const std::string&, const Loaded<float>&, const BenchWork&,
                                  const std::function<void()>&);
template BenchRecord bench_matrix(const std::string&, const Loaded<double>&, const BenchWork&,
                                  const std::function<void()>&);

}  // namespace heddle

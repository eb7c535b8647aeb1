// optimize: analyze, choose and build in one call.
#include <memory>
#include <optional>
#include <vector>

#include <heddle/choose.hpp>
#include <heddle/foreign.hpp>

#include "core/check.hpp"
#include "core/gpu.hpp"
#include "core/known_device.hpp"
#include "core/matrix/incoming.hpp"
#include "core/memory_errors.hpp"
#include "core/watch.hpp"
#include "formats/build_canonical.hpp"
#include "formats/built_from_view.hpp"
#include "formats/format.hpp"
#include "formats/operator_state.hpp"
#include "plan/prospects.hpp"

namespace heddle {

namespace {

BuildOptions on_chosen_device(BuildOptions how, Device device) {
  if (how.device && *how.device != device)
    fail(ErrorKind::usage, {"optimize", "leave BuildOptions::device empty"}, "to be chosen for {}, but built on {}",
         to_string(device), to_string(*how.device));
  how.device = device;
  return how;
}

// A matrix and where copies of it lie.
template <class V>
struct Subjects {
  const Csr<V>& A;
  const Csr<V>* here = nullptr;  // the same in host memory: what the host has to build needs no copy of A
  Csr<V>* given = nullptr;       // A itself, where the caller gave it up
};

// No format was asked whether it takes the matrix, which can take longer than to build it: the first one that does is
// built.
template <class V>
Operator<V> build_best(const Subjects<V>& matrix, Prospects found, const ChooseOptions& options,
                       const BuildOptions& how) {
  bool gone = false;
  const auto built = [&](const Plan& plan, std::size_t taken) {
    const bool by_kernels = registered_format(plan.format).builds_there;
    gone = matrix.given && plan.format == "csr";
    Operator<V> op = gone                         ? build_canonical(std::move(*matrix.given), plan, how)
                     : matrix.here && !by_kernels ? build_canonical(*matrix.here, plan, how)
                                                  : build_canonical(matrix.A, plan, how);
    inside(op).reason = reason_for(matrix.A, std::move(found), taken, options);
    return op;
  };
  const std::size_t count = found.candidates.size();
  for (std::size_t i = 0; i < count; ++i) try {
      if (found.candidates[i].fits) return built(Plan(found.candidates[i].plan), i);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unavailable || gone) throw;
    }
  return built(Plan{}, count);
}

// A matrix in host memory is sent to the GPU as it is and analysed on the GPU: it has to be sent anyway.
template <class V>
std::optional<Operator<V>> optimize_there(const Csr<V>& A, const ChooseOptions& options, const BuildOptions& how) {
  if (options.device.kind != Device::Kind::gpu || options.effort != Effort::model || A.nnz() < worth_sending) return {};
  require_device(options.device);
  const gpu::Current current(options.device);
  try {
    const Csr<V> there = A.to(options.device);
    return build_best<V>({there, &A}, prospects_of(there, options, how), options, how);
  } catch (const Error& error) {  // no room for the matrix and what is made of it
    if (error.kind() != ErrorKind::unavailable) throw;
    return {};
  }
}

template <class V>
Operator<V> optimize_from(const Csr<V>& A, Csr<V>* given, const ChooseOptions& options, const BuildOptions& asked) {
  const Watch watch(options.keep_going);
  const Watch closer_watch(asked.keep_going);
  Watch::enter("analyze");
  const BuildOptions how = on_chosen_device(asked, options.device);
  const gpu::Current current(A.ptr.device());
  if (const auto csr = csr_at_once(A, options)) {
    Operator<V> op = given ? build(std::move(*given), Plan{}, how) : build(A, Plan{}, how);
    inside(op).reason = {[reason = csr->reason] { return reason; },
                         std::make_shared<const std::vector<Candidate>>(csr->candidates)};
    return op;
  }
  check_matrix(A);
  if (!on_device(A))
    if (auto made = optimize_there(A, options, how)) return std::move(*made);
  return build_best<V>({A, nullptr, given}, prospects_of(A, options, how), options, how);
}

}  // namespace

template <class V>
Operator<V> optimize(const Csr<V>& A, const ChooseOptions& options, const BuildOptions& how) {
  return with_memory_errors([&] { return optimize_from<V>(A, nullptr, options, how); });
}

template <class V>
Operator<V> optimize(Csr<V>&& A, const ChooseOptions& options, const BuildOptions& how) {
  return with_memory_errors([&] { return optimize_from<V>(A, &A, options, how); });
}

template <class V>
Operator<V> optimize(const MatrixView<V>& A, const ChooseOptions& options, const BuildOptions& how) {
  const Watch watch(options.keep_going);
  const Watch closer_watch(how.keep_going);
  return with_memory_errors([&] {
    return build_brought<V>(A, how.updates,
                            [&](Csr<V>&& brought) { return optimize(std::move(brought), options, how); });
  });
}

template <class V>
std::vector<Candidate> candidates_of(const Operator<V>& A) {
  const auto& found = inside(const_cast<Operator<V>&>(A)).reason.candidates;
  return found ? *found : std::vector<Candidate>();
}

template std::vector<Candidate> candidates_of(const Operator<float>&);
template std::vector<Candidate> candidates_of(const Operator<double>&);
template Operator<float> optimize(const Csr<float>&, const ChooseOptions&, const BuildOptions&);
template Operator<double> optimize(const Csr<double>&, const ChooseOptions&, const BuildOptions&);
template Operator<float> optimize(Csr<float>&&, const ChooseOptions&, const BuildOptions&);
template Operator<double> optimize(Csr<double>&&, const ChooseOptions&, const BuildOptions&);
template Operator<float> optimize(const MatrixView<float>&, const ChooseOptions&, const BuildOptions&);
template Operator<double> optimize(const MatrixView<double>&, const ChooseOptions&, const BuildOptions&);

}  // namespace heddle

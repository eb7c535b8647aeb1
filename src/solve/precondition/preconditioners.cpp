#include "solve/precondition/preconditioners.hpp"

#include "core/check.hpp"
#include "core/memory_errors.hpp"
#include "core/watch.hpp"
#include "simt/where.hpp"
#include "solve/methods.hpp"

namespace heddle {

namespace solve_method {

template <class V>
Trips<V> trips_on(Device device) {
  return on(device, [](auto where) { return trips<V>(where); });
}

template <class V>
Csr<V> on_host(const Csr<V>& A) {
  const auto lent = [](const auto& of) { return std::decay_t<decltype(of)>::borrow(of, of.device()); };
  return A.val.device().host_memory() ? Csr<V>{A.rows, A.cols, lent(A.ptr), lent(A.col), lent(A.val)} : A.to({});
}

template Trips<float> trips_on(Device);
template Trips<double> trips_on(Device);
template Csr<float> on_host(const Csr<float>&);
template Csr<double> on_host(const Csr<double>&);

namespace {

template <class V>
class Multiplied final : public Preconditioner<V> {
 public:
  explicit Multiplied(Operator<V> given) : M(std::move(given)) {}
  std::string name() const override { return "operator " + to_string(M.plan()); }
  bool recordable() const override { return !M.takes_turns(); }
  void apply(std::span<const V> r, std::span<V> z, Stream stream) const override { M.multiply(r, z, stream); }

 private:
  Operator<V> M;
};

}  // namespace
}  // namespace solve_method

template <class V>
std::int64_t Preconditioner<V>::update_values(std::span<const V>) {
  fail(ErrorKind::unavailable, At{name(), "make a new one; an amg takes updates with PreconditionerOptions::updates"},
       "this preconditioner keeps the numbers it was made from");
}

template <class V>
std::shared_ptr<Preconditioner<V>> as_preconditioner(Operator<V> M) {
  return std::make_shared<solve_method::Multiplied<V>>(std::move(M));
}

template <class V>
std::shared_ptr<Preconditioner<V>> make_preconditioner(const std::string& name, const Operator<V>& A,
                                                       const Csr<V>& matrix, const PreconditionerOptions& options) {
  return with_memory_errors([&]() -> std::shared_ptr<Preconditioner<V>> {
    using namespace solve_method;
    const Watch watch(options.keep_going);
    if (options.keep_going) Watch::enter("set up");
    const PreconditionerLine<V>& line = preconditioner_line<V>(name);
    check(matrix.rows == A.rows() && matrix.cols == A.cols(), ErrorKind::usage,
          "a {} x {} operator with a {} x {} matrix: they must be the same", A.rows(), A.cols(), matrix.rows,
          matrix.cols);
    check(matrix.rows == matrix.cols, ErrorKind::input, "a {} x {} matrix has no preconditioner: it is not square",
          matrix.rows, matrix.cols);
    return line.takes_device_matrix ? line.make(A, matrix, options) : line.make(A, on_host(matrix), options);
  });
}

template std::int64_t Preconditioner<float>::update_values(std::span<const float>);
template std::int64_t Preconditioner<double>::update_values(std::span<const double>);
template std::shared_ptr<Preconditioner<float>> as_preconditioner(Operator<float>);
template std::shared_ptr<Preconditioner<double>> as_preconditioner(Operator<double>);
template std::shared_ptr<Preconditioner<float>> make_preconditioner(const std::string&, const Operator<float>&,
                                                                    const Csr<float>&, const PreconditionerOptions&);
template std::shared_ptr<Preconditioner<double>> make_preconditioner(const std::string&, const Operator<double>&,
                                                                     const Csr<double>&, const PreconditionerOptions&);

}  // namespace heddle

#include "solve/preparation.hpp"

#include "core/check.hpp"
#include "core/stopwatch.hpp"
#include "solve/loading.hpp"
#include "solve/methods.hpp"
#include "solve/precondition/preconditioners.hpp"

namespace heddle::solve_method {

namespace {

// The matrix as the caller gave it, or restored from the operator when it is asked for.
template <class V>
class Matrix {
 public:
  Matrix(const Operator<V>& A, const Csr<V>* given) : A_(A), given_(given) {}
  const Csr<V>& operator()() {
    if (given_) return *given_;
    if (!restored_) restored_ = A_.restore();
    return *restored_;
  }
  // Fetched once, whoever asks.
  const Csr<V>& on_host() {
    if (!host_) host_ = solve_method::on_host((*this)());
    return *host_;
  }

 private:
  const Operator<V>& A_;
  const Csr<V>* given_;
  std::optional<Csr<V>> restored_, host_;
};

template <class V>
void load(Prepared<V>& made, Device device, const std::string& preconditioner, const RehearsedSetUp& set_up = {}) {
  if (device.kind == Device::Kind::gpu)
    made.loading_seconds += load_kernels<V>({device, made.method, preconditioner, set_up});
}

// Makes the preconditioner that the options name.
template <class V>
class Named {
 public:
  Named(const Operator<V>& op, Matrix<V>& its_matrix, const SolveOptions<V>& options, Prepared<V>& prepared)
      : A(op), matrix(its_matrix), wishes_(options.preconditioner_options), made_(prepared) {
    wishes_.positive |= made_.method == "minres";
    if (options.preconditioner == "auto")
      choose(options.tolerance);
    else
      make(options.preconditioner);
  }

 private:
  void make(const std::string& name) {
    load(made_, A.device(), name, name == "amg" ? set_up_of(matrix(), wishes_) : RehearsedSetUp{});
    const bool where_it_lies = preconditioner_line<V>(name).takes_device_matrix && !wishes_.host_setup;
    made_.preconditioner = make_preconditioner(name, A, where_it_lies ? matrix() : matrix.on_host(), wishes_);
  }
  void choose(double tolerance) {
    PreconditionerChoice choice =
        choose_preconditioner(matrix.on_host(), made_.method, A.device(), tolerance, wishes_.host_setup);
    made_.reason = std::move(choice.reason);
    if (choice.name != "amg") return make(choice.name);
    try {
      make(choice.name);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
      made_.reason = "amg cannot be set up: " + error.message();
      make("jacobi");  // whose diagonal was checked
    }
  }

  const Operator<V>& A;
  Matrix<V>& matrix;
  PreconditionerOptions wishes_;
  Prepared<V>& made_;
};

template <class V>
void require_symmetry(const Prepared<V>& made) {
  if (made.preconditioner && method_line<V>(made.method).symmetric && !made.preconditioner->symmetric())
    fail(ErrorKind::usage, At{made.method, "use bicgstab or gmres; fsai for a positive definite matrix"},
         "{} is not symmetric, as this method needs it", made.preconditioner->name());
}

}  // namespace

template <class V>
Prepared<V>& Preparation<V>::operator()() {
  if (!prepared_) {
    const WallClock clock;
    prepared_ = made();
    prepared_->seconds = clock.seconds() - prepared_->loading_seconds;
  }
  return *prepared_;
}

template <class V>
Prepared<V> Preparation<V>::made() const {
  Prepared<V> made{.method = options_.method, .preconditioner = options_.own_preconditioner};
  made.method_was_auto = options_.method == "auto";
  if (const Operator<V>* A = A_.as_operator()) {
    Matrix<V> matrix(*A, options_.matrix);
    if (made.method_was_auto) made.method = method_for(matrix.on_host());
    if (made.preconditioner || options_.preconditioner == "none")
      load(made, A->device(), "none");
    else
      Named<V>(*A, matrix, options_, made);
  } else if (made.method_was_auto) {
    made.method = A_.promised_method();
  }
  require_symmetry(made);
  return made;
}

template class Preparation<float>;
template class Preparation<double>;

}  // namespace heddle::solve_method

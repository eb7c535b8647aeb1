#include <optional>

#include <heddle/solve.hpp>

#include "core/check.hpp"

namespace heddle {

template <class V>
std::vector<Report> solve_many(const Operator<V>& A, std::type_identity_t<std::span<const V>> B,
                               std::type_identity_t<std::span<V>> X,
                               const std::type_identity_t<SolveOptions<V>>& options) {
  const auto n = static_cast<std::size_t>(A.rows());
  check(A.rows() == A.cols(), ErrorKind::input, "the matrix is {} x {}: a system of equations needs a square one",
        A.rows(), A.cols());
  check(B.size() == X.size(), ErrorKind::input, "B has {} numbers, X {}", B.size(), X.size());
  check(n == 0 ? B.empty() : B.size() % n == 0, ErrorKind::input, "{} numbers are no columns of {} rows", B.size(), n);
  std::vector<Report> reports;
  if (B.empty()) return reports;

  SolveOptions<V> shared = options;
  std::optional<Csr<V>> restored;
  const bool prepares = !options.own_preconditioner && options.preconditioner != "none";
  if (shared.matrix == nullptr && (prepares || options.method == "auto"))
    shared.matrix = &restored.emplace(A.restore());
  if (shared.method == "auto") shared.method = method_for(*shared.matrix);
  if (prepares)
    shared.own_preconditioner =
        make_preconditioner(options.preconditioner, A, *shared.matrix,
                            {.block = options.block, .power = options.power, .positive = shared.method == "minres"});
  for (std::size_t at = 0; at < B.size(); at += n)
    reports.push_back(solve(A, B.subspan(at, n), X.subspan(at, n), shared));
  return reports;
}

template std::vector<Report> solve_many(const Operator<float>&, std::span<const float>, std::span<float>,
                                        const SolveOptions<float>&);
template std::vector<Report> solve_many(const Operator<double>&, std::span<const double>, std::span<double>,
                                        const SolveOptions<double>&);

}  // namespace heddle

#include "solve/methods.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "core/check.hpp"
#include "solve/precondition/preconditioners.hpp"

namespace heddle::solve_method {

namespace {

template <class V, std::unique_ptr<Method<V>> (*make)(Problem<V>&)>
std::unique_ptr<Method<V>> plain(Problem<V>& problem, const SolveOptions<V>&) {
  return make(problem);
}

template <class V>
constexpr MethodLine<V> all_methods[] = {
    {"cg", true, false, plain<V, make_cg<V>>},
    {"minres", true, false, plain<V, make_minres<V>>},
    {"bicgstab", false, false, plain<V, make_bicgstab<V>>},
    {"gmres", false, true,
     [](Problem<V>& problem, const SolveOptions<V>& options) { return make_gmres(problem, options.restart); }},
};

template <class V>
using Made = std::shared_ptr<Preconditioner<V>>;
template <class V>
constexpr PreconditionerLine<V> all_preconditioners[] = {
    {"none", true, [](const Operator<V>&, const Csr<V>&, const PreconditionerOptions&) -> Made<V> { return nullptr; }},
    {"jacobi", false,
     [](const Operator<V>& A, const Csr<V>& matrix, const PreconditionerOptions& options) -> Made<V> {
       return make_jacobi(matrix.view(), A.device(), options.positive);
     }},
    {"block_jacobi", false,
     [](const Operator<V>& A, const Csr<V>& matrix, const PreconditionerOptions& options) -> Made<V> {
       return make_block_jacobi(matrix.view(), A.device(), options.block);
     }},
    {"chebyshev", false,
     [](const Operator<V>& A, const Csr<V>& matrix, const PreconditionerOptions& options) -> Made<V> {
       return make_chebyshev(A, matrix.view(), options.degree);
     }},
    {"fsai", false,
     [](const Operator<V>& A, const Csr<V>& matrix, const PreconditionerOptions& options) -> Made<V> {
       return make_fsai(A, matrix.view(), options.power);
     }},
    {"spai", false,
     [](const Operator<V>& A, const Csr<V>& matrix, const PreconditionerOptions& options) -> Made<V> {
       return make_spai(A, matrix.view(), options.power);
     }},
    {"amg", true, make_amg<V>},
};

template <class Table>
std::vector<std::string> names_in(const Table& table) {
  std::vector<std::string> names;
  for (const auto& line : table) names.emplace_back(line.name);
  return names;
}

template <class Table>
auto& line_in(const Table& table, const std::string& name, const char* others, const char* what) {
  const auto found =
      std::find_if(std::begin(table), std::end(table), [&](const auto& line) { return line.name == name; });
  if (found == std::end(table))
    fail(ErrorKind::usage, At{name, fmt::format("known: {}{}", others, fmt::join(names_in(table), ", "))}, "no such {}",
         what);
  return *found;
}

}  // namespace

template <class V>
const MethodLine<V>& method_line(const std::string& name) {
  return line_in(all_methods<V>, name, "auto, ", "method");
}

template <class V>
const PreconditionerLine<V>& preconditioner_line(const std::string& name) {
  return line_in(all_preconditioners<V>, name, "", "preconditioner");
}

std::vector<std::string> method_names() { return names_in(all_methods<double>); }
std::vector<std::string> preconditioner_names() { return names_in(all_preconditioners<double>); }

template const MethodLine<float>& method_line(const std::string&);
template const MethodLine<double>& method_line(const std::string&);
template const PreconditionerLine<float>& preconditioner_line(const std::string&);
template const PreconditionerLine<double>& preconditioner_line(const std::string&);

}  // namespace heddle::solve_method

// The registry of methods and preconditioners: a line each, in methods.cpp. What checks a name, lists the names, or
// makes one of them asks here.
#pragma once

#include <string>
#include <vector>

#include "solve/problem.hpp"

namespace heddle::solve_method {

template <class V>
struct MethodLine {
  const char* name;
  bool symmetric;      // for symmetric matrices and preconditioners alone
  bool takes_varying;  // preconditioners that are another operator every time
  std::unique_ptr<Method<V>> (*make)(Problem<V>&, const SolveOptions<V>&);
};
template <class V>
const MethodLine<V>& method_line(const std::string& name);  // Error(usage) with the names there are

template <class V>
struct PreconditionerLine {
  const char* name;
  bool takes_device_matrix;  // else the matrix is in host memory
  std::shared_ptr<Preconditioner<V>> (*make)(const Operator<V>& A, const Csr<V>& matrix, const PreconditionerOptions&);
};
template <class V>
const PreconditionerLine<V>& preconditioner_line(const std::string& name);  // Error(usage) with the names there are

// In the order of the registry; "auto", which takes one of them, is none of them.
std::vector<std::string> method_names();
std::vector<std::string> preconditioner_names();

}  // namespace heddle::solve_method

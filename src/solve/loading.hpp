// CUDA loads a kernel when it is first started, which takes milliseconds. The first solve of a process is no slower
// than the next one by its clocks, because a small system is solved the same way before they begin.
#pragma once

#include <string>

#include <heddle/solve.hpp>

#include "solve/amg/steps.hpp"

namespace heddle::solve_method {

// What is loaded: a way of solving, and the kind of matrix where kernels go by that.
struct Rehearsal {
  Device device;
  std::string method, preconditioner;
  RehearsedSetUp set_up = {};  // of amg
};

// By what costs nothing to know of a matrix.
template <class V>
RehearsedSetUp set_up_of(const Csr<V>& A, const PreconditionerOptions& options);

// A small system, long enough for a graph of iterations to be recorded and replayed.
template <class V>
Report rehearse(const Rehearsal& what);

// Seconds it took; 0 when this process has done so before. Where it fails, the solve itself will say why.
template <class V>
double load_kernels(const Rehearsal& what);

}  // namespace heddle::solve_method

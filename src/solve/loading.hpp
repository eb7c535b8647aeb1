// CUDA loads a kernel when it is first started, which takes milliseconds. The first solve of a process is no slower
// than the next one by its clocks, because a small system is solved the same way before they begin.
#pragma once

#include <string>

#include <heddle/solve.hpp>

namespace heddle::solve_method {

// A small system, long enough for a graph of iterations to be recorded and replayed.
template <class V>
Report rehearse(Device device, const std::string& method, const std::string& preconditioner);

// Seconds it took; 0 when this process has done so before. Where it fails, the solve itself will say why.
template <class V>
double load_kernels(Device device, const std::string& method, const std::string& preconditioner);

}  // namespace heddle::solve_method

// The residual of a solve against its iterations: as a line of a terminal, and as a picture.
#pragma once

#include <span>
#include <string>

#include <heddle/solve.hpp>

#include "terminal/terminal.hpp"

namespace heddle {

// At most `width` characters, high for large residuals, in a logarithmic scale from the first residual to `floor`.
std::string residual_line(std::span<const double> history, double floor, int width, bool unicode);

// An SVG with a logarithmic scale, the tolerance as a line, and the change of operators where there was one.
std::string history_svg(const std::string& title, const Report& report, double tolerance);

// Rewrites one line of stderr while a solve runs; empty where stderr is no terminal.
std::function<void(const SolveProgress&)> solve_progress(const Terminal& terminal, bool quiet, const std::string& what);

}  // namespace heddle

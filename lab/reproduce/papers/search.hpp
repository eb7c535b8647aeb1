// The search paper 2 checks its rules by: T, M and L of the hybrid in the paper's steps.
#pragma once

#include "formats/csr_ell/csr_ell.hpp"
#include "reproduce/lab.hpp"

namespace heddle::reproduce {

struct Found {
  CsrEllSettings rule, best;
  double rule_seconds = bench::unknown, best_seconds = bench::unknown;
  int tried = 0;
};

// Along T, then M, then L, each from the best so far; float. The paper tries all combinations: 2,560 for each matrix.
Found search_settings(Lab& lab, const Matrix& matrix);
std::string to_text(const CsrEllSettings& settings);  // "T=32 M=6 L=192"

}  // namespace heddle::reproduce

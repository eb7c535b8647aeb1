// The last step of `heddle demo`: what people came for, in some twenty lines, measured on this machine.
#pragma once

#include "session/load.hpp"
#include "session/session.hpp"

namespace heddle {

// Products a second by the chosen plan, by csr, by SciPy and by another library; the plan and why; a solve and its
// verdict; one claim of each of the five papers. The matrix is symmetric and positive definite. In the folder it is
// written for SciPy, and removed again.
template <class V>
void demo_ending(Session& session, const Loaded<V>& matrix, const std::string& folder);

}  // namespace heddle

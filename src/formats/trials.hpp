// Settings that only a stopwatch can choose: T = auto of ellr, which paper 4 tunes by running twelve.
#pragma once

#include <heddle/matrix.hpp>
#include <heddle/plan.hpp>

namespace heddle {

// Whether a plan leaves something to it.
bool is_tried(const Plan& plan);
// The plan with that chosen, by products on the device it is for. The matrix lies in host memory.
template <class V>
Plan fastest(const Plan& plan, const CsrView<V>& A, Device device);

}  // namespace heddle

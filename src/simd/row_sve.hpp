// Sums of rows by SVE, on registers of any length: as many entries of a row at a time as a register holds, the last
// step masked. Entry k is added to partial sum k % lanes, and these by the instruction for it, in a fixed order: the
// same bits every time on one processor, and within the bound of the contract on another with longer registers.
#pragma once

#include <heddle/matrix.hpp>

#include "core/isa.hpp"

#if defined(HEDDLE_SVE)
#include <arm_sve.h>

namespace heddle {

HEDDLE_SVE inline void sum_row(const Index* col, const double* val, Offset length, const double* x, double& to) {
  svfloat64_t sum = svdup_f64(0);
  for (Offset k = 0; k < length; k += static_cast<Offset>(svcntd())) {
    const svbool_t there = svwhilelt_b64_s64(k, length);
    const svfloat64_t fetched = svld1_gather_s64index_f64(there, x, svld1sw_s64(there, col + k));
    sum = svadd_f64_m(there, sum, svmul_f64_x(there, svld1_f64(there, val + k), fetched));
  }
  to = svaddv_f64(svptrue_b64(), sum);
}
HEDDLE_SVE inline void sum_row(const Index* col, const float* val, Offset length, const float* x, float& to) {
  svfloat32_t sum = svdup_f32(0);
  for (Offset k = 0; k < length; k += static_cast<Offset>(svcntw())) {
    const svbool_t there = svwhilelt_b32_s64(k, length);
    const svfloat32_t fetched = svld1_gather_s32index_f32(there, x, svld1_s32(there, col + k));
    sum = svadd_f32_m(there, sum, svmul_f32_x(there, svld1_f32(there, val + k), fetched));
  }
  to = svaddv_f32(svptrue_b32(), sum);
}

// The sums of rows first .. last-1 into to[0 ..]; to be called by with_isa.
template <class V>
inline void sum_rows(OnIsa<Isa::sve>, const CsrView<V>& A, const V* x, std::int64_t first, std::int64_t last, V* to) {
  const Offset* ptr = A.ptr.data();
  for (std::int64_t row = first; row < last; ++row)
    sum_row(A.col.data() + ptr[row], A.val.data() + ptr[row], ptr[row + 1] - ptr[row], x, to[row - first]);
}

}  // namespace heddle
#endif

// The six kernels that papers 1 and 4 compare on Table I: as the papers have them, and the library's formats of the
// same kind today.
#pragma once

#include "reproduce/record.hpp"

namespace heddle::reproduce {

enum SixKernels { crs, crs_vector, spmv4gpu, ellpack, hyb_kernel, ellpack_r, six_kernels };

struct KernelPair {
  const char* called;
  Literal literal;
  const char* today;
};
const KernelPair& kernel(int k);

struct Rates {
  const Matrix* matrix;
  Numbers literal, today;  // GFLOP/s in float, by kernel
};
Rates rates_of(Lab& lab, const Matrix& matrix);

// Means over the matrices that every kernel can store, each counted by its entries; NaN without any.
Numbers weighted_means(const std::vector<Rates>& all, Numbers Rates::*which);

// "12.3 | 45.6"
std::string pair_of(double literal, double today);

std::vector<std::string> names_of_table_one();

// R4 and R34; R24.
void six_on_table_one(Record& record);
void small_matrices(Record& record);

}  // namespace heddle::reproduce

#include "reproduce/papers/six_kernels.hpp"

#include <fmt/format.h>

namespace heddle::reproduce {

const KernelPair& kernel(int k) {
  using Kernel = Literal::Kernel;
  static const KernelPair pairs[six_kernels] = {{"CRS", {.kernel = Kernel::crs}, "csr lanes=1"},
                                                {"CRS (vector)", {.kernel = Kernel::crs_vector}, "csr lanes=32"},
                                                {"SpMV4GPU", {.kernel = Kernel::spmv4gpu}, "csr_padded"},
                                                {"ELLPACK", {.kernel = Kernel::ellpack}, "ell"},
                                                {"HYB", {.kernel = Kernel::hyb}, "hyb rule=two_thirds"},
                                                {"ELLPACK-R", {.kernel = Kernel::ellpack_r}, "ellr T=1 block=256"}};
  return pairs[k];
}

Rates rates_of(Lab& lab, const Matrix& matrix) {
  Rates rates{&matrix, {}, {}};
  for (int k = 0; k < six_kernels; ++k) {
    rates.literal.push_back(lab.gflops(matrix, kernel(k).literal, Precision::f32));
    rates.today.push_back(lab.gflops(matrix, kernel(k).today, Precision::f32));
  }
  return rates;
}

Numbers weighted_means(const std::vector<Rates>& all, Numbers Rates::*which) {
  Numbers sums(six_kernels, 0);
  double entries = 0;
  for (const Rates& rates : all) {
    const Numbers& of_kernel = rates.*which;
    if (present(of_kernel) < of_kernel.size()) continue;
    const auto nnz = static_cast<double>(rates.matrix->facts.nnz);
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += nnz * of_kernel[k];
    entries += nnz;
  }
  for (double& sum : sums) sum /= entries;
  return sums;
}

std::string pair_of(double literal, double today) {
  return fmt::format("{} | {}", significant(literal), significant(today));
}

std::vector<std::string> names_of_table_one() {
  std::vector<std::string> names;
  for (const TableOneRow& row : table_one()) names.emplace_back(row.name);
  return names;
}

}  // namespace heddle::reproduce

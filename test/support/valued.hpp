// Matrices with values that a codec holds, and specimens by name.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <heddle/matrix.hpp>

#include "support/zoo.hpp"

namespace heddle::test {

// Values that a float holds, of which there are many; and few that it does not hold, odd ones among them.
inline Csr<double> with_float_values(Csr<double> A) {
  for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = static_cast<float>(0.1 * static_cast<double>(k));
  return A;
}
inline Csr<double> with_few_values(Csr<double> A) {
  const double odd[] = {0.1, -0.0, 0.0, std::numeric_limits<double>::quiet_NaN(), 1e300, 0.3};
  for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = odd[k * 7 % 6];
  return A;
}
inline Csr<double> with_many_values(Csr<double> A) {
  for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = 0.1 * static_cast<double>(k % 1000);
  return A;
}
inline Csr<double> with_one_value(Csr<double> A) {
  std::fill(A.val.begin(), A.val.end(), -0.1);
  return A;
}

// Of the zoo.
inline std::vector<Specimen> chosen(const std::vector<std::string>& names) {
  std::vector<Specimen> all;
  for (const Specimen& specimen : zoo(Zoo::full))
    if (std::find(names.begin(), names.end(), specimen.name) != names.end()) all.push_back(specimen);
  return all;
}

}  // namespace heddle::test

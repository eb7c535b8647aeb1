// SciPy's product on the same matrix, where python3 and SciPy are there: what `heddle demo` compares with.
#pragma once

#include <string>

namespace heddle {

// Of SciPy; empty where there is none.
std::string scipy_version();
// Seconds of its product with the matrix of a Matrix Market file; type: "float32" or "float64". NaN where it failed.
double scipy_product_seconds(const std::string& path, const std::string& type);

}  // namespace heddle

// A matrix file as the collection publishes it. Heddle multiplies real numbers alone: of complex matrices the real
// parts are read, which keeps their pattern.
#pragma once

#include <string>

#include <heddle/matrix.hpp>

namespace heddle::collection {

struct MarketFile {
  Csr<double> A;
  bool complex = false;  // the values are the real parts of the file's
};

// Any file of `read_matrix`, and complex ones. Errors are those of `read_matrix`.
MarketFile read_market_file(const std::string& path);

}  // namespace heddle::collection

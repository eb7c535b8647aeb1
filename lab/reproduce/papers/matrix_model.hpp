// Paper 5's view of one matrix: where the time of its product goes, how well the pass model foretells it, and what the
// paper's three means would change.
#pragma once

#include "reproduce/papers/pass_fit.hpp"

namespace heddle::reproduce {

struct SplitTimes {
  TimeSplit warm, cold;
};

// The matrix as it is, or with some of the paper's means.
struct Variant {
  std::string what;          // "as it is", "RCM", "16-bit columns", ...
  std::string inapplicable;  // why there are no times; empty where there are
  SplitTimes times = {};
};

struct MatrixModel {
  std::int64_t rows = 0, longest = 0;
  double width = 0;    // entries a row that are worked on: on a GPU the longest row of each warp, averaged
  double entries = 1;  // share of the matrix that is multiplied; the rest of long rows would go to HYB's other part
  PassModel passes;
  double predicted = 0;          // without x, from `width`
  double predicted_ellpack = 0;  // the same, had every row the length of the longest, as the paper's ELLPACK
  std::int64_t bandwidth = 0, rcm_bandwidth = 0;
  std::vector<Variant> variants;  // the first: as it is
  // What loads past the L1 give over plain ones (`ellr cache=x` and `cache=all`), warm and cold; NaN on a CPU.
  double hints_warm = bench::unknown, hints_cold = bench::unknown;

  double number_of_passes() const { return static_cast<double>(rows) / static_cast<double>(passes.resident); }
  const SplitTimes& times() const { return variants.front().times; }
};

MatrixModel model_of(Lab& lab, const Matrix& matrix, Precision precision);

// Whether so many bits hold the distance of every column from its row.
bool fits_bits(const Csr<double>& A, int bits);
inline bool fits_16_bits(const Csr<double>& A) { return fits_bits(A, 16); }
// Entries a row that the device works on when each row has no more than `limit`.
double mean_width(Device device, const Matrix& matrix, std::int64_t limit);

}  // namespace heddle::reproduce

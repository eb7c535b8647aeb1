#include "reproduce/papers/matrix_model.hpp"

#include <algorithm>

#include <heddle/reorder.hpp>

namespace heddle::reproduce {

namespace {

SplitTimes times_of(Lab& lab, const Matrix& matrix, Precision precision, Columns columns) {
  return {lab.split(matrix, precision, columns, Caches::warm), lab.split(matrix, precision, columns, Caches::cold)};
}

PassModel fitted(Lab& lab, Precision precision) {
  return precision == Precision::f32 ? fit_pass_model<float, Index32>(lab, Trials::no).model
                                     : fit_pass_model<double, Index32>(lab, Trials::no).model;
}

Variant in_16_bits(Lab& lab, const Matrix& matrix, Precision precision, const std::string& what) {
  if (!fits_16_bits(matrix.A)) return {what, "some column is farther than 32,767 from its row"};
  return {what, {}, times_of(lab, matrix, precision, Columns::bits16)};
}

// Plain loads over loads that keep the matrix out of the L1.
double gain_of_hints(Lab& lab, const Matrix& matrix, Precision precision, Caches caches) {
  return lab.seconds(matrix, "ellr cache=all", precision, caches) /
         lab.seconds(matrix, "ellr cache=x", precision, caches);
}

}  // namespace

bool fits_bits(const Csr<double>& A, int bits) {
  const std::int64_t most = (std::int64_t{1} << (bits - 1)) - 1;
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
      if (const std::int64_t offset = A.col[k] - row; offset > most || offset < -most - 1) return false;
  return true;
}

double mean_width(Device device, const Matrix& matrix, std::int64_t limit) {
  const std::int64_t lanes = device.kind == Device::Kind::cpu ? 1 : 32, rows = matrix.A.rows;
  double sum = 0;
  for (std::int64_t first = 0; first < rows; first += lanes) {
    std::int64_t longest = 0;
    for (std::int64_t row = first; row < std::min(rows, first + lanes); ++row)
      longest = std::max<std::int64_t>(longest, matrix.A.ptr[row + 1] - matrix.A.ptr[row]);
    sum += static_cast<double>(std::min(longest, limit) * lanes);
  }
  return rows > 0 ? sum / static_cast<double>((rows + lanes - 1) / lanes * lanes) : 0;
}

MatrixModel model_of(Lab& lab, const Matrix& matrix, Precision precision) {
  MatrixModel model{.rows = matrix.A.rows, .longest = matrix.facts.longest};
  model.variants.push_back({"as it is", {}, times_of(lab, matrix, precision, Columns::bits32)});
  const std::int64_t limit = kept_width(matrix);
  model.entries = model.times().warm.entries;
  model.width = mean_width(lab.settings().device, matrix, limit);
  model.passes = fitted(lab, precision);
  model.predicted = predict_mean(model.passes, model.rows, model.width);
  model.predicted_ellpack = predict(model.passes, model.rows, std::min(model.longest, limit));
  model.variants.push_back(in_16_bits(lab, matrix, precision, "16-bit columns"));
  model.bandwidth = model.rcm_bandwidth = bandwidth(matrix.A.view());
  if (matrix.A.rows == matrix.A.cols) {
    const Matrix& ordered = lab.in_rcm_order(matrix);
    model.rcm_bandwidth = bandwidth(ordered.A.view());
    model.variants.push_back({"RCM", {}, times_of(lab, ordered, precision, Columns::bits32)});
    model.variants.push_back(in_16_bits(lab, ordered, precision, "RCM and 16-bit columns"));
  } else {
    for (const char* what : {"RCM", "RCM and 16-bit columns"})
      model.variants.push_back({what, "the matrix is not square"});
  }
  if (lab.settings().device.kind != Device::Kind::cpu) {
    model.hints_warm = gain_of_hints(lab, matrix, precision, Caches::warm);
    model.hints_cold = gain_of_hints(lab, matrix, precision, Caches::cold);
  }
  return model;
}

}  // namespace heddle::reproduce

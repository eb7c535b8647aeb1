#include <algorithm>

#include "core/check.hpp"
#include "layout/ell_and_rest.hpp"
#include "layout/sliced_build.hpp"
#include "reproduce/lab.hpp"

namespace heddle::reproduce {

namespace {

template <class V, class Codec>
TimeSplit split_of(Lab& lab, const Matrix& matrix, Precision precision, Caches caches, const std::string& label) {
  const Csr<V>& A = matrix.as<V>();
  const Device device = lab.settings().device;
  const RowPieces pieces{A.ptr, kept_width(matrix)};
  const SlicedArrays kept_arrays{.start = device.kind == Device::Kind::cpu, .length = true};
  auto store = build_sliced<V, Codec>(A.view(), row_per_lane_shape(device, A.rows), {}, kept_arrays, pieces);
  TimeSplit times;
  std::int64_t kept = 0;
  for (const Index length : store.length) kept += length;
  times.entries = static_cast<double>(kept) / static_cast<double>(std::max<std::int64_t>(1, A.nnz()));
  SlicedStore<V, Codec>::each_array(store, [&](auto& array) { array = std::move(array).owned_on(device); });
  const bench::Reference<V> reference(A.view());
  const auto x = Buffer<V>::copy_of(reference.x(), device);
  Buffer<V> y(A.rows, device);
  const auto seconds = [&](ReadsX reads, const char* suffix) {
    return lab.timed(matrix.facts.name, label + suffix, precision, caches, [&](Stream stream) {
      multiply_row_per_lane(device, store.view(), Product<V>{x.data(), {.y = y.data()}, stream}, reads);
    });
  };
  times.all = seconds(ReadsX::yes, "");
  times.without_x = seconds(ReadsX::no, ", pseudo x");
  return times;
}

}  // namespace

std::int64_t kept_width(const Matrix& matrix) {
  if (matrix.padding_of_ellpack() <= 3) return INT32_MAX;
  return ell_width(stored_lengths(matrix.A.rows, {}, RowPieces{matrix.A.ptr}), two_thirds);
}

const TimeSplit& Lab::split(const Matrix& matrix, Precision precision, Columns columns, Caches caches) {
  const std::string label = columns == Columns::bits16 ? "lane per row, 16-bit columns" : "lane per row";
  const std::string key =
      matrix.facts.name + '|' + label + '|' + name_of(precision) + (caches == Caches::cold ? "|cold" : "");
  if (const auto known = splits_.find(key); known != splits_.end()) return known->second;
  TimeSplit& times = splits_[key];
  if (stopped()) return times;
  const bool single = precision == Precision::f32, near = columns == Columns::bits16;
  try {
    times = single ? near ? split_of<float, Column16>(*this, matrix, precision, caches, label)
                          : split_of<float, Index32>(*this, matrix, precision, caches, label)
            : near ? split_of<double, Column16>(*this, matrix, precision, caches, label)
                   : split_of<double, Index32>(*this, matrix, precision, caches, label);
  } catch (const Error& error) {  // one matrix without room costs its own row only
    measurements_.push_back(
        {matrix.facts.name, label, name_of(precision), bench::unknown, bench::unknown, bench::unknown, error.what()});
  }
  return times;
}

}  // namespace heddle::reproduce

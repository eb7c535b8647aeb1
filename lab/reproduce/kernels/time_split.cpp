#include <algorithm>

#include "core/check.hpp"
#include "layout/ell_and_rest.hpp"
#include "layout/sliced_build.hpp"
#include "reproduce/lab.hpp"

namespace heddle::reproduce {

namespace {

double share_kept(const Matrix& matrix) {
  const std::int64_t width = kept_width(matrix);
  std::int64_t kept = 0;
  for (const std::int64_t length : matrix.lengths()) kept += std::min(length, width);
  return static_cast<double>(kept) / static_cast<double>(std::max<std::int64_t>(1, matrix.A.nnz()));
}

constexpr const char* pseudo = ", pseudo x";

template <class V, class Codec>
void put_times(Lab& lab, const Matrix& matrix, Precision precision, Caches caches, const std::string& label,
               TimeSplit& times) {
  const Csr<V>& A = matrix.as<V>();
  const Device device = lab.settings().device;
  const RowPieces pieces{A.ptr, kept_width(matrix)};
  const SlicedArrays kept_arrays{.start = device.kind == Device::Kind::cpu, .length = true};
  auto store = build_sliced<V, Codec>(A.view(), row_per_lane_shape(device, A.rows), {}, kept_arrays, pieces);
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
  times.without_x = seconds(ReadsX::no, pseudo);
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
  times.entries = share_kept(matrix);
  if (!measures()) {
    times.all = timed(matrix.facts.name, label, precision, caches, {});
    times.without_x = timed(matrix.facts.name, label + pseudo, precision, caches, {});
    return times;
  }
  if (stopped()) return times;
  const bool single = precision == Precision::f32, near = columns == Columns::bits16;
  const auto take = single ? near ? put_times<float, Column16> : put_times<float, Index32>
                    : near ? put_times<double, Column16>
                           : put_times<double, Index32>;
  try {
    take(*this, matrix, precision, caches, label, times);
  } catch (const Error& error) {  // one matrix without room costs its own row only
    measurements_.push_back(
        {matrix.facts.name, label, name_of(precision), bench::unknown, bench::unknown, bench::unknown, error.what()});
  }
  return times;
}

}  // namespace heddle::reproduce

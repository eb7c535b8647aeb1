#include "reproduce/kernels/uniform_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::reproduce {

template <class V, class Codec>
UniformRows<V, Codec>::UniformRows(Lab& lab, std::int64_t most_entries, std::int64_t most_rows)
    : lab_(lab), device_(lab.settings().device) {
  if (!lab.measures()) return;
  Buffer<V> zeros(most_entries);
  std::fill(zeros.begin(), zeros.end(), V(0));
  val_ = zeros.to(device_);
  col_ = Buffer<Stored>(most_entries, device_);
  memory::copy(col_.data(), device_, zeros.data(), Device::cpu(), col_.bytes());
  length_ = Buffer<Index>(most_rows, device_);
  y_ = Buffer<V>(most_rows, device_);
  if (device_.kind == Device::Kind::cpu) start_ = Buffer<Offset>(most_rows + 1);
}

template <class V, class Codec>
double UniformRows<V, Codec>::seconds_without_x(std::int64_t n, std::int64_t m) {
  const Precision precision = sizeof(V) == 4 ? Precision::f32 : Precision::f64;
  const std::string name = fmt::format("{} rows of {}", n, m);
  const std::string label = sizeof(Stored) == 2 ? "lane per row, 16-bit columns, pseudo x" : "lane per row, pseudo x";
  if (!lab_.measures()) return lab_.timed(name, label, precision, Caches::cold, {});
  Buffer<Index> same(n);
  std::fill(same.begin(), same.end(), static_cast<Index>(m));
  memory::copy(length_.data(), device_, same.data(), Device::cpu(), same.bytes());
  SlicedView<V, Codec> view{
      .shape = row_per_lane_shape(device_, n), .length = length_.data(), .col = col_.data(), .val = val_.data()};
  view.stored = view.shape.slice * view.shape.slices() * m;
  if (start_.size() > 0) {
    for (std::int64_t row = 0; row <= n; ++row) start_[row] = row * m;
    view.start = start_.data();
  }
  return lab_.timed(name, label, precision, Caches::cold, [&](Stream stream) {
    multiply_row_per_lane(device_, view, Product<V>{nullptr, {.y = y_.data()}, stream}, ReadsX::no);
  });
}

template class UniformRows<float, Index32>;
template class UniformRows<double, Index32>;
template class UniformRows<float, Column16>;
template class UniformRows<double, Column16>;

}  // namespace heddle::reproduce

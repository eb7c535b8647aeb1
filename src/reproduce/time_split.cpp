#include <algorithm>

#include "core/check.hpp"
#include "layout/ell_and_rest.hpp"
#include "layout/sliced_build.hpp"
#include "reproduce/lab.hpp"
#include "reproduce/uniform_rows.hpp"

namespace heddle::reproduce {

namespace {

template <class V, class Codec>
void multiply_on(Device device, const SlicedView<V, Codec>& A, const Product<V>& product, ReadsX reads) {
  if (device.kind == Device::Kind::emulator) return multiply_row_per_lane(simt::Emulator{}, A, product, reads);
#ifdef HEDDLE_HAS_CUDA
  if (device.kind == Device::Kind::gpu) return multiply_row_per_lane(simt::Cuda{}, A, product, reads);
#endif
  fail(ErrorKind::unavailable, "paper 5's kernel runs on a GPU or on the emulator");
}

// All entries, or the first K by the two-thirds rule where rows are too unequal for ELLPACK.
std::int64_t width_of(const Matrix& matrix) {
  if (matrix.padding_of_ellpack() <= 3) return INT32_MAX;
  return ell_width(stored_lengths(matrix.A.rows, {}, RowPieces{matrix.A.ptr}), two_thirds);
}

template <class V, class Codec>
TimeSplit split_of(Lab& lab, const Matrix& matrix, Precision precision, const std::string& label) {
  const Csr<V>& A = matrix.as<V>();
  const Device device = lab.settings().device;
  const RowPieces pieces{A.ptr, width_of(matrix)};
  auto store = build_sliced<V, Codec>(A.view(), one_slice(A.rows), {}, {.start = false, .length = true}, pieces);
  TimeSplit times;
  std::int64_t kept = 0;
  for (const Index length : store.length) kept += length;
  times.entries = static_cast<double>(kept) / static_cast<double>(std::max<std::int64_t>(1, A.nnz()));
  SlicedStore<V, Codec>::each_array(store, [&](auto& array) { array = std::move(array).owned_on(device); });
  const bench::Reference<V> reference(A.view());
  const auto x = Buffer<V>::copy_of(reference.x(), device);
  Buffer<V> y(A.rows, device);
  const auto seconds = [&](ReadsX reads, const char* suffix) {
    return lab.timed(matrix.facts.name, label + suffix, precision, Caches::warm, [&](Stream stream) {
      multiply_on(device, store.view(), Product<V>{x.data(), {.y = y.data()}, stream}, reads);
    });
  };
  times.all = seconds(ReadsX::yes, "");
  times.without_x = seconds(ReadsX::no, ", pseudo x");
  return times;
}

}  // namespace

const TimeSplit& Lab::split(const Matrix& matrix, Precision precision, Columns columns) {
  const std::string label = columns == Columns::bits16 ? "lane per row, 16-bit columns" : "lane per row";
  const std::string key = matrix.facts.name + '|' + label + '|' + name_of(precision);
  if (const auto known = splits_.find(key); known != splits_.end()) return known->second;
  TimeSplit& times = splits_[key];
  if (settings_.device.kind == Device::Kind::cpu || stopped()) return times;
  const bool single = precision == Precision::f32, near = columns == Columns::bits16;
  try {
    times = single ? near ? split_of<float, Column16>(*this, matrix, precision, label)
                          : split_of<float, Index32>(*this, matrix, precision, label)
            : near ? split_of<double, Column16>(*this, matrix, precision, label)
                   : split_of<double, Index32>(*this, matrix, precision, label);
  } catch (const Error& error) {  // one matrix without room costs its own row only
    measurements_.push_back(
        {matrix.facts.name, label, name_of(precision), bench::unknown, bench::unknown, bench::unknown, error.what()});
  }
  return times;
}

template <class V, class Codec>
UniformRows<V, Codec>::UniformRows(Device device, std::int64_t most_entries, std::int64_t most_rows) : device_(device) {
  Buffer<V> zeros(most_entries);
  std::fill(zeros.begin(), zeros.end(), V(0));
  val_ = zeros.to(device);
  col_ = Buffer<Stored>(most_entries, device);
  memory::copy(col_.data(), device, zeros.data(), Device::cpu(), col_.bytes());
  length_ = Buffer<Index>(most_rows, device);
  y_ = Buffer<V>(most_rows, device);
}

template <class V, class Codec>
double UniformRows<V, Codec>::seconds_without_x(Lab& lab, std::int64_t n, std::int64_t m) {
  Buffer<Index> same(n);
  std::fill(same.begin(), same.end(), static_cast<Index>(m));
  memory::copy(length_.data(), device_, same.data(), Device::cpu(), same.bytes());
  SlicedView<V, Codec> view{.shape = one_slice(n), .length = length_.data(), .col = col_.data(), .val = val_.data()};
  view.stored = view.shape.slice * m;
  const Precision precision = sizeof(V) == 4 ? Precision::f32 : Precision::f64;
  const std::string label = sizeof(Stored) == 2 ? "lane per row, 16-bit columns, pseudo x" : "lane per row, pseudo x";
  return lab.timed(fmt::format("{} rows of {}", n, m), label, precision, Caches::cold, [&](Stream stream) {
    multiply_on(device_, view, Product<V>{nullptr, {.y = y_.data()}, stream}, ReadsX::no);
  });
}

template class UniformRows<float, Index32>;
template class UniformRows<double, Index32>;
template class UniformRows<float, Column16>;
template class UniformRows<double, Column16>;

}  // namespace heddle::reproduce

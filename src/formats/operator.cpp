// build and Operator: from a plan to a stored matrix that multiplies.
#include <heddle/operator.hpp>

#include <functional>

#include "core/check.hpp"
#include "core/gpu.hpp"
#include "formats/format.hpp"

namespace heddle {

namespace {

std::unique_ptr<Store<float>> build_with(const Format& f, Source<float> s, const Plan& p, Device d) {
  return f.build_f32(s, p, d);
}
std::unique_ptr<Store<double>> build_with(const Format& f, Source<double> s, const Plan& p, Device d) {
  return f.build_f64(s, p, d);
}

Plan settle(const Plan& plan, const CsrView<float>& A) { return registered_format(plan.format).settle_f32(plan, A); }
Plan settle(const Plan& plan, const CsrView<double>& A) { return registered_format(plan.format).settle_f64(plan, A); }

template <class V>
std::unique_ptr<Store<V>> make_store(Source<V> source, const Plan& resolved, Device device) {
  const Format& format = registered_format(resolved.format);
  const Footprint need = format.at_most(resolved, source.view, sizeof(V));
  if (!need.fits)
    fail(ErrorKind::unavailable, {to_string(resolved), "csr, coo and csr_split store any matrix"},
         "this format does not fit the matrix: {}", need.reason);
  return build_with(format, source, resolved, device);
}

template <class V>
void scale_on(Device device, const Update<V>& update, std::int64_t rows, Stream stream) {
  switch (device.kind) {
    case Device::Kind::cpu: return scale(OnCpu{}, update, rows);
    case Device::Kind::emulator: return scale(simt::Emulator{}, update, rows, stream);
    case Device::Kind::gpu:
#ifdef HEDDLE_HAS_CUDA
      return scale(simt::Cuda{}, update, rows, stream);
#else
      fail(ErrorKind::unavailable, "this build of Heddle has no CUDA");
#endif
  }
}

}  // namespace

template <class V>
struct Operator<V>::Impl {
  std::int64_t rows = 0, cols = 0, nnz = 0;
  Plan asked, plan;  // what the caller wrote, and what became of it
  Device device;
  std::unique_ptr<Store<V>> store, transposed;

  void check_vectors(std::span<const V> x, std::span<const V> y, std::int64_t x_size, std::int64_t y_size) const;
  void run(const Store<V>& matrix, const Product<V>& product, std::int64_t y_size) const;
  void multiply(const Store<V>& matrix, V alpha, std::span<const V> x, V beta, std::span<V> y, Stream stream) const;
};

template <class V>
void Operator<V>::Impl::check_vectors(std::span<const V> x, std::span<const V> y, std::int64_t x_size,
                                      std::int64_t y_size) const {
  const auto size_of = [](auto s) { return static_cast<std::int64_t>(s.size()); };
  check(size_of(x) == x_size, ErrorKind::input, "x has {} elements, the product needs {}", x.size(), x_size);
  check(size_of(y) == y_size, ErrorKind::input, "y has {} elements, the product needs {}", y.size(), y_size);
  const std::less<const V*> before;
  const bool apart =
      x.empty() || y.empty() || !before(x.data(), y.data() + y.size()) || !before(y.data(), x.data() + x.size());
  check(apart, ErrorKind::input, "x and y overlap; the product needs a y of its own");
}

template <class V>
void Operator<V>::Impl::run(const Store<V>& matrix, const Product<V>& product, std::int64_t y_size) const {
  if (y_size == 0) return;
  if (product.update.alpha == V(0))
    scale_on(device, product.update, y_size, product.stream);
  else
    matrix.multiply(product);
}

template <class V>
void Operator<V>::Impl::multiply(const Store<V>& matrix, V alpha, std::span<const V> x, V beta, std::span<V> y,
                                 Stream stream) const {
  const auto y_size = static_cast<std::int64_t>(y.size());
  const bool copy_x = !device.host_memory() && !x.empty() && !gpu::is_device_pointer(x.data());
  const bool copy_y = !device.host_memory() && !y.empty() && !gpu::is_device_pointer(y.data());
  const Buffer<V> x_there = copy_x ? Buffer<V>::copy_of(x, device) : Buffer<V>();
  Buffer<V> y_there = copy_y ? Buffer<V>::copy_of(y, device) : Buffer<V>();
  run(matrix, {copy_x ? x_there.data() : x.data(), {alpha, beta, copy_y ? y_there.data() : y.data()}, stream}, y_size);
  if (copy_x || copy_y) gpu::synchronize(stream);
  if (copy_y) memory::copy(y.data(), Device::cpu(), y_there.data(), device, y.size_bytes());
}

template <class V>
Operator<V>::Operator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
template <class V>
Operator<V>::Operator(Operator&&) noexcept = default;
template <class V>
Operator<V>& Operator<V>::operator=(Operator&&) noexcept = default;
template <class V>
Operator<V>::~Operator() = default;

template <class V>
std::int64_t Operator<V>::rows() const noexcept {
  return impl_->rows;
}
template <class V>
std::int64_t Operator<V>::cols() const noexcept {
  return impl_->cols;
}
template <class V>
std::int64_t Operator<V>::nnz() const noexcept {
  return impl_->nnz;
}
template <class V>
Device Operator<V>::device() const noexcept {
  return impl_->device;
}
template <class V>
const Plan& Operator<V>::plan() const noexcept {
  return impl_->plan;
}
template <class V>
std::int64_t Operator<V>::bytes() const noexcept {
  return impl_->store->bytes() + (impl_->transposed ? impl_->transposed->bytes() : 0);
}

template <class V>
bool Operator<V>::takes_turns() const noexcept {
  return impl_->store->takes_turns();
}

template <class V>
void Operator<V>::multiply(std::span<const V> x, std::span<V> y, Stream stream) const {
  multiply(V(1), x, V(0), y, stream);
}

template <class V>
void Operator<V>::multiply(V alpha, std::span<const V> x, V beta, std::span<V> y, Stream stream) const {
  impl_->check_vectors(x, y, impl_->cols, impl_->rows);
  impl_->multiply(*impl_->store, alpha, x, beta, y, stream);
}

template <class V>
void Operator<V>::multiply_transposed(V alpha, std::span<const V> x, V beta, std::span<V> y, Stream stream) const {
  if (!impl_->transposed)
    fail(ErrorKind::usage, {"multiply_transposed", "build with BuildOptions{.transposed = true}"},
         "the operator was built without its transpose");
  impl_->check_vectors(x, y, impl_->rows, impl_->cols);
  impl_->multiply(*impl_->transposed, alpha, x, beta, y, stream);
}

template <class V>
void Operator<V>::update_values(std::span<const V> val) {
  check(static_cast<std::int64_t>(val.size()) == impl_->nnz, ErrorKind::input, "{} values for a matrix of {} entries",
        val.size(), impl_->nnz);
  Csr<V> A = impl_->store->restore();
  A.val = Buffer<V>::copy_of(val);
  Operator fresh = build(std::move(A), impl_->asked, {impl_->device, impl_->transposed != nullptr});
  impl_ = std::move(fresh.impl_);
}

template <class V>
Csr<V> Operator<V>::restore() const {
  return impl_->store->restore();
}

namespace {

template <class V>
Operator<V> build_from(Source<V> source, const Plan& plan, const BuildOptions& options) {
  validate(source.view, Require::canonical);
  check(source.view.val.size() == source.view.col.size(), ErrorKind::input, "{} columns but {} values",
        source.view.col.size(), source.view.val.size());
  if (options.device.kind == Device::Kind::gpu) describe(options.device);  // Error(unavailable) says why there is none
  auto impl = std::make_unique<typename Operator<V>::Impl>();
  impl->rows = source.view.rows;
  impl->cols = source.view.cols;
  impl->nnz = source.view.nnz();
  impl->device = options.device;
  if (options.transposed) {
    Csr<V> T = transpose(source.view);
    const Plan resolved = settle(plan, T.view());
    impl->transposed = make_store<V>({T.view(), &T}, resolved, options.device);
  }
  impl->asked = plan;
  impl->plan = settle(plan, source.view);
  impl->store = make_store(source, impl->plan, options.device);
  return Operator<V>(std::move(impl));
}

}  // namespace

template <class V>
Operator<V> build(const Csr<V>& A, const Plan& plan, const BuildOptions& options) {
  return build_from<V>({A.view(), nullptr}, plan, options);
}
template <class V>
Operator<V> build(Csr<V>&& A, const Plan& plan, const BuildOptions& options) {
  return build_from<V>({A.view(), &A}, plan, options);
}

template class Operator<float>;
template class Operator<double>;
template Operator<float> build(const Csr<float>&, const Plan&, const BuildOptions&);
template Operator<double> build(const Csr<double>&, const Plan&, const BuildOptions&);
template Operator<float> build(Csr<float>&&, const Plan&, const BuildOptions&);
template Operator<double> build(Csr<double>&&, const Plan&, const BuildOptions&);

}  // namespace heddle

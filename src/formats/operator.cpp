// build and Operator: from a plan to a stored matrix that multiplies.
#include "formats/operator_state.hpp"

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

}  // namespace

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
void Operator<V>::Impl::check_vectors(std::span<const V> x, std::span<const V> y, std::int64_t x_size,
                                      std::int64_t y_size) const {
  const auto size_of = [](auto s) { return static_cast<std::int64_t>(s.size()); };
  check(size_of(x) == x_size, ErrorKind::input, "x has {} elements, the product needs {}", x.size(), x_size);
  check(size_of(y) == y_size, ErrorKind::input, "y has {} elements, the product needs {}", y.size(), y_size);
  check_apart(x, y);
}

template <class V>
void Operator<V>::Impl::check_apart(std::span<const V> x, std::span<const V> y) const {
  const std::less<const V*> before;
  const bool apart =
      x.empty() || y.empty() || !before(x.data(), y.data() + y.size()) || !before(y.data(), x.data() + x.size());
  check(apart, ErrorKind::input, "x and y overlap; the product needs a y of its own");
}

template <class V>
void Operator<V>::Impl::run(const Store<V>& matrix, const Product<V>& product, std::int64_t y_size) const {
  if (y_size == 0) return;
  if (product.update.alpha == V(0))
    on(device, [&](auto where) { scale(where, product.update, y_size, product.stream); });
  else
    matrix.multiply(product);
}

template <class V>
void Operator<V>::Impl::multiply(const Store<V>& matrix, V alpha, std::span<const V> x, V beta, std::span<V> y,
                                 Stream stream) const {
  with_vectors_there(x, y, stream, [&](const V* x_there, V* y_there) {
    run(matrix, {x_there, {alpha, beta, y_there}, stream}, static_cast<std::int64_t>(y.size()));
  });
}

template <class V>
void Operator<V>::Impl::check_transposed(const char* where) const {
  if (!transposed.store)
    fail(ErrorKind::usage, {where, "build with BuildOptions{.transposed = true}"},
         "the operator was built without its transpose");
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
  return impl_->own.plan;
}
template <class V>
std::int64_t Operator<V>::bytes() const noexcept {
  return impl_->own.bytes() + impl_->transposed.bytes() + static_cast<std::int64_t>(impl_->lines.bytes());
}

template <class V>
bool Operator<V>::takes_turns() const noexcept {
  return impl_->own.store->takes_turns();
}

template <class V>
void Operator<V>::multiply(std::span<const V> x, std::span<V> y, Stream stream) const {
  multiply(V(1), x, V(0), y, stream);
}

template <class V>
void Operator<V>::multiply(V alpha, std::span<const V> x, V beta, std::span<V> y, Stream stream) const {
  impl_->check_vectors(x, y, impl_->cols, impl_->rows);
  impl_->multiply(*impl_->own.store, alpha, x, beta, y, stream);
}

template <class V>
void Operator<V>::multiply_transposed(V alpha, std::span<const V> x, V beta, std::span<V> y, Stream stream) const {
  impl_->check_transposed("multiply_transposed");
  impl_->check_vectors(x, y, impl_->rows, impl_->cols);
  impl_->multiply(*impl_->transposed.store, alpha, x, beta, y, stream);
}

template <class V>
Csr<V> Operator<V>::restore() const {
  return impl_->own.store->restore();
}

template <class V>
void Operator<V>::Impl::reserve(int count) {
  right_hand_sides = count;
  for (Side* side : {&own, &transposed})
    if (side->store) side->store->reserve(std::min(count, most_vectors));
  if (lines.empty()) lines = Buffer<V>(rows + cols, device);
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
  impl->updates = options.updates;
  impl->asked = plan;
  const auto settled = [&](const CsrView<V>& A) {
    const Plan resolved = settle(plan, A);
    return options.updates ? impl->stored_raw(resolved) : resolved;
  };
  if (options.transposed) {
    Csr<V> T = transpose(source.view);
    impl->transposed.plan = settled(T.view());
    impl->transposed.store = make_store<V>({T.view(), &T}, impl->transposed.plan, options.device);
  }
  impl->own.plan = settled(source.view);
  impl->own.store = make_store(source, impl->own.plan, options.device);
  if (options.right_hand_sides > 1) impl->reserve(options.right_hand_sides);
  if (options.updates) impl->prepare_updates();
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

template std::unique_ptr<Store<float>> make_store(Source<float>, const Plan&, Device);
template std::unique_ptr<Store<double>> make_store(Source<double>, const Plan&, Device);
template class Operator<float>;
template class Operator<double>;
template Operator<float> build(const Csr<float>&, const Plan&, const BuildOptions&);
template Operator<double> build(const Csr<double>&, const Plan&, const BuildOptions&);
template Operator<float> build(Csr<float>&&, const Plan&, const BuildOptions&);
template Operator<double> build(Csr<double>&&, const Plan&, const BuildOptions&);

}  // namespace heddle

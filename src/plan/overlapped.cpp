#include <heddle/overlapped.hpp>

#include <utility>

#include "plan/background_build.hpp"

namespace heddle {

namespace {

template <class V>
using BuilderBesides = std::function<std::optional<Operator<V>>(const Operator<V>& first)>;

// The best for many products, whatever the options say of their number: for few the first operator is there.
template <class V>
std::optional<Operator<V>> best_but_csr(Csr<V> A, ChooseOptions options) {
  options.expected_multiplies = 0;
  Operator<V> made = optimize(std::move(A), options);
  if (made.plan().format == "csr") return {};
  return made;
}

}  // namespace

template <class V>
struct Overlapped<V>::Impl {
  Impl(Operator<V> op, const BuilderBesides<V>& better)
      : first(std::move(op)), later([this, better]() -> std::optional<Operator<V>> {
          std::optional<Operator<V>> made = better(first);
          if (made) require_same_matrix(first, *made);
          return made;
        }) {}

  Operator<V> first;
  BackgroundBuild<V> later;  // last: its thread looks at what stands above
};

template <class V>
Overlapped<V>::Overlapped(Operator<V> first, std::function<std::optional<Operator<V>>()> better)
    : impl_(std::make_unique<Impl>(std::move(first),
                                   [better = std::move(better)](const Operator<V>&) { return better(); })) {}

// csr in host memory takes the arrays over, and the other thread gets its copy from there: the first product does not
// wait for one.
template <class V>
Overlapped<V>::Overlapped(Csr<V> A, const ChooseOptions& options) {
  const BuildOptions there{.device = options.device};
  if (options.device.kind == Device::Kind::cpu) {
    impl_ = std::make_unique<Impl>(build(std::move(A), Plan{}, there), [options](const Operator<V>& first) {
      return best_but_csr(first.restore(), options);
    });
    return;
  }
  const auto matrix = std::make_shared<Csr<V>>(std::move(A));
  impl_ = std::make_unique<Impl>(build(*matrix, Plan{}, there), [matrix, options](const Operator<V>&) {
    return best_but_csr(std::exchange(*matrix, {}), options);
  });
}

template <class V>
Overlapped<V>::Overlapped(Overlapped&&) noexcept = default;
template <class V>
Overlapped<V>& Overlapped<V>::operator=(Overlapped&&) noexcept = default;
template <class V>
Overlapped<V>::~Overlapped() = default;

template <class V>
const Operator<V>& Overlapped<V>::now() const noexcept {
  const Operator<V>* better = impl_->later.ready();
  return better ? *better : impl_->first;
}

template <class V>
bool Overlapped<V>::settled() const noexcept {
  return impl_->later.over();
}

template <class V>
void Overlapped<V>::wait() {
  impl_->later.wait();
}

template <class V>
const std::string& Overlapped<V>::error() const noexcept {
  static const std::string none;
  return settled() ? impl_->later.error() : none;
}

template <class V>
Operator<V> Overlapped<V>::take() && {
  wait();
  const auto impl = std::exchange(impl_, nullptr);
  std::optional<Operator<V>> better = std::move(impl->later).take();
  return better ? std::move(*better) : std::move(impl->first);
}

template class Overlapped<float>;
template class Overlapped<double>;

}  // namespace heddle

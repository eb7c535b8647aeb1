#include <heddle/overlapped.hpp>

#include <utility>

#include "core/check.hpp"
#include "plan/background_build.hpp"

namespace heddle {

namespace {

template <class V>
using BetterBuilder = std::function<std::optional<Operator<V>>(const Operator<V>& first)>;

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
  Impl(Operator<V> op, const BetterBuilder<V>& better)
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

namespace {

template <class Impl>
Impl& held(const std::unique_ptr<Impl>& impl) {
  if (!impl) fail(ErrorKind::usage, {"Overlapped", "use what it was moved to, or what take gave"}, "it was moved from");
  return *impl;
}

}  // namespace

template <class V>
const Operator<V>& Overlapped<V>::now() const {
  const Impl& impl = held(impl_);
  const Operator<V>* better = impl.later.ready();
  return better ? *better : impl.first;
}

template <class V>
bool Overlapped<V>::settled() const {
  return held(impl_).later.over();
}

template <class V>
void Overlapped<V>::wait() {
  held(impl_).later.wait();
}

template <class V>
const std::string& Overlapped<V>::error() const {
  static const std::string none;
  return settled() ? held(impl_).later.error() : none;
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

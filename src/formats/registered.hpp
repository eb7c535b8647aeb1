// From a format's struct to its line in the registry. Included by the name.cpp of each format, never by kernels.
#pragma once

#include <mutex>

#include "core/check.hpp"
#include "core/gpu.hpp"
#include "formats/format.hpp"

namespace heddle {

// Padding is refused when it is both many times the matrix and large in itself. (An honest small case, such as a
// matrix of 766 thousand entries stored as 17 million to show what one long row does, still runs.)
Footprint judged(Footprint need, std::int64_t nnz);

template <class F>
std::int64_t bytes_of(const F& format) {
  std::int64_t sum = 0;
  F::each_array(format, [&](const auto& array) { sum += static_cast<std::int64_t>(array.bytes()); });
  return sum;
}

template <template <class> class F, class V>
class StoreOf final : public Store<V> {
 public:
  StoreOf(F<V> format, Device device) : format_(std::move(format)), device_(device) {
    F<V>::each_array(format_, [&](auto& array) { array = std::move(array).owned_on(device); });
  }

  void multiply(const Product<V>& product) const override {
    alone(product.stream, [&] { multiply_here(product); });
  }

  bool multiply_many(const ProductMany<V>& product) const override {
    bool done = false;
    alone(product.stream, [&] { done = multiply_many_here(product); });
    return done;
  }

  void reserve([[maybe_unused]] int vectors) override {
    if constexpr (requires { format_.reserve(vectors); }) format_.reserve(vectors);
  }

  Csr<V> restore() const override {
    if (device_.host_memory()) return format_.restore();
    F<V> here = format_;
    F<V>::each_array(here, [](auto& array) { array = array.to(Device::cpu()); });
    return here.restore();
  }

  std::int64_t bytes() const override { return bytes_of(format_); }

  std::vector<std::span<V>> value_arrays() override {
    std::vector<std::span<V>> arrays;
    F<V>::each_array(format_, [&]<class Array>(Array& array) {
      if constexpr (std::is_same_v<Array, Buffer<V>>) arrays.push_back(array.span());
    });
    return arrays;
  }

  bool takes_turns() const override {
    if constexpr (requires { F<V>::uses_scratch ? 1 : 0; })
      return F<V>::uses_scratch;
    else
      return format_.uses_scratch();
  }

 private:
  // Whoever writes scratch arrays waits for the one before.
  template <class Work>
  void alone(Stream stream, Work work) const {
    if (!takes_turns()) return work();
    const std::lock_guard guard(scratch_guard_);
    if (device_.host_memory()) return work();
    turn_.wait_on(stream);
    work();
    turn_.passed_on(stream);
  }
  template <class Where>
  bool multiply_many_at([[maybe_unused]] Where where, [[maybe_unused]] const ProductMany<V>& product) const {
    if constexpr (requires { format_.multiply_many(where, product); })
      return format_.multiply_many(where, product);
    else
      return false;
  }
  bool multiply_many_here(const ProductMany<V>& product) const {
    switch (device_.kind) {
      case Device::Kind::cpu: return multiply_many_at(OnCpu{}, product);
      case Device::Kind::emulator: return multiply_many_at(simt::Emulator{}, product);
      case Device::Kind::gpu:
#ifdef HEDDLE_HAS_CUDA
        return multiply_many_at(simt::Cuda{}, product);
#else
        fail(ErrorKind::unavailable, "this build of Heddle has no CUDA");
#endif
    }
    return false;
  }
  void multiply_here(const Product<V>& product) const {
    switch (device_.kind) {
      case Device::Kind::cpu: return format_.multiply(OnCpu{}, product);
      case Device::Kind::emulator: return format_.multiply(simt::Emulator{}, product);
      case Device::Kind::gpu:
#ifdef HEDDLE_HAS_CUDA
        return format_.multiply(simt::Cuda{}, product);
#else
        fail(ErrorKind::unavailable, "this build of Heddle has no CUDA");
#endif
    }
  }

  F<V> format_;
  Device device_;
  mutable std::mutex scratch_guard_;  // whoever multiplies has the scratch arrays to itself ...
  mutable gpu::Turn turn_;            // ... also on the GPU, where the work runs later than the call
};

template <template <class> class F>
typename F<double>::Settings settings_from(const Plan& plan) {
  typename F<double>::Settings settings;
  read_settings(settings.fields(), plan);
  return settings;
}

template <template <class> class F, class V>
Plan settle_with_values(const Plan& plan, const CsrView<V>& A) {
  auto settings = settings_from<F>(plan);
  if constexpr (requires { F<V>::settle_values(settings, A); })
    F<V>::settle_values(settings, A);
  else
    F<V>::settle(settings, A);
  return write_settings(settings.fields(), plan.format);
}

template <template <class> class F, class V>
std::unique_ptr<Store<V>> build_store(Source<V> source, const Plan& resolved, Device device) {
  return std::make_unique<StoreOf<F, V>>(F<V>::build(source, settings_from<F>(resolved)), device);
}

// The registry line of a format; type erasure and instantiation for both precisions happen here and nowhere else.
template <template <class> class F>
const Format& registered() {
  static const Format line = [] {
    Format f{F<double>::about(),
             nullptr,
             nullptr,
             nullptr,
             build_store<F, float>,
             build_store<F, double>,
             settle_with_values<F, float>,
             settle_with_values<F, double>};
    typename F<double>::Settings defaults;
    for (const Field& field : defaults.fields()) f.info.settings.push_back(describe(field));
    f.resolve = [](const Plan& plan, const PatternView& A) {
      auto settings = settings_from<F>(plan);
      F<double>::settle(settings, A);
      return write_settings(settings.fields(), plan.format);
    };
    f.footprint = [](const Plan& plan, const PatternView& A, int value_bytes) {
      return judged(F<double>::footprint(A, settings_from<F>(plan), value_bytes), A.nnz());
    };
    f.at_most = f.footprint;
    if constexpr (requires(typename F<double>::Settings s) { F<double>::at_most(PatternView{}, s, 0); })
      f.at_most = [](const Plan& plan, const PatternView& A, int value_bytes) {
        return judged(F<double>::at_most(A, settings_from<F>(plan), value_bytes), A.nnz());
      };
    return f;
  }();
  return line;
}

}  // namespace heddle

// From a format's struct to its line in the registry. Included by the name.cpp of each format, never by kernels.
#pragma once

#include <mutex>

#include "core/check.hpp"
#include "core/fork_lock.hpp"
#include "core/gpu.hpp"
#include "formats/format.hpp"
#include "simt/where.hpp"

namespace heddle {

// The padding in per cent, and what too_much_padding says.
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
    if (!device_.host_memory()) {
      F<V> here = format_;
      F<V>::each_array(here, [](auto& array) { array = array.to(Device::cpu()); });
      return here.restore();
    }
    Csr<V> A = format_.restore();  // its arrays may be copies of the format's own, on the emulator
    return {A.rows, A.cols, std::move(A.ptr).owned_on(Device::cpu()), std::move(A.col).owned_on(Device::cpu()),
            std::move(A.val).owned_on(Device::cpu())};
  }

  std::int64_t bytes() const override { return bytes_of(format_); }

  bool keeps(const void* memory) const override {
    bool found = false;
    F<V>::each_array(format_, [&](const auto& array) { found |= !array.empty() && array.data() == memory; });
    return found;
  }

  std::vector<std::span<V>> value_arrays() override {
    std::vector<std::span<V>> arrays;
    F<V>::each_array(format_, [&]<class Array>(Array& array) {
      if constexpr (std::is_same_v<Array, Buffer<V>>) arrays.push_back(array.span());
    });
    if constexpr (requires { F<V>::each_scratch(format_, [](auto&) {}); })
      F<V>::each_scratch(format_, [&](auto& scratch) {
        std::erase_if(arrays, [&](const std::span<V>& array) { return array.data() == scratch.data(); });
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
    bool done = false;
    on(device_, [&](auto where) { done = multiply_many_at(where, product); });
    return done;
  }
  void multiply_here(const Product<V>& product) const {
    on(device_, [&](auto where) { format_.multiply(where, product); });
  }

  F<V> format_;
  Device device_;
  mutable ForkLock scratch_guard_;  // whoever multiplies has the scratch arrays to itself ...
  mutable gpu::Turn turn_;          // ... also on the GPU, where the work runs later than the call
};

template <template <class> class F>
typename F<double>::Settings settings_from(const Plan& plan) {
  typename F<double>::Settings settings;
  read_settings(settings.fields(), plan);
  return settings;
}

template <template <class> class F, class V>
Plan settle_with_values(const Plan& plan, Source<V> source) {
  auto settings = settings_from<F>(plan);
  if constexpr (requires { F<V>::settle_values(settings, source); })
    F<V>::settle_values(settings, source);
  else
    F<V>::settle(settings, source.view);
  return write_settings(settings.fields(), plan.format);
}

template <template <class> class F, class V>
std::unique_ptr<Store<V>> build_store(Source<V> source, const Plan& resolved, Device device) {
  return std::make_unique<StoreOf<F, V>>(F<V>::build(source, settings_from<F>(resolved)), device);
}

template <template <class> class F>
inline constexpr bool builds_there = requires(Source<double> source, typename F<double>::Settings s) {
  F<double>::build_there(simt::Emulator{}, source, s);
};

template <template <class> class F, class V>
std::unique_ptr<Store<V>> build_store_there([[maybe_unused]] Source<V> source, [[maybe_unused]] const Plan& resolved) {
  std::unique_ptr<Store<V>> made;
  if constexpr (builds_there<F>)
    on_gpu(source.device, [&](auto where) {
      auto format = F<V>::build_there(where, source, settings_from<F>(resolved));
      if (format) made = std::make_unique<StoreOf<F, V>>(std::move(*format), source.device);
    });
  return made;
}

template <template <class> class F, class V>
std::optional<Plan> settle_there([[maybe_unused]] const Plan& plan, [[maybe_unused]] Source<V> source) {
  std::optional<Plan> settled;
  if constexpr (requires(typename F<V>::Settings s) { F<V>::settle_there(simt::Emulator{}, s, source); })
    on_gpu(source.device, [&](auto where) {
      auto settings = settings_from<F>(plan);
      if (F<V>::settle_there(where, settings, source)) settled = write_settings(settings.fields(), plan.format);
    });
  return settled;
}

template <template <class> class F, class V>
void ask_there([[maybe_unused]] const Plan& plan, [[maybe_unused]] Source<V> source, const QueueLook& look) {
  if constexpr (requires(typename F<V>::Settings s) { F<V>::ask_there(simt::Emulator{}, s, source, look); })
    on_gpu(source.device, [&](auto where) { F<V>::ask_there(where, settings_from<F>(plan), source, look); });
  else
    look(false);
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
             settle_with_values<F, double>,
             builds_there<F>,
             build_store_there<F, float>,
             build_store_there<F, double>,
             settle_there<F, float>,
             settle_there<F, double>,
             ask_there<F, float>,
             ask_there<F, double>};
    typename F<double>::Settings defaults;
    for (const Field& field : defaults.fields()) f.info.settings.push_back(describe(field));
    f.resolve = [](const Plan& plan, const PatternView& A, int value_bytes) {
      auto settings = settings_from<F>(plan);
      value_bytes == 4 ? F<float>::settle(settings, A) : F<double>::settle(settings, A);
      return write_settings(settings.fields(), plan.format);
    };
    f.footprint = [](const Plan& plan, const PatternView& A, int value_bytes) {
      return judged(F<double>::footprint(A, settings_from<F>(plan), value_bytes), A.nnz());
    };
    f.at_most = [](const Plan& plan, const PatternView& A, int value_bytes, [[maybe_unused]] Found* found) {
      const auto settings = settings_from<F>(plan);
      if constexpr (requires { F<double>::at_most(A, settings, 0, found); })
        return judged(F<double>::at_most(A, settings, value_bytes, found), A.nnz());
      else if constexpr (requires { F<double>::at_most(A, settings, 0); })
        return judged(F<double>::at_most(A, settings, value_bytes), A.nnz());
      else
        return judged(F<double>::footprint(A, settings, value_bytes), A.nnz());
    };
    return f;
  }();
  return line;
}

}  // namespace heddle

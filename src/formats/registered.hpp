// From a format's struct to its line in the registry. Included by the name.cpp of each format, never by kernels.
#pragma once

#include <mutex>

#include "core/check.hpp"
#include "core/fork_lock.hpp"
#include "core/gpu.hpp"
#include "formats/build_board.hpp"
#include "simt/where.hpp"

namespace heddle {

// The padding in per cent, and what too_much_padding says.
Footprint judged(Footprint need, std::int64_t nnz);
// Error(unavailable).
[[noreturn]] void does_not_fit(const Plan& plan, const Footprint& need);

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
  // A product that writes scratch arrays waits for the one before.
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
  mutable ForkLock scratch_guard_;  // one product at a time has the scratch arrays ...
  mutable gpu::Turn turn_;          // ... also on the GPU, where the work runs later than the call
};

template <template <class> class F>
typename F<double>::Settings settings_from(const Plan& plan) {
  typename F<double>::Settings settings;
  read_settings(settings.fields(), plan);
  return settings;
}

// Settings are read from the plan once, and written once they are settled.
template <template <class> class F, class V>
class BuilderOf : public Builder<V> {
 public:
  BuilderOf(BuildBoard<V>& board, const Plan& plan)
      : board_(board), format_(plan.format), settings_(settings_from<F>(plan)) {}

  void begin() override {}
  Plan plan() const override {
    auto settings = settings_;
    return write_settings(settings.fields(), format_);
  }

 protected:
  // New values may not fit any other codec.
  void store_raw() {
    if constexpr (requires { settings_.values = ValueCodec::raw; }) settings_.values = ValueCodec::raw;
  }

  BuildBoard<V>& board_;
  std::string format_;
  typename F<double>::Settings settings_;
};

// What a format finds for building while it is asked for room; most find nothing.
template <class Format>
struct FoundBy {
  struct Type {};
};
template <class Format>
requires requires { typename Format::Found; }
struct FoundBy<Format> {
  using Type = typename Format::Found;
};

// An upper bound, judged.
template <template <class> class F>
Footprint room_for(const PatternView& A, const typename F<double>::Settings& settings, int value_bytes,
                   [[maybe_unused]] typename FoundBy<F<double>>::Type& found) {
  if constexpr (requires { F<double>::at_most(A, settings, 0, found); })
    return judged(F<double>::at_most(A, settings, value_bytes, found), A.nnz());
  else if constexpr (requires { F<double>::at_most(A, settings, 0); })
    return judged(F<double>::at_most(A, settings, value_bytes), A.nnz());
  else
    return judged(F<double>::footprint(A, settings, value_bytes), A.nnz());
}

// Of a matrix in host memory.
template <template <class> class F, class V>
class HostBuilder final : public BuilderOf<F, V> {
 public:
  HostBuilder(BuildBoard<V>& board, const Plan& plan, Device device) : BuilderOf<F, V>(board, plan), device_(device) {}

  bool settle(bool values_will_change) override {
    const Source<V>& source = this->board_.source();
    if constexpr (requires { F<V>::settle_on_cpu(this->settings_, source.view); })
      if (device_.kind == Device::Kind::cpu) F<V>::settle_on_cpu(this->settings_, source.view);
    if constexpr (requires { F<V>::settle_values(this->settings_, source, found_); })
      F<V>::settle_values(this->settings_, source, found_);
    else
      F<V>::settle(this->settings_, source.view);
    if (values_will_change) this->store_raw();
    return true;
  }
  std::unique_ptr<Store<V>> finish() override {
    const Source<V>& source = this->board_.source();
    const Footprint need = room_for<F>(source.view, this->settings_, sizeof(V), found_);
    if (!need.fits) does_not_fit(this->plan(), need);
    if constexpr (requires { F<V>::build(source, this->settings_, std::move(found_)); })
      return std::make_unique<StoreOf<F, V>>(F<V>::build(source, this->settings_, std::move(found_)), device_);
    else
      return std::make_unique<StoreOf<F, V>>(F<V>::build(source, this->settings_), device_);
  }

 private:
  Device device_;
  typename FoundBy<F<double>>::Type found_;
};

// Of one that lies on a device, by kernels that ask nothing before it is checked.
template <template <class> class F, class V, class Where>
class DeviceBuilder final : public BuilderOf<F, V> {
 public:
  DeviceBuilder(Where where, BuildBoard<V>& board, const Plan& plan) : BuilderOf<F, V>(board, plan), where_(where) {}

  void begin() override { this->board_.check(where_).queue(where_, false); }
  bool settle(bool values_will_change) override {
    const bool settled = F<V>::settle_there(where_, this->settings_, this->board_.source());
    if (values_will_change) this->store_raw();
    return settled;
  }
  std::unique_ptr<Store<V>> finish() override {
    auto made = F<V>::build_there(where_, this->board_.source(), this->settings_);
    return made ? std::make_unique<StoreOf<F, V>>(std::move(*made), this->board_.device()) : nullptr;
  }

 private:
  Where where_;
};

template <class Format, class Where>
inline constexpr bool has_builder_there = requires {
  typename Format::template BuilderThere<Where>;
};
template <template <class> class F>
inline constexpr bool builds_there = has_builder_there<F<double>, simt::Emulator> ||
                                     requires(Source<double> source, typename F<double>::Settings s) {
  F<double>::build_there(simt::Emulator{}, source, s);
};

template <template <class> class F, class V>
std::unique_ptr<Builder<V>> make_builder(BuildBoard<V>& board, const Plan& plan, Device device) {
  if (board.device().kind == Device::Kind::cpu) return std::make_unique<HostBuilder<F, V>>(board, plan, device);
  std::unique_ptr<Builder<V>> made;
  if constexpr (builds_there<F>)
    on_gpu(board.device(), [&]<class Where>(Where where) {
      if constexpr (has_builder_there<F<V>, Where>)
        made = std::make_unique<typename F<V>::template BuilderThere<Where>>(where, board, plan);
      else
        made = std::make_unique<DeviceBuilder<F, V, Where>>(where, board, plan);
    });
  return made;
}

// The registry line of a format; type erasure and instantiation for both precisions happen here and nowhere else.
template <template <class> class F>
const Format& registered() {
  static const Format line = [] {
    Format f{F<double>::about(),      nullptr,        nullptr, nullptr, make_builder<F, float>,
             make_builder<F, double>, builds_there<F>};
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
    f.at_most = [](const Plan& plan, const PatternView& A, int value_bytes) {
      typename FoundBy<F<double>>::Type found;
      return room_for<F>(A, settings_from<F>(plan), value_bytes, found);
    };
    return f;
  }();
  return line;
}

}  // namespace heddle

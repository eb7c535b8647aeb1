// A format of your own, from outside of this library. The program that has it registers it; from then on plans name it,
// `choose` and `optimize` propose it, `build` builds it and an Operator multiplies with it. docs/add-a-format.md writes
// one in 80 lines. It looks like this, for float and for double:
//
//   template <class V> struct Mine {
//     static FormatInfo about();                       // its name, what it is, the settings that a plan may give
//     static Footprint footprint(const PatternView&, const Plan&, int value_bytes);   // exact: `bytes` of all arrays
//     static ProductWork work(const Structure&, const Plan&, int value_bytes);        // what the planner prices
//     static Mine build(const CsrView<V>&, const Plan&);   // in host memory; Error(unavailable): not for these values
//     auto arrays() { return std::tie(...); }          // all its Buffers; they are moved to the operator's device
//     Csr<V> restore() const;                          // bit for bit what it was built from
//     void multiply(const FormatProduct<V>&) const;    // by the rules of docs/contract.md; see for_rows and put
//     void multiply_on_gpu(const FormatProduct<V>&) const;   // optional: queues kernels of yours on the stream
//     static std::vector<Plan> plans(const Structure&);      // optional: candidates, with the plain one
//   };
//
//   heddle::register_format<Mine>();
//
// A plan that reaches it has every setting, checked: setting(plan, "width"). `multiply` is called by several threads at
// once and writes nothing but y. Values that are kept in a Buffer<V> are kept all and as they are: update_values then
// writes new ones into their places. A format without a Buffer<V> is built anew.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <heddle/analyze.hpp>
#include <heddle/buffer.hpp>
#include <heddle/device.hpp>
#include <heddle/export.hpp>
#include <heddle/formats.hpp>
#include <heddle/matrix.hpp>
#include <heddle/plan.hpp>

#ifdef __CUDACC__
#define HEDDLE_HOST_AND_DEVICE __host__ __device__
#else
#define HEDDLE_HOST_AND_DEVICE
#endif

namespace HEDDLE_PUBLIC heddle {

// y = alpha A x + beta y. On a GPU x and y are its memory, and stream.handle is the cudaStream_t. alpha is never 0.
template <class V>
struct FormatProduct {
  V alpha = 1, beta = 0;
  const V* x = nullptr;
  V* y = nullptr;
  Stream stream;

  // What y[row] becomes by the row's sum. beta = 0 does not read y; a row without entries stays out of reach of alpha.
  HEDDLE_HOST_AND_DEVICE void put(std::int64_t row, V sum, bool has_entries) const {
    const V rest = beta == V(0) ? V(0) : beta * y[row];
    y[row] = !has_entries ? rest : beta == V(0) ? alpha * sum : alpha * sum + rest;
  }
};

// One product, as far as facts tell. Costs of the format itself are a guess, which `Choice::reason` says.
struct ProductWork {
  double bytes = 0;   // of all arrays, each read once
  double places = 0;  // entries that are multiplied, and padding that is read
  double lanes = 1;   // threads of a GPU that share a row
  bool fits = true;   // false: not a format for this matrix
};

int setting(const Plan& plan, std::string_view name);  // a number that the plan gives

// f(begin, end) for stretches of rows, on as many threads as `entries` are worth; no result may depend on the
// stretches.
void run_rows(std::int64_t rows, std::int64_t entries,
              void (*run)(const void* context, std::int64_t begin, std::int64_t end), const void* context);
template <class F>
void for_rows(std::int64_t rows, std::int64_t entries, const F& f) {
  run_rows(
      rows, entries,
      [](const void* context, std::int64_t begin, std::int64_t end) { (*static_cast<const F*>(context))(begin, end); },
      &f);
}

// One matrix in the format, on its device.
template <class V>
class FormatStore {
 public:
  virtual ~FormatStore() = default;
  virtual void multiply(const FormatProduct<V>& product) const = 0;
  virtual Csr<V> restore() const = 0;  // in host memory
  virtual std::int64_t bytes() const = 0;
  virtual std::vector<std::span<V>> value_arrays() = 0;
};

template <template <class> class F, class V>
class FormatStoreOf final : public FormatStore<V> {
 public:
  FormatStoreOf(F<V> format, Device device) : format_(std::move(format)), device_(device) {
    each([&](auto& array) {
      array = std::move(array).owned_on(device);
      bytes_ += static_cast<std::int64_t>(array.bytes());
      using Array = std::remove_reference_t<decltype(array)>;
      if constexpr (std::is_same_v<Array, Buffer<V>>) values_.push_back(array.span());
    });
  }

  void multiply(const FormatProduct<V>& product) const override {
    if constexpr (requires { format_.multiply_on_gpu(product); })
      if (!device_.host_memory()) return format_.multiply_on_gpu(product);
    format_.multiply(product);
  }
  Csr<V> restore() const override {
    if (device_.host_memory()) return format_.restore();
    F<V> here = format_;
    std::apply([](auto&... array) { ((array = array.to(Device::cpu())), ...); }, here.arrays());
    return here.restore();
  }
  std::int64_t bytes() const override { return bytes_; }
  std::vector<std::span<V>> value_arrays() override { return values_; }

 private:
  template <class Each>
  void each(Each f) {
    std::apply([&](auto&... array) { (f(array), ...); }, format_.arrays());
  }

  F<V> format_;
  Device device_;
  std::int64_t bytes_ = 0;
  std::vector<std::span<V>> values_;
};

// What the library knows of a format from outside.
struct CustomFormat {
  FormatInfo info;
  bool on_gpu = false;       // it has multiply_on_gpu
  bool keeps_values = true;  // all of them, in arrays of their own
  Footprint (*footprint)(const PatternView&, const Plan&, int value_bytes) = nullptr;
  ProductWork (*work)(const Structure&, const Plan&, int value_bytes) = nullptr;
  std::vector<Plan> (*plans)(const Structure&) = nullptr;
  std::unique_ptr<FormatStore<float>> (*build_f32)(const CsrView<float>&, const Plan&, Device) = nullptr;
  std::unique_ptr<FormatStore<double>> (*build_f64)(const CsrView<double>&, const Plan&, Device) = nullptr;
};

// From then on, for good, the process knows the format. Error(usage) for a name that is taken or is none, and for
// settings whose fallback they do not allow. What `formats` gave before stays valid and as it was.
void add_format(CustomFormat format);

template <template <class> class F, class V>
std::unique_ptr<FormatStore<V>> build_custom(const CsrView<V>& A, const Plan& plan, Device device) {
  return std::make_unique<FormatStoreOf<F, V>>(F<V>::build(A, plan), device);
}

template <template <class> class F>
void register_format() {
  using Arrays = decltype(std::declval<F<double>&>().arrays());
  CustomFormat format;
  format.info = F<double>::about();
  format.on_gpu = requires(const F<double>& f, const FormatProduct<double>& product) { f.multiply_on_gpu(product); };
  format.keeps_values = []<class... Array>(std::type_identity<std::tuple<Array...>>) {
    return (std::is_same_v<Array, Buffer<double>&> || ...);
  }(std::type_identity<Arrays>{});
  format.footprint = [](const PatternView& A, const Plan& plan, int value_bytes) {
    return F<double>::footprint(A, plan, value_bytes);
  };
  format.work = [](const Structure& facts, const Plan& plan, int value_bytes) {
    return F<double>::work(facts, plan, value_bytes);
  };
  if constexpr (requires(const Structure& facts) { F<double>::plans(facts); })
    format.plans = [](const Structure& facts) { return F<double>::plans(facts); };
  format.build_f32 = build_custom<F, float>;
  format.build_f64 = build_custom<F, double>;
  add_format(std::move(format));
}

// Whether a registered format keeps the contract, on small matrices whose sums are exact: the empty, the ragged, the
// dense, rows of no entry and of thousands; values of many kinds, and all alike. One line for each promise that is
// broken; empty: none is. A format may refuse what it is not made for, but not everything.
std::vector<std::string> broken_promises(const Plan& plan, Device device = Device::cpu());

}  // namespace heddle

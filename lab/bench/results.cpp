#include "bench/results.hpp"

#include <cmath>

#include "bench/timing.hpp"
#include "core/gpu.hpp"
#include "core/parallel.hpp"
#include "core/stopwatch.hpp"
#include "core/system.hpp"

namespace heddle::bench {

namespace {

constexpr std::int64_t row_grain = 4096;

// Numbers in (-1, 1) that look random and are the same everywhere.
template <class V>
V scattered(std::int64_t i) {
  const std::uint64_t mixed = (static_cast<std::uint64_t>(i) + 1) * 0x9E3779B97F4A7C15u;
  return static_cast<V>(static_cast<double>(static_cast<std::int64_t>(mixed)) * 0x1p-63);
}

template <class V>
const char* precision_name() {
  return sizeof(V) == 8 ? "f64" : "f32";
}

template <class V>
void put_times(Result& result, const CsrView<V>& A, std::int64_t matrix_bytes, const Timing& timing,
               const Settings& settings) {
  result.seconds = timing.median;
  result.spread = timing.spread;
  result.bytes = matrix_bytes + (A.rows + A.cols) * static_cast<std::int64_t>(sizeof(V));
  result.gflops = 2 * static_cast<double>(A.nnz()) / timing.median / 1e9;
  result.gbps = static_cast<double>(result.bytes) / timing.median / 1e9;
  if (settings.read_gbps > 0) result.roofline = result.gbps / settings.read_gbps;
}

template <class V>
void put_error(Result& result, const Reference<V>& reference, std::span<const V> y) {
  const auto comparison = reference.compare(y);
  result.max_error = comparison.max_error;
  if (comparison.row >= 0) result.status = fmt::format("wrong result in row {}", comparison.row);
}

// time(how): a timing of the product.
template <class F>
void put_other_times(Result& result, const Settings& settings, F time) {
  if (settings.cold) result.cold_seconds = time(gpu::Repeats::cold).median;
  if (settings.calls)
    result.call_seconds = settings.device.host_memory() ? result.seconds : time(gpu::Repeats::warm_uncaptured).median;
}

// Energy of `product`, which queues one.
void put_energy(Result& result, const Settings& settings, Device device, const std::function<void(Stream)>& product) {
  if (settings.energy == nullptr || !settings.energy->there() || !result.ok()) return;
  const EnergyRun how{
      .seconds = settings.energy_seconds, .batch = energy_batch(result.seconds), .now = {}, .stopped = {}};
  const Energy energy = measure_energy(*settings.energy, how, [&](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) product({});
    if (!device.host_memory()) gpu::synchronize(Stream{});
  });
  result.joules = energy.joules;
  result.watts = energy.watts();
}

// Runs `measure`; a failure becomes the status of the result.
template <class F>
Result guarded(Result result, F measure) {
  try {
    measure(result);
  } catch (const std::bad_alloc&) {
    result.status = "out of memory";
  } catch (const std::exception& error) {
    result.status = error.what();
  }
  return result;
}

template <class V>
Buffer<V> filled_with_nan(std::int64_t size) {  // so that a row that is not written shows
  Buffer<V> y(size);
  std::fill(y.begin(), y.end(), std::numeric_limits<V>::quiet_NaN());
  return y;
}

}  // namespace

template <class V>
Reference<V>::Reference(const CsrView<V>& matrix) : A(matrix), x_(matrix.cols) {
  for (std::int64_t i = 0; i < A.cols; ++i) x_[i] = scattered<V>(i);
}

template <class V>
typename Reference<V>::Comparison Reference<V>::compare(std::span<const V> y) const {
  const std::int64_t tasks = (A.rows + row_grain - 1) / row_grain;
  Vector<Comparison> parts(static_cast<std::size_t>(tasks));
  parallel_ranges(A.rows, row_grain, [&](std::int64_t begin, std::int64_t end) {
    Comparison& part = parts[begin / row_grain];
    for (std::int64_t row = begin; row < end; ++row) {
      long double exact = 0, scale = 0;
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
        const long double product = static_cast<long double>(A.val[k]) * x_[A.col[k]];
        exact += product;
        scale += std::fabs(product);
      }
      if (!std::isfinite(scale)) continue;  // Inf and NaN in the matrix: the conformance suite's business
      const auto error = static_cast<double>(std::fabs(y[row] - exact));
      const double tiny = std::numeric_limits<V>::min(), eps = std::numeric_limits<V>::epsilon();
      const double allowed = static_cast<double>(A.length(row) + 3) * (eps * static_cast<double>(scale) + tiny);
      if (!(error <= allowed) && part.row < 0) part.row = row;
      const double relative = std::isnan(error) ? INFINITY : error / std::max(static_cast<double>(scale), tiny);
      part.max_error = std::max(part.max_error, relative);
    }
  });
  Comparison all;
  for (const Comparison& part : parts) {
    all.max_error = std::max(all.max_error, part.max_error);
    if (all.row < 0) all.row = part.row;
  }
  return all;
}

template <class V>
Result bench_plan(const Csr<V>& A, const Plan& plan, const Reference<V>& reference, const Settings& settings) {
  return guarded({.plan = to_string(plan), .precision = precision_name<V>()}, [&](Result& result) {
    std::unique_ptr<Operator<V>> op;
    result.build_seconds =
        seconds_of([&] { op = std::make_unique<Operator<V>>(build(A, plan, {.device = settings.device})); });
    result.plan = to_string(op->plan());
    const auto x = Buffer<V>::copy_of(reference.x(), settings.device);
    Buffer<V> y = filled_with_nan<V>(A.rows).to(settings.device);
    const auto time = [&](gpu::Repeats how) { return time_multiply<V>(*op, x, y, settings.seconds, how); };
    put_times(result, A.view(), op->bytes(), time(gpu::Repeats::warm), settings);
    put_error<V>(result, reference, y.to(Device::cpu()));
    put_other_times(result, settings, time);
    put_energy(result, settings, settings.device, [&](Stream stream) { op->multiply(x, y, stream); });
  });
}

template <class V>
Result bench_peer(const Csr<V>& A, Peer<V>& peer, const Reference<V>& reference, const Settings& settings) {
  return guarded({.peer = peer.name(), .precision = precision_name<V>()}, [&](Result& result) {
    const auto x = Buffer<V>::copy_of(reference.x(), peer.device());
    Buffer<V> y = filled_with_nan<V>(A.rows).to(peer.device());
    result.build_seconds = seconds_of([&] { peer.prepare(A.view(), x, y); });
    const auto time = [&](gpu::Repeats how) { return time_peer(peer, settings.seconds, how); };
    put_times(result, A.view(), peer.bytes(), time(gpu::Repeats::warm), settings);
    put_error<V>(result, reference, y.to(Device::cpu()));
    put_other_times(result, settings, time);
    put_energy(result, settings, peer.device(), [&](Stream stream) { peer.multiply(stream); });
  });
}

template <class V>
Result bench_peer(const Csr<V>& A, const std::string& name, const Reference<V>& reference, const Settings& settings) {
  return guarded({.peer = name, .precision = precision_name<V>()}, [&](Result& result) {
    result = bench_peer(A, *make_peer<V>(name, settings.device), reference, settings);
  });
}

template class Reference<float>;
template class Reference<double>;
template Result bench_plan(const Csr<float>&, const Plan&, const Reference<float>&, const Settings&);
template Result bench_plan(const Csr<double>&, const Plan&, const Reference<double>&, const Settings&);
template Result bench_peer(const Csr<float>&, Peer<float>&, const Reference<float>&, const Settings&);
template Result bench_peer(const Csr<double>&, Peer<double>&, const Reference<double>&, const Settings&);
template Result bench_peer(const Csr<float>&, const std::string&, const Reference<float>&, const Settings&);
template Result bench_peer(const Csr<double>&, const std::string&, const Reference<double>&, const Settings&);

}  // namespace heddle::bench

// One matrix times one vector, by our plans and by peers: time, bandwidth, share of the roofline, error.
#pragma once

#include <limits>
#include <string>

#include <heddle/operator.hpp>

#include "bench/energy.hpp"
#include "peers/peers.hpp"

namespace heddle::bench {

struct Settings {
  Device device;
  double seconds = 0.2;                   // for each timing
  bool cold = false;                      // time with evicted caches too
  bool calls = false;                     // and queued one by one, with the host's call
  double read_gbps = 0;                   // the ceiling; 0: no roofline
  const EnergyCounter* energy = nullptr;  // null: energy is not measured
  double energy_seconds = 1;              // for each measurement
};

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct Result {
  std::string plan = {}, peer = {};  // one of the two is empty
  std::string precision = {};        // f64 or f32
  double seconds = unknown, spread = unknown, cold_seconds = unknown;
  double call_seconds = unknown;              // warm, queued one by one: the host's call or the product, what is longer
  double predicted_seconds = unknown;         // by the model, for whom it concerns to fill in
  double gflops = unknown;                    // 2 nnz / seconds
  std::int64_t bytes = 0;                     // the stored matrix, x and y, each moved once
  double gbps = unknown, roofline = unknown;  // bytes per second, and its share of the measured read bandwidth
  double build_seconds = unknown;
  // Multiplications after which the build has paid; infinite: never. See compare.hpp.
  double break_even_csr = unknown, break_even_peer = unknown;
  double joules = unknown, watts = unknown;  // of a product, caches warm
  double max_error = unknown;                // max over rows of |y - exact| / sum |a x|
  std::string status = "ok";                 // or what went wrong

  bool ok() const { return status == "ok"; }
};

// x, and the product in long double to compare with.
template <class V>
class Reference {
 public:
  explicit Reference(const CsrView<V>& A);
  std::span<const V> x() const { return x_; }

  struct Comparison {
    double max_error = 0;
    std::int64_t row = -1;  // the first row outside (length + 3) eps sum |a x|; -1: none
  };
  Comparison compare(std::span<const V> y) const;

 private:
  CsrView<V> A;
  Buffer<V> x_;
};

// Never throw on account of the plan or the peer: what went wrong is in `status`.
template <class V>
Result bench_plan(const Csr<V>& A, const Plan& plan, const Reference<V>& reference, const Settings& settings);
template <class V>
Result bench_peer(const Csr<V>& A, Peer<V>& peer, const Reference<V>& reference, const Settings& settings);
template <class V>
Result bench_peer(const Csr<V>& A, const std::string& name, const Reference<V>& reference, const Settings& settings);

}  // namespace heddle::bench

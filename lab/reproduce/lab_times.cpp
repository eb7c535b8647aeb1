// The times of the lab: each taken once, and of one kernel once, whatever words its plan was asked by.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <heddle/formats.hpp>
#include <heddle/machine.hpp>

#include "bench/timing.hpp"
#include "core/check.hpp"
#include "reproduce/lab.hpp"
#include "reproduce/nominal.hpp"
#include "reproduce/numbers.hpp"

namespace heddle::reproduce {

namespace {

template <class V>
Measurement measure(const Matrix& matrix, const std::string& plan, const Settings& settings, Caches caches) {
  if (settings.planted) {
    const Precision precision = sizeof(V) == 4 ? Precision::f32 : Precision::f64;
    const double seconds = settings.planted(matrix.facts.name, plan, precision);
    return {matrix.facts.name,
            plan,
            name_of(precision),
            seconds,
            seconds,
            settings.planted(matrix.facts.name, "building " + plan, precision),
            "ok"};
  }
  const Csr<V>& A = matrix.as<V>();
  const bench::Reference<V> reference(A.view());
  const bench::Result result =
      bench::bench_plan(A, Plan::parse(plan), reference,
                        {.device = settings.device, .seconds = settings.seconds, .cold = caches == Caches::cold});
  return {matrix.facts.name,    plan,          result.precision, result.seconds, result.cold_seconds,
          result.build_seconds, result.status, result.spread};
}

// The same by one core of the host.
template <class V>
Measurement measure_on_one_core(const Matrix& matrix, const std::string& plan, Settings settings) {
  settings.device = Device::cpu();
  const int before = threads();
  set_threads(1);
  Measurement taken = measure<V>(matrix, plan, settings, Caches::warm);
  set_threads(before);
  return taken;
}

void put_time(Measurement& taken, Caches caches, const Timing& timing) {
  (caches == Caches::cold ? taken.cold_seconds : taken.seconds) = timing.median;
  taken.spread = timing.spread;
}

// Built, compared with the reference, and timed.
template <class V>
Measurement literally(Lab& lab, const Matrix& matrix, const Literal& literal, Precision precision, Caches caches) {
  Measurement taken{
      matrix.facts.name, to_text(literal), name_of(precision), bench::unknown, bench::unknown, bench::unknown, "ok"};
  const Settings& settings = lab.settings();
  if (settings.planted) {
    put_time(taken, caches, {settings.planted(matrix.facts.name, taken.plan, precision), bench::unknown});
    return taken;
  }
  try {
    const Csr<V>& A = matrix.as<V>();
    const LiteralOperator<V> op(A, literal, settings.device);
    const bench::Reference<V> reference(A.view());
    const auto x = Buffer<V>::copy_of(reference.x(), settings.device);
    Buffer<V> unwritten(A.rows);
    std::fill(unwritten.begin(), unwritten.end(), std::numeric_limits<V>::quiet_NaN());
    Buffer<V> y = unwritten.to(settings.device);
    const Timing timing = lab.time_call(caches, [&](Stream stream) { op.multiply(x.data(), y.data(), stream); });
    const Buffer<V> here = y.to(Device::cpu());
    if (reference.compare({here.data(), static_cast<std::size_t>(A.rows)}).row >= 0)
      taken.status = "wrong product";
    else
      put_time(taken, caches, timing);
  } catch (const std::bad_alloc&) {
    taken.status = "out of memory";
  } catch (const std::exception& error) {  // padding without end: this kernel takes no part for this matrix
    taken.status = error.what();
  }
  return taken;
}

// "MATRIX|WHAT|f64", and "|cold" where warm and cold times are kept apart.
std::string key_of(const std::string& matrix, const std::string& what, const char* precision, Caches caches) {
  return fmt::format("{}|{}|{}{}", matrix, what, precision, caches == Caches::cold ? "|cold" : "");
}

constexpr const char* of_the_host = " of the host";
constexpr const char* on_one_core = " on one core";
constexpr const char* built_there = ", built on the host";

bool names_a_plan(const std::string& what) {
  return !what.starts_with("literal ") && !what.starts_with("lane per row") && !what.ends_with(of_the_host) &&
         !what.ends_with(on_one_core) && !what.ends_with(built_there);
}

double operations(const Matrix& matrix) { return 2e-9 * static_cast<double>(matrix.facts.nnz); }

}  // namespace

const char* name_of(Precision precision) noexcept { return precision == Precision::f32 ? "f32" : "f64"; }

// ---- stored times

Lab::Lab(Settings settings) : settings_(std::move(settings)) {
  if (settings_.stored == nullptr) return;
  for (const Measurement& one : settings_.stored->measurements) {
    if (names_a_plan(one.plan)) {
      stored_plans_[one.matrix].push_back(&one);
    } else if (one.plan.ends_with(of_the_host)) {
      put(one.matrix + '|' + one.plan.substr(0, one.plan.size() - std::string(of_the_host).size()), one);
    } else {
      const bool cold = !std::isfinite(one.seconds) && std::isfinite(one.cold_seconds);
      put(key_of(one.matrix, one.plan, one.precision.c_str(), cold ? Caches::cold : Caches::warm), one);
    }
  }
}

// A result of before knew kernels by the words of their plans: the first time of a kernel counts, the others tell how
// far times of the same product lie apart.
void Lab::take_stored_plans(const Matrix& matrix) {
  const auto found = stored_plans_.find(matrix.facts.name);
  if (found == stored_plans_.end()) return;
  const std::vector<const Measurement*> all = std::move(found->second);
  stored_plans_.erase(found);
  for (const Measurement* one : all) {
    const Precision precision = one->precision == name_of(Precision::f32) ? Precision::f32 : Precision::f64;
    const std::string key =
        key_of(one->matrix, settled(matrix, one->plan, precision), name_of(precision), Caches::warm);
    const auto known = index_.find(key);
    if (known == index_.end()) {
      put(key, *one);
      continue;
    }
    Measurement& first = measurements_[known->second];
    const double ratio = first.seconds / one->seconds;
    if (std::isfinite(ratio)) apart_.push_back(std::max(ratio, 1 / ratio));
    if (!std::isfinite(first.cold_seconds)) first.cold_seconds = one->cold_seconds;
  }
}

std::string Lab::settled(const Matrix& matrix, const std::string& plan, Precision precision) {
  if (matrix.A.rows == 0) return plan;  // its facts alone are here
  std::string& known = settled_[key_of(matrix.facts.name, plan, name_of(precision), Caches::warm)];
  if (!known.empty()) return known;
  try {
    known = to_string(resolve(matrix.A.view(), Plan::parse(plan), precision == Precision::f32 ? 4 : 8));
  } catch (const Error&) {  // it does not fit the matrix, which a measurement says too
    known = plan;
  }
  return known;
}

// ---- the library's plans

const Measurement& Lab::measured(const Matrix& matrix, const std::string& plan, Precision precision, Caches caches) {
  if (settings_.stored) take_stored_plans(matrix);
  const std::string key = key_of(matrix.facts.name, settled(matrix, plan, precision), name_of(precision), Caches::warm);
  const auto known = index_.find(key);
  const bool enough =
      known != index_.end() && (caches == Caches::warm || std::isfinite(measurements_[known->second].cold_seconds) ||
                                measurements_[known->second].status != "ok" || settings_.stored);
  if (enough) return measurements_[known->second];
  Measurement taken{matrix.facts.name, plan,           name_of(precision), bench::unknown,
                    bench::unknown,    bench::unknown, "interrupted"};
  if (settings_.stored)
    taken.status = "not stored";
  else if (!stopped())
    taken = precision == Precision::f32 ? measure<float>(matrix, plan, settings_, caches)
                                        : measure<double>(matrix, plan, settings_, caches);
  if (known == index_.end()) return put(key, std::move(taken));
  Measurement& first = measurements_[known->second];  // warm, which stays; cold is new
  first.cold_seconds = taken.cold_seconds;
  if (taken.status != "ok") first.status = taken.status;
  return first;
}

double Lab::seconds(const Matrix& matrix, const std::string& plan, Precision precision, Caches caches) {
  if (caches == Caches::cold && !on_gpu() && !planted()) return bench::unknown;
  const Measurement& taken = measured(matrix, plan, precision, caches);
  if (taken.status != "ok") return bench::unknown;
  return caches == Caches::cold ? taken.cold_seconds : taken.seconds;
}

double Lab::build_seconds(const Matrix& matrix, const std::string& plan, Precision precision) {
  const Measurement& taken = measured(matrix, plan, precision, Caches::warm);
  return taken.status == "ok" ? taken.build_seconds : bench::unknown;
}

double Lab::gflops(const Matrix& matrix, const std::string& plan, Precision precision) {
  return operations(matrix) / seconds(matrix, plan, precision);
}

Measurement& Lab::put(const std::string& key, Measurement taken) {
  index_[key] = measurements_.size();
  return measurements_.emplace_back(std::move(taken));
}

// ---- the papers' kernels

double Lab::seconds(const Matrix& matrix, const Literal& literal, Precision precision, Caches caches) {
  if (caches == Caches::cold && !on_gpu() && !planted()) return bench::unknown;
  const std::string key = key_of(matrix.facts.name, to_text(literal), name_of(precision), caches);
  auto known = index_.find(key);
  if (known == index_.end()) {
    if (!has_lane_kernel() || stopped() || settings_.stored) return bench::unknown;
    put(key, precision == Precision::f32 ? literally<float>(*this, matrix, literal, precision, caches)
                                         : literally<double>(*this, matrix, literal, precision, caches));
    known = index_.find(key);
  }
  const Measurement& taken = measurements_[known->second];
  return caches == Caches::cold ? taken.cold_seconds : taken.seconds;
}

double Lab::gflops(const Matrix& matrix, const Literal& literal, Precision precision) {
  return operations(matrix) / seconds(matrix, literal, precision);
}

// ---- the host

std::string Lab::host_rival(Cores cores) const {
  const std::string where = cores == Cores::one ? "on one core" : "on all cores";
  if (settings_.stored) {
    const auto& all = settings_.stored->measurements;
    const bool by_mkl =
        std::any_of(all.begin(), all.end(), [](const Measurement& one) { return one.plan.starts_with("MKL on "); });
    return (by_mkl ? "MKL " : "csr ") + where;
  }
  const auto names = bench::peer_names(Device::cpu());
  const bool mkl = std::find(names.begin(), names.end(), "mkl") != names.end();
  return (mkl ? "MKL " : "csr ") + where;
}

double Lab::host_seconds(const Matrix& matrix, Cores cores) {
  const std::string rival = host_rival(cores), key = matrix.facts.name + '|' + rival;
  if ((!on_gpu() && !planted()) || stopped()) return bench::unknown;
  if (const auto known = index_.find(key); known != index_.end()) return measurements_[known->second].seconds;
  if (settings_.stored) return bench::unknown;
  Settings here = settings_;
  here.device = Device::cpu();
  Measurement taken;
  if (!planted() && rival.starts_with("MKL")) {
    const bench::Reference<float> reference(matrix.as<float>().view());
    const bench::Result result = bench::bench_peer(matrix.as<float>(), cores == Cores::one ? "mkl:one_thread" : "mkl",
                                                   reference, {.device = here.device, .seconds = here.seconds});
    taken = {matrix.facts.name, {},           result.precision, result.seconds, bench::unknown, result.build_seconds,
             result.status,     result.spread};
  } else {
    const std::string plan = planted() ? rival : "csr";
    taken = cores == Cores::one ? measure_on_one_core<float>(matrix, plan, here)
                                : measure<float>(matrix, plan, here, Caches::warm);
  }
  taken.plan = rival + of_the_host;
  if (taken.status != "ok") taken.seconds = bench::unknown;
  return put(key, std::move(taken)).seconds;
}

double Lab::gflops_of_one_core(const Matrix& matrix, const std::string& plan, Precision precision) {
  const std::string what = plan + on_one_core, key = key_of(matrix.facts.name, what, name_of(precision), Caches::warm);
  auto known = index_.find(key);
  if (known == index_.end()) {
    if (stopped() || settings_.stored) return bench::unknown;
    const std::string asked = planted() ? what : plan;
    Measurement taken = precision == Precision::f32 ? measure_on_one_core<float>(matrix, asked, settings_)
                                                    : measure_on_one_core<double>(matrix, asked, settings_);
    taken.plan = what;
    put(key, std::move(taken));
    known = index_.find(key);
  }
  const Measurement& taken = measurements_[known->second];
  return taken.status == "ok" ? operations(matrix) / taken.seconds : bench::unknown;
}

double Lab::build_seconds_of_host(const Matrix& matrix, const std::string& plan) {
  const std::string what = plan + built_there, key = key_of(matrix.facts.name, what, "f32", Caches::warm);
  if (const auto known = index_.find(key); known != index_.end()) return measurements_[known->second].build_seconds;
  if (stopped() || settings_.stored) return bench::unknown;
  Settings here = settings_;
  here.device = Device::cpu(), here.seconds = 0;
  Measurement taken = measure<float>(matrix, planted() ? what : plan, here, Caches::warm);
  taken.plan = what, taken.seconds = taken.cold_seconds = bench::unknown;
  return put(key, std::move(taken)).build_seconds;
}

// ---- anything else

Timing Lab::time_call(Caches caches, const std::function<void(Stream)>& call) {
  const bool cold = caches == Caches::cold;
  if (!on_gpu()) {
    std::function<void()> eviction;
    if (cold && settings_.device.kind == Device::Kind::cpu && !quick()) {
      if (!eviction_) eviction_ = std::make_unique<CacheEviction>();
      eviction = [this] { (*eviction_)(); };
    }
    const auto called = [&] { call({}); };
    return time_calls(settings_.seconds, called, eviction);
  }
  const auto queue = [](const void* given, Stream stream) {
    (*static_cast<const std::function<void(Stream)>*>(given))(stream);
  };
  return gpu::time(&call, queue, settings_.seconds, cold ? gpu::Repeats::cold : gpu::Repeats::warm);
}

double Lab::timed(const std::string& matrix, const std::string& what, Precision precision, Caches caches,
                  const std::function<void(Stream)>& call) {
  if (settings_.stored) {
    const auto known = index_.find(key_of(matrix, what, name_of(precision), caches));
    if (known == index_.end()) return bench::unknown;
    const Measurement& taken = measurements_[known->second];
    return caches == Caches::cold ? taken.cold_seconds : taken.seconds;
  }
  if (stopped()) return bench::unknown;
  Measurement taken{matrix, what, name_of(precision), bench::unknown, bench::unknown, bench::unknown, "ok"};
  put_time(taken, caches,
           planted() ? Timing{settings_.planted(matrix, what, precision), bench::unknown} : time_call(caches, call));
  measurements_.push_back(taken);
  return caches == Caches::cold ? taken.cold_seconds : taken.seconds;
}

// ---- the machine

double Lab::read_gbps() const {
  if (planted()) return planted_read_gbps;
  return settings_.stored ? settings_.stored->read_gbps : this_machine(settings_.device).read_gbps;
}

double Lab::sheet_gbps() const {
  if (planted()) return planted_sheet_gbps;
  return nominal_gbps(settings_.stored ? settings_.stored->device_name : describe(settings_.device).name);
}

std::vector<std::string> Lab::notes() const {
  std::vector<std::string> said;
  Numbers spreads;
  for (const Measurement& one : measurements_)
    if (std::isfinite(one.spread)) spreads.push_back(100 * one.spread);
  if (!spreads.empty()) {
    std::sort(spreads.begin(), spreads.end());
    said.push_back(fmt::format(
        "Spread of the repeats of a timing, from the 10th to the 90th percentile over the median: {} in the median of "
        "{} timings, {} or less for nine in ten.",
        percent(median(spreads)), spreads.size(), percent(spreads[9 * (spreads.size() - 1) / 10])));
  }
  if (!apart_.empty())
    said.push_back(fmt::format(
        "{} products were measured again under other words for the same plan: these times differ from the first, which "
        "counts, by {} times in the median and {} times at most. The spread of repeats was not kept.",
        apart_.size(), fixed(median(apart_), 2), fixed(largest(apart_), 2)));
  return said;
}

}  // namespace heddle::reproduce

#include "reproduce/lab.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/ranges.h>

#include <heddle/generate.hpp>
#include <heddle/io.hpp>
#include <heddle/reorder.hpp>

#include "bench/timing.hpp"
#include "collection/market_file.hpp"
#include "collection/places.hpp"
#include "core/check.hpp"
#include "layout/sliced_build.hpp"
#include "reproduce/numbers.hpp"

namespace heddle::reproduce {

namespace {

constexpr std::int64_t quick_entries = 12000;  // of a stand-in by profile

Specimen facts_of(const std::string& name, const std::string& source, Origin origin, const PatternView& A) {
  Specimen facts{name, source, origin, A.rows, A.cols, A.nnz(), 0, 0, 0};
  double squares = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    facts.longest = std::max(facts.longest, A.length(row));
    squares += static_cast<double>(A.length(row)) * static_cast<double>(A.length(row));
  }
  if (A.rows == 0) return facts;
  facts.mean = static_cast<double>(A.nnz()) / static_cast<double>(A.rows);
  facts.deviation = std::sqrt(std::max(0.0, squares / static_cast<double>(A.rows) - facts.mean * facts.mean));
  return facts;
}

std::string file_of(const std::string& folder, const Subject& subject) {
  if (folder.empty()) return {};
  for (const std::string& name : subject.files)
    if (std::string path = collection::file_in(folder, name); !path.empty()) return path;
  return {};
}

std::string describe(const Profile& profile) {
  return fmt::format("row lengths: {} rows, {} entries, longest {}{}", grouped(profile.rows), grouped(profile.nnz),
                     grouped(profile.longest),
                     profile.surplus > 0 ? ", one giant row" : ", deviation " + fixed(profile.deviation, 2));
}

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
  return {matrix.facts.name,    plan,         result.precision, result.seconds, result.cold_seconds,
          result.build_seconds, result.status};
}

// Built, compared with the reference, and timed.
template <class V>
Measurement literally(Lab& lab, const Matrix& matrix, const Literal& literal, Precision precision, Caches caches) {
  const bool cold = caches == Caches::cold;
  Measurement taken{
      matrix.facts.name, to_text(literal), name_of(precision), bench::unknown, bench::unknown, bench::unknown, "ok"};
  double& seconds = cold ? taken.cold_seconds : taken.seconds;
  const Settings& settings = lab.settings();
  if (settings.planted) {
    seconds = settings.planted(matrix.facts.name, taken.plan, precision);
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
    seconds = lab.time_call(caches, [&](Stream stream) { op.multiply(x.data(), y.data(), stream); });
    const Buffer<V> here = y.to(Device::cpu());
    if (reference.compare({here.data(), static_cast<std::size_t>(A.rows)}).row >= 0) {
      taken.status = "wrong product";
      seconds = bench::unknown;
    }
  } catch (const std::bad_alloc&) {
    taken.status = "out of memory";
  } catch (const std::exception& error) {  // padding without end: this kernel takes no part for this matrix
    taken.status = error.what();
  }
  return taken;
}

}  // namespace

const char* name_of(Precision precision) noexcept { return precision == Precision::f32 ? "f32" : "f64"; }

template <>
const Csr<double>& Matrix::as<double>() const {
  return A;
}
template <>
const Csr<float>& Matrix::as<float>() const {
  if (!rounded) rounded = convert<float>(A.view());
  return *rounded;
}

std::vector<std::int64_t> Matrix::lengths() const {
  std::vector<std::int64_t> list;
  for (std::int64_t row = 0; row < A.rows; ++row) list.push_back(A.ptr[row + 1] - A.ptr[row]);
  return list;
}

const Matrix& Lab::keep(const std::string& key, Matrix made) {
  auto& place = matrices_[key];
  place = std::make_unique<Matrix>(std::move(made));
  specimens_.push_back(place->facts);
  return *place;
}

void Lab::forget(const Matrix& matrix) {
  std::erase_if(matrices_, [&](const auto& known) { return known.second.get() == &matrix; });
}

const Matrix& Lab::of_subject(const std::string& key, const Subject& subject, bool small) {
  if (const auto known = matrices_.find(key); known != matrices_.end()) return *known->second;
  std::string unread;  // why a file of that name was left alone
  if (const std::string path = file_of(settings_.folder, subject); !path.empty()) {
    const std::string name = std::filesystem::path(path).filename().string();
    try {
      collection::MarketFile file = collection::read_market_file(path);
      const std::string source = name + (file.complex ? ", the real parts of its complex values" : "");
      return keep(key, {facts_of(subject.name, source, Origin::real, file.A.view()), std::move(file.A)});
    } catch (const Error& error) {
      unread = fmt::format("; {} could not be read: {}", name, error.message());
    }
  }
  if (subject.full.empty()) {
    const Profile profile = small ? shrunk(subject.profile, quick_entries) : subject.profile;
    Csr<double> A = matrix_of(profile);
    return keep(key, {facts_of(subject.name, describe(profile) + unread, Origin::stand_in, A.view()), std::move(A),
                      subject.likeness()});
  }
  const std::string& text = small ? subject.quick : subject.full;
  Csr<double> A = generate(text);
  const Origin origin = subject.fixed && !small ? Origin::fixed : Origin::stand_in;
  return keep(key,
              {facts_of(subject.name, "gen:" + text + unread, origin, A.view()), std::move(A), subject.likeness()});
}

const Matrix& Lab::in_corpus(const std::string& name) {
  const std::string key = "corpus|" + name;
  if (const auto known = matrices_.find(key); known != matrices_.end()) return *known->second;
  const std::string path = collection::file_in(settings_.corpus, name);
  collection::MarketFile file = collection::read_market_file(path);
  check(file.A.rows == file.A.cols, ErrorKind::input, "{} is not square", path);
  const std::string source =
      std::filesystem::path(path).filename().string() + (file.complex ? ", the real parts of its complex values" : "");
  return keep(key, {facts_of(name, source, Origin::real, file.A.view()), std::move(file.A)});
}

bool Lab::has_file(const std::string& name) const { return !file_of(settings_.folder, subject(name)).empty(); }

const Matrix& Lab::matrix(const std::string& name) { return of_subject(name, subject(name), quick()); }

const Matrix& Lab::whole(const std::string& name) {
  return quick() ? of_subject(name + " (whole)", subject(name), false) : matrix(name);
}

const Matrix& Lab::made(const std::string& name, const std::string& source, const std::function<Csr<double>()>& make) {
  if (const auto known = matrices_.find(name); known != matrices_.end()) return *known->second;
  Csr<double> A = make();
  return keep(name, {facts_of(name, source, Origin::artificial, A.view()), std::move(A)});
}

const Matrix& Lab::definite(const std::string& name) {
  return of_subject("definite|" + name, {.name = name, .files = {name}, .full = "like,name=" + name, .quick = {}},
                    false);
}

const Matrix& Lab::generated(const std::string& text) {
  return made(text, "gen:" + text, [&] { return generate(text); });
}

const Matrix& Lab::changed(const Matrix& matrix, const std::string& name, const std::function<Csr<double>()>& make) {
  const std::string key = fmt::format("{}, {} rows", name, matrix.facts.rows);
  if (const auto known = matrices_.find(key); known != matrices_.end()) return *known->second;
  Csr<double> A = make();
  return keep(key, {facts_of(name, matrix.facts.source, matrix.facts.origin, A.view()), std::move(A), matrix.likeness});
}

const Matrix& Lab::in_rcm_order(const Matrix& matrix) {
  return changed(matrix, matrix.facts.name + " in RCM order", [&] {
    const Permutation order = rcm_order(matrix.A.view());
    return permute(matrix.A.view(), order, order);
  });
}

const Measurement& Lab::measured(const Matrix& matrix, const std::string& plan, Precision precision, Caches caches) {
  const std::string key = fmt::format("{}|{}|{}", matrix.facts.name, plan, name_of(precision));
  auto known = index_.find(key);
  const bool enough =
      known != index_.end() && (caches == Caches::warm || std::isfinite(measurements_[known->second].cold_seconds) ||
                                measurements_[known->second].status != "ok");
  if (enough) return measurements_[known->second];
  Measurement taken = stopped() ? Measurement{matrix.facts.name, plan,           name_of(precision), bench::unknown,
                                              bench::unknown,    bench::unknown, "interrupted"}
                      : precision == Precision::f32 ? measure<float>(matrix, plan, settings_, caches)
                                                    : measure<double>(matrix, plan, settings_, caches);
  if (known == index_.end()) {
    known = index_.emplace(key, measurements_.size()).first;
    measurements_.emplace_back();
  }
  return measurements_[known->second] = std::move(taken);
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
  return 2 * static_cast<double>(matrix.facts.nnz) / seconds(matrix, plan, precision) / 1e9;
}

Measurement& Lab::put(const std::string& key, Measurement taken) {
  index_[key] = measurements_.size();
  return measurements_.emplace_back(std::move(taken));
}

double Lab::seconds(const Matrix& matrix, const Literal& literal, Precision precision, Caches caches) {
  const std::string key = fmt::format("{}|{}|{}{}", matrix.facts.name, to_text(literal), name_of(precision),
                                      caches == Caches::cold ? "|cold" : "");
  if (caches == Caches::cold && !on_gpu() && !planted()) return bench::unknown;
  auto known = index_.find(key);
  if (known == index_.end()) {
    if (!has_lane_kernel() || stopped()) return bench::unknown;
    put(key, precision == Precision::f32 ? literally<float>(*this, matrix, literal, precision, caches)
                                         : literally<double>(*this, matrix, literal, precision, caches));
    known = index_.find(key);
  }
  const Measurement& taken = measurements_[known->second];
  return caches == Caches::cold ? taken.cold_seconds : taken.seconds;
}

double Lab::gflops(const Matrix& matrix, const Literal& literal, Precision precision) {
  return 2 * static_cast<double>(matrix.facts.nnz) / seconds(matrix, literal, precision) / 1e9;
}

std::string Lab::host_rival(Cores cores) {
  const auto names = bench::peer_names(Device::cpu());
  const bool mkl = std::find(names.begin(), names.end(), "mkl") != names.end();
  return fmt::format("{} on {}", mkl ? "MKL" : "csr", cores == Cores::one ? "one core" : "all cores");
}

double Lab::host_seconds(const Matrix& matrix, Cores cores) {
  const std::string rival = host_rival(cores), key = matrix.facts.name + '|' + rival;
  if ((!on_gpu() && !planted()) || stopped()) return bench::unknown;
  if (const auto known = index_.find(key); known != index_.end()) return measurements_[known->second].seconds;
  Settings here = settings_;
  here.device = Device::cpu();
  Measurement taken;
  if (!planted() && rival.starts_with("MKL")) {
    const bench::Reference<float> reference(matrix.as<float>().view());
    const bench::Result result = bench::bench_peer(matrix.as<float>(), cores == Cores::one ? "mkl:one_thread" : "mkl",
                                                   reference, {.device = here.device, .seconds = here.seconds});
    taken = {matrix.facts.name,    {},           result.precision, result.seconds, bench::unknown,
             result.build_seconds, result.status};
  } else {
    const int before = threads();
    if (cores == Cores::one) set_threads(1);
    taken = measure<float>(matrix, planted() ? rival : "csr", here, Caches::warm);
    set_threads(before);
  }
  taken.plan = rival + " of the host";
  if (taken.status != "ok") taken.seconds = bench::unknown;
  return put(key, std::move(taken)).seconds;
}

double Lab::time_call(Caches caches, const std::function<void(Stream)>& call) {
  const bool cold = caches == Caches::cold;
  if (!on_gpu()) {
    std::function<void()> eviction;
    if (cold && settings_.device.kind == Device::Kind::cpu && !quick()) {
      if (!eviction_) eviction_ = std::make_unique<CacheEviction>();
      eviction = [this] { (*eviction_)(); };
    }
    const auto called = [&] { call({}); };
    return time_calls(settings_.seconds, called, eviction).median;
  }
  const auto queue = [](const void* given, Stream stream) {
    (*static_cast<const std::function<void(Stream)>*>(given))(stream);
  };
  return gpu::time(&call, queue, settings_.seconds, cold ? gpu::Repeats::cold : gpu::Repeats::warm).median;
}

double Lab::timed(const std::string& matrix, const std::string& what, Precision precision, Caches caches,
                  const std::function<void(Stream)>& call) {
  if (planted()) return settings_.planted(matrix, what, precision);
  if (stopped()) return bench::unknown;
  const double seconds = time_call(caches, call);
  const bool cold = caches == Caches::cold;
  measurements_.push_back({matrix, what, name_of(precision), cold ? bench::unknown : seconds,
                           cold ? seconds : bench::unknown, bench::unknown, "ok"});
  return seconds;
}

std::string basis_of(const std::vector<const Matrix*>& matrices) {
  struct Kind {
    Origin origin;
    const char *one, *many;
  };
  std::vector<std::string> parts;
  for (const Kind& kind :
       {Kind{Origin::real, "real file", "real files"}, Kind{Origin::fixed, "fixed construction", "fixed constructions"},
        Kind{Origin::artificial, "artificial matrix", "artificial matrices"},
        Kind{Origin::stand_in, "stand-in", "stand-ins"}}) {
    const auto count = std::count_if(matrices.begin(), matrices.end(),
                                     [&](const Matrix* matrix) { return matrix->facts.origin == kind.origin; });
    if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? kind.one : kind.many));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace heddle::reproduce

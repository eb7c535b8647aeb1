#include "reproduce/papers/pass_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "reproduce/kernels/uniform_rows.hpp"
#include "reproduce/numbers.hpp"

namespace heddle::reproduce {

namespace {

// Threads a multiprocessor holds: fewer on some consumer parts.
int threads_per_unit(const std::string& capability) {
  for (const char* smaller : {"8.6", "8.7", "8.9", "12.0", "12.1"})
    if (capability == smaller) return 1536;
  return capability == "7.5" ? 1024 : 2048;
}

// The first pass of the fit that was measured.
std::int64_t resident_rows_of(const Outcome& stored) {
  long fewest = 0, rows = 0, entries = 0;
  for (const Measurement& one : stored.measurements)
    if (std::sscanf(one.matrix.c_str(), "%ld rows of %ld", &rows, &entries) == 2 && entries == 4)
      fewest = fewest == 0 ? rows : std::min(fewest, rows);
  return std::max(1L, fewest);
}

struct Size {
  double passes;
  std::int64_t m;
};
constexpr Size sizes_to_try[] = {{4, 6}, {4.5, 12}, {5.3, 20}, {5.3, 5}, {6.5, 10}, {6.7, 18}, {7.2, 22}, {7.9, 3}};

}  // namespace

std::int64_t resident_rows(const Lab& lab) {
  constexpr std::int64_t rows_of_a_core = 1024, of_the_emulator = 256;
  const Device device = lab.settings().device;
  if (lab.planted()) return of_the_emulator;
  if (lab.settings().stored) return resident_rows_of(*lab.settings().stored);
  if (device.kind == Device::Kind::cpu) return rows_of_a_core * threads();
  if (device.kind == Device::Kind::emulator) return of_the_emulator;  // it holds as many as one likes
  const DeviceInfo info = describe(device);
  return std::int64_t{info.units} * threads_per_unit(info.capability);
}

Numbers PassFit::errors() const {
  Numbers list;
  for (const Trial& trial : trials) list.push_back(100 * std::fabs(trial.predicted / trial.measured - 1));
  return list;
}

template <class V, class Codec>
PassFit fit_pass_model(Lab& lab, Trials trials) {
  const std::int64_t resident = resident_rows(lab);
  constexpr std::int64_t most_passes = 8, widest = 24, warp = 32;
  UniformRows<V, Codec> matrices(lab, most_passes * resident * widest, most_passes * resident);
  std::vector<Fit3> equations;
  Numbers times;
  for (const std::int64_t passes : {1, 2, 3, 4, 6, 8})
    for (const std::int64_t m : {4, 8, 16, 24}) {
      times.push_back(matrices.seconds_without_x(passes * resident, m));
      equations.push_back({{1, static_cast<double>(passes - 1), static_cast<double>(passes * m)}});
    }
  const Fit3 found = fit(equations, times);
  PassFit fitted{{found.c[0], found.c[1], found.c[2], resident}, {}};
  if (trials == Trials::no) return fitted;
  for (const Size& size : sizes_to_try) {
    const auto rows = static_cast<std::int64_t>(size.passes * static_cast<double>(resident)) / warp * warp;
    fitted.trials.push_back(
        {size.passes, size.m, matrices.seconds_without_x(rows, size.m), predict(fitted.model, rows, size.m)});
  }
  return fitted;
}

double predict_mean(const PassModel& model, std::int64_t n, double m) {
  const double low = std::floor(m);
  const auto whole = static_cast<std::int64_t>(low);
  const double below = predict(model, n, whole), above = predict(model, n, whole + 1);
  return below + (m - low) * (above - below);
}

template PassFit fit_pass_model<float, Index32>(Lab&, Trials);
template PassFit fit_pass_model<double, Index32>(Lab&, Trials);
template PassFit fit_pass_model<float, Column16>(Lab&, Trials);
template PassFit fit_pass_model<double, Column16>(Lab&, Trials);

}  // namespace heddle::reproduce

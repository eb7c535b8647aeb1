#include "formats/trials.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "core/stopwatch.hpp"
#include "core/watch.hpp"
#include "formats/ellr/ellr.hpp"
#include "formats/registered.hpp"
#include "simt/wait.hpp"

namespace heddle {

namespace {

// Seconds of a product, from few of them: a trial must cost less than it gains. Calls are queued together, as a solver
// does it, and waited for once; the least of two such rounds.
template <class F, class V>
double seconds_of_trial(const F& stored, const Product<V>& product, Device device) {
  constexpr int together = 4;
  const auto multiply = [&] { on(device, [&](auto where) { stored.multiply(where, product); }); };
  const auto round = [&] {
    for (int i = 0; i < together; ++i) multiply();
    wait_for(device, product.stream);
  };
  multiply();
  wait_for(device, product.stream);
  const double first = seconds_of_calls(1, round);
  return std::min(first, seconds_of_calls(1, round)) / together;
}

// Those that would not fit are passed over; with none left the first, so that building says what is wrong.
template <class F, class V, class Settings>
Settings fastest_of(const CsrView<V>& A, const std::vector<Settings>& tried, Device device) {
  if (A.rows == 0 || A.nnz() == 0) return tried.front();
  Buffer<V> ones(A.cols);
  std::fill(ones.begin(), ones.end(), V(1));
  const Buffer<V> x = std::move(ones).owned_on(device);
  Buffer<V> y(A.rows, device);
  std::optional<F> stored;
  const Settings* best = &tried.front();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < tried.size(); ++i) {
    Watch::enter("try", static_cast<double>(i) / static_cast<double>(tried.size()));
    if (!stored || !stored->change_to(tried[i])) {
      stored.reset();
      const Footprint need = F::footprint(A, tried[i], static_cast<int>(sizeof(V)));
      if (!need.fits || too_much_padding(need.stored, A.nnz())) continue;
      stored = F::build({A}, tried[i]);
      F::each_array(*stored, [&](auto& array) { array = std::move(array).owned_on(device); });
    }
    const double seconds = seconds_of_trial(*stored, Product<V>{x.data(), {V(1), V(0), y.data()}, {}}, device);
    if (seconds < least) least = seconds, best = &tried[i];
  }
  return *best;
}

}  // namespace

bool is_tried(const Plan& plan) {
  const std::string* T = plan.format == "ellr" ? plan.find("T") : nullptr;
  return T && *T == "auto";
}

template <class V>
Plan fastest(const Plan& plan, const CsrView<V>& A, Device device) {
  using Ellr = EllrFormat<V>;
  EllrSettings best = fastest_of<Ellr>(A, Ellr::trials(settings_from<EllrFormat>(plan), device), device);
  return write_settings(best.fields(), plan.format);
}

template Plan fastest(const Plan&, const CsrView<float>&, Device);
template Plan fastest(const Plan&, const CsrView<double>&, Device);

}  // namespace heddle

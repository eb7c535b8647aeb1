#include "systems/solve_energy.hpp"

#include <algorithm>

#include "session/energy_note.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/text.hpp"

namespace heddle {

template <class V>
void put_energy(Session& session, const Operator<V>& op, std::type_identity_t<std::span<const V>> b,
                std::type_identity_t<SolveOptions<V>> options) {
  const bench::EnergyCounter counter = bench::energy_counter(session.device());
  put_energy_source(session, counter);
  if (!counter.there()) return;
  options.progress = {};
  Buffer<V> x(static_cast<std::int64_t>(b.size()));
  const bench::EnergyRun how{
      .seconds = 1, .batch = 1, .now = {}, .stopped = [] { return Interruptible::signal() != 0; }};
  const bench::Energy energy = bench::measure_energy(counter, how, [&](std::int64_t) {
    std::fill(x.begin(), x.end(), V(0));
    solve_many<V>(op, b, x, options);
  });
  Json& document = session.json()["energy"];
  document["joules"] = energy.joules;
  document["watts"] = energy.watts();
  document["seconds"] = energy.seconds;
  document["solves"] = energy.calls;
  session.print("  energy    {} a solve, {:.0f} W over {} solve{} ({})\n", as_joules(energy.joules), energy.watts(),
                energy.calls, energy.calls == 1 ? "" : "s", counter.source);
}

template void put_energy(Session&, const Operator<float>&, std::span<const float>, SolveOptions<float>);
template void put_energy(Session&, const Operator<double>&, std::span<const double>, SolveOptions<double>);

}  // namespace heddle

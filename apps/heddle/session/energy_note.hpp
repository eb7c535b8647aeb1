// Where joules come from, and why there are none: for `bench` and `solve`.
#pragma once

#include "bench/energy.hpp"
#include "session/session.hpp"

namespace heddle {

inline Json energy_source_json(const bench::EnergyCounter& counter) {
  return {{"source", counter.source.empty() ? Json() : Json(counter.source)},
          {"absence", counter.there() ? Json() : Json(counter.absence)}};
}

inline void put_energy_source(Session& session, const bench::EnergyCounter& counter) {
  session.json()["energy"] = energy_source_json(counter);
  if (!counter.there())
    session.note("no energy: {}{}{}", counter.source, counter.source.empty() ? "" : ": ", counter.absence);
}

}  // namespace heddle

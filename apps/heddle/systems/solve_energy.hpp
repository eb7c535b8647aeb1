// solve --energy: joules of a whole solve.
#pragma once

#include <heddle/solve.hpp>

#include "session/session.hpp"

namespace heddle {

// The same solve from zero again and again, set-up of the preconditioner included, until the counter has moved enough.
template <class V>
void put_energy(Session& session, const Operator<V>& op, std::type_identity_t<std::span<const V>> b,
                std::type_identity_t<SolveOptions<V>> options);

}  // namespace heddle

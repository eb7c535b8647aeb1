// A reproduction as JSON and back: `heddle reproduce --from` renders what another machine has measured.
#pragma once

#include "reproduce/outcome.hpp"
#include "session/session.hpp"

namespace heddle {

void put_outcome(Json& document, const reproduce::Outcome& outcome);

// Error(input) for a document that is not one of `heddle reproduce`.
reproduce::Outcome outcome_from(const Json& document, const std::string& where);

}  // namespace heddle

// The claims R1 to R24 of the five papers: what they say, what the papers measured, and when they count as confirmed.
#pragma once

#include "reproduce/outcome.hpp"

namespace heddle::reproduce {

// The claim with this number, not judged yet. Error(internal) when there is none.
Claim claim(const std::string& id);
// Every id, in order.
std::vector<std::string> claim_ids();

}  // namespace heddle::reproduce

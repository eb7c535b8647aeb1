// A reproduction as text for people: Markdown, as docs/reproduction.md is.
#pragma once

#include "reproduce/outcome.hpp"

namespace heddle::reproduce {

std::string to_markdown(const Outcome& outcome);

// "NVIDIA H200 (gpu), 16 host threads, heddle 0.1.0": who measured. A quick or interrupted run says so.
std::string headline(const Outcome& outcome);
// "12 confirmed, 3 mixed, 4 refuted, 5 not testable here"
std::string tally(const Outcome& outcome);
// Those of all papers, by number.
std::vector<Claim> claims_of(const Outcome& outcome);
// For how many it holds and for which not, the numbers, and why there is no verdict where there is none.
std::string evidence(const Claim& claim);

}  // namespace heddle::reproduce

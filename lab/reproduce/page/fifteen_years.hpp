// What became of the papers' ideas, for readers who know them: whether each still pays, its number, and why.
#pragma once

#include "reproduce/outcome.hpp"

namespace heddle::reproduce {

struct Fate {
  // word: "pays", "pays in part", "does not pay", "cannot be told here"; why: a sentence; number: of the first claim.
  std::string idea, word, why, number;
  std::vector<std::string> claims;
};

// Those of which the outcome has a claim. Nothing without a GPU or from a quick run: there is nothing to tell.
std::vector<Fate> fates_of(const Outcome& outcome);

}  // namespace heddle::reproduce

// What became of the papers' ideas, for readers who know them: whether each still pays, its number, and why.
#pragma once

#include "reproduce/outcome.hpp"

namespace heddle::reproduce {

struct Fate {
  std::string idea, word, numbers, why;  // word: "pays", "pays in part", "does not pay", "cannot be told here"
};

// Those of which the outcome has a claim. Nothing without a GPU or from a quick run: there is nothing to tell.
std::vector<Fate> fates_of(const Outcome& outcome);

}  // namespace heddle::reproduce

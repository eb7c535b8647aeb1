// A reproduction as text for people: Markdown, as docs/reproduction.md is.
#pragma once

#include "reproduce/outcome.hpp"

namespace heddle::reproduce {

// The page STEM.md: what became of the papers' ideas, and the verdicts. Beside it lie its pictures STEM-PAPER.svg and
// STEM-tables.md, which has what the verdicts rest on. `compared`: the result of another device, whose words get a column
// and a list of what was seen there.
std::string to_markdown(const Outcome& outcome, const std::string& stem = "page", const Outcome* compared = nullptr);
std::string tables_in_markdown(const Outcome& outcome, const std::string& stem = "page",
                               const Outcome* compared = nullptr);
// One for each paper that has a main figure, as the page names them.
struct Picture {
  std::string name, svg;
};
std::vector<Picture> pictures_of(const Outcome& outcome, const std::string& stem);

// "NVIDIA H200 (gpu), 16 host threads, heddle 0.1.0": who measured. A quick or interrupted run says so.
std::string headline(const Outcome& outcome);
// Which of the papers' matrices are their own, which follow from their description, and how many are like them.
std::string origins(const Outcome& outcome);
// "12 confirmed, 3 mixed, 4 refuted, 5 not testable here"
std::string tally(const Outcome& outcome);
// Those of all papers, by number.
std::vector<Claim> claims_of(const Outcome& outcome);
// For how many it holds and for which not, the numbers, and why there is no verdict where there is none.
std::string evidence(const Claim& claim);

}  // namespace heddle::reproduce

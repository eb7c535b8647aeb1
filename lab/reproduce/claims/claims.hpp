// The claims of the five papers: what they say, what the papers measured, and when they count as confirmed. What is
// printed here is the papers' word; what we expected beyond it is not a claim (Record::also_measured), and what holds
// by construction is a self-check.
//
// R1 to R24 began as a checklist. R6 was struck, it was our own; R10 is a self-check.
#pragma once

#include "reproduce/matrices/test_sets.hpp"
#include "reproduce/outcome.hpp"

namespace heddle::reproduce {

// exact: counted, the same on every machine; timed: of a GPU's times, judged on one alone; host: of a CPU's times, which
// every machine has.
enum class Kind { exact, timed, host };
inline constexpr Kind exact = Kind::exact, timed = Kind::timed, host = Kind::host;

// A claim as it is printed, and what it takes to judge it.
struct ClaimText {
  const char* id;
  Kind kind;
  Likeness needs;  // what a stand-in must share with the paper's matrix to say anything about it
  double share;    // of what is judged that must hold; 1: all of it
  const char *statement, *then, *rule;
};

// One file for each paper.
std::vector<ClaimText> ellpack_r_claims();
std::vector<ClaimText> csr_ell_claims();
std::vector<ClaimText> rgcsr_claims();
std::vector<ClaimText> ellr_t_claims();
std::vector<ClaimText> model_claims();

// Error(internal) when there is no such claim.
ClaimText claim_text(const std::string& id);
// The claim with this number, not judged yet.
Claim claim(const std::string& id);
// Every id, in the order of the papers.
std::vector<std::string> claim_ids();

}  // namespace heddle::reproduce

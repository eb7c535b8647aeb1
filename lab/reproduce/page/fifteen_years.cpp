#include "reproduce/page/fifteen_years.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reproduce/page/markdown.hpp"

namespace heddle::reproduce {

namespace {

struct Idea {
  const char* words;
  std::vector<const char*> claims;  // the first one gives the word
  const char* why;
};

const std::vector<Idea>& ideas() {
  static const std::vector<Idea> list{
      {"Row lengths in place of a test for padding (paper 1)",
       {"R3"},
       "A warp still waits for its longest row, so leaving the loop there saves what it saved then. The test itself "
       "became cheap: loads are asked for before it is answered."},
      {"Columns across rows (ELLPACK) before rows by warps (papers 1 and 4)",
       {"R4", "R34"},
       "Then half a warp fetched segments of 64 to 128 bytes past any cache. Now a sector has 32 bytes and tens of "
       "megabytes of L2 hold most of these matrices, so a warp a row wastes little; and it has 32 threads for a long "
       "row, where ELLPACK has one."},
      {"Several threads a row (paper 4)",
       {"R25", "R5"},
       "A GTX 285 was full with 30,720 threads, an H200 takes 270,336. A matrix of few and long rows fills it only by "
       "more threads a row, 16 and 32 among them."},
      {"Two launches for a regular part and a rest (HYB)",
       {"R24"},
       "A launch still takes some microseconds, and products became shorter."},
      {"Sorted packing of short rows, several warps for long ones (paper 2)",
       {"R12", "R15"},
       "Equal rows side by side keep lanes busy on any GPU; what sorting costs in locality of x, a large L2 forgives."},
      {"Rules for T, M and L in place of a search (paper 2)",
       {"R11"},
       "The rules know row lengths, but not how many threads a GPU wants: where a matrix is small for it, a search "
       "finds "
       "shorter pieces."},
      {"Preprocessing for the price of 45 products (paper 2)",
       {"R14", "R16"},
       "Products became some fifty times faster and a host's sorting did not. The structure has to be built where the "
       "products are done."},
      {"Groups of 128 rows, one block each (paper 3)",
       {"R8", "R9"},
       "A block of 128 threads still fills a multiprocessor, 32 threads still do not. One long row still holds up its "
       "whole group, and all the more the more threads wait elsewhere."},
      {"Caching x (papers 2 and 3)",
       {"R23"},
       "x past the L1 is found in an L2 of tens of megabytes, where a GTX 280 went to memory. The texture cache and "
       "the "
       "L1 became one (R39)."},
      {"Loads that keep the matrix out of the caches (paper 5)",
       {"R21"},
       "Sixteen or forty-eight kilobytes of L1 had to be kept for x then. Today's 256 hold x's neighbourhood as well "
       "as "
       "the "
       "stream."},
      {"16-bit columns (paper 5)",
       {"R20"},
       "Products are still bound by bytes where no cache holds the matrix; where one does, decoding costs more than "
       "the "
       "bytes."},
      {"Numbering by RCM (paper 5)",
       {"R22", "R19"},
       "What a numbering gains is a matter of the numbering a matrix comes with: the papers' own files are needed."},
      {"The share of x (paper 5)",
       {"R17"},
       "The stream of the matrix became forty times faster, single reads of x did not keep up."},
      {"A linear model of passes (paper 5)",
       {"R18"},
       "A GPU still works through more threads than it holds in passes, and each costs its bytes."},
  };
  return list;
}

std::string word_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed: return "pays";
    case Verdict::mixed: return "pays in part";
    case Verdict::refuted: return "does not pay";
    default: return "cannot be told here";
  }
}
// Of ideas that describe and gain nothing.
std::string described(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed: return "holds";
    case Verdict::mixed: return "holds in part";
    case Verdict::refuted: return "does not hold";
    default: return "cannot be told here";
  }
}
bool describes(const std::string& id) { return id == "R17" || id == "R18" || id == "R24"; }

}  // namespace

std::vector<Fate> fates_of(const Outcome& outcome) {
  std::vector<Fate> fates;
  if (outcome.quick || !outcome.device_kind.starts_with("gpu")) return fates;
  const std::vector<Claim> claims = claims_of(outcome);
  for (const Idea& idea : ideas()) {
    Fate fate{idea.words, {}, {}, idea.why};
    for (const char* id : idea.claims) {
      const auto found = std::find_if(claims.begin(), claims.end(), [&](const Claim& claim) { return claim.id == id; });
      // Results of before verdicts had counts were judged by other rules.
      if (found == claims.end() || (found->judged == 0 && found->reason.empty())) continue;
      if (fate.word.empty()) fate.word = describes(id) ? described(found->verdict) : word_of(found->verdict);
      fate.numbers += fmt::format("{}{}: {}", fate.numbers.empty() ? "" : ". ", id, evidence(*found));
    }
    if (!fate.word.empty()) fates.push_back(std::move(fate));
  }
  return fates;
}

}  // namespace heddle::reproduce

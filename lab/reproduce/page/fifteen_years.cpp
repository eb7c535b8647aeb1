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

// A sentence about one device names it; all others hold on any GPU of today.
const std::vector<Idea>& ideas() {
  static const std::vector<Idea> list{
      {"Row lengths in place of a test for padding (1)",
       {"R3"},
       "Leaving the loop at the end of a row saves what it did then."},
      {"Columns across rows, not a warp a row (1, 4)", {"R4", "R34"}, "Caches catch what a warp a row wasted."},
      {"Several threads a row (4)", {"R25", "R5"}, "Few long rows fill the many threads of today with 16 or 32 a row."},
      {"Two launches for a regular part and a rest (HYB)",
       {"R24"},
       "A launch still takes microseconds, and products became shorter."},
      {"Sorted packing of short rows (2)",
       {"R12", "R15"},
       "Rows of one length side by side keep the lanes of any GPU busy."},
      {"Rules for T, M and L, not a search (2)", {"R11"}, "They know row lengths, not how many threads a GPU wants."},
      {"Preprocessing for 45 products (2)",
       {"R14", "R16"},
       "Products became faster, sorting on a host did not: GPUs have to build."},
      {"Groups of 128 rows, a block each (3)",
       {"R8", "R9"},
       "Small blocks leave a GPU idle, long rows hold up a group."},
      {"Caching x (2, 3)", {"R23"}, "What misses the L1 is now found in an L2 of megabytes, so it gains less."},
      {"Loads that keep the matrix out of the caches (5)",
       {"R21"},
       "Today's L1 has room for the matrix passing by and for x."},
      {"16-bit columns (5)", {"R20"}, "Where no cache holds the matrix a product is still bound by its bytes."},
      {"Numbering by RCM (5)",
       {"R22", "R19", "R48"},
       "It depends on the numbering a matrix comes with: the papers' files are needed."},
      {"The share of x (5)", {"R17"}, "Streams became faster than single reads of x did."},
      {"A linear model of passes (5)", {"R18", "R47"}, "Rows still go through a GPU in passes, each for its bytes."},
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
    Fate fate{idea.words, {}, idea.why, {}, {}};
    for (const char* id : idea.claims) {
      const auto found = std::find_if(claims.begin(), claims.end(), [&](const Claim& claim) { return claim.id == id; });
      // Results of before verdicts had counts were judged by other rules.
      if (found == claims.end() || (found->judged == 0 && found->reason.empty())) continue;
      fate.claims.emplace_back(id);
      if (!fate.word.empty()) continue;
      fate.word = describes(id) ? described(found->verdict) : word_of(found->verdict);
      fate.number = found->number.empty() && found->judged > 0
                        ? fmt::format("{} of {} {}", found->held, found->judged, found->unit)
                        : found->number;
    }
    if (!fate.word.empty()) fates.push_back(std::move(fate));
  }
  return fates;
}

}  // namespace heddle::reproduce

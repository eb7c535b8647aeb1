#include "reproduce/markdown.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "reproduce/numbers.hpp"

namespace heddle::reproduce {

namespace {

// A pipe would end the cell.
std::string cell(const std::string& text) {
  std::string made;
  for (const char c : text) made += c == '|' ? std::string("\\|") : std::string(1, c);
  return made;
}

std::string row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& content : cells) text += ' ' + cell(content) + " |";
  return text + '\n';
}

std::string table(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::string text = row(columns) + '|';
  for (std::size_t i = 0; i < columns.size(); ++i) text += "---|";
  text += '\n';
  for (const auto& cells : rows) text += row(cells);
  return text + '\n';
}

std::string verdicts(const Outcome& outcome) {
  std::vector<std::vector<std::string>> rows;
  for (const Claim& claim : claims_of(outcome))
    rows.push_back({claim.id + (claim.exact ? " (exact)" : ""), claim.statement, claim.then, evidence(claim),
                    "**" + std::string(name_of(claim.verdict)) + "**"});
  return table({"claim", "", "then", "here", "verdict"}, rows);
}

std::string rules(const Outcome& outcome) {
  std::string text;
  for (const Claim& claim : claims_of(outcome))
    text += fmt::format("* **{}** {}. Rests on {}.\n", claim.id, claim.rule,
                        claim.basis.empty() ? "nothing here" : claim.basis);
  return text + '\n';
}

std::string also_measured(const Outcome& outcome) {
  std::vector<std::vector<std::string>> rows;
  for (const Paper& paper : outcome.papers)
    for (const Extra& extra : paper.also_measured) rows.push_back({extra.what, extra.now, extra.basis});
  if (rows.empty()) return {};
  return "## Also measured\n\nWhat no paper says: our own expectations and questions. They count as no claim.\n\n" +
         table({"", "here", "rests on"}, rows);
}

std::string self_checks(const Outcome& outcome) {
  std::vector<std::vector<std::string>> rows;
  for (const Paper& paper : outcome.papers)
    for (const SelfCheck& check : paper.self_checks)
      rows.push_back({check.what, check.now, check.holds ? "holds" : "**fails**"});
  if (rows.empty()) return {};
  return "## Self-checks\n\nWhat must hold by construction. They say nothing about a paper and are not counted.\n\n" +
         table({"", "here", ""}, rows);
}

std::string of_paper(const Paper& paper) {
  std::string text = fmt::format("## {}\n\n{}\n\n", paper.title, paper.authors);
  for (const Table& one : paper.tables) {
    text += fmt::format("### {}\n\n", one.title);
    if (!one.note.empty()) text += one.note + "\n\n";
    text += table(one.columns, one.rows);
  }
  if (!paper.failures.empty()) text += "Left out:\n\n";
  for (const std::string& failure : paper.failures) text += "* " + failure + '\n';
  return text + (paper.failures.empty() ? "" : "\n");
}

std::string matrices(const Outcome& outcome) {
  std::vector<std::vector<std::string>> rows;
  for (const Specimen& one : outcome.matrices)
    rows.push_back({one.name, name_of(one.origin), one.source, grouped(one.rows), grouped(one.nnz), fixed(one.mean, 2),
                    grouped(one.longest), fixed(one.deviation, 2)});
  return "## The matrices\n\n" +
         table({"matrix", "", "source", "rows", "entries", "mean length", "longest", "deviation"}, rows);
}

}  // namespace

std::string headline(const Outcome& outcome) {
  return fmt::format("{} ({}), {} host threads, heddle {}{}{}", outcome.device_name, outcome.device_kind,
                     outcome.threads, outcome.version, outcome.quick ? "; a quick run on small matrices" : "",
                     outcome.interrupted ? "; interrupted" : "");
}

std::vector<Claim> claims_of(const Outcome& outcome) {
  std::vector<Claim> all;
  for (const Paper& paper : outcome.papers) all.insert(all.end(), paper.claims.begin(), paper.claims.end());
  std::sort(all.begin(), all.end(), [](const Claim& a, const Claim& b) {
    return std::pair(a.id.size(), a.id) < std::pair(b.id.size(), b.id);  // R9 before R10
  });
  return all;
}

std::string tally(const Outcome& outcome) {
  int count[4] = {};
  for (const Claim& claim : claims_of(outcome)) ++count[static_cast<int>(claim.verdict)];
  return fmt::format("{} confirmed, {} mixed, {} refuted, {} not testable here", count[0], count[1], count[2],
                     count[3]);
}

std::string evidence(const Claim& claim) {
  std::vector<std::string> parts;
  if (claim.judged > 0) {
    constexpr std::size_t most_named = 8;
    std::string counts = fmt::format("{} of {} {}", claim.held, claim.judged, claim.unit);
    if (!claim.against.empty() && claim.against.size() <= most_named && claim.held > 0)
      counts += fmt::format(" (not {})", fmt::join(claim.against, ", "));
    parts.push_back(std::move(counts));
  }
  if (!claim.now.empty()) parts.push_back(claim.now);
  const std::string text = fmt::format("{}", fmt::join(parts, "; "));
  if (claim.reason.empty()) return text;
  return text.empty() ? claim.reason : text + " (" + claim.reason + ")";
}

std::string to_markdown(const Outcome& outcome) {
  std::string text = fmt::format(
      "# The papers' results, then and here\n\n"
      "Measured on {}, in {} seconds, {} seconds for each measurement{}. {}\n\n"
      "This page is written by `heddle reproduce --json=RESULT.json --markdown PAGE.md`, and again from a stored "
      "result by "
      "`heddle reproduce --from RESULT.json --markdown PAGE.md`; `--html` draws the figures.\n\n"
      "**{}.**\n\n",
      headline(outcome), fixed(outcome.seconds, 0), outcome.seconds_each,
      outcome.read_gbps > 0 ? fmt::format("; the device reads {} GB/s", fixed(outcome.read_gbps, 0)) : "",
      outcome.device_kind.starts_with("gpu") ? ""
                                             : "Its times say nothing about a GPU: claims about times are left open.",
      tally(outcome));
  text +=
      "*confirmed*: it holds for all that was judged; *mixed*: for some of the matrices, precisions or cases, which "
      "are "
      "counted; *refuted*: for none; *not testable here*: the papers' own files or another device are needed.\n\n";
  text += verdicts(outcome) + "When a claim counts as confirmed:\n\n" + rules(outcome) + also_measured(outcome) +
          self_checks(outcome);
  for (const Paper& paper : outcome.papers) text += of_paper(paper);
  return text + matrices(outcome);
}

}  // namespace heddle::reproduce

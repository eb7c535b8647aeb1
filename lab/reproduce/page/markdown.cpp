#include "reproduce/page/markdown.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "reproduce/matrices/corpus.hpp"
#include "reproduce/numbers.hpp"
#include "reproduce/page/fifteen_years.hpp"

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

std::string fifteen_years(const Outcome& outcome) {
  std::vector<std::vector<std::string>> rows;
  for (const Fate& fate : fates_of(outcome))
    rows.push_back({fate.idea, "**" + fate.word + "**", fate.why, fate.numbers});
  if (rows.empty()) return {};
  return "## What fifteen years changed\n\nFor readers who know the papers: which of their ideas still pay on this "
         "device, and why. The word is that of the first claim named.\n\n" +
         table({"idea", "", "why", "numbers"}, rows);
}

const Figure* main_figure(const Paper& paper) {
  for (const Figure& figure : paper.figures)
    if (!paper.main_figure.empty() && figure.title == paper.main_figure) return &figure;
  return nullptr;
}

// The longest first.
std::string time_of(const Paper& paper) {
  if (paper.parts.empty()) return {};
  std::vector<Part> parts = paper.parts;
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.seconds > b.seconds; });
  std::vector<std::string> list;
  for (const Part& part : parts) list.push_back(fmt::format("{} {}", part.what, fixed(part.seconds, 1)));
  return fmt::format("Seconds of this paper: {}; of its parts: {}.\n\n", fixed(paper.seconds, 1),
                     fmt::join(list, ", "));
}

std::string picture_name(const Paper& paper, const std::string& stem) { return stem + '-' + paper.name + ".svg"; }

std::string of_paper(const Paper& paper, const std::string& stem) {
  std::string text = fmt::format("## {}\n\n{}\n\n", paper.title, paper.authors);
  if (const Figure* figure = main_figure(paper))
    text += fmt::format("![{}]({})\n\n", figure->title, picture_name(paper, stem));
  for (const Table& one : paper.tables) {
    text += fmt::format("### {}\n\n", one.title);
    if (!one.note.empty()) text += one.note + "\n\n";
    text += table(one.columns, one.rows);
  }
  if (!paper.failures.empty()) text += "Left out:\n\n";
  for (const std::string& failure : paper.failures) text += "* " + failure + '\n';
  return text + (paper.failures.empty() ? "" : "\n") + time_of(paper);
}

std::string matrices(const Outcome& outcome) {
  std::vector<std::vector<std::string>> rows;
  std::size_t of_corpus = 0;
  for (const Specimen& one : outcome.matrices) {
    if (one.source == corpus_source) {
      ++of_corpus;
      continue;
    }
    rows.push_back({one.name, name_of(one.origin), one.source, grouped(one.rows), grouped(one.nnz), fixed(one.mean, 2),
                    grouped(one.longest), fixed(one.deviation, 2)});
  }
  const std::string list =
      "## The matrices\n\n" +
      table({"matrix", "", "source", "rows", "entries", "mean length", "longest", "deviation"}, rows);
  return of_corpus == 0 ? list : list + fmt::format("\nAnd {} stand-ins of the seeded corpus.\n", of_corpus);
}

}  // namespace

std::string headline(const Outcome& outcome) {
  return fmt::format("{} ({}), {} host threads, heddle {}{}{}", outcome.device_name, outcome.device_kind,
                     outcome.threads, outcome.version, outcome.quick ? "; a quick run on small matrices" : "",
                     outcome.interrupted ? "; interrupted" : "");
}

std::string origins(const Outcome& outcome) {
  std::vector<std::string> real, described;
  std::size_t stand_ins = 0;
  for (const Specimen& one : outcome.matrices) {
    if (one.name.ends_with(" in RCM order")) continue;
    if (one.origin == Origin::real) real.push_back(one.name);
    if (one.origin == Origin::fixed) described.push_back(one.name);
    stand_ins += one.origin == Origin::stand_in;
  }
  const auto list = [](const std::vector<std::string>& names) {
    return names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", "));
  };
  return fmt::format(
      "Matrices of the papers from their files: {}. Fixed by their description (a lattice, a full matrix): {}. "
      "Stand-ins: {}, named so in every table. A stand-in that can say nothing about a claim takes no part in its "
      "verdict.",
      list(real), list(described), stand_ins);
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

std::vector<Picture> pictures_of(const Outcome& outcome, const std::string& stem) {
  std::vector<Picture> pictures;
  for (const Paper& paper : outcome.papers)
    if (const Figure* figure = main_figure(paper))
      pictures.push_back({picture_name(paper, stem), report::to_svg_file(*figure)});
  return pictures;
}

std::string to_markdown(const Outcome& outcome, const std::string& stem) {
  std::string text = fmt::format(
      "# The papers' results, then and here\n\n"
      "Measured on {}, in {} seconds, {} seconds for each measurement{}. {}\n\n"
      "{}\n\n"
      "To repeat it: `heddle fetch papers --into FOLDER`, then `heddle reproduce --matrices FOLDER --json=RESULT.json "
      "--markdown PAGE.md`. FOLDER has matrices of the papers by their names (`cant.mtx`, `cant.mtx.gz`, `cant.hdl`, "
      "or a folder `cant` with one of them); for those it has not there are stand-ins. `heddle reproduce --from "
      "RESULT.json --markdown PAGE.md` writes the page again from a stored result; `--html PAGE.html` has every "
      "figure. [claims.md](claims.md) lists every claim of the papers.\n\n"
      "**{}.**\n\n",
      headline(outcome), fixed(outcome.seconds, 0), outcome.seconds_each,
      outcome.read_gbps > 0 ? fmt::format("; the device reads {} GB/s", fixed(outcome.read_gbps, 0)) : "",
      outcome.device_kind.starts_with("gpu") ? ""
                                             : "Its times say nothing about a GPU: claims about times are left open.",
      origins(outcome), tally(outcome));
  text +=
      "*confirmed*: it holds for all that was judged; *mixed*: for some of the matrices, precisions or cases, which "
      "are "
      "counted; *refuted*: for none; *not testable here*: the papers' own files or another device are needed.\n\n";
  text += fifteen_years(outcome) + "## Verdicts\n\n" + verdicts(outcome) + "When a claim counts as confirmed:\n\n" +
          rules(outcome) + also_measured(outcome) + self_checks(outcome);
  for (const Paper& paper : outcome.papers) text += of_paper(paper, stem);
  return text + matrices(outcome);
}

}  // namespace heddle::reproduce

#include "reproduce/page/markdown.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "reproduce/matrices/corpus.hpp"
#include "reproduce/numbers.hpp"
#include "reproduce/page/fifteen_years.hpp"
#include "reproduce/reproduce.hpp"

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

// As the sites that show Markdown make it of a heading.
std::string anchor_of(const std::string& heading) {
  std::string made;
  for (const char c : heading) {
    if (c == ' ') made += '-';
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_')
      made += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return made;
}

std::string tables_name(const std::string& stem) { return stem + "-tables.md"; }
std::string link(const std::string& words, const std::string& stem, const std::string& heading) {
  return fmt::format("[{}]({}#{})", words, tables_name(stem), anchor_of(heading));
}

// A claim, and below the page where such words lead: rows of tables stay short.
std::string reference(const std::string& id) { return '[' + id + ']'; }
std::string references(const Outcome& outcome, const std::string& stem) {
  std::string text = "\n";
  for (const Claim& claim : claims_of(outcome))
    text += fmt::format("{}: {}#{}\n", reference(claim.id), tables_name(stem), anchor_of(claim.id));
  return text;
}

// Lines of at most 120 characters, those after the first under the text of a list.
std::string wrapped(const std::string& text) {
  constexpr std::size_t width = 120;
  std::string made, line;
  std::size_t begun = 0;
  while (begun < text.size()) {
    const std::size_t end = std::min(text.find(' ', begun), text.size());
    const std::string word = text.substr(begun, end - begun);
    begun = end + 1;
    if (!line.empty() && line.size() + 1 + word.size() > width) made += line + '\n', line = " ";
    line += (line.empty() ? "" : " ") + word;
  }
  return made + line + '\n';
}

std::string called(const Outcome& outcome) {
  return outcome.device_kind.starts_with("gpu") ? "GPU" : outcome.device_kind == "cpu" ? "CPU" : outcome.device_kind;
}
std::string heading_of(const Outcome& compared) { return "On the " + called(compared); }
bool wants_a_gpu(const Claim& claim) { return claim.reason.starts_with(of_a_gpu); }

// What another device's run says of a claim. Nothing where that device cannot say anything.
std::string word_compared(const Outcome& compared, const std::string& id) {
  for (const Claim& claim : claims_of(compared))
    if (claim.id == id && !wants_a_gpu(claim))
      return claim.judged == 0 ? "not testable"
                               : fmt::format("{}, {} of {}", name_of(claim.verdict), claim.held, claim.judged);
  return {};
}

std::string verdicts(const Outcome& outcome, const Outcome* compared) {
  std::vector<std::string> columns{"claim", "", "verdict", "holds for"};
  if (compared) columns.push_back("on the " + called(*compared));
  std::vector<std::vector<std::string>> rows;
  for (const Claim& claim : claims_of(outcome)) {
    rows.push_back({reference(claim.id), claim.statement, "**" + std::string(name_of(claim.verdict)) + "**",
                    claim.judged > 0 ? fmt::format("{} of {} {}", claim.held, claim.judged, claim.unit) : ""});
    if (compared) rows.back().push_back(word_compared(*compared, claim.id));
  }
  return table(columns, rows);
}

std::string measured_on(const Outcome& outcome) {
  return fmt::format(
      "Measured on {}, in {} seconds, {} seconds for each measurement{}.", headline(outcome), fixed(outcome.seconds, 0),
      outcome.seconds_each,
      outcome.read_gbps > 0 ? fmt::format("; the device reads {} GB/s", fixed(outcome.read_gbps, 0)) : "");
}

// The other run in short, and which claims it judges otherwise.
std::string summary_compared(const Outcome& outcome, const Outcome& compared, const std::string& stem) {
  std::size_t judged = 0, want_a_gpu = 0;
  std::map<std::string, Verdict> words;
  for (const Claim& claim : claims_of(compared)) {
    want_a_gpu += wants_a_gpu(claim);
    if (claim.judged > 0) ++judged, words[claim.id] = claim.verdict;
  }
  std::vector<std::string> other;
  for (const Claim& claim : claims_of(outcome))
    if (claim.judged > 0 && words.contains(claim.id) && words[claim.id] != claim.verdict)
      other.push_back(reference(claim.id));
  return fmt::format("## {}\n\n", heading_of(compared)) +
         wrapped(fmt::format(
             "{} {} of the claims are judged there, all as here{}. {} speak of a GPU and are left open. {}.",
             measured_on(compared), judged, other.empty() ? "" : fmt::format(" but {}", fmt::join(other, ", ")),
             want_a_gpu, link("What was seen", stem, heading_of(compared)))) +
         '\n';
}

std::string full_compared(const Outcome& compared) {
  std::string text = fmt::format("## {}\n\n", heading_of(compared));
  text += wrapped(measured_on(compared)) + '\n' + wrapped(origins(compared)) + '\n';
  for (const std::string& note : compared.notes) text += wrapped(note) + '\n';
  text += wrapped("What speaks of a GPU is left open there and out of this list.") + '\n';
  for (const Claim& claim : claims_of(compared))
    if (const std::string seen = evidence(claim); !seen.empty() && !wants_a_gpu(claim))
      text += wrapped(fmt::format("* {}{}: {}", claim.id,
                                  claim.judged > 0 ? fmt::format(", **{}**", name_of(claim.verdict)) : "", seen));
  return text + '\n';
}

std::string claims_in_full(const Outcome& outcome) {
  std::string text;
  for (const Claim& claim : claims_of(outcome)) {
    text += fmt::format("### {}\n\n", claim.id);
    text +=
        wrapped(fmt::format("{}{}: **{}**", claim.statement, claim.exact ? " (exact)" : "", name_of(claim.verdict)));
    text += '\n' + wrapped("* then: " + claim.then);
    if (const std::string here = evidence(claim); !here.empty()) text += wrapped("* here: " + here);
    text += wrapped("* confirmed when: " + claim.rule);
    text += wrapped("* rests on: " + (claim.basis.empty() ? "nothing here" : claim.basis)) + '\n';
  }
  return text;
}

std::string also_measured(const Outcome& outcome) {
  std::string list;
  for (const Paper& paper : outcome.papers)
    for (const Extra& extra : paper.also_measured)
      list += wrapped(fmt::format("* **{}**: {}{}", extra.what, extra.now.empty() ? "-" : extra.now,
                                  extra.basis.empty() ? "" : fmt::format(" ({})", extra.basis)));
  if (list.empty()) return {};
  return "## Also measured\n\nWhat no paper says: our own expectations and questions. They count as no claim.\n\n" +
         list + '\n';
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
  for (const Fate& fate : fates_of(outcome)) {
    std::vector<std::string> evidence;
    for (const std::string& id : fate.claims) evidence.push_back(reference(id));
    rows.push_back(
        {fate.idea, "**" + fate.word + "**", fate.why, fate.number, fmt::format("{}", fmt::join(evidence, ", "))});
  }
  if (rows.empty()) return {};
  return fmt::format(
             "## What fifteen years changed\n\nWhich of the papers' ideas still pay on the {}, and why. Papers in "
             "brackets.\nThe word and the number are those of the first claim.\n\n",
             outcome.device_name) +
         table({"idea", "", "why", "number", "claims"}, rows);
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
  return fmt::format("Seconds of this paper: {}; of its parts: {}.", fixed(paper.seconds, 1), fmt::join(list, ", "));
}

std::string picture_name(const Paper& paper, const std::string& stem) { return stem + '-' + paper.name + ".svg"; }

std::string pictures(const Outcome& outcome, const std::string& stem) {
  std::string text;
  for (const Paper& paper : outcome.papers) {
    text += fmt::format("## {}\n\n{}.\n{}.\n\n", paper.title, paper.authors,
                        link("Tables and parts", stem, paper.title + ", tables"));
    if (const Figure* figure = main_figure(paper))
      text += fmt::format("![{}]({})\n\n", figure->title, picture_name(paper, stem));
  }
  return text;
}

std::string tables_of(const Paper& paper) {
  std::string text = fmt::format("## {}, tables\n\n", paper.title);
  for (const Table& one : paper.tables) {
    text += fmt::format("### {}\n\n", one.title);
    if (!one.note.empty()) text += wrapped(one.note) + '\n';
    text += table(one.columns, one.rows);
  }
  if (!paper.failures.empty()) text += "Left out:\n\n";
  for (const std::string& failure : paper.failures) text += wrapped("* " + failure);
  return text + (paper.failures.empty() ? "" : "\n") + wrapped(time_of(paper)) + '\n';
}

std::string recipe(const Outcome& outcome) {
  return fmt::format(
             "## To repeat it\n\n"
             "    heddle fetch papers spd --into FOLDER    # the papers' matrices, and those of paper 2's CG\n"
             "    heddle fetch corpus --into CORPUS        # 1,598 matrices like paper 3's\n"
             "    heddle reproduce --seconds {} --matrices FOLDER --corpus CORPUS --json=RESULT.json --markdown "
             "PAGE.md\n"
             "\n",
             outcome.seconds_each) +
         wrapped(
             "FOLDER has matrices by the papers' names (`cant.mtx`, `cant.mtx.gz`, `cant.hdl`, or a folder `cant` with "
             "one of them); for those it has not there are stand-ins. Without `--corpus` every tenth of 1,598 "
             "stand-ins is taken, on a CPU every fortieth; `--corpus-step 1` takes all. The stored result makes the "
             "page again, and its times can be judged by the rules of today:") +
         "\n"
         "    heddle reproduce --from RESULT.json --markdown PAGE.md --html PAGE.html\n"
         "    heddle reproduce --from RESULT.json --judge --matrices FOLDER --json=AGAIN.json\n"
         "\n"
         "`PAGE.html` has every figure. `--compare-with CPU.json` puts the words of another device into the page.\n";
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

std::string to_markdown(const Outcome& outcome, const std::string& stem, const Outcome* compared) {
  std::string text = "# The papers' results, then and here\n\n";
  text += wrapped(measured_on(outcome) +
                  (outcome.device_kind.starts_with("gpu")
                       ? ""
                       : " Its times say nothing about a GPU: claims about a GPU's times are left open."));
  text += '\n' + wrapped(origins(outcome)) + '\n';
  for (const std::string& note : outcome.notes) text += wrapped(note) + '\n';
  text +=
      wrapped(fmt::format("**{}.** *confirmed*: it holds for all that was judged; *mixed*: for some of the matrices, "
                          "precisions or cases, which are counted; *refuted*: for none; *not testable here*: the "
                          "papers' own files, another device or times that were not taken are needed. *Faster* is "
                          "what is so by more than 2 %.",
                          tally(outcome))) +
      '\n';
  text += wrapped(fmt::format(
              "All claims of the papers: [claims.md](claims.md). The evidence of each verdict, its rule and "
              "every table: [{0}]({0}). How to repeat it: [at the end](#to-repeat-it).",
              tables_name(stem))) +
          '\n';
  text += fifteen_years(outcome) + "## Verdicts\n\n" + verdicts(outcome, compared);
  if (compared) text += summary_compared(outcome, *compared, stem);
  return text + pictures(outcome, stem) + recipe(outcome) + references(outcome, stem);
}

std::string tables_in_markdown(const Outcome& outcome, const std::string& stem, const Outcome* compared) {
  std::string text =
      fmt::format("# The papers' results in full\n\nWhat [the page of verdicts]({}.md) rests on.\n\n", stem);
  text += "## The claims\n\n" + claims_in_full(outcome);
  if (compared) text += full_compared(*compared);
  text += also_measured(outcome) + self_checks(outcome);
  for (const Paper& paper : outcome.papers) text += tables_of(paper);
  return text + matrices(outcome);
}

}  // namespace heddle::reproduce

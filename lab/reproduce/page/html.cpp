#include "reproduce/page/html.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "report/page.hpp"
#include "reproduce/matrices/corpus.hpp"
#include "reproduce/numbers.hpp"
#include "reproduce/page/fifteen_years.hpp"
#include "reproduce/page/markdown.hpp"

namespace heddle::reproduce {

namespace {

using report::escaped;

bool is_numeric(const std::string& cell) {
  return cell.empty() || cell.find_first_not_of("0123456789.,-+|%() e") == std::string::npos;
}

std::string cell(const char* tag, const std::string& text, bool number) {
  return fmt::format("<{0}{1}>{2}</{0}>", tag, number ? " class=\"number\"" : "", escaped(text));
}

// A title stands at the same side as what is below it.
std::string heads(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::string html;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto is_number = [&](const std::vector<std::string>& cells) {
      return c < cells.size() && is_numeric(cells[c]);
    };
    html += cell("th", columns[c], !rows.empty() && std::all_of(rows.begin(), rows.end(), is_number));
  }
  return "<thead><tr>" + html + "</tr>\n</thead>\n";
}

std::string table(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::string html = "<div class=\"scroll\"><table>\n" + heads(columns, rows) + "<tbody>\n";
  for (const auto& cells : rows) {
    html += "<tr>";
    for (const std::string& text : cells) html += cell("td", text, is_numeric(text));
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

const char* class_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed: return "good";
    case Verdict::mixed: return "middling";
    case Verdict::refuted: return "bad";
    default: return "soft";
  }
}

std::string verdict_row(const Claim& claim) {
  return fmt::format(
      "<tr id=\"{0}\"><td><b>{0}</b>{1}</td><td>{2}<br><span "
      "class=\"soft\">{3}</span></td><td>{4}</td><td>{5}<br><span "
      "class=\"soft\">{6}</span></td><td class=\"{7}\"><b>{8}</b></td></tr>\n",
      escaped(claim.id), claim.exact ? " <span class=\"soft\">exact</span>" : "", escaped(claim.statement),
      escaped("Confirmed when: " + claim.rule), escaped(claim.then), escaped(evidence(claim)), escaped(claim.basis),
      class_of(claim.verdict), name_of(claim.verdict));
}

std::string verdicts(const Outcome& outcome) {
  std::string html = "<h2>Verdicts</h2>\n<div class=\"scroll\"><table class=\"verdicts\">\n" +
                     heads({"claim", "what it says", "then", "here", "verdict"}, {}) + "<tbody>\n";
  for (const Claim& claim : claims_of(outcome)) html += verdict_row(claim);
  return html + "</tbody></table></div>\n";
}

std::string fifteen_years(const Outcome& outcome) {
  std::vector<std::vector<std::string>> rows;
  for (const Fate& fate : fates_of(outcome))
    rows.push_back({fate.idea, fate.word, fate.why, fate.number, fmt::format("{}", fmt::join(fate.claims, ", "))});
  if (rows.empty()) return {};
  return "<h2>What fifteen years changed</h2>\n" + table({"idea", "", "why", "number", "claims"}, rows);
}

std::string also_measured(const Outcome& outcome) {
  std::vector<std::vector<std::string>> rows;
  for (const Paper& paper : outcome.papers)
    for (const Extra& extra : paper.also_measured) rows.push_back({extra.what, extra.now, extra.basis});
  if (rows.empty()) return {};
  return "<h2>Also measured</h2>\n<p class=\"soft\">What no paper says; it counts as no claim.</p>\n" +
         table({"what", "here", "rests on"}, rows);
}

std::string self_checks(const Outcome& outcome) {
  std::vector<std::vector<std::string>> rows;
  for (const Paper& paper : outcome.papers)
    for (const SelfCheck& check : paper.self_checks)
      rows.push_back({check.what, check.now, check.holds ? "holds" : "fails"});
  if (rows.empty()) return {};
  return "<h2>Self-checks</h2>\n<p class=\"soft\">What must hold by construction; not counted.</p>\n" +
         table({"what", "here", ""}, rows);
}

std::string figure(const Figure& one) {
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", report::to_svg(one), escaped(one.title));
}

std::string of_paper(const Paper& paper) {
  std::string html = fmt::format("<h2 id=\"{}\">{}</h2>\n<p class=\"soft\">{}</p>\n", escaped(paper.name),
                                 escaped(paper.title), escaped(paper.authors));
  html += "<div class=\"figures\">\n";
  for (const Figure& one : paper.figures) html += figure(one);
  html += "</div>\n";
  for (const Table& one : paper.tables) {
    html += fmt::format("<h3>{}</h3>\n{}", escaped(one.title), table(one.columns, one.rows));
    if (!one.note.empty()) html += fmt::format("<p class=\"soft\">{}</p>\n", escaped(one.note));
  }
  for (const std::string& failure : paper.failures)
    html += fmt::format("<p class=\"bad\">Left out: {}</p>\n", escaped(failure));
  return html;
}

std::string matrices(const Outcome& outcome) {
  std::vector<std::vector<std::string>> rows;
  for (const Specimen& one : outcome.matrices)
    if (one.source != corpus_source)
      rows.push_back({one.name, name_of(one.origin), one.source, grouped(one.rows), grouped(one.nnz),
                      fixed(one.mean, 2), grouped(one.longest), fixed(one.deviation, 2)});
  return "<h2>The matrices</h2>\n" +
         table({"matrix", "", "source", "rows", "entries", "mean length", "longest", "deviation"}, rows);
}

}  // namespace

std::string to_html(const Outcome& outcome) {
  std::string body = fmt::format("<p>{}</p>\n<p>{}</p>\n<p><b>{}</b></p>\n", escaped(headline(outcome)),
                                 escaped(origins(outcome)), escaped(tally(outcome)));
  for (const std::string& note : outcome.notes) body += fmt::format("<p class=\"soft\">{}</p>\n", escaped(note));
  body += fifteen_years(outcome) + verdicts(outcome) + also_measured(outcome) + self_checks(outcome);
  for (const Paper& paper : outcome.papers) body += of_paper(paper);
  return report::page("The papers' results, then and here", body + matrices(outcome));
}

}  // namespace heddle::reproduce

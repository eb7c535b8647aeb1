#include "records/reproduce_json.hpp"

#include <cmath>

#include "core/check.hpp"

namespace heddle {

namespace {

using namespace reproduce;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }
double number_from(const Json& value) { return value.is_null() ? std::nan("") : value.get<double>(); }

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}
std::vector<double> numbers_from(const Json& list) {
  std::vector<double> values;
  for (const Json& value : list) values.push_back(number_from(value));
  return values;
}

template <class T, class F>
Json list_of(const std::vector<T>& items, F to_json) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(to_json(item));
  return list;
}
template <class T, class F>
std::vector<T> items_from(const Json& list, F from_json) {
  std::vector<T> items;
  for (const Json& item : list) items.push_back(from_json(item));
  return items;
}

Json of_table(const reproduce::Table& table) {
  return {{"title", table.title}, {"note", table.note}, {"columns", table.columns}, {"rows", table.rows}};
}
reproduce::Table table_from(const Json& json) {
  return {json.at("title"), json.at("note"), json.at("columns"), json.at("rows")};
}

Json of_series(const Figure::Series& series) {
  return {{"name", series.name}, {"x", numbers(series.x)}, {"y", numbers(series.y)}};
}
Figure::Series series_from(const Json& json) {
  return {json.at("name"), numbers_from(json.at("x")), numbers_from(json.at("y"))};
}

Json of_figure(const Figure& figure) {
  return {{"title", figure.title},
          {"kind", figure.kind == Figure::Kind::bars ? "bars" : "lines"},
          {"x_label", figure.x_label},
          {"y_label", figure.y_label},
          {"logarithmic", {figure.logarithmic_x, figure.logarithmic_y}},
          {"reference", number(figure.reference)},
          {"categories", figure.categories},
          {"series", list_of(figure.series, of_series)}};
}
Figure figure_from(const Json& json) {
  return {.title = json.at("title"),
          .x_label = json.at("x_label"),
          .y_label = json.at("y_label"),
          .kind = json.at("kind") == "bars" ? Figure::Kind::bars : Figure::Kind::lines,
          .categories = json.at("categories"),
          .series = items_from<Figure::Series>(json.at("series"), series_from),
          .logarithmic_x = json.at("logarithmic").at(0),
          .logarithmic_y = json.at("logarithmic").at(1),
          .reference = number_from(json.at("reference"))};
}

Json of_claim(const Claim& claim) {
  return {{"id", claim.id},           {"claim", claim.statement},
          {"exact", claim.exact},     {"then", claim.then},
          {"now", claim.now},         {"rule", claim.rule},
          {"basis", claim.basis},     {"verdict", name_of(claim.verdict)},
          {"reason", claim.reason},   {"held", claim.held},
          {"judged", claim.judged},   {"unit", claim.unit},
          {"against", claim.against}, {"number", claim.number}};
}
// Results of before verdicts had counts are read too.
Claim claim_from(const Json& json) {
  return {json.at("id"),
          json.at("claim"),
          json.at("exact"),
          json.at("then"),
          json.at("now"),
          json.at("rule"),
          json.at("basis"),
          parse_verdict(json.at("verdict")),
          json.at("reason"),
          json.value("held", std::size_t{0}),
          json.value("judged", std::size_t{0}),
          json.value("unit", std::string()),
          json.value("against", std::vector<std::string>()),
          json.value("number", std::string())};
}

Json of_self_check(const SelfCheck& check) {
  return {{"what", check.what}, {"now", check.now}, {"holds", check.holds}};
}
SelfCheck self_check_from(const Json& json) { return {json.at("what"), json.at("now"), json.at("holds")}; }

Json of_extra(const Extra& extra) { return {{"what", extra.what}, {"now", extra.now}, {"basis", extra.basis}}; }
Extra extra_from(const Json& json) { return {json.at("what"), json.at("now"), json.at("basis")}; }

Json of_part(const Part& part) { return {{"what", part.what}, {"seconds", part.seconds}}; }
Part part_from(const Json& json) { return {json.at("what"), json.at("seconds")}; }

Json of_paper(const Paper& paper) {
  return {{"name", paper.name},
          {"title", paper.title},
          {"authors", paper.authors},
          {"seconds", paper.seconds},
          {"claims", list_of(paper.claims, of_claim)},
          {"tables", list_of(paper.tables, of_table)},
          {"figures", list_of(paper.figures, of_figure)},
          {"failures", paper.failures},
          {"self_checks", list_of(paper.self_checks, of_self_check)},
          {"also_measured", list_of(paper.also_measured, of_extra)},
          {"main_figure", paper.main_figure},
          {"parts", list_of(paper.parts, of_part)}};
}
Paper paper_from(const Json& json) {
  return {json.at("name"),
          json.at("title"),
          json.at("authors"),
          items_from<Claim>(json.at("claims"), claim_from),
          items_from<reproduce::Table>(json.at("tables"), table_from),
          items_from<Figure>(json.at("figures"), figure_from),
          json.at("failures"),
          json.at("seconds"),
          items_from<SelfCheck>(json.value("self_checks", Json::array()), self_check_from),
          items_from<Extra>(json.value("also_measured", Json::array()), extra_from),
          json.value("main_figure", std::string()),
          items_from<Part>(json.value("parts", Json::array()), part_from)};
}

Json of_specimen(const Specimen& matrix) {
  return {{"name", matrix.name}, {"source", matrix.source}, {"origin", name_of(matrix.origin)},
          {"rows", matrix.rows}, {"cols", matrix.cols},     {"nnz", matrix.nnz},
          {"mean", matrix.mean}, {"max", matrix.longest},   {"stddev", matrix.deviation}};
}
Specimen specimen_from(const Json& json) {
  const Origin origin = json.contains("origin") ? parse_origin(json["origin"])
                        : json.at("real")       ? Origin::real
                                                : Origin::stand_in;
  return {json.at("name"), json.at("source"), origin,          json.at("rows"),  json.at("cols"),
          json.at("nnz"),  json.at("max"),    json.at("mean"), json.at("stddev")};
}

Json of_measurement(const Measurement& taken) {
  return {{"matrix", taken.matrix},
          {"plan", taken.plan},
          {"precision", taken.precision},
          {"seconds", number(taken.seconds)},
          {"cold_seconds", number(taken.cold_seconds)},
          {"build_seconds", number(taken.build_seconds)},
          {"status", taken.status},
          {"spread", number(taken.spread)}};
}
Measurement measurement_from(const Json& json) {
  return {json.at("matrix"),
          json.at("plan"),
          json.at("precision"),
          number_from(json.at("seconds")),
          number_from(json.at("cold_seconds")),
          number_from(json.at("build_seconds")),
          json.at("status"),
          number_from(json.value("spread", Json()))};
}

}  // namespace

void put_outcome(Json& document, const Outcome& outcome) {
  document["device"] = {{"kind", outcome.device_kind}, {"name", outcome.device_name}};
  document["measured_with"] = outcome.version;
  document["threads"] = outcome.threads;
  document["quick"] = outcome.quick;
  document["interrupted"] = outcome.interrupted;
  document["seconds_each"] = outcome.seconds_each;
  document["seconds"] = outcome.seconds;
  document["read_gbps"] = number(outcome.read_gbps);
  document["papers"] = list_of(outcome.papers, of_paper);
  document["matrices"] = list_of(outcome.matrices, of_specimen);
  document["measurements"] = list_of(outcome.measurements, of_measurement);
  document["notes"] = outcome.notes;
}

Outcome outcome_from(const Json& document, const std::string& where) {
  try {
    check(document.at("command") == "reproduce", ErrorKind::input, "this is the result of another command");
    return {.version = document.at("measured_with"),
            .device_kind = document.at("device").at("kind"),
            .device_name = document.at("device").at("name"),
            .threads = document.at("threads"),
            .quick = document.at("quick"),
            .interrupted = document.at("interrupted"),
            .seconds_each = document.at("seconds_each"),
            .seconds = document.at("seconds"),
            .read_gbps = number_from(document.at("read_gbps")),
            .papers = items_from<Paper>(document.at("papers"), paper_from),
            .matrices = items_from<Specimen>(document.at("matrices"), specimen_from),
            .measurements = items_from<Measurement>(document.at("measurements"), measurement_from),
            .notes = document.value("notes", std::vector<std::string>())};
  } catch (const std::exception& error) {
    fail(ErrorKind::input, At{where, "--from takes what `heddle reproduce --json` has written"},
         "not the JSON of a reproduction: {}", error.what());
  }
}

}  // namespace heddle

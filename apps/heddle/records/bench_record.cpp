#include "records/bench_record.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/compare.hpp"
#include "pictures/density.hpp"
#include "pictures/histogram.hpp"

namespace heddle {

namespace {

using bench::Result;

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json result_json(const Result& r) {
  return {{"plan", text_or_null(r.plan)},
          {"peer", text_or_null(r.peer)},
          {"precision", r.precision},
          {"seconds", finite_or_null(r.seconds)},
          {"spread", finite_or_null(r.spread)},
          {"cold_seconds", finite_or_null(r.cold_seconds)},
          {"call_seconds", finite_or_null(r.call_seconds)},
          {"predicted_seconds", finite_or_null(r.predicted_seconds)},
          {"gflops", finite_or_null(r.gflops)},
          {"bytes", r.bytes > 0 ? Json(r.bytes) : Json()},
          {"gbps", finite_or_null(r.gbps)},
          {"roofline", finite_or_null(r.roofline)},
          {"build_seconds", finite_or_null(r.build_seconds)},
          {"break_even_csr", finite_or_null(r.break_even_csr)},
          {"break_even_peer", finite_or_null(r.break_even_peer)},
          {"joules", finite_or_null(r.joules)},
          {"watts", finite_or_null(r.watts)},
          {"max_error", finite_or_null(r.max_error)},
          {"status", r.status}};
}

// The way of RFC 4180: quoted where a comma, a quote or a line end makes it necessary, quotes doubled.
std::string csv_field(const Json& value) {
  if (value.is_null()) return {};
  if (!value.is_string()) return value.dump();
  const auto& field = value.get_ref<const std::string&>();
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

struct CsvColumn {
  const char *title, *key;
  bool of_matrix;
};
constexpr std::array csv_columns{CsvColumn{"matrix", "name", true},
                                 CsvColumn{"rows", "rows", true},
                                 CsvColumn{"cols", "cols", true},
                                 CsvColumn{"nnz", "nnz", true},
                                 CsvColumn{"plan", "plan", false},
                                 CsvColumn{"peer", "peer", false},
                                 CsvColumn{"precision", "precision", false},
                                 CsvColumn{"seconds", "seconds", false},
                                 CsvColumn{"spread", "spread", false},
                                 CsvColumn{"cold_seconds", "cold_seconds", false},
                                 CsvColumn{"gflops", "gflops", false},
                                 CsvColumn{"bytes", "bytes", false},
                                 CsvColumn{"gbps", "gbps", false},
                                 CsvColumn{"roofline", "roofline", false},
                                 CsvColumn{"build_seconds", "build_seconds", false},
                                 CsvColumn{"max_error", "max_error", false},
                                 CsvColumn{"status", "status", false},
                                 CsvColumn{"predicted_seconds", "predicted_seconds", false},
                                 CsvColumn{"break_even_csr", "break_even_csr", false},
                                 CsvColumn{"break_even_peer", "break_even_peer", false},
                                 CsvColumn{"class", "class", true},
                                 CsvColumn{"chosen", "chosen", true},
                                 CsvColumn{"joules", "joules", false},
                                 CsvColumn{"watts", "watts", false},
                                 CsvColumn{"call_seconds", "call_seconds", false}};

// What a value must be, by the one that the program writes in its place: null stands for a text or a number that may be
// missing, a number for one that is null where it is not finite. Further keys are no harm.
bool resembles(const Json& value, const Json& model) {
  if (model.is_null()) return value.is_null() || value.is_string() || value.is_number();
  if (model.is_number()) return value.is_null() || value.is_number();
  if (value.type() != model.type()) return false;
  if (model.is_array())
    return model.empty() ||
           std::all_of(value.begin(), value.end(), [&](const Json& item) { return resembles(item, model.front()); });
  if (!model.is_object()) return true;
  for (const auto& [key, part] : model.items())
    if (!value.contains(key) || !resembles(value[key], part)) return false;
  return true;
}

}  // namespace

bool is_record(const Json& value) {
  static const Json model = [] {
    BenchRecord record;
    record.results.resize(1);
    return record_json(record);
  }();
  return resembles(value, model);
}

Json record_json(const BenchRecord& record) {
  Json results = Json::array();
  for (const Result& result : record.results) results.push_back(result_json(result));
  return {{"name", record.name},
          {"source", record.source},
          {"precision", record.precision},
          {"class", record.matrix_class},
          {"rows", record.rows},
          {"cols", record.cols},
          {"nnz", record.nnz},
          {"rows_len", lengths_json(record.rows_len)},
          {"chosen", record.chosen},
          {"chosen_predicted_seconds", finite_or_null(record.chosen_predicted_seconds)},
          {"planning_seconds", record.planning_seconds},
          {"bound",
           {{"bytes", record.bound.bytes},
            {"gathers", record.bound.gathers},
            {"seconds", record.bound.seconds},
            {"cold_seconds", record.bound.cold_seconds}}},
          {"regret", finite_or_null(bench::regret(record.results, record.chosen))},
          {"complete", record.complete},
          {"resumed", false},
          {"results", std::move(results)}};
}

Json failed_record_json(const std::string& source, const Error& error) {
  const Json what{{"kind", name_of(error.kind())}, {"message", error.message()}, {"where", error.where()}};
  return {{"name", source}, {"source", source},  {"rows", nullptr},          {"cols", nullptr},
          {"nnz", nullptr}, {"chosen", nullptr}, {"results", Json::array()}, {"error", what}};
}

Json spy_json(const PatternView& A, int size) {
  const Density grid = density(A, fit(A.rows, A.cols, {size, size}, size, 4));
  constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string cells;
  for (int i = 0; i < grid.tall; ++i)
    for (int j = 0; j < grid.wide; ++j)
      cells += digits[static_cast<std::size_t>(std::ceil(grid.shade(i, j) * static_cast<double>(digits.size() - 1)))];
  return {{"wide", grid.wide}, {"tall", grid.tall}, {"cells", std::move(cells)}};
}

void put_roofline(Json& record, double read_gbps) {
  for (Json& result : record["results"])
    if (result.contains("gbps") && result["gbps"].is_number() && read_gbps > 0)
      result["roofline"] = result["gbps"].get<double>() / read_gbps;
}

std::string bench_csv(const std::vector<Json>& records) {
  std::string text;
  for (const CsvColumn& column : csv_columns) text += (text.empty() ? "" : ",") + std::string(column.title);
  text += '\n';
  for (const Json& record : records)
    for (const Json& result : record["results"]) {
      std::string line;
      for (const CsvColumn& column : csv_columns) {
        const Json& from = column.of_matrix ? record : result;
        line += (&column == csv_columns.data() ? "" : ",") + csv_field(from.value(column.key, Json()));
      }
      text += line + '\n';
    }
  return text;
}

}  // namespace heddle

// heddle_*_json: what the library knows, as text for programs. The keys are those of the command's --json.
#include <nlohmann/json.hpp>

#include "guard.hpp"
#include "operator_options.hpp"

using namespace heddle::c;
using Json = nlohmann::ordered_json;

namespace {

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json lengths_json(const heddle::RowLengths& r) {
  return {{"min", r.min},       {"max", r.max}, {"empty", r.empty},        {"mean", r.mean},
          {"stddev", r.stddev}, {"cv", r.cv},   {"histogram", r.histogram}};
}

Json gather_json(const heddle::Gather& g) { return {{"rows", g.rows}, {"entries", g.entries}, {"window", g.window}}; }

Json columns_json(const heddle::Columns& c) {
  return {{"mean_run", c.mean_run},   {"delta4", c.delta4},
          {"delta8", c.delta8},       {"delta16", c.delta16},
          {"near16", c.near16},       {"slices16", c.slices16},
          {"tile_rows", c.tile_rows}, {"tile_rows_by_degree", c.tile_rows_by_degree}};
}

Json diagonals_json(const heddle::Diagonals& d) {
  return {{"count", d.count},       {"occupancy", d.occupancy},   {"full", d.full},
          {"constant", d.constant}, {"full_share", d.full_share}, {"slice_fill", d.slice_fill}};
}

Json facts_json(const heddle::Structure& facts) {
  Json json = {{"rows", facts.rows}, {"cols", facts.cols}, {"nnz", facts.nnz}};
  json["rows_len"] = lengths_json(facts.rows_len);
  json["bandwidth"] = facts.bandwidth;
  json["profile"] = facts.profile;
  json["blocks"] = Json::array();
  for (const auto& block : facts.blocks)
    json["blocks"].push_back({{"r", block.r}, {"c", block.c}, {"fill", block.fill}});
  json["diagonals"] = diagonals_json(facts.diagonals);
  json["padding"] = Json::array();
  for (const auto& p : facts.padding) json["padding"].push_back({{"C", p.C}, {"sigma", p.sigma}, {"stored", p.stored}});
  json["columns"] = columns_json(facts.columns);
  json["gather"] = {{"f32", gather_json(facts.gather_f32)}, {"f64", gather_json(facts.gather_f64)}};
  json["index_bits"] = facts.index_bits;
  json["structurally_symmetric"] = facts.structurally_symmetric;
  json["symmetric"] = facts.symmetric;
  json["values"] = {
      {"distinct", facts.distinct_values}, {"distinct_capped", facts.distinct_capped}, {"f32_exact", facts.f32_exact}};
  return json;
}

// Seconds that are not known are null.
Json seconds_json(double seconds) { return seconds > 0 ? Json(seconds) : Json(); }

Json candidate_json(const heddle::Candidate& c) {
  return {{"plan", to_string(c.plan)},
          {"bytes", c.bytes},
          {"fits", c.fits},
          {"predicted_seconds", seconds_json(c.predicted_seconds)},
          {"predicted_build_seconds", seconds_json(c.predicted_build_seconds)},
          {"measured_seconds", seconds_json(c.measured_seconds)},
          {"measured_build_seconds", seconds_json(c.measured_build_seconds)}};
}

Json candidates_json(const std::vector<heddle::Candidate>& candidates) {
  Json json = Json::array();
  for (const auto& candidate : candidates) json.push_back(candidate_json(candidate));
  return json;
}

void put_choice(Json& json, const heddle::Choice& choice) {
  json["reason"] = choice.reason;
  json["from_cache"] = choice.from_cache;
  json["predicted_seconds"] = seconds_json(choice.predicted_seconds);
  json["candidates"] = candidates_json(choice.candidates);
}

std::string reason_in(const std::string& explanation) {
  const std::string word = "chosen: ";
  const auto begin = explanation.find(word);
  if (begin == std::string::npos) return "the plan was given";
  const auto end = explanation.find('\n', begin);
  return explanation.substr(begin + word.size(), end - begin - word.size());
}

Json operator_json(const heddle_operator& op) {
  Json json;
  std::visit(
      [&](const auto& A) {
        const std::string text = A.explain();
        json["plan"] = to_string(A.plan());
        json["device"] = to_string(A.device());
        json["bytes"] = A.bytes();
        json["rows"] = op.rows, json["cols"] = op.cols, json["nnz"] = op.nnz;
        json["precision"] = type_of(op) == HEDDLE_F32 ? "f32" : "f64";
        json["transposed"] = op.transposed, json["updates"] = op.updates;
        json["conversions"] = op.origin.conversions;
        json["reason"] = reason_in(text);
        json["text"] = text;
        json["candidates"] = candidates_json(candidates_of(A));
      },
      op.op);
  return json;
}

template <class V>
Json preconditioner_json(const heddle::Preconditioner<V>& M) {
  Json json = {{"name", M.name()}, {"grids", Json::array()}};
  for (const heddle::GridInfo& grid : M.grids())
    json["grids"].push_back(
        {{"rows", grid.rows}, {"nnz", grid.nnz}, {"plan", grid.plan}, {"interpolated", grid.interpolated}});
  return json;
}

Json devices_json() {
  Json json = {{"devices", Json::array()}, {"gpu_absence", heddle::gpu_absence()}};
  for (const auto& device : heddle::devices())
    json["devices"].push_back({{"device", to_string(device.device)},
                               {"name", device.name},
                               {"memory_bytes", device.memory_bytes},
                               {"free_bytes", device.free_bytes},
                               {"cache_bytes", device.cache_bytes},
                               {"units", device.units},
                               {"capability", device.capability}});
  return json;
}

}  // namespace

heddle_status heddle_devices_json(char* text, int64_t capacity, int64_t* length) {
  return guard([&] { hand_over(text_of(devices_json()), text, capacity, length); });
}

heddle_status heddle_matrix_analyze_json(const heddle_matrix* matrix, heddle_keep_going keep_going, void* context,
                                         char* text, int64_t capacity, int64_t* length) {
  return guard([&] {
    const auto& from = needed(matrix, "matrix");
    heddle::Structure facts;
    heddle::watched(keep_going_of(keep_going, context), "analyze",
                    [&] { facts = std::visit([](const auto& A) { return analyze(A); }, from.csr); });
    hand_over(text_of(facts_json(facts)), text, capacity, length);
  });
}

heddle_status heddle_choose_json(const heddle_matrix* matrix, const heddle_options* options, char* text,
                                 int64_t capacity, int64_t* length) {
  return guard([&] {
    const auto& from = needed(matrix, "matrix");
    const heddle_options o = taken(options);
    const auto choice = std::visit([&](const auto& A) { return choose(A, choose_options(o)); }, from.csr);
    Json json = {{"plan", to_string(choice.plan)}};
    put_choice(json, choice);
    hand_over(text_of(json), text, capacity, length);
  });
}

heddle_status heddle_operator_explain_json(const heddle_operator* op, char* text, int64_t capacity, int64_t* length) {
  return guard([&] { hand_over(text_of(operator_json(needed(op, "op"))), text, capacity, length); });
}

heddle_status heddle_preconditioner_json(const heddle_preconditioner* preconditioner, char* text, int64_t capacity,
                                         int64_t* length) {
  return guard([&] {
    const Json json = std::visit([](const auto& M) { return preconditioner_json(*M); },
                                 needed(preconditioner, "preconditioner").made);
    hand_over(text_of(json), text, capacity, length);
  });
}

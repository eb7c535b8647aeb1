// Reports of solves in the JSON document.
#pragma once

#include <algorithm>
#include <vector>

#include <heddle/solve.hpp>

#include "session/session.hpp"

namespace heddle {

inline Json changeover_json(const Changeover& c) {
  return {{"happened", c.happened},
          {"iteration", c.iteration},
          {"plan", c.plan.empty() ? Json() : Json(c.plan)},
          {"build_seconds", c.build_seconds},
          {"seconds_per_iteration_before", c.first_seconds},
          {"seconds_per_iteration_after", c.happened ? Json(c.better_seconds) : Json()},
          {"break_even_iterations", c.break_even < 0 ? Json() : Json(c.break_even)},
          {"error", c.error.empty() ? Json() : Json(c.error)}};
}

// Entries, or rows, of all grids over those of the finest.
template <class Count>
double complexity(const std::vector<GridInfo>& grids, Count count) {
  double sum = 0;
  for (const GridInfo& grid : grids) sum += static_cast<double>(count(grid));
  return sum / std::max(1.0, static_cast<double>(count(grids.front())));
}
inline double operator_complexity(const std::vector<GridInfo>& grids) {
  return complexity(grids, [](const GridInfo& grid) { return grid.nnz; });
}

inline Json multigrid_json(const std::vector<GridInfo>& grids) {
  Json json{{"operator_complexity", operator_complexity(grids)},
            {"grid_complexity", complexity(grids, [](const GridInfo& grid) { return grid.rows; })},
            {"grids", Json::array()}};
  for (const GridInfo& grid : grids)
    json["grids"].push_back(
        {{"rows", grid.rows}, {"nnz", grid.nnz}, {"interpolated", grid.interpolated}, {"plan", grid.plan}});
  return json;
}

inline Json report_json(const Report& report, double tolerance) {
  Json json{
      {"method", report.method},
      {"preconditioner", report.preconditioner},
      {"preconditioner_reason", report.preconditioner_reason.empty() ? Json() : Json(report.preconditioner_reason)},
      {"minres_from", report.minres_from < 0 ? Json() : Json(report.minres_from)},
      {"plan", report.plan},
      {"status", name_of(report.status)},
      {"reason", report.reason},
      {"iterations", report.iterations},
      {"tolerance", tolerance},
      {"residual", report.residual},
      {"true_residual", report.true_residual},
      {"rhs_norm", report.rhs_norm},
      {"seconds", report.seconds},
      {"setup_seconds", report.setup_seconds},
      {"loading_seconds", report.loading_seconds},
      {"history", report.history}};
  if (report.changeover.asked) json["changeover"] = changeover_json(report.changeover);
  return json;
}

}  // namespace heddle

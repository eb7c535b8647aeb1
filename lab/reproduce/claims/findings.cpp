#include "reproduce/claims/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::reproduce {

namespace {

void add_once(std::vector<const Matrix*>& list, const Matrix& matrix) {
  const bool known =
      std::any_of(list.begin(), list.end(), [&](const Matrix* one) { return one->facts.name == matrix.facts.name; });
  if (!known) list.push_back(&matrix);
}

}  // namespace

void Findings::rests_on(const Matrix& matrix) { add_once(used_, matrix); }

void Findings::see(const Matrix& matrix, const std::string& name, bool holds) {
  if (!fit(matrix)) return add_once(set_aside_, matrix);
  rests_on(matrix);
  add(name, holds);
}

void Findings::add_above(const std::string& name, double value, double limit) {
  if (std::isfinite(value)) add(name, value > limit);
}

void Findings::see_above(const Matrix& matrix, double value, double limit) {
  if (std::isfinite(value)) see(matrix, value > limit);
}

std::vector<const Matrix*> Findings::fit_among(const std::vector<const Matrix*>& matrices) {
  std::vector<const Matrix*> kept;
  for (const Matrix* matrix : matrices) {
    if (!fit(*matrix)) {
      add_once(set_aside_, *matrix);
      continue;
    }
    rests_on(*matrix);
    kept.push_back(matrix);
  }
  return kept;
}

std::string Findings::basis() const {
  std::string text = used_.empty() ? std::string() : basis_of(used_);
  if (!other_basis_.empty()) text += (text.empty() ? "" : ", ") + other_basis_;
  if (set_aside_.empty()) return text;
  const bool one = set_aside_.size() == 1;
  return fmt::format("{}{} stand-in{} that can say nothing about it {} no part", text.empty() ? "" : text + "; ",
                     set_aside_.size(), one ? "" : "s", one ? "takes" : "take");
}

Ruling Findings::ruling() const {
  Ruling ruling;
  ruling.judged = seen_.size();
  for (const Finding& one : seen_) {
    ruling.held += one.holds;
    if (!one.holds) ruling.against.push_back(one.name);
  }
  if (ruling.judged == 0) return ruling;
  const double wanted = claim_.share * static_cast<double>(ruling.judged) - 1e-9;
  ruling.verdict = static_cast<double>(ruling.held) >= wanted ? Verdict::confirmed
                   : ruling.held == 0                         ? Verdict::refuted
                                                              : Verdict::mixed;
  return ruling;
}

}  // namespace heddle::reproduce

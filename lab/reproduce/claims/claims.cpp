#include "reproduce/claims/claims.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace heddle::reproduce {

namespace {

const std::vector<ClaimText>& all_claims() {
  static const std::vector<ClaimText> list = [] {
    std::vector<ClaimText> all;
    for (const auto& of_paper : {ellpack_r_claims(), csr_ell_claims(), rgcsr_claims(), ellr_t_claims(), model_claims()})
      all.insert(all.end(), of_paper.begin(), of_paper.end());
    return all;
  }();
  return list;
}

}  // namespace

ClaimText claim_text(const std::string& id) {
  const auto found =
      std::find_if(all_claims().begin(), all_claims().end(), [&](const ClaimText& text) { return id == text.id; });
  check(found != all_claims().end(), ErrorKind::internal, "no claim {}", id);
  return *found;
}

Claim claim(const std::string& id) {
  const ClaimText text = claim_text(id);
  return {.id = id,
          .statement = text.statement,
          .exact = text.kind == Kind::exact,
          .then = text.then,
          .now = {},
          .rule = text.rule,
          .basis = {},
          .verdict = Verdict::not_testable,
          .reason = "not run"};
}

std::vector<std::string> claim_ids() {
  std::vector<std::string> ids;
  for (const ClaimText& text : all_claims()) ids.emplace_back(text.id);
  return ids;
}

}  // namespace heddle::reproduce

// For tests of verdicts: claims judged on small matrices by times that are planted.
#pragma once

#include <stdexcept>

#include "reproduce/record.hpp"

namespace heddle::reproduce {

using Words = std::vector<Verdict>;

constexpr Verdict confirmed = Verdict::confirmed, mixed = Verdict::mixed, refuted = Verdict::refuted;

inline PaperPlan plan_of(const std::string& id) {
  for (PaperPlan& plan :
       std::vector<PaperPlan>{ellpack_r_paper(), csr_ell_paper(), rgcsr_paper(), ellr_t_paper(), model_paper()})
    for (const Experiment& experiment : plan.experiments)
      for (const std::string& decided : experiment.claims)
        if (decided == id) return {plan.name, plan.title, plan.authors, {experiment}};
  throw std::runtime_error("no experiment decides " + id);
}

// The claim, judged by its experiment on small matrices with these times, or with the files of a folder.
inline Claim judged(const std::string& id, const PlantedTimes& times, const std::string& folder = {},
                    const std::string& corpus = {}) {
  Lab lab({.device = Device::cpu(),
           .seconds = 0,
           .quick = true,
           .folder = folder,
           .stopped = {},
           .corpus = corpus,
           .planted = times});
  const PaperPlan plan = plan_of(id);
  Paper paper{.name = plan.name};
  for (const std::string& decided : plan.experiments[0].claims) paper.claims.push_back(claim(decided));
  Record record(lab, paper);
  plan.experiments[0].run(record);
  for (const Claim& one : paper.claims)
    if (one.id == id) return one;
  return {};
}

inline bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }
inline bool starts(const std::string& text, const char* with) { return text.starts_with(with); }

// `slow` of the plans take twice the time of the others wherever `where` says so.
using Where = std::function<bool(const std::string& matrix, const std::string& what, Precision precision)>;
inline PlantedTimes slower_where(const Where& where) {
  return [where](const std::string& matrix, const std::string& what, Precision precision) {
    return where(matrix, what, precision) ? 2.0 : 1.0;
  };
}

// The words of a claim when its loser loses everywhere, only on some matrices, and nowhere.
inline Words words_by_matrix(const std::string& id, const std::function<bool(const std::string&)>& loser,
                             const std::string& winner_on) {
  Words words;
  const std::function<bool(const std::string&)> matrices[] = {
      [](const std::string&) { return true; }, [&](const std::string& name) { return name != winner_on; },
      [](const std::string&) { return false; }};
  for (const auto& at : matrices)
    words.push_back(judged(id, slower_where([&](const auto& matrix, const auto& what, Precision) {
                             return loser(what) == at(matrix);
                           }))
                        .verdict);
  return words;
}

// Likewise by precision.
inline Words words_by_precision(const std::string& id, const std::function<bool(const std::string&)>& loser) {
  Words words;
  for (const int holds_in : {2, 1, 0})
    words.push_back(judged(id, slower_where([&](const auto&, const auto& what, Precision precision) {
                             const bool holds = holds_in == 2 || (holds_in == 1 && precision == Precision::f32);
                             return loser(what) == holds;
                           }))
                        .verdict);
  return words;
}

inline const Words each_word{confirmed, mixed, refuted};

}  // namespace heddle::reproduce

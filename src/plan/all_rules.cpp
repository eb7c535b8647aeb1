#include "plan/all_rules.hpp"

#include <algorithm>
#include <cmath>

#include "formats/format.hpp"
#include "plan/custom_work.hpp"

namespace heddle {

std::vector<const Rules*> built_in_rules();  // registry_list.cpp, generated

std::span<const Rules* const> all_rules() {
  static const std::vector<const Rules*> in_turn = [] {
    std::vector<const Rules*> all = built_in_rules();
    std::ranges::sort(all, {}, &Rules::turn);
    return all;
  }();
  return in_turn;
}

const Rules* find_rules(const std::string& format) {
  const auto all = all_rules();
  const auto found = std::ranges::find_if(all, [&](const Rules* rules) { return rules->format == format; });
  return found == all.end() ? find_custom_rules(format) : *found;
}

Workload workload(const Rules& rules, const Subject& subject, const Plan& plan) {
  Workload w = (subject.target.on_gpu ? rules.gpu : rules.cpu)(subject, plan);
  if (w.alone < 0) w.alone = subject.longest();
  w.fits = w.stored < beyond_counting &&
           !too_much_padding(static_cast<std::int64_t>(std::ceil(w.stored)), subject.facts.nnz);
  return w;
}

}  // namespace heddle

// Why an operator has its plan, as far as the planner has told it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <heddle/export.hpp>

namespace HEDDLE_PUBLIC heddle {
struct Candidate;
}

namespace heddle {

struct Reason {
  std::function<std::string()> text;  // empty: the plan is the caller's
  // What there was, the plan first, as it was predicted and measured then; null: nothing.
  std::shared_ptr<const std::vector<Candidate>> candidates;
};

}  // namespace heddle

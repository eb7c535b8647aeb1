// Options of the caller as those of the C++ library.
#pragma once

#include <string_view>

#include "guard.hpp"
#include "handles.hpp"

namespace heddle::c {

// Whether the library chooses the plan.
inline bool chosen(const heddle_options& o) { return !o.plan || std::string_view(o.plan) == "auto"; }

// What the library asks now and then; none where the caller does not want to be asked.
inline KeepGoing keep_going_of(const heddle_options& o) {
  if (!o.keep_going) return {};
  return [o](std::string_view stage, double done) {
    return o.keep_going(o.context, done, std::string(stage).c_str()) == 0;
  };
}

inline BuildOptions build_options(const heddle_options& o) {
  if (o.right_hand_sides < 0) wrong_usage("a number from 0 on is needed", "right_hand_sides");
  BuildOptions how;
  how.device = device_of(o.device);
  how.transposed = o.transposed != 0;
  how.updates = o.updates != 0;
  how.right_hand_sides = std::max(1, o.right_hand_sides);
  how.keep_going = keep_going_of(o);
  return how;
}

inline ChooseOptions choose_options(const heddle_options& o) {
  ChooseOptions how;
  how.device = device_of(o.device);
  if (o.effort) how.effort = parse_effort(o.effort);
  how.expected_multiplies = o.products;
  how.reorder = o.no_reorder == 0;
  how.use_cache = o.no_cache == 0;
  how.keep_going = keep_going_of(o);
  return how;
}

}  // namespace heddle::c

// Options of the caller as those of the C++ library.
#pragma once

#include <heddle/foreign.hpp>

#include <string_view>

#include "guard.hpp"
#include "handles.hpp"

namespace heddle::c {

// Whether the library chooses the plan.
inline bool chosen(const heddle_options& o) { return !o.plan || std::string_view(o.plan) == "auto"; }

inline BuildOptions build_options(const heddle_options& o) {
  if (o.right_hand_sides < 0) wrong_usage("a number from 0 on is needed", "right_hand_sides");
  BuildOptions how;
  how.device = device_of(o.device);
  how.transposed = o.transposed != 0;
  how.updates = o.updates != 0;
  how.right_hand_sides = std::max(1, o.right_hand_sides);
  how.keep_going = keep_going_of(o.keep_going, o.context);
  return how;
}

inline ChooseOptions choose_options(const heddle_options& o) {
  ChooseOptions how;
  how.device = device_of(o.device);
  if (o.effort) how.effort = parse_effort(o.effort);
  how.expected_multiplies = o.products;
  how.reorder = o.no_reorder == 0;
  how.use_cache = o.no_cache == 0;
  how.keep_going = keep_going_of(o.keep_going, o.context);
  return how;
}

template <class V>
std::unique_ptr<heddle_operator> handle_of(Operator<V> op, const Origin& origin) {
  if (origin.map) set_entry_order(op, *origin.map);
  auto made = std::make_unique<heddle_operator>(heddle_operator{std::move(op), origin});
  std::visit([&](const auto& A) { made->rows = A.rows(), made->cols = A.cols(), made->nnz = A.nnz(); }, made->op);
  return made;
}

}  // namespace heddle::c

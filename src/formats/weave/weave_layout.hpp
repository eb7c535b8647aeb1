// What the layouts of weave share. A layout is a small format of its own (formats/format.hpp) without name and registry
// line: footprint, build, restore, each_array, multiply on the three devices.
#pragma once

#include "formats/format.hpp"
#include "formats/weave/weave_settings.hpp"
#include "layout/column_windows.hpp"
#include "layout/lane_pieces.hpp"
#include "layout/value_codec.hpp"

namespace heddle::weave {

// Values of fewer entries are stored without a table (weave.cpp).
inline constexpr std::int64_t fewest_in_table = 1 << 21;

// f(std::integral_constant<Keep, k>)
template <class F>
void dispatch_keep(bool keep, F f) {
  if (keep)
    f(std::integral_constant<Keep, Keep::matrix>{});
  else
    f(std::integral_constant<Keep, Keep::nothing>{});
}

}  // namespace heddle::weave

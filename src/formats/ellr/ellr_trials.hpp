// What paper 4 tries of ELLR-T on a GPU: the best of the twelve is its ELLR-T*.
#pragma once

namespace heddle {

inline constexpr int tried_lanes[] = {1, 2, 4, 8}, tried_blocks[] = {128, 256, 512};

}  // namespace heddle

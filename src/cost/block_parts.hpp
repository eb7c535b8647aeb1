// What the rules of formats of dense blocks share.
#pragma once

#include <string>
#include <vector>

#include "cost/workload_parts.hpp"

namespace heddle {

struct CountedBlocks {
  double r, c, rows, blocks, mask_bytes, fill;

  double slot_bytes(const Subject& s) const { return r * c * s.value_bytes + mask_bytes + index_bytes; }
};
CountedBlocks counted_blocks(const Subject& s, const Plan& plan);

// Of a format with settings r and c: shapes that pay.
std::vector<Plan> block_plans(const char* format, const Structure& facts);

// "2 x 2 blocks store 1.10 places per entry"
std::string block_text(const Structure& facts, const Plan& plan);

}  // namespace heddle

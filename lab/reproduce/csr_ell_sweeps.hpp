// Paper 2, what is swept.
#pragma once

#include "reproduce/record.hpp"

namespace heddle::reproduce {

void packing_over_rows(Record& record);       // R31
void several_warps_a_row(Record& record);     // R32
void against_sliced_ellpack(Record& record);  // R33

}  // namespace heddle::reproduce

// Paper 2: experiments with a file of their own, sweeps and solves.
#pragma once

#include "reproduce/record.hpp"

namespace heddle::reproduce {

// The paper's rival, by Bell and Garland as Cusp has it.
inline constexpr const char* cusp_hyb = "hyb rule=cusp";

void packing_over_rows(Record& record);       // R31
void several_warps_a_row(Record& record);     // R32
void against_sliced_ellpack(Record& record);  // R33
void overlapped_cg(Record& record);           // R16

}  // namespace heddle::reproduce

// What data sheets promise, where a claim speaks of a share of it.
#pragma once

#include <string>

namespace heddle::reproduce {

// Memory bandwidth in GB/s of a GPU with this name ("NVIDIA H200"); NaN for one that is not in the table.
double nominal_gbps(const std::string& device_name);

}  // namespace heddle::reproduce

#pragma once

#include <heddle/device.hpp>

namespace heddle {

// Error(unavailable) that says why, for a device that is not there. To describe one takes longer than many a build:
// what has been found once is not asked for again.
void require_device(Device device);

}  // namespace heddle

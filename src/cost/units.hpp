// Seconds in the units that figures of machines and costs have.
#pragma once

namespace heddle {

inline constexpr double milli = 1e-3, micro = 1e-6, nano = 1e-9, pico = 1e-12;

}  // namespace heddle

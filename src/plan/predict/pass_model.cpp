#include "plan/predict/pass_model.hpp"

namespace heddle {

double predict(const PassModel& gpu, std::int64_t n, std::int64_t m) {
  if (n <= 0) return 0;
  constexpr std::int64_t warp = 32;
  const std::int64_t passes = (n + gpu.resident - 1) / gpu.resident;
  const double column = static_cast<double>(m) * gpu.D2;
  if (passes == 1) return gpu.D0 + column;
  const std::int64_t left = n - (passes - 1) * gpu.resident;
  const std::int64_t warps_left = (left + warp - 1) / warp, warps = gpu.resident / warp;
  const double share = static_cast<double>(warps_left) / static_cast<double>(warps);
  return (gpu.D0 + column) + static_cast<double>(passes - 2) * (gpu.D1 + column) + (gpu.D1 + share * column);
}

}  // namespace heddle

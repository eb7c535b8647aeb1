// A preconditioner wants its vectors on the operator's device; callers from other languages have them anywhere.
#include <heddle/foreign.hpp>

#include "core/gpu.hpp"

namespace heddle {

template <class V>
void apply_from_anywhere(const Preconditioner<V>& M, Device device, std::span<const V> r, std::span<V> z,
                         Stream stream) {
  if (device.host_memory() || r.empty()) return M.apply(r, z, stream);
  const gpu::Current current(device);
  const bool move_r = !gpu::lies_on(device.ordinal, r.data(), "r");
  const bool move_z = !gpu::lies_on(device.ordinal, z.data(), "z");
  if (!move_r && !move_z) return M.apply(r, z, stream);
  const Buffer<V> r_there = move_r ? Buffer<V>::copy_of(r, device) : Buffer<V>();
  Buffer<V> z_there = move_z ? Buffer<V>(static_cast<std::int64_t>(z.size()), device) : Buffer<V>();
  M.apply(move_r ? r_there.span() : r, move_z ? z_there.span() : z, stream);
  gpu::synchronize(stream);
  if (!move_z) return;
  const Buffer<V> answer = z_there.to(Device::cpu());
  std::copy(answer.begin(), answer.end(), z.begin());
}

template void apply_from_anywhere(const Preconditioner<float>&, Device, std::span<const float>, std::span<float>,
                                  Stream);
template void apply_from_anywhere(const Preconditioner<double>&, Device, std::span<const double>, std::span<double>,
                                  Stream);

}  // namespace heddle

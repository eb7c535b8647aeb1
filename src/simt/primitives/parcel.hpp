// A small array that the host has made goes to the device among the arguments of a kernel: only queued, where a copy is
// a call of the driver and a wait (11 us of a build that takes 200; H200).
#pragma once

#include <cstring>
#include <span>
#include <type_traits>

#include <heddle/buffer.hpp>

#include "simt/simt.hpp"

namespace heddle::device {

struct Parcel {
  static constexpr std::size_t most_bytes = 3840;  // all arguments of a kernel may take 4096
  unsigned char bytes[most_bytes];
};

namespace {  // kernels: compiled for two devices under one name

SIMT_KERNEL unpack_thread_per_byte(Parcel parcel, std::int64_t count, unsigned char* to) {
  const std::int64_t i = simt::global_thread();
  if (i < count) to[i] = parcel.bytes[i];
  if (i == 0) simt::wait_for_earlier();  // so that this grid ends behind it
}

// There when everything queued on the default stream is done. `overlaps`: with the kernel that was queued there last,
// which lets the next start.
template <class T>
Buffer<T> send(simt::Here here, std::span<const T> array, Device device, bool overlaps) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (array.size_bytes() > Parcel::most_bytes) return Buffer<T>::copy_of(array, device);
  Buffer<T> there(static_cast<std::int64_t>(array.size()), device);
  const auto count = static_cast<std::int64_t>(array.size_bytes());
  Parcel parcel;
  if (count > 0) memcpy(parcel.bytes, array.data(), array.size_bytes());
  constexpr int threads = 256;
  simt::Launch shape{simt::blocks_for(count, threads), threads};
  shape.overlaps = overlaps;
  simt::launch(here, shape, unpack_thread_per_byte, parcel, count, reinterpret_cast<unsigned char*>(there.data()));
  return there;
}

}  // namespace

}  // namespace heddle::device

// A small array that the host has made goes to the device among the arguments of a kernel: only queued, where a copy is
// a call of the driver and a wait (11 us of a build that takes 200; H200).
#pragma once

#include <cstring>
#include <span>

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
inline Buffer<unsigned char> send(simt::Here here, std::span<const unsigned char> bytes, Device device, bool overlaps) {
  if (bytes.size() > Parcel::most_bytes) return Buffer<unsigned char>::copy_of(bytes, device);
  const auto count = static_cast<std::int64_t>(bytes.size());
  Buffer<unsigned char> there(count, device);
  Parcel parcel;
  if (count > 0) memcpy(parcel.bytes, bytes.data(), bytes.size());
  constexpr int threads = 256;
  simt::Launch shape{simt::blocks_for(count, threads), threads};
  shape.overlaps = overlaps;
  simt::launch(here, shape, unpack_thread_per_byte, parcel, count, there.data());
  return there;
}

}  // namespace

}  // namespace heddle::device

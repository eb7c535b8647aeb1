// The distinct values of a matrix that lies on a device, and the table that a dictionary has of them (value_codec.hpp).
// Values are counted by entering them into a set, which is the same in any order, and ranked by counting those below
// each: nothing goes through the host.
#pragma once

#include <optional>
#include <span>

#include <heddle/buffer.hpp>

#include "codec/value_codec.hpp"
#include "simt/primitives/answers.hpp"
#include "simt/primitives/workspace.hpp"
#include "simt/simt.hpp"

namespace heddle {

template <class V>
class DistinctValues {
 public:
  // More than `most`, a power of two, are not told apart.
  DistinctValues(std::int64_t most, Device device)
      : most_(most), slot_(4 * most, device), found_(1, device), counts_(1, device) {
    if (most == dictionary_size)
      made_ = {Buffer<V>(dictionary_size, device), {}, Buffer<std::uint16_t>(slot_.size(), device)};
  }
  // Queued, one after the other: a few values, which other kernels that read the matrix may overlap
  // (simt::Launch::overlaps), and all of them. The table of up to dictionary_size is made with it. overlaps: the kernel
  // of all of them overlaps the one that was queued last, which has waited for all before it and lets the next start.
  void begin(simt::Emulator, std::span<const V> there);
  void begin(simt::Cuda, std::span<const V> there);
  void finish(simt::Emulator, std::span<const V> there, bool overlaps = false);
  void finish(simt::Cuda, std::span<const V> there, bool overlaps = false);
  template <class Where>
  void ask(Where where, std::span<const V> there) {
    begin(where, there);
    finish(where, there);
  }
  // Waits. More than `most`: there are more.
  std::int64_t count() {
    if (count_ < 0) {
      const Counts found = counts_.here()[0];
      count_ = std::int64_t{found.distinct} + found.has_zero;
    }
    return count_;
  }
  // All of them, sorted by bits; unused places repeat the last one. dictionary_size places where no more were told
  // apart. Queued; once.
  ValueTable<V> table(simt::Emulator, std::int64_t places);
  ValueTable<V> table(simt::Cuda, std::int64_t places);

  struct Counts {
    std::uint32_t distinct = 0, has_zero = 0;  // the first without +0, whose bits mark free slots
  };

 private:
  using Bits = std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t>;

  std::int64_t most_, count_ = -1;
  Buffer<V> slot_;
  Buffer<Counts> found_;
  ValueTable<V> made_;
  device::Answers<Counts> counts_;
  std::optional<device::Workspace> memory_;  // of the large table
};

}  // namespace heddle

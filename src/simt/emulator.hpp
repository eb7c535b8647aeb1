// simt.hpp for the host compiler: the threads of a block, or of a cluster of blocks, are fibres of one host thread. A
// fibre runs until it needs the others (a shuffle, a vote, a barrier); then the next one runs. Misuse ends the launch
// with Error(internal) that names kernel file and line, block, thread and the other side of the disagreement:
//
//   * a barrier or collective that some named thread never reaches, because it has left the kernel or waits elsewhere
//   * lanes of one mask that meet in different operations
//   * a shuffle from a lane that is not in the mask, or a mask without the caller
//   * halves of a cluster's barrier out of turn
//
// Shared memory starts as garbage, has its exact size and is a heap block of its own, so ASan sees every overrun.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

namespace heddle::simt {

using Here = Emulator;

// std::source_location, which clang 14 does not have with GCC's library.
class Site {
 public:
  static constexpr Site current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    Site here;
    here.file_ = file;
    here.line_ = line;
    return here;
  }
  constexpr const char* file_name() const { return file_; }
  constexpr unsigned line() const { return line_; }

 private:
  const char* file_ = "";
  unsigned line_ = 0;
};

namespace emulator {

struct Self {  // what the running fibre is
  int thread = 0, block_threads = 0, cluster_rank = 0, cluster_blocks = 1;
  std::int64_t block = 0, grid_blocks = 0;
  unsigned char* shared = nullptr;
};
const Self& self();

enum class Meeting { shuffle, ballot, same_lanes, reduce, sync_warp };
// Waits until every lane of `mask` has come to the same meeting; gives what each of the 32 lanes brought.
const std::uint64_t* meet(Meeting kind, unsigned mask, std::uint64_t brought, const Site& site);
[[noreturn]] void misuse(const char* what, const Site& site);
void barrier(const Site& site);
void arrive_cluster(const Site& site);
void wait_cluster(const Site& site);
void* shared_of(int rank, const Site& site);

// The order in which blocks, and warps within a block, get their turn. A kernel that gives different results depends on
// an order no GPU promises.
enum class Order { forward, reverse };
void set_order(Order order);

void run_grid(const Launch& shape, void (*body)(void*), void* context);

}  // namespace emulator

inline int thread() { return emulator::self().thread; }
inline int block_threads() { return emulator::self().block_threads; }
inline std::int64_t block() { return emulator::self().block; }
inline std::int64_t grid_blocks() { return emulator::self().grid_blocks; }
inline int lane() { return thread() % warp_size; }
inline int warp() { return thread() / warp_size; }
inline std::int64_t global_thread() { return block() * block_threads() + thread(); }

template <class T>
T shuffle(T value, int source, unsigned mask = full_warp, const Site& site = Site::current()) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  const std::uint64_t* brought = emulator::meet(emulator::Meeting::shuffle, mask, bits, site);
  source &= warp_size - 1;
  if ((mask >> source & 1) == 0) emulator::misuse("shuffle from a lane that does not take part", site);
  std::memcpy(&value, &brought[source], sizeof(T));
  return value;
}
template <class T>
T shuffle_down(T value, int distance, unsigned mask = full_warp, const Site& site = Site::current()) {
  return shuffle(value, lane() + distance < warp_size ? lane() + distance : lane(), mask, site);
}
template <class T>
T shuffle_up(T value, int distance, unsigned mask = full_warp, const Site& site = Site::current()) {
  return shuffle(value, lane() >= distance ? lane() - distance : lane(), mask, site);
}
template <class T>
T shuffle_xor(T value, int bits, unsigned mask = full_warp, const Site& site = Site::current()) {
  return shuffle(value, lane() ^ bits, mask, site);
}
inline unsigned ballot(bool vote, unsigned mask = full_warp, const Site& site = Site::current()) {
  const std::uint64_t* votes = emulator::meet(emulator::Meeting::ballot, mask, vote, site);
  unsigned result = 0;
  for (int i = 0; i < warp_size; ++i)
    if ((mask >> i & 1) && votes[i] != 0) result |= 1u << i;
  return result;
}
inline bool any(bool vote, unsigned mask = full_warp, const Site& site = Site::current()) {
  return ballot(vote, mask, site) != 0;
}
template <class T>
T sum_lanes(T value, const Site& site = Site::current()) {
  static_assert(std::is_integral_v<T> && sizeof(T) == 4);
  const std::uint64_t* values =
      emulator::meet(emulator::Meeting::reduce, full_warp, static_cast<unsigned>(value), site);
  unsigned sum = 0;
  for (int i = 0; i < warp_size; ++i) sum += static_cast<unsigned>(values[i]);
  return static_cast<T>(sum);
}
template <class T>
T max_lanes(T value, const Site& site = Site::current()) {
  static_assert(std::is_integral_v<T> && sizeof(T) == 4);
  const std::uint64_t* values =
      emulator::meet(emulator::Meeting::reduce, full_warp, static_cast<unsigned>(value), site);
  for (int i = 0; i < warp_size; ++i) value = std::max(value, static_cast<T>(static_cast<unsigned>(values[i])));
  return value;
}
inline unsigned same_lanes(unsigned value, unsigned mask = full_warp, const Site& site = Site::current()) {
  const std::uint64_t* values = emulator::meet(emulator::Meeting::same_lanes, mask, value, site);
  unsigned result = 0;
  for (int i = 0; i < warp_size; ++i)
    if ((mask >> i & 1) && values[i] == value) result |= 1u << i;
  return result;
}
inline unsigned same_lanes_below(int bits, unsigned value, const Site& site = Site::current()) {
  if (value >> bits != 0) emulator::misuse("same_lanes_below of a value with more bits", site);
  return same_lanes(value, full_warp, site);
}
inline void sync_warp(unsigned mask = full_warp, const Site& site = Site::current()) {
  emulator::meet(emulator::Meeting::sync_warp, mask, 0, site);
}
inline void sync_block(const Site& site = Site::current()) { emulator::barrier(site); }
inline int count_bits(unsigned bits) { return std::popcount(bits); }
inline int leading_zeros(unsigned bits) { return std::countl_zero(bits); }

template <class T>
T* shared() {
  return reinterpret_cast<T*>(emulator::self().shared);
}

inline int cluster_rank() { return emulator::self().cluster_rank; }
inline int cluster_blocks() { return emulator::self().cluster_blocks; }
inline void arrive_cluster(const Site& site = Site::current()) { emulator::arrive_cluster(site); }
inline void let_next_start() {}
inline void wait_for_earlier() {}
inline void wait_cluster(const Site& site = Site::current()) { emulator::wait_cluster(site); }
template <class T>
T* shared_of(int rank, const Site& site = Site::current()) {
  return static_cast<T*>(emulator::shared_of(rank, site));
}

template <class T>
const T* settled(const T* address) {
  return address;
}
inline unsigned widened(std::uint16_t value) { return value; }
inline unsigned widened(int value) { return static_cast<unsigned>(value); }
template <class T>
T cached_load(const T* from) {
  return *from;
}
template <class T>
T uncached_load(const T* from) {
  return *from;
}
template <class T>
T stream_load(const T* from) {
  return *from;
}

inline std::uint64_t relaxed_load(const std::uint64_t* from) { return *from; }
inline void relaxed_store(std::uint64_t* to, std::uint64_t word) { *to = word; }
inline void fetch_ahead(const void*) {}

// Blocks run one after another.
inline bool arrive_last(std::int32_t* counter, std::int32_t count) { return ++*counter == count; }

// One fibre runs at a time: what it does between two meetings is atomic.
template <class T>
T atomic_add(T* memory, T value) {
  static_assert(std::is_unsigned_v<T> && sizeof(T) >= 4);
  return std::exchange(*memory, *memory + value);
}
template <class T>
T atomic_max(T* memory, T value) {
  return std::exchange(*memory, *memory < value ? value : *memory);
}
template <class T>
T atomic_or(T* memory, T bits) {
  return std::exchange(*memory, *memory | bits);
}
template <class T>
T atomic_claim(T* memory, T value) {
  return *memory == 0 ? std::exchange(*memory, value) : *memory;
}

template <class... Parameters, class... Arguments>
void launch(Emulator, const Launch& shape, void (*kernel)(Parameters...), const Arguments&... arguments) {
  auto call = [kernel, bound = std::tuple<std::remove_cv_t<Parameters>...>(arguments...)] {
    std::apply(kernel, bound);
  };
  emulator::run_grid(
      shape, [](void* context) { (*static_cast<decltype(call)*>(context))(); }, &call);
}

}  // namespace heddle::simt

// What the library asks of a GPU, other than running kernels. Implemented by simt/gpu_cuda.cpp, or by simt/gpu_none.cpp
// in a build without CUDA: then `absence` says so and everything else throws Error(unavailable).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <heddle/device.hpp>

namespace heddle::gpu {

// Makes a GPU the calling thread's current one, and then the one that was. Nothing for other devices. Error(usage) for
// a number that no GPU has, Error(unavailable) for one that is not there, and in a process that was forked when CUDA
// was in use already.
class Current {
 public:
  explicit Current(Device device);
  ~Current();  // NOLINT(performance-trivially-destructible): of a build without CUDA alone
  Current(const Current&) = delete;

 private:
  int before_ = -1;  // nothing to be undone
};

std::string absence();  // empty: there is a GPU
std::vector<DeviceInfo> list();
void* allocate(int ordinal, std::size_t bytes);  // throws Error(unavailable)
void release(int ordinal, void* memory) noexcept;
// Host memory that kernels of every GPU reach by the same address; it is never given back. Null: there is none.
void* allocate_for_both(std::size_t bytes) noexcept;
void copy(void* to, const void* from, std::size_t bytes);          // either side host or device; returns when done
void copy_to_host(void* to, const void* from, std::size_t bytes);  // the same, from the device alone
// Whether memory can be read by that GPU where it is. Error(usage), by the name of the vector, for another one's.
bool lies_on(int ordinal, const void* memory, const char* name);
void synchronize(Stream stream);
void synchronize_device(int ordinal);
// The same, for kernels that the calling thread has started: nothing is waited for twice. And memory of the device that
// was given back can mostly be taken at once after it.
void synchronize(int ordinal, Stream stream);
// Streams of the device's own in addition to the default one, none of which waits for another; the default one where
// there are none.
inline constexpr int side_streams = 2;
Stream side_stream(int ordinal, int number) noexcept;

void copy_queued(void* to, const void* from, std::size_t bytes, Stream stream);  // both on the device
// Reads a region of device memory, queued: what a cache is evicted with and a read bandwidth is measured by.
void read(const void* memory, std::size_t bytes, Stream stream);

// Lets multiplications that share scratch memory follow each other when they come on different streams. Inside a graph
// capture it does nothing: a graph's own order holds, and overlap with another use of the operator is the caller's
// business.
class Turn {
 public:
  Turn() = default;
  Turn(const Turn&) = delete;
  ~Turn();                        // NOLINT(performance-trivially-destructible): of a build without CUDA alone
  void wait_on(Stream stream);    // before the work is queued
  void passed_on(Stream stream);  // after it

 private:
  void* event_ = nullptr;
  bool captured_ = false;  // the work that is being queued
};

// Work that was recorded once and can be queued again as a whole: a CUDA graph.
class Recording {
 public:
  // Records what `work` queues on the stream it is given, a stream of the recording's own: nothing runs.
  explicit Recording(const std::function<void(Stream)>& work);
  void queue(Stream stream) const;

 private:
  std::shared_ptr<const void> graph_;
};

// Seconds per call of a kernel sequence, by events. Warm: many calls in one graph, so that neither events nor launches
// count; uncaptured: many calls queued one by one, for what cannot be captured. Cold: one call at a time, the L2
// evicted before each.
enum class Repeats { warm, warm_uncaptured, cold };
struct Timing {
  double median = 0, spread = 0;  // spread: (90th - 10th percentile) / median
  int repeats = 0;
};
Timing time(const void* context, void (*call)(const void* context, Stream stream), double seconds, Repeats how);

}  // namespace heddle::gpu

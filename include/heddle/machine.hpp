// Machine: what the memory of a device delivers at best. Measured once, kept in a file, used by `choose`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <heddle/device.hpp>
#include <heddle/export.hpp>

namespace HEDDLE_PUBLIC heddle {

// Instruction sets that CPU kernels are compiled for.
enum class Isa { baseline, sve, avx2, avx512 };

// Whether fetching so many elements of x by one instruction is faster than one by one.
struct GathersPay {
  bool of_4 = false, of_8 = false, of_16 = false;
  friend bool operator==(const GathersPay&, const GathersPay&) = default;
};

struct Machine {
  // A rate that depends on how much memory is touched again and again.
  struct Rate {
    std::int64_t bytes = 0;
    double giga = 0;  // 1e9 bytes, or elements, a second
    friend bool operator==(const Rate&, const Rate&) = default;
  };

  Device::Kind kind = Device::Kind::cpu;
  std::string name;               // of the device
  int units = 0;                  // multiprocessors, or CPU threads
  std::int64_t cache_bytes = 0;   // of the last cache
  std::int64_t memory_bytes = 0;  // all of it
  double read_gbps = 0;           // all threads read an array that no cache holds
  double copy_gbps = 0;           // read plus written
  double launch_us = 0;           // starting work that does nothing: a kernel, or all CPU threads
  double repeat_us = 0;           // the same as one of many in a row (a CUDA graph); the CPU knows no difference
  double upload_gbps = 0;         // host memory to this device; 0: the same memory
  std::vector<Rate> read;         // bytes, by bytes read; ascending, without the time of starting
  std::vector<Rate> gather;       // random single elements, by bytes of the array they come from; on a CPU while
                                  // columns and values stream past, as in a product
  // Of a CPU alone:
  std::vector<Rate> core_read;  // bytes, by bytes read, of one thread while the others rest
  double wake_us = 0;           // what a job takes beyond its work when it calls one other thread
  double wake_all_us = 0;       // and when it calls all of them
  double entry_ns = 0;          // an entry of csr on one thread, everything in its first cache: how fast a core is
  double entry_all_ns = 0;      // the same while all threads do so: two of them may share a core
  Isa isa = Isa::baseline;      // that its kernels use, and how they fetch elements of x: found out anew by
  GathersPay gathers;           // each process, not kept in the file
  bool measured = false;        // false: built-in figures

  friend bool operator==(const Machine&, const Machine&) = default;
};

// Between the points of a table by the logarithm of the bytes, level beyond its ends.
double rate_at(const std::vector<Machine::Rate>& table, double bytes);

// The figures of this machine: from memory, from the file, or measured now, which takes less than two seconds. The
// emulator stands for the GPU whose kernels it runs: it has the built-in figures of a GPU.
const Machine& this_machine(Device device = Device::parse("auto"));

// Measures now, and replaces the file: for figures that were measured on a busy machine. From then on `this_machine`
// gives these; what it gave before stays valid and as it was, and callers wait for it meanwhile. Of a CPU those of the
// present number of threads. Error(unavailable) where the device cannot be measured: all stays as it was; or where the
// file cannot be written: this process has the new figures, the next one has not.
const Machine& measure_this_machine(Device device = Device::parse("auto"));

// An H200 (gpu, emulator), or two cores of a server CPU: the same everywhere, for tests and where nothing can be
// measured.
const Machine& built_in_machine(Device::Kind kind);

// Folder of the files: HEDDLE_CACHE, or XDG_CACHE_HOME/heddle, or HOME/.cache/heddle; empty: nothing is kept.
std::string cache_folder();

}  // namespace heddle

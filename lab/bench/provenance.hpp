// What results were made by, besides the version: named in the JSON of `heddle bench`.
#pragma once

#include <string>

#include <heddle/device.hpp>

namespace heddle::bench {

// Empty: not known, or none.
struct Provenance {
  std::string commit;        // of the source when its build folder was configured; "-dirty": with changes
  std::string build;         // build_id
  std::string compiler;      // "GCC 12.2.0"
  std::string cuda_toolkit;  // that compiled the kernels
  std::string driver;        // NVIDIA's, where the device is a GPU
};

Provenance provenance(Device device);

}  // namespace heddle::bench

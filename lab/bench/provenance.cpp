#include "bench/provenance.hpp"

#include <fmt/format.h>

#include "bench/build_id.hpp"
#include "bench/energy.hpp"

namespace heddle::bench {

namespace {

std::string compiler() {
#ifdef __clang__
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return {};
#endif
}

}  // namespace

// The macros come from lab/CMakeLists.txt and are empty texts where there is nothing to say.
Provenance provenance(Device device) {
  return {.commit = HEDDLE_COMMIT,
          .build = build_id(),
          .compiler = compiler(),
          .cuda_toolkit = HEDDLE_CUDA_TOOLKIT,
          .driver = device.kind == Device::Kind::gpu ? driver_version(nvml_file()) : std::string{}};
}

}  // namespace heddle::bench

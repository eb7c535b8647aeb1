// A library of NVML's few names for tests: one GPU, at 0000:65:00.0, that draws 300 W by a counter in steps of 20 ms.
#include <chrono>
#include <cstring>

extern "C" {

int nvmlInit_v2() { return 0; }

int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device) {
  static int only = 0;
  *device = &only;
  return std::strcmp(address, "0000:65:00.0") == 0 ? 0 : 6;
}

int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto steps = std::chrono::duration_cast<std::chrono::milliseconds>(now).count() / 20;
  *millijoules = static_cast<unsigned long long>(steps) * 20 * 300;
  return 0;
}

int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  constexpr char version[] = "999.10.1";
  if (size < sizeof version) return 7;
  std::memcpy(text, version, sizeof version);
  return 0;
}

const char* nvmlErrorString(int status) { return status == 6 ? "Not Found" : "Unknown Error"; }
}

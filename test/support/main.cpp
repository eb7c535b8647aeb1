// main of every test program. Exit code 77 tells ctest "skipped": when nothing ran but skipped tests, it must not look
// like a pass.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

#include <heddle/device.hpp>

namespace {
bool wants_a_gpu_in_vain() {
  const char* device = std::getenv("HEDDLE_TEST_DEVICE");
  return device && std::string_view(device) == "gpu" && !heddle::gpu_available();
}
}  // namespace

// What a test does not say otherwise it does on the CPU, also where there is a GPU.
int main(int argc, char** argv) {
  setenv("HEDDLE_DEVICE", "cpu", 0);
  testing::InitGoogleTest(&argc, argv);
  if (wants_a_gpu_in_vain()) {
    std::cout << "skipped, no GPU: " << heddle::gpu_absence() << "\n";
    return 77;
  }
  const int failed = RUN_ALL_TESTS();
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  const bool nothing_ran = all.successful_test_count() == 0 && all.skipped_test_count() > 0;
  return failed == 0 && nothing_ran ? 77 : failed;
}

// main of every test program. Exit code 77 tells ctest "skipped": when nothing ran but skipped tests, it must not look
// like a pass.
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  const bool nothing_ran = all.successful_test_count() == 0 && all.skipped_test_count() > 0;
  return failed == 0 && nothing_ran ? 77 : failed;
}

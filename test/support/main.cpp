// main of every test program. Exit code 77 tells ctest "skipped": when nothing ran but skipped tests, it must not look
// like a pass.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include <heddle/device.hpp>

#include "core/isa.hpp"
#include "simt/simt.hpp"

namespace {
bool wants_a_gpu_in_vain() {
  const char* device = std::getenv("HEDDLE_TEST_DEVICE");
  return device && std::string_view(device) == "gpu" && !heddle::gpu_available();
}

// --only=cg_test: the tests that stand in cg_test.cpp, in a program with those of many files.
std::string file_asked_for(int argc, char** argv) {
  const std::string_view option = "--only=";
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]).starts_with(option)) return argv[i] + option.size();
  return {};
}

std::string tests_of(const std::string& stem) {
  std::string names;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s)
    for (int t = 0; t < all.GetTestSuite(s)->total_test_count(); ++t) {
      const testing::TestInfo& test = *all.GetTestSuite(s)->GetTestInfo(t);
      if (std::filesystem::path(test.file()).stem() == stem)
        names += std::string(test.test_suite_name()) + "." + test.name() + ":";
    }
  return names;
}

std::map<std::string, std::string> variables() {
  std::map<std::string, std::string> all;
  for (char** line = environ; *line != nullptr; ++line) {
    const std::string_view text = *line;
    const std::size_t end = std::min(text.find('='), text.size());
    all.emplace(text.substr(0, end), text.substr(std::min(end + 1, text.size())));
  }
  return all;
}

// What a test changes for the whole program is put back after it, however it ends.
class PutBack : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override {
    heddle::isa();  // measures what gathers are worth
    gathers_ = heddle::gathers_pay;
    variables_ = variables();
  }
  void OnTestEnd(const testing::TestInfo&) override {
    const std::map<std::string, std::string> left = variables();
    for (const auto& [name, value] : left)
      if (!variables_.contains(name)) unsetenv(name.c_str());
    for (const auto& [name, value] : variables_)
      if (!left.contains(name) || left.at(name) != value) setenv(name.c_str(), value.c_str(), 1);
    heddle::set_threads(0);
    heddle::cap_isa(heddle::Isa::avx512);
    heddle::gathers_pay = gathers_;
    heddle::simt::emulator::set_order(heddle::simt::emulator::Order::forward);
  }

  heddle::GathersPay gathers_;
  std::map<std::string, std::string> variables_;
};
}  // namespace

// What a test does not say otherwise it does on the CPU, also where there is a GPU.
int main(int argc, char** argv) {
  setenv("HEDDLE_DEVICE", "cpu", 0);
  testing::InitGoogleTest(&argc, argv);
  if (const std::string file = file_asked_for(argc, argv); !file.empty()) {
    const std::string names = tests_of(file);
    if (names.empty()) {
      std::cerr << "no tests of " << file << ".cpp in this program\n";
      return 2;
    }
    GTEST_FLAG_SET(filter, names);
  }
  if (wants_a_gpu_in_vain()) {
    std::cout << "skipped, no GPU: " << heddle::gpu_absence() << "\n";
    return 77;
  }
  testing::UnitTest& all = *testing::UnitTest::GetInstance();
  all.listeners().Append(new PutBack);
  const int failed = RUN_ALL_TESTS();
  const bool nothing_ran = all.successful_test_count() == 0 && all.skipped_test_count() > 0;
  return failed == 0 && nothing_ran ? 77 : failed;
}

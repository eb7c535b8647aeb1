#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include <heddle/error.hpp>
#include <heddle/version.hpp>

#include "machine/machine_file.hpp"
#include "machine/machine_gather.hpp"
#include "machine/machine_measure.hpp"
#include "support/own_cache.hpp"

namespace heddle {
namespace {

TEST(Machine, has_rates_between_its_points_and_level_ends) {
  const std::vector<Machine::Rate> table{{1 << 10, 100}, {1 << 12, 25}};
  EXPECT_DOUBLE_EQ(rate_at(table, 1), 100);
  EXPECT_DOUBLE_EQ(rate_at(table, 1 << 10), 100);
  EXPECT_NEAR(rate_at(table, 1 << 11), 50, 1e-9);
  EXPECT_DOUBLE_EQ(rate_at(table, 1e12), 25);
}

TEST(Machine, is_built_in_for_cpu_and_gpu_and_the_emulator_stands_for_a_gpu) {
  EXPECT_EQ(built_in_machine(Device::Kind::cpu).kind, Device::Kind::cpu);
  EXPECT_EQ(built_in_machine(Device::Kind::gpu).units, 132);
  EXPECT_EQ(this_machine(Device::emulator()), built_in_machine(Device::Kind::gpu));
}

TEST(Machine, file_text_round_trips) {
  for (const Device::Kind kind : {Device::Kind::cpu, Device::Kind::gpu}) {
    Machine machine = built_in_machine(kind);
    machine.measured = true;
    machine.read_gbps = 1 / 3.0;
    auto back = parse_machine(print_machine(machine));
    ASSERT_TRUE(back.has_value());
    back->isa = machine.isa, back->gathers = machine.gathers;  // which no file holds
    EXPECT_EQ(*back, machine);
  }
}

void expect_every_key_counts(Device::Kind kind, std::initializer_list<const char*> keys) {
  const std::string text = print_machine(built_in_machine(kind));
  for (const char* key : keys) {
    const auto at = text.find(std::string("\n") + key + " ") + 1;
    std::string broken = text;
    broken.replace(at, text.find('\n', at) - at, std::string(key) + " -1");
    EXPECT_FALSE(parse_machine(broken).has_value()) << key;
    broken.replace(at, broken.find('\n', at) - at, "");
    EXPECT_FALSE(parse_machine(broken).has_value()) << key;
  }
}

TEST(Machine, text_of_another_version_or_without_sense_is_ignored) {
  const std::string text = print_machine(built_in_machine(Device::Kind::gpu)), figures = text.substr(text.find('\n'));
  EXPECT_FALSE(parse_machine("").has_value());
  EXPECT_FALSE(parse_machine("heddle machine 0.0.0" + figures).has_value());
  // As it was written when less was measured.
  EXPECT_FALSE(parse_machine(fmt::format("heddle machine {}{}", version, figures)).has_value());
  expect_every_key_counts(Device::Kind::gpu,
                          {"units", "read_gbps", "copy_gbps", "launch_us", "repeat_us", "read", "gather"});
  expect_every_key_counts(Device::Kind::cpu,
                          {"read", "core_read", "wake_us", "wake_all_us", "entry_ns", "entry_all_ns"});
}

TEST(Machine, file_is_used_only_for_its_own_device_and_only_when_whole) {
  const test::OwnCache cache;
  Machine machine = built_in_machine(Device::Kind::gpu);
  machine.measured = true;
  write_machine(machine);
  EXPECT_EQ(read_machine(machine.kind, machine.name, machine.units), machine);
  EXPECT_FALSE(read_machine(machine.kind, "other", machine.units).has_value());
  EXPECT_FALSE(read_machine(Device::Kind::cpu, machine.name, machine.units).has_value());
  EXPECT_FALSE(read_machine(machine.kind, machine.name, 2).has_value());
  write_cache_file("whole.txt", "one\ntwo\n");
  EXPECT_EQ(read_cache_file("whole.txt"), "one\ntwo\n");
  std::ofstream(cache.path("whole.txt"), std::ios::app) << "three\n";
  EXPECT_FALSE(read_cache_file("whole.txt").has_value());
  EXPECT_FALSE(read_cache_file("none.txt").has_value());
}

// None of them may be waited for, and none read for ever.
TEST(Machine, figures_that_cannot_be_read_are_measured_anew_with_one_note) {
  const auto damaged = [](const std::string& path) {
    std::string text = print_machine(built_in_machine(Device::Kind::cpu));
    text.replace(text.find("kind cpu"), 8, "kind nonsense");
    write_cache_file(path.substr(path.rfind('/') + 1), text);
  };
  const std::vector<std::function<void(const std::string&)>> spoilers{
      [](const std::string& path) { ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0); },
      [](const std::string& path) { std::filesystem::create_symlink("/dev/zero", path); },
      [](const std::string& path) { std::filesystem::create_directory(path); },
      [](const std::string& path) { std::ofstream(path) << "half of it"; },
      [](const std::string& path) { std::ofstream(path) << ""; },
      [](const std::string& path) {
        std::filesystem::resize_file((std::ofstream(path), path), std::uintmax_t{1} << 40);
      },
      damaged};
  for (std::size_t i = 0; i < spoilers.size(); ++i) {
    const test::OwnCache cache;
    test::plant_wrong_figures();
    const std::string path = cache.files().at(0);
    std::filesystem::remove(path);
    spoilers[i](path);
    std::string trouble;
    const DeviceInfo info = describe(Device::cpu());
    EXPECT_FALSE(read_machine(info.device.kind, info.name, info.units, &trouble).has_value()) << i;
    EXPECT_NE(trouble.find(path), std::string::npos) << i << ": " << trouble;
    if (std::filesystem::is_directory(path)) continue;
    Machine kept = test::plant_wrong_figures();
    name_instructions(kept);
    EXPECT_EQ(test::kept_figures(), kept) << i;
  }
}

TEST(Machine, figures_of_another_version_and_missing_ones_are_no_trouble) {
  const test::OwnCache cache;
  std::string trouble;
  EXPECT_FALSE(read_machine(Device::Kind::cpu, "nothing", 1, &trouble).has_value());
  EXPECT_EQ(trouble, "");
}

TEST(Machine, cache_folder_follows_the_environment) {
  const auto value = [](const char* name) { return std::string(std::getenv(name) ? std::getenv(name) : ""); };
  const std::string own = value("HEDDLE_CACHE"), base = value("XDG_CACHE_HOME");
  setenv("HEDDLE_CACHE", "/a/b", 1);
  EXPECT_EQ(cache_folder(), "/a/b");
  unsetenv("HEDDLE_CACHE");
  setenv("XDG_CACHE_HOME", "/c", 1);
  EXPECT_EQ(cache_folder(), "/c/heddle");
  own.empty() ? unsetenv("HEDDLE_CACHE") : setenv("HEDDLE_CACHE", own.c_str(), 1);
  base.empty() ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", base.c_str(), 1);
}

TEST(Machine, measured_here_has_every_figure_and_is_the_same_when_asked_again) {
  const Machine& machine = this_machine(Device::cpu());
  EXPECT_EQ(machine.units, threads());
  EXPECT_TRUE(parse_machine(print_machine(machine)).has_value());
  EXPECT_EQ(&this_machine(Device::cpu()), &machine);
}

// A number of threads that no other test asks for: what this process knows of it is what the test has put there.
class OwnThreads {
 public:
  OwnThreads() { set_threads(threads() == 1 ? 2 : 1); }
  ~OwnThreads() { set_threads(0); }
  OwnThreads(const OwnThreads&) = delete;
  OwnThreads& operator=(const OwnThreads&) = delete;
};

TEST(Machine, measured_anew_is_kept_and_known_from_then_on_while_old_figures_stay_as_they_were) {
  const test::OwnCache cache;
  const OwnThreads few;
  Machine wrong = test::plant_wrong_figures();
  name_instructions(wrong);
  const Machine& before = this_machine(Device::cpu());
  ASSERT_EQ(before, wrong);
  std::atomic<bool> done = false, sound = true;
  std::thread asking([&] {
    while (!done) {
      if (!(this_machine(Device::cpu()).read_gbps > 0)) sound = false;
      std::this_thread::yield();
    }
  });
  const Machine& after = measure_this_machine(Device::cpu());
  done = true;
  asking.join();
  EXPECT_TRUE(sound);
  EXPECT_EQ(before, wrong);
  EXPECT_TRUE(after.measured);
  EXPECT_EQ(after.units, threads());
  EXPECT_LT(after.read_gbps, wrong.read_gbps / 2);
  EXPECT_EQ(&this_machine(Device::cpu()), &after);
  EXPECT_EQ(test::kept_figures(), after);
  EXPECT_EQ(cache.files().size(), 1u);
}

TEST(Machine, measured_anew_says_when_it_cannot_be_kept_and_is_known_all_the_same) {
  const test::OwnCache cache;
  setenv("HEDDLE_CACHE", "/dev/null/heddle", 1);
  const Machine& before = this_machine(Device::cpu());
  try {
    measure_this_machine(Device::cpu());
    FAIL() << "nothing was said";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    EXPECT_EQ(error.where(), "/dev/null/heddle");
  }
  EXPECT_NE(&this_machine(Device::cpu()), &before);
  EXPECT_TRUE(this_machine(Device::cpu()).measured);
}

TEST(Machine, that_is_not_there_or_emulated_is_not_measured) {
  const test::OwnCache cache;
  EXPECT_EQ(&measure_this_machine(Device::emulator()), &this_machine(Device::emulator()));
  EXPECT_THROW(measure_this_machine(Device::gpu(999)), Error);
  EXPECT_TRUE(cache.files().empty());
}

TEST(Machine, gathers_on_the_emulator_without_leaving_the_array) {
  std::vector<float> x(64, 0.0f);
  float sink = -1;
  gather(simt::Emulator{}, x.data(), 64, 1, &sink, {});
  EXPECT_EQ(sink, -1);
}

}  // namespace
}  // namespace heddle

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include <heddle/version.hpp>

#include "plan/machine_file.hpp"
#include "plan/machine_gather.hpp"
#include "plan/machine_measure.hpp"
#include "support/command.hpp"

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
    const auto back = parse_machine(print_machine(machine));
    ASSERT_TRUE(back.has_value());
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
  const test::ScratchFolder folder;
  const char* before = std::getenv("HEDDLE_CACHE");
  const std::string restore = before ? before : "";
  setenv("HEDDLE_CACHE", folder.path("cache").c_str(), 1);
  Machine machine = built_in_machine(Device::Kind::gpu);
  machine.measured = true;
  write_machine(machine);
  EXPECT_EQ(read_machine(machine.kind, machine.name, machine.units), machine);
  EXPECT_FALSE(read_machine(machine.kind, "other", machine.units).has_value());
  EXPECT_FALSE(read_machine(Device::Kind::cpu, machine.name, machine.units).has_value());
  EXPECT_FALSE(read_machine(machine.kind, machine.name, 2).has_value());
  write_cache_file("whole.txt", "one\ntwo\n");
  EXPECT_EQ(read_cache_file("whole.txt"), "one\ntwo\n");
  std::ofstream(folder.path("cache/whole.txt"), std::ios::app) << "three\n";
  EXPECT_FALSE(read_cache_file("whole.txt").has_value());
  EXPECT_FALSE(read_cache_file("none.txt").has_value());
  restore.empty() ? unsetenv("HEDDLE_CACHE") : setenv("HEDDLE_CACHE", restore.c_str(), 1);
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

TEST(Machine, gathers_on_the_emulator_without_leaving_the_array) {
  std::vector<float> x(64, 0.0f);
  float sink = -1;
  gather(simt::Emulator{}, x.data(), 64, 1, &sink, {});
  EXPECT_EQ(sink, -1);
}

}  // namespace
}  // namespace heddle

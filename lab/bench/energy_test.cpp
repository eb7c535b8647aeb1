// Joules by counters that tests make up.
#include "bench/energy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "support/command.hpp"

namespace heddle::bench {
namespace {

using test::ScratchFolder;

// A machine of 100 W idle that spends 0.5 J and 2 ms on a call.
struct Machine {
  double seconds = 0, joules = 0, step = 0;
  double shown() const { return step > 0 ? std::floor(joules / step) * step : joules; }
  EnergyCounter counter() {
    return {.source = "test", .absence = {}, .joules = [this] { return shown(); }};
  }
  EnergyRun for_seconds(double wanted, std::int64_t batch) {
    return {.seconds = wanted, .batch = batch, .now = [this] { return seconds; }, .stopped = {}};
  }
  void call(std::int64_t count) {
    seconds += 0.002 * static_cast<double>(count);
    joules += (0.5 + 100 * 0.002) * static_cast<double>(count);
  }
};

TEST(Energy, is_that_of_a_call_with_what_the_device_draws_meanwhile) {
  Machine machine;
  const Energy energy =
      measure_energy(machine.counter(), machine.for_seconds(1, 5), [&](std::int64_t n) { machine.call(n); });
  EXPECT_NEAR(energy.joules, 0.7, 1e-9);
  EXPECT_NEAR(energy.seconds, 0.002, 1e-9);
  EXPECT_NEAR(energy.watts(), 350, 1e-6);
  EXPECT_NEAR(machine.seconds, 1, 0.02);
}

TEST(Energy, is_taken_between_steps_of_a_counter_that_moves_now_and_then) {
  Machine machine;
  machine.step = 35;  // every 0.1 s
  const Energy energy =
      measure_energy(machine.counter(), machine.for_seconds(1, 5), [&](std::int64_t n) { machine.call(n); });
  EXPECT_NEAR(energy.joules, 0.7, 0.02);
  machine.step = 400;  // less than once a second: it takes longer
  const double before = machine.seconds;
  EXPECT_NEAR(
      measure_energy(machine.counter(), machine.for_seconds(1, 5), [&](std::int64_t n) { machine.call(n); }).joules,
      0.7, 0.02);
  EXPECT_GT(machine.seconds - before, 1.1);
}

TEST(Energy, is_unknown_where_the_counter_stands_still) {
  Machine machine;
  machine.step = 1e9;
  const Energy energy =
      measure_energy(machine.counter(), machine.for_seconds(1, 5), [&](std::int64_t n) { machine.call(n); });
  EXPECT_TRUE(std::isnan(energy.joules));
  EXPECT_NEAR(machine.seconds, 3, 0.02) << "three times as long, and no longer";
}

TEST(Energy, takes_a_call_that_is_longer_than_the_time_twice) {
  Machine machine;
  int runs = 0;
  const Energy energy = measure_energy(machine.counter(), machine.for_seconds(0.1, 1), [&](std::int64_t) {
    ++runs;
    machine.call(1000);
  });
  EXPECT_EQ(runs, 2);
  EXPECT_NEAR(energy.joules, 700, 1e-6);
}

TEST(Energy, looks_at_the_counter_every_hundredth_of_a_second_or_so) {
  EXPECT_EQ(energy_batch(1e-5), 1000);
  EXPECT_EQ(energy_batch(3), 1);
  EXPECT_EQ(energy_batch(std::nan("")), 1);
}

class Rapl : public testing::Test {
 protected:
  void domain(const std::string& place, const std::string& name, double microjoules, double range = 1e9) {
    std::filesystem::create_directories(folder.path(place));
    folder.write(place + "/name", name + "\n");
    folder.write(place + "/max_energy_range_uj", std::to_string(static_cast<long long>(range)) + "\n");
    set(place, microjoules);
  }
  void set(const std::string& place, double microjoules) {
    folder.write(place + "/energy_uj", std::to_string(static_cast<long long>(microjoules)) + "\n");
  }
  ScratchFolder folder;
};

TEST_F(Rapl, sums_packages_and_their_memory_and_nothing_twice) {
  domain("intel-rapl:0", "package-0", 1e6);
  domain("intel-rapl:0/intel-rapl:0:0", "core", 5e5);
  domain("intel-rapl:0/intel-rapl:0:1", "dram", 3e6);
  domain("intel-rapl:1", "package-1", 0);
  domain("intel-rapl:2", "psys", 9e6);
  domain("intel-rapl:0:1", "dram", 3e6);  // sysfs shows parts here once more
  const EnergyCounter counter = rapl_counter(folder.path(""));
  EXPECT_TRUE(counter.there()) << counter.absence;
  EXPECT_EQ(counter.source, "RAPL: package-0, dram, package-1");
  EXPECT_EQ(counter.joules(), 0);
  set("intel-rapl:0", 3e6), set("intel-rapl:0/intel-rapl:0:1", 3.5e6), set("intel-rapl:1", 2.5e5);
  set("intel-rapl:2", 5e8), set("intel-rapl:0/intel-rapl:0:0", 5e8);
  EXPECT_NEAR(counter.joules(), 2.75, 1e-9);
}

TEST_F(Rapl, goes_on_when_a_counter_starts_again_from_zero) {
  domain("intel-rapl:0", "package-0", 9e6, 1e7);
  const EnergyCounter counter = rapl_counter(folder.path(""));
  set("intel-rapl:0", 5e5);
  EXPECT_NEAR(counter.joules(), 1.5, 1e-9);
  set("intel-rapl:0", 7e5);
  EXPECT_NEAR(counter.joules(), 1.7, 1e-9);
}

TEST_F(Rapl, says_what_is_missing) {
  EXPECT_NE(rapl_counter(folder.path("nowhere")).absence.find("no package"), std::string::npos);
  domain("intel-rapl:0", "package-0", 1e6);
  folder.write("intel-rapl:0/energy_uj", "");
  EXPECT_NE(rapl_counter(folder.path("")).absence.find("energy_uj"), std::string::npos);
}

TEST(Nvml, reads_the_counter_of_a_gpu_by_its_address) {
  const char* library = std::getenv("HEDDLE_FAKE_NVML");
  ASSERT_TRUE(library) << "ctest says where the library is";
  const EnergyCounter counter = nvml_counter("0000:65:00.0", library);
  ASSERT_TRUE(counter.there()) << counter.absence;
  const EnergyRun how{.seconds = 0.2, .batch = 1, .now = {}, .stopped = {}};
  const Energy energy = measure_energy(counter, how, [](std::int64_t) {});
  EXPECT_NEAR(energy.watts(), 300, 30);
  EXPECT_NE(nvml_counter("0000:01:00.0", library).absence.find("Not Found"), std::string::npos);
}

TEST(Nvml, says_what_is_missing) {
  EXPECT_NE(nvml_counter("0000:65:00.0", "/no/such/library.so").absence.find("cannot be opened"), std::string::npos);
  EXPECT_NE(nvml_counter("0000:65:00.0", "libm.so.6").absence.find("nvml"), std::string::npos);
}

TEST(Nvml, tells_the_version_of_the_driver) {
  const char* library = std::getenv("HEDDLE_FAKE_NVML");
  ASSERT_TRUE(library) << "ctest says where the library is";
  EXPECT_EQ(driver_version(library), "999.10.1");
  EXPECT_EQ(driver_version("/no/such/library.so"), "");
  EXPECT_EQ(driver_version("libm.so.6"), "");
}

TEST(EnergyCounter, of_the_emulator_is_none) { EXPECT_FALSE(energy_counter(Device::emulator()).there()); }

}  // namespace
}  // namespace heddle::bench

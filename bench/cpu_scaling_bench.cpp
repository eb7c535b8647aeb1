// How a product on the CPU grows with the cores, and how much of the memory's bandwidth it gets, on matrices larger
// than the caches.
//
//   cpu_scaling_bench                       a stencil, a FEM matrix and a dense one, sized by the machine
//   cpu_scaling_bench --threads=1,16 --precision=float gen:random,rows=4000000,cols=4000000,per_row=16
//   cpu_scaling_bench --rounds=9
//
// For 1, 2, 4, ... all threads: the plan the planner chooses, csr, and a loop that only reads an array of as many bytes
// as the chosen plan moves (the stored matrix, x and y, each once) with the same threads. They are timed in turn, in
// rounds; times are medians. "share" is bytes a second over those of the reading loop: 100 % would be a product that
// costs no more than reading its operands. "speed-up" is against one thread.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <heddle/heddle.hpp>

#include "bench/timing.hpp"
#include "core/check.hpp"
#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "core/stopwatch.hpp"
#include "simd/ahead.hpp"

namespace heddle {
namespace {

struct Arguments {
  std::vector<int> threads;
  int rounds = 5;
  bool is_float = false;
  std::vector<std::string> matrices;
};

// Lines are asked for ahead as the kernels do it: without, they would read faster than this loop.
inline std::uint64_t sum_of(const std::uint64_t* data, std::int64_t count) {
  constexpr int line = 8;
  std::uint64_t sums[line] = {};
  std::int64_t i = 0;
  for (; i + line <= count; i += line) {
    ask_ahead<4096>(data + i);
    for (int j = 0; j < line; ++j) sums[j] += data[i + j];
  }
  std::uint64_t sum = std::accumulate(sums, sums + line, std::uint64_t{0});
  for (; i < count; ++i) sum += data[i];
  return sum;
}

// An array that is read from end to end, 128 KiB a task.
class ReadLoop {
 public:
  explicit ReadLoop(std::int64_t bytes) : data_(bytes / 8) {
    parallel_ranges(data_.size(), grain, [&](std::int64_t begin, std::int64_t end) {
      std::fill(&data_[begin], &data_[begin] + (end - begin), 1u);
    });
  }
  void operator()() {
    parallel_ranges(data_.size(), grain, [&](std::int64_t begin, std::int64_t end) {
      std::uint64_t sum = 0;
      with_isa([&](auto) { sum = sum_of(&data_[begin], end - begin); });
      total_.fetch_add(sum, std::memory_order_relaxed);
    });
  }

 private:
  static constexpr std::int64_t grain = 1 << 14;
  Buffer<std::uint64_t> data_;
  std::atomic<std::uint64_t> total_{0};
};

// Seconds, medians over the rounds.
struct Times {
  double read = 0, chosen = 0, csr = 0;
};

template <class V>
class Subject {
 public:
  explicit Subject(const std::string& text)
      : A_(read_matrix<V>(text)),
        chosen_(optimize(A_, {.device = Device::cpu()})),
        csr_(build(A_, Plan::parse("csr"), {.device = Device::cpu()})),
        x_(A_.cols),
        y_(A_.rows),
        read_(moved(chosen_)) {
    std::fill(x_.begin(), x_.end(), V(1));
  }

  Times measure(int rounds) {
    std::vector<double> read, chosen, csr;
    for (int round = -1; round < rounds; ++round) {
      const double seconds[] = {seconds_of(read_), seconds_of([&] { chosen_.multiply(x_, y_); }),
                                seconds_of([&] { csr_.multiply(x_, y_); })};
      if (round < 0) continue;  // the first wakes the threads
      read.push_back(seconds[0]);
      chosen.push_back(seconds[1]);
      csr.push_back(seconds[2]);
    }
    return {bench::summary(read).median, bench::summary(chosen).median, bench::summary(csr).median};
  }

  double chosen_bytes() const { return static_cast<double>(moved(chosen_)); }
  double csr_bytes() const { return static_cast<double>(moved(csr_)); }
  const Plan& plan() const { return chosen_.plan(); }
  std::int64_t nnz() const { return A_.nnz(); }

 private:
  std::int64_t moved(const Operator<V>& op) const {
    return op.bytes() + (A_.rows + A_.cols) * static_cast<std::int64_t>(sizeof(V));
  }

  Csr<V> A_;
  Operator<V> chosen_, csr_;
  Buffer<V> x_, y_;
  ReadLoop read_;
};

struct Shares {
  double chosen = 0, csr = 0;
};

template <class V>
Shares print_scaling(const std::string& text, const Arguments& arguments) {
  Subject<V> subject(text);
  fmt::print("\n{}: {} entries; {}: {:.0f} MB; csr: {:.0f} MB\n", text, subject.nnz(), to_string(subject.plan()),
             subject.chosen_bytes() / 1e6, subject.csr_bytes() / 1e6);
  fmt::print("{:>7}{:>11}{:>14}{:>9}{:>8}{:>10}{:>14}{:>9}{:>8}{:>10}\n", "threads", "read GB/s", "chosen us", "GB/s",
             "share", "speed-up", "csr us", "GB/s", "share", "speed-up");
  Times alone;
  Shares last;
  for (const int count : arguments.threads) {
    set_threads(count);
    const Times now = subject.measure(arguments.rounds);
    if (count == arguments.threads.front()) alone = now;
    const double read = subject.chosen_bytes() / now.read / 1e9, chosen = subject.chosen_bytes() / now.chosen / 1e9,
                 csr = subject.csr_bytes() / now.csr / 1e9;
    last = {chosen / read, csr / read};
    fmt::print("{:7}{:11.1f}{:14.0f}{:9.1f}{:7.0f}%{:10.2f}{:14.0f}{:9.1f}{:7.0f}%{:10.2f}\n", count, read,
               now.chosen * 1e6, chosen, last.chosen * 100, alone.chosen / now.chosen, now.csr * 1e6, csr,
               last.csr * 100, alone.csr / now.csr);
    std::fflush(stdout);
  }
  set_threads(0);
  return last;
}

// Each about this many bytes of values: more than the caches, where memory and patience allow.
std::vector<std::string> usual_matrices(const DeviceInfo& info, std::size_t value_bytes) {
  constexpr std::int64_t mib = 1 << 20;
  const std::int64_t wanted = std::clamp(4 * info.cache_bytes, 256 * mib, 768 * mib);
  const auto values = static_cast<double>(std::min(wanted, info.free_bytes / 24)) / static_cast<double>(value_bytes);
  return {fmt::format("gen:stencil3d7,n={:.0f},coefficients=varying", std::cbrt(values / 7)),
          fmt::format("gen:fem,n={:.0f},dof=3", std::cbrt(values / 243)),
          fmt::format("gen:dense,rows={:.0f}", std::sqrt(values))};
}

std::vector<int> doubling(int all) {
  std::vector<int> counts;
  for (int count = 1; count < all; count *= 2) counts.push_back(count);
  counts.push_back(all);
  return counts;
}

Arguments parse(std::span<char*> words) {
  Arguments made;
  for (const std::string word : words) {
    if (word.starts_with("--threads=")) {
      std::istringstream list(word.substr(10));
      for (std::string count; std::getline(list, count, ',');) made.threads.push_back(std::stoi(count));
    } else if (word.starts_with("--rounds=")) {
      made.rounds = std::max(1, std::stoi(word.substr(9)));
    } else if (word == "--precision=float" || word == "--precision=double") {
      made.is_float = word == "--precision=float";
    } else {
      check(!word.starts_with("--"), ErrorKind::usage, "{} is no option of cpu_scaling_bench", word);
      made.matrices.push_back(word);
    }
  }
  if (made.threads.empty()) made.threads = doubling(threads());
  if (made.matrices.empty())
    made.matrices = usual_matrices(describe(Device::cpu()), made.is_float ? sizeof(float) : sizeof(double));
  return made;
}

void run(const Arguments& arguments) {
  const DeviceInfo info = describe(Device::cpu());
  fmt::print("{}, {}, caches {:.0f} MB, {}\n", info.name, to_string(isa()), static_cast<double>(info.cache_bytes) / 1e6,
             arguments.is_float ? "float" : "double");
  double logs = 0, least = INFINITY;
  for (const std::string& text : arguments.matrices) {
    const Shares last =
        arguments.is_float ? print_scaling<float>(text, arguments) : print_scaling<double>(text, arguments);
    logs += std::log(last.chosen);
    least = std::min(least, last.chosen);
  }
  fmt::print("\nshare of the read bandwidth with {} threads, chosen plans: geometric mean {:.0f}%, least {:.0f}%\n",
             arguments.threads.back(), std::exp(logs / static_cast<double>(arguments.matrices.size())) * 100,
             least * 100);
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  try {
    heddle::run(heddle::parse(std::span(argv + 1, static_cast<std::size_t>(argc - 1))));
  } catch (const std::exception& error) {
    fmt::print(stderr, "cpu_scaling_bench: {}\n", error.what());
    return 2;
  }
}

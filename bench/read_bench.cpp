// How fast files become matrices: bytes of the file per second, from the page cache.
//   read_market/long/1     one thread, values of 16 or 17 digits      read_market/short/2    two threads, values like
//   -13.72 read_hdl/2             the binary form, with checksum and validation
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>

#include <heddle/io.hpp>

namespace {

using namespace heddle;

enum Digits { long_values, short_values };

// Six entries in each of 10^6 rows: 200 MB of text with long values.
Csr<double> sample(Digits digits) {
  constexpr Index rows = 1000000, per_row = 6;
  std::mt19937_64 random(1);
  Csr<double> A{rows, rows, Buffer<Offset>(rows + 1), Buffer<Index>(rows * per_row), Buffer<double>(rows * per_row)};
  for (Index r = 0; r <= rows; ++r) A.ptr[r] = Offset{r} * per_row;
  for (Offset k = 0; k < A.nnz(); ++k) {
    constexpr Index stretch = rows / per_row;  // distinct and ascending: one column in each sixth of the row
    A.col[k] = static_cast<Index>(k % per_row) * stretch + static_cast<Index>(random() % stretch);
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    A.val[k] = digits == long_values ? 2 * unit - 1 : static_cast<double>(static_cast<int>(unit * 20000) - 10000) / 100;
  }
  return A;
}

// Written once a run, removed at its end.
class SampleFile {
 public:
  SampleFile(const char* name, Digits digits)
      : path_((std::filesystem::temp_directory_path() / (std::to_string(::getpid()) + name)).string()) {
    write_matrix(path_, sample(digits));
  }
  ~SampleFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }
  std::int64_t bytes() const { return static_cast<std::int64_t>(std::filesystem::file_size(path_)); }

 private:
  std::string path_;
};

void read(benchmark::State& state, const SampleFile& file) {
  for (auto _ : state) {
    const Csr<double> A = read_matrix<double>(file.path(), nullptr, {.threads = static_cast<int>(state.range(0))});
    benchmark::DoNotOptimize(A.val.data());
  }
  state.SetBytesProcessed(state.iterations() * file.bytes());
}

void read_market_long(benchmark::State& state) {
  static const SampleFile file("-long.mtx", long_values);
  read(state, file);
}
void read_market_short(benchmark::State& state) {
  static const SampleFile file("-short.mtx", short_values);
  read(state, file);
}
void read_hdl(benchmark::State& state) {
  static const SampleFile file("-long.hdl", long_values);
  read(state, file);
}

BENCHMARK(read_market_long)->Name("read_market/long")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(read_market_short)->Name("read_market/short")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(read_hdl)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();

// Building on the GPU from a matrix that lies there already, against one multiplication of what was built.
//
//   device_build_bench                                    on the GPU where there is one, else on the emulator
//   device_build_bench --plan=weave --plan="weave layout=rows" gen:band,rows=1000000,width=20
//   device_build_bench --seconds=0.5 --float
//   device_build_bench --calls gen:rmat,scale=17          instead: every call of the CUDA runtime of one build
//
// Columns: one multiplication (warm) in us; build in us, and over multiply (to stay below 20); of it, looking whether
// the arrays are a matrix, settling the plan and storing; build from host memory in ms. `host`: settling or storing
// went through the host, for want of kernels for this layout. Then new values: update_values from device memory in us,
// timed as multiplications are (on a stream, one behind the other), and over a multiplication with values stored raw
// (to stay below 2); what a build with BuildOptions::updates takes in us, the map included.
#include <algorithm>
#include <string>
#include <vector>

#include <heddle/heddle.hpp>

#include "built_with.hpp"
#include "call_trace.hpp"
#include "core/check.hpp"
#include "core/gpu.hpp"
#include "formats/build_board.hpp"
#include "machine/timing.hpp"
#include "program.hpp"
#include "simt/csr/device_pattern.hpp"
#include "simt/where.hpp"

namespace heddle {
namespace {

struct Settings {
  Device device = gpu_available() ? Device::gpu() : Device::emulator();
  std::vector<std::string> plans, matrices;
  double seconds = 0.2;
  bool only_float = false, calls = false;
};

// Each with the layouts that suit it.
const std::vector<std::pair<std::string, std::vector<std::string>>> classes{
    {"gen:stencil3d7,n=128", {"weave", "weave layout=diagonals values=raw", "csr"}},
    {"gen:stencil3d7,n=128,coefficients=varying", {"weave", "weave layout=rows", "weave layout=segments"}},
    {"gen:stencil3d27,n=96,coefficients=varying", {"weave", "weave layout=rows"}},
    {"gen:fem,n=48,dof=3", {"weave", "weave layout=blocks", "csr"}},
    {"gen:band,rows=1000000,width=20", {"weave", "weave layout=rows", "weave layout=segments"}},
    {"gen:circuit,rows=1500000", {"weave", "weave layout=rows sort=1024", "weave layout=segments"}},
    {"gen:road", {"weave", "weave layout=segments"}},
    {"gen:dense,rows=4096,cols=4096", {"weave", "weave layout=long", "weave layout=padded"}},
    {"gen:rmat,scale=20",
     {"weave", "weave layout=segments", "weave layout=tiles order=degree", "weave layout=tiles order=natural", "csr"}},
    {"gen:random,rows=1000000,cols=1000000,per_row=16", {"weave", "weave layout=segments", "weave layout=sums"}},
    {"gen:random,rows=400000,cols=400000,per_row=60", {"weave", "weave layout=sums"}},
    {"gen:random,rows=60000,per_row=20", {"weave"}},  // from here on in the L2: launches and waits decide
    {"gen:dense,rows=1000", {"weave"}},
    {"gen:fem,n=14,dof=6", {"weave"}},
    {"gen:stencil2d5,n=500,coefficients=varying", {"weave"}},
    {"gen:stencil2d9,n=350", {"weave"}}};

void wait(Device device) {
  if (!device.host_memory()) gpu::synchronize({});
}

// Seconds of work that ends on the device.
template <class F>
double seconds_of(const Settings& settings, const F& work) {
  return time_calls(settings.seconds,
                    [&] {
                      work();
                      wait(settings.device);
                    })
      .median;
}

template <class V>
double multiply_seconds(const Settings& settings, const Operator<V>& op) {
  const Buffer<V> x = Buffer<V>::copy_of(std::vector<V>(static_cast<std::size_t>(op.cols()), V(1)), settings.device);
  Buffer<V> y(op.rows(), settings.device);
  return time_multiply<V>(op, x, y, settings.seconds, false).median;
}

// "12.3", or "host" when kernels do not do it.
template <class F>
std::string part(const Settings& settings, const F& work) {
  if (!work()) return "host";
  return fmt::format("{:.1f}", 1e6 * seconds_of(settings, work));
}

struct NewValues {
  double update, multiply, build;  // seconds
};

// As multiplications are timed: by the clock of the stream, one queued behind the other.
template <class V>
double update_seconds(const Settings& settings, Operator<V>& op, std::span<const V> val) {
  struct Context {
    Operator<V>& op;
    std::span<const V> val;
  };
  const Context context{op, val};
  const auto call = [](const void* given, Stream stream) {
    const auto& c = *static_cast<const Context*>(given);
    c.op.update_values(c.val, stream);
  };
  if (settings.device.host_memory()) return seconds_of(settings, [&] { call(&context, {}); });
  return gpu::time(&context, call, settings.seconds, gpu::Repeats::warm_uncaptured).median;
}

template <class V>
NewValues measure_updates(const Settings& settings, const Csr<V>& there, const Plan& asked) {
  const BuildOptions options{.device = settings.device, .updates = true};
  Operator<V> op = build(there, asked, options);
  const double update = update_seconds<V>(settings, op, there.val);
  return {update, multiply_seconds(settings, op), seconds_of(settings, [&] { build(there, asked, options); })};
}

template <class V>
void print_calls([[maybe_unused]] const Settings& settings, const std::string& matrix, const std::string& text) {
  fmt::print("{} {} {}\n", matrix, sizeof(V) == 8 ? "f64" : "f32", text);
#ifdef HEDDLE_HAS_CUDA
  const Csr<V> there = convert<V>(read_matrix(matrix).view()).to(settings.device);
  CallTrace::print([&] { build(there, Plan::parse(text), {settings.device}); });
#endif
}

template <class V>
void measure(const Settings& settings, const std::string& matrix, const std::string& text) {
  if (settings.calls) return print_calls<V>(settings, matrix, text);
  const Csr<V> A = convert<V>(read_matrix(matrix).view());
  const Device device = settings.device;
  const Csr<V> there = A.to(device);
  const Plan asked = Plan::parse(text);
  Source<V> source{there.view(), nullptr, device};
  const Format& format = registered_format(asked.format);
  const Operator<V> op = build(there, asked, {device});
  const double multiply = multiply_seconds(settings, op);
  const double built = seconds_of(settings, [&] { build(there, asked, {device}); });
  const std::string look = part(settings, [&] {
    on_gpu(device, [&](auto where) { source.longest = look_at(where, there.view(), device).longest; });
    return true;
  });
  // f(builder) by kernels; false where there are none, or the host has to.
  const auto by_kernels = [&](const Plan& plan, auto f) {
    BuildBoard<V> board(source);
    const auto builder = format.builder(board, plan, device);
    return builder && f(*builder);
  };
  const std::string settle =
      part(settings, [&] { return by_kernels(asked, [](Builder<V>& b) { return b.settle(false); }); });
  const std::string store =
      part(settings, [&] { return by_kernels(op.plan(), [](Builder<V>& b) { return b.finish() != nullptr; }); });
  const double from_host = seconds_of(settings, [&] { build(A, asked, {device}); });
  const NewValues fresh = measure_updates(settings, there, asked);
  fmt::print("{:48}{:>4}{:9.1f}{:10.1f}{:8.1f}{:>9}{:>9}{:>9}{:10.1f}{:9.1f}{:8.2f}{:11.1f}   {}\n", matrix,
             sizeof(V) == 8 ? "f64" : "f32", 1e6 * multiply, 1e6 * built, built / multiply, look, settle, store,
             1e3 * from_host, 1e6 * fresh.update, fresh.update / fresh.multiply, 1e6 * fresh.build,
             to_string(op.plan()));
  std::fflush(stdout);
}

Settings read(const Words& words) {
  Settings settings;
  settings.device = words.device(settings.device);
  settings.seconds = words.number("--seconds=", settings.seconds);
  settings.only_float = words.has("--float");
  settings.calls = words.has("--calls");
  check(!settings.calls || settings.device.kind == Device::Kind::gpu, ErrorKind::usage,
        "--calls lists calls of the CUDA runtime: it needs a GPU, and {} is none", to_string(settings.device));
  settings.plans = words.all("--plan=");
  settings.matrices = words.matrices;
  return settings;
}

void table(const Settings& settings) {
  fmt::print("{}\n", describe(settings.device).name);
  fmt::print("{:48}{:>4}{:>9}{:>10}{:>8}{:>9}{:>9}{:>9}{:>10}{:>9}{:>8}{:>11}\n", "", "", "multiply", "build", "over",
             "look", "settle", "store", "from host", "update", "over", "build for");
  fmt::print("{:48}{:>4}{:>9}{:>10}{:>8}{:>9}{:>9}{:>9}{:>10}{:>9}{:>8}{:>11}   plan\n", "matrix", "", "us", "us",
             "mult.", "us", "us", "us", "ms", "us", "mult.", "updates us");
  const auto row = [&](const std::string& matrix, const std::vector<std::string>& plans) {
    for (const std::string& plan : settings.plans.empty() ? plans : settings.plans) {
      measure<float>(settings, matrix, plan);
      if (!settings.only_float) measure<double>(settings, matrix, plan);
    }
  };
  for (const std::string& matrix : settings.matrices) row(matrix, {"weave", "csr"});
  if (settings.matrices.empty())
    for (const auto& [matrix, plans] : classes) row(matrix, plans);
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  return heddle::run_program("device_build_bench", argc, argv,
                             {"--device=", "--plan=", "--seconds=", "--float", "--calls"},
                             [](const heddle::Words& words) { heddle::table(heddle::read(words)); });
}

// How good is the planner: times the candidate plans of more than 200 matrices and writes what the model saw and what
// the stopwatch said, one JSON line per matrix and precision. bench/fit_model.py scores and fits from that file.
//
//   selection_bench --device gpu --seconds 480 --out h200.jsonl         goes on where the file ends
//   selection_bench --device cpu --largest 3e6 --out cpu.jsonl a.mtx    matrices below so many entries, and a file
//   selection_bench --plan "weave layout=segments" --out new.jsonl     one plan again, after its kernel has changed
//   selection_bench --plan "weave layout=segments per_lane=4" ...      or one that the planner does not propose
//   selection_bench --every 5 --from 2 --out some.jsonl                each fifth matrix, from the third on
//   selection_bench --again 2 --out cpu.jsonl                          on the CPU: seconds for timing the best again
//   selection_bench --only named --out own.jsonl gen:mesh,rows=50k     the matrices named alone; or those of a class
//   selection_bench --features                                         workloads only, nothing is timed
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <optional>
#include <set>
#include <string>

#include <heddle/heddle.hpp>

#include "core/stopwatch.hpp"
#include "formats/format.hpp"
#include "formats/runs/runs_step_counts.hpp"
#include "machine/timing.hpp"
#include "plan/all_rules.hpp"
#include "plan/candidates.hpp"
#include "plan/predict/building.hpp"
#include "plan/predict/model.hpp"
#include "plan/predict/predicted_parts.hpp"
#include "selection_matrices.hpp"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begun) { return std::chrono::duration<double>(Clock::now() - begun).count(); }

struct Options {
  Device device = Device::parse("auto");
  double seconds = 480, per_plan = 0.004, again = 1, largest = 1e9;
  std::string out = "selection.jsonl", only, plan;
  std::size_t every = 1, from = 0;
  bool features = false, cold = false;
  std::vector<std::string> named;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] {
      if (++i >= argc) throw std::runtime_error(word + " needs a value");
      return std::string(argv[i]);
    };
    const auto number = [&] {
      const std::string text = value();
      try {
        return std::stod(text);
      } catch (const std::logic_error&) {
        throw std::runtime_error(word + " needs a number, and \"" + text + "\" is none");
      }
    };
    if (word == "--device")
      options.device = Device::parse(value());
    else if (word == "--seconds")
      options.seconds = number();
    else if (word == "--per-plan")
      options.per_plan = number();
    else if (word == "--again")
      options.again = number();
    else if (word == "--largest")
      options.largest = number();
    else if (word == "--out")
      options.out = value();
    else if (word == "--only")
      options.only = value();
    else if (word == "--every")
      options.every = static_cast<std::size_t>(number());
    else if (word == "--from")
      options.from = static_cast<std::size_t>(number());
    else if (word == "--plan")
      options.plan = value();
    else if (word == "--features")
      options.features = true;
    else if (word == "--cold")
      options.cold = true;
    else if (word.starts_with("--"))
      throw std::runtime_error("unknown option " + word);
    else
      options.named.push_back(word);
  }
  return options;
}

std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) made += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return made + "\"";
}

std::string rates(const std::vector<Machine::Rate>& table) {
  std::vector<std::string> points;
  for (const auto& rate : table) points.push_back(fmt::format("[{},{:.6g}]", rate.bytes, rate.giga));
  return fmt::format("[{}]", fmt::join(points, ","));
}

std::string machine_json(const Machine& m) {
  return fmt::format(
      R"({{"kind":"{}","name":{},"units":{},"cache_bytes":{},"read_gbps":{:.6g},"launch_us":{:.4g},"repeat_us":{:.4g},)"
      R"("upload_gbps":{:.4g},"read":{},"gather":{},"core_read":{},"wake_us":{:.4g},"wake_all_us":{:.4g},"entry_ns":{:.4g},"entry_all_ns":{:.4g}}})",
      m.kind == Device::Kind::cpu ? "cpu" : "gpu", quoted(m.name), m.units, m.cache_bytes, m.read_gbps, m.launch_us,
      m.repeat_us, m.upload_gbps, rates(m.read), rates(m.gather), rates(m.core_read), m.wake_us, m.wake_all_us,
      m.entry_ns, m.entry_all_ns);
}

std::string workload_json(const Workload& work) {
  std::vector<std::string> numbers;
  for (const auto& [name, number] : named(work)) numbers.push_back(fmt::format(R"("{}":{:.10g})", name, number));
  return fmt::format("{{{}}}", fmt::join(numbers, ","));
}

std::string parts_json(const BuildParts& parts) { return fmt::format("[{:.6g}]", fmt::join(parts.values(), ",")); }

std::string facts_json(const Structure& f) {
  const auto gather = [](const Gather& g) {
    return fmt::format("[{:.4f},{:.4f},{:.4f}]", g.rows, g.entries, g.window);
  };
  std::vector<std::string> padding, blocks;
  for (const SlicePadding& p : f.padding) padding.push_back(fmt::format("{:.4f}", p.stored));
  for (const BlockFill& b : f.blocks) blocks.push_back(fmt::format("[{},{},{:.4f}]", b.r, b.c, b.fill));
  return fmt::format(
      R"({{"rows":{},"cols":{},"nnz":{},"mean":{:.4f},"max":{},"cv":{:.4f},"empty":{},"padding":[{}],"blocks":[{}],)"
      R"("near16":{:.4f},"slices16":{:.4f},"mean_run":{:.3f},"delta8":{:.4f},"tile_rows":{:.4f},"full_diagonals":{},)"
      R"("full_share":{:.4f},"slice_fill":{:.4f},"patterns":{},"constant_diagonals":{},"distinct":{},"f32_exact":{},)"
      R"("gather_f32":{},"gather_f64":{}}})",
      f.rows, f.cols, f.nnz, f.rows_len.mean, f.rows_len.max, f.rows_len.cv, f.rows_len.empty, fmt::join(padding, ","),
      fmt::join(blocks, ","), f.columns.near16, f.columns.slices16, f.columns.mean_run, f.columns.delta8,
      f.columns.tile_rows, f.diagonals.full, f.diagonals.full_share, f.diagonals.slice_fill, f.diagonals.patterns,
      f.diagonals.constant, f.distinct_values, f.f32_exact, gather(f.gather_f32), gather(f.gather_f64));
}

struct Tried {
  double seconds = 0, cold_seconds = 0, build_seconds = 0;
  double build_there_seconds = 0;  // from the matrix on the GPU, where kernels build
  std::vector<double> rounds;      // of those timed again
};

// On the CPU the best of many calls: other work on the machine must not count. A GPU is alone: the median.
template <class V>
double time_product(const Operator<V>& op, std::span<const V> x, std::span<V> y, double budget, int least_calls = 5) {
  if (!op.device().host_memory()) return time_multiply<V>(op, x, y, budget, false).median;
  double best = INFINITY;
  int calls = 0;
  for (const auto begun = Clock::now(); calls < least_calls || since(begun) < budget; ++calls) {
    const auto call = Clock::now();
    op.multiply(x, y);
    best = std::min(best, since(call));
  }
  return best;
}

template <class V>
double time_build(const Csr<V>& A, const Plan& plan, Device device) {
  constexpr double enough = 3e-3;  // seconds: what is quick is disturbed most, and tried oftenest
  double best = INFINITY, spent = 0;
  for (int i = 0; i < 3 || (i < 12 && spent < enough); ++i) {
    const auto begun = Clock::now();
    const Operator<V> op = build(A, plan, {.device = device});
    const double took = since(begun);
    if (i > 0) spent += took;  // the first may load kernels, for milliseconds
    best = std::min(best, took);
  }
  return best;
}

// `there`: the matrix on the GPU, or nothing.
template <class V>
Tried time_plan(const Csr<V>& A, const Csr<V>& there, const Plan& plan, const Buffer<V>& x, Buffer<V>& y,
                const Options& options) {
  Tried tried;
  const auto begun = Clock::now();
  const Operator<V> op = build(A, plan, {.device = options.device});
  tried.build_seconds = since(begun);
  tried.build_seconds = std::min(tried.build_seconds, time_build(A, plan, options.device));
  if (there.nnz() > 0 && registered_format(plan.format).builds_there)
    tried.build_there_seconds = time_build(there, plan, options.device);
  tried.seconds = time_product<V>(op, x, y, options.per_plan);
  if (options.cold) tried.cold_seconds = time_multiply<V>(op, x, y, options.per_plan, true).median;
  return tried;
}

// A plan that may be the best, or that the model may take, built anew.
template <class V>
struct Finalist {
  const Plan* plan;
  Tried* tried;
  std::optional<Operator<V>> op;
};

// Other work on the machine disturbs one plan and not the next, for milliseconds to seconds, and where the memory of a
// plan happens to lie makes it quick or slow for as long as it lives. So plans that may be the best, measured or
// predicted, are timed in turn, with csr, which few products are made by, and built anew in every round while the old
// one still holds its memory. The least time of a round is what it took, and the median of the rounds is what the plan
// takes.
template <class V>
void time_best_again(const Csr<V>& A, const std::vector<Candidate>& candidates, std::vector<Tried>& times,
                     const Buffer<V>& x, Buffer<V>& y, const Options& options) {
  constexpr double near = 1.4;
  constexpr int rounds = 9, least_rounds = 3, calls_of_round = 16;
  double best = INFINITY, predicted = INFINITY;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i].seconds > 0) {
      best = std::min(best, times[i].seconds);
      predicted = std::min(predicted, candidates[i].predicted_seconds);
    }
  std::vector<Finalist<V>> finalists;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const bool may_win = times[i].seconds < near * best || candidates[i].predicted_seconds < 1.1 * predicted;
    if (times[i].seconds > 0 && (may_win || candidates[i].plan.format == "csr"))
      finalists.push_back({&candidates[i].plan, &times[i], {}});
  }
  const auto begun = Clock::now();
  for (int round = 0; round < rounds && (round < least_rounds || since(begun) < options.again); ++round)
    for (Finalist<V>& f : finalists) {
      f.op = build(A, *f.plan, {.device = options.device});
      f.tried->rounds.push_back(time_product<V>(*f.op, x, y, options.per_plan / 4, calls_of_round));
    }
  for (const Finalist<V>& f : finalists) f.tried->seconds = upper_median(f.tried->rounds);
}

// The layout that weave's own rules take.
template <class V>
std::string weave_layout(const Csr<V>& A) {
  return *resolve(A.view(), Plan::parse("weave")).find("layout");
}

// The one plan that was asked for, where the planner would not propose it.
void add_asked(std::vector<Candidate>& candidates, const Structure& facts, int value_bytes, const Machine& machine,
               const std::string& text) {
  if (text.empty()) return;
  const Plan plan = Plan::parse(text);
  const auto same = [&](const Candidate& c) { return c.plan == plan; };
  if (std::ranges::none_of(candidates, same))
    candidates.push_back({.plan = plan, .predicted_seconds = predict(facts, machine, plan, value_bytes)});
}

// One line of the file. Plans predicted to take three times the best are timed on every fourth matrix only.
template <class V>
std::string line_for(const SelectionMatrix& matrix, const Csr<V>& A, const Options& options, bool all_plans) {
  const Machine& machine = this_machine(options.device);
  const bool on_gpu = machine.kind != Device::Kind::cpu;
  const auto begun = Clock::now();
  const Structure facts = analyze(A, Detail::planning);
  const double analyzing = since(begun);
  Choice choice = choose(A, facts, machine, {.device = options.device});
  const double choosing = since(begun) - analyzing;

  Buffer<V> ones(A.cols);
  std::fill(ones.begin(), ones.end(), V(1));
  Buffer<V> y_here(A.rows);
  const double cpu_csr =
      options.features ? 0 : time_product<V>(build(A, {}, {Device::cpu()}), ones, y_here, options.per_plan);
  const Buffer<V> x = Buffer<V>::copy_of(ones.span(), options.device);
  Buffer<V> y(A.rows, options.device);

  Csr<V> there;
  if (on_gpu) there = A.to(options.device);

  std::vector<std::string> plans;
  const StepCounts steps = count_steps(A.view(), facts.rows_len.max, sizeof(V), target_of(machine).loads_singly());
  const Subject subject{facts, sizeof(V), target_of(machine), false, &steps};
  add_asked(choice.candidates, facts, sizeof(V), machine, options.plan);
  std::vector<Tried> times(choice.candidates.size());
  double best_predicted = INFINITY;
  for (const Candidate& c : choice.candidates)
    if (c.fits) best_predicted = std::min(best_predicted, c.predicted_seconds);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Candidate& c = choice.candidates[i];
    if (!c.fits) continue;
    const bool asked = to_string(c.plan) == options.plan, wanted = !options.features && (options.plan.empty() || asked);
    if (wanted && (all_plans || asked || c.predicted_seconds < 3 * best_predicted || c.plan.format == "csr")) try {
        times[i] = time_plan(A, there, c.plan, x, y, options);
      } catch (const Error& error) {
        fmt::print(stderr, "  {}: {}\n", to_string(c.plan), error.what());
      }
  }
  if (!on_gpu) time_best_again<V>(A, choice.candidates, times, x, y, options);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Candidate& c = choice.candidates[i];
    if (!c.fits) continue;
    const Tried& tried = times[i];
    const Workload work = workload(*find_rules(c.plan.format), subject, c.plan);
    plans.push_back(fmt::format(
        R"({{"plan":{},"seconds":{:.6g},"cold_seconds":{:.6g},"build_seconds":{:.6g},"build_there_seconds":{:.6g},"predicted_seconds":{:.6g},)"
        R"("predicted_build_seconds":{:.6g},"rounds":[{:.4g}],"workload":{},"build_parts":{}}})",
        quoted(to_string(c.plan)), tried.seconds, tried.cold_seconds, tried.build_seconds, tried.build_there_seconds,
        c.predicted_seconds, c.predicted_build_seconds, fmt::join(tried.rounds, ","), workload_json(work),
        parts_json(build_parts(subject, c.plan, work, machine))));
  }
  return fmt::format(
      R"({{"matrix":{},"class":"{}","precision":"f{}","device":"{}","chosen":{},"weave_rules":{},"analyze_seconds":{:.6g},)"
      R"("choose_seconds":{:.6g},"cpu_csr_seconds":{:.6g},"facts":{},"machine":{},"plans":[{}]}})",
      quoted(matrix.text), matrix.kind, 8 * sizeof(V), on_gpu ? "gpu" : "cpu", quoted(to_string(choice.plan)),
      quoted(weave_layout(A)), analyzing, choosing, cpu_csr, facts_json(facts), machine_json(machine),
      fmt::join(plans, ","));
}

// "matrix precision" of every whole line that is already there.
std::set<std::string> done_before(const std::string& path) {
  std::set<std::string> done;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto name_end = line.find("\",\"class\""), precision = line.find("\"precision\":\"");
    if (!line.starts_with("{\"matrix\":\"") || name_end == std::string::npos || precision == std::string::npos ||
        !line.ends_with("]}"))
      continue;
    done.insert(line.substr(11, name_end - 11) + " " + line.substr(precision + 13, 3));
  }
  return done;
}

// "gen:road,rows=50k" belongs to the class "road".
std::string class_of(const std::string& name) {
  if (!name.starts_with("gen:")) return "files";
  return name.substr(4, name.find(',') - 4);
}

std::vector<SelectionMatrix> wanted(const Options& options) {
  std::vector<SelectionMatrix> all;
  for (const std::string& name : options.named) all.push_back({class_of(name), name});
  if (options.only == "named") return all;
  for (const SelectionMatrix& m : selection_matrices()) all.push_back(m);
  if (!options.only.empty()) std::erase_if(all, [&](const SelectionMatrix& m) { return m.kind != options.only; });
  return all;
}

// A program builds once, in memory that it has just been given. Were malloc left to learn that large arrays come back,
// a build would find the pages of the one before or not, by what was built earlier: the same matrix took 1.9 or 4.5 ms.
void give_every_build_new_memory() {
  constexpr int threshold_of_a_new_process = 128 << 10;
  mallopt(M_MMAP_THRESHOLD, threshold_of_a_new_process);  // said once, it stays
}

int run(const Options& options) {
  const auto begun = Clock::now();
  if (options.device.host_memory()) give_every_build_new_memory();
  const std::set<std::string> done = done_before(options.out);
  std::ofstream out(options.out, std::ios::app);
  const std::vector<SelectionMatrix> matrices = wanted(options);
  int written = 0, skipped = 0;
  for (std::size_t i = options.from; i < matrices.size() && since(begun) < options.seconds; i += options.every) {
    const SelectionMatrix& matrix = matrices[i];
    const bool f64 = !done.contains(matrix.text + " f64"), f32 = !done.contains(matrix.text + " f32");
    if (!f64 && !f32) continue;
    try {
      const Csr<double> A = read_matrix<double>(matrix.text);
      if (static_cast<double>(A.nnz()) > options.largest) {
        ++skipped;
        continue;
      }
      fmt::print("{:6.1f} s  {:3}/{}  {}  {} entries\n", since(begun), i + 1, matrices.size(), matrix.text, A.nnz());
      std::fflush(stdout);
      if (f64) out << line_for(matrix, A, options, i % 4 == 0) << '\n' << std::flush;
      if (f32) out << line_for(matrix, convert<float>(A.view()), options, i % 4 == 0) << '\n' << std::flush;
      ++written;
    } catch (const Error& error) {
      fmt::print(stderr, "{}: {}\n", matrix.text, error.what());
    }
  }
  fmt::print("{} matrices written to {}, {} too large, {:.0f} s; bench/fit_model.py {} says how good the choice is\n",
             written, options.out, skipped, since(begun), options.out);
  return 0;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  try {
    return heddle::run(heddle::parse(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "selection_bench: {}\n", error.what());
    return 2;
  }
}

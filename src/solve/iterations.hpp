// Queues iterations: one by one, or on a GPU many at once as a CUDA graph that was recorded from them.
//
//   iteration   1 2 3 ...            32 | 33 ... 64 | 65 ... 96 |      stopped: the rest of a graph changes nothing
//               one by one, tested      | recorded once, replayed, tested after each
//
// The work of an iteration is the same every time, or (minres) after a period, because all scalars live in the state on
// the device. A recording is made on a stream of its own and may be queued on any stream.
#pragma once

#include <optional>

#include "core/gpu.hpp"
#include "solve/problem.hpp"

namespace heddle::solve_method {

// Starting a graph takes as long as starting several kernels, recording one as long as some dozen iterations.
inline constexpr int iterations_of_graph = 32;
// The largest system that Graph::where_faster records: beyond, kernels run longer than it takes to start the next one.
// H200, cg, us an iteration:
//
//   rows                  900   100,000   262,144
//   recorded                9        13        18
//   kernel by kernel       22        22        22
inline constexpr std::int64_t most_rows_recorded = 500'000;

template <class V>
class Iterations {
 public:
  Iterations(Problem<V>& problem, Method<V>& method, Graph wish);

  // Queues the iterations after the first `done`, up to `count` of them, fewer when the method is full.
  void queue(std::int64_t done, std::int64_t count);
  // The least number between two looks of the host that lets it replay.
  int fewest(std::int64_t done) const { return replays(done) ? length_ : 1; }
  void operator_changed();
  std::int64_t from_graph() const { return from_graph_; }

 private:
  bool recordable() const;
  bool replays(std::int64_t done) const { return allowed_ && done >= length_; }
  bool ready();
  void record();

  Problem<V>& on;
  Method<V>& method_;
  Graph wish_;
  int length_ = 0;  // iterations of a recording, whole periods
  int phase_ = 0, recorded_phase_ = 0;
  bool allowed_;
  std::optional<gpu::Recording> recording_;
  std::int64_t from_graph_ = 0;
};

}  // namespace heddle::solve_method

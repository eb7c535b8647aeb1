// What one product costs a plan, counted from the facts, and what building it asks for: the model
// (src/plan/predict/model.hpp) turns it into seconds. Each format counts in a file of its own folder, NAME_plan.cpp, by
// its Rules.
#pragma once

#include <string>
#include <vector>

#include <heddle/analyze.hpp>
#include <heddle/machine.hpp>
#include <heddle/matrix.hpp>
#include <heddle/plan.hpp>

namespace heddle {

struct StepCounts;  // cost/step_counts.hpp

struct Workload {
  double bytes = 0;         // of the stored matrix; Footprint::bytes as far as the facts are exact
  double stored = 0;        // entries kept, padding included
  double stream_bytes = 0;  // read and written in one product: what is read of the matrix, x and y once
  double x_bytes = 0;       // the array that is gathered from
  double misses = 0;        // sectors of x that no window of rows shares: they come from the last cache or from memory
  double swept_bytes = 0;   // of x, that neighbouring rows read at a time; 0: unknown (CPU)
  double swept_misses = 0;  // misses where the first cache holds so much
  double sectors = 0;       // L1 traffic: loads of x and matrix (GPU), values of a table (CPU)
  double slots = 0;         // places that lanes walk, idle ones of a warp included
  double teams = 0;         // warps that are started (GPU), or rows that are begun (CPU)
  double chain = 0;         // steps of the critical path (GPU), mispredicted row ends (CPU)
  double tasks = 0;         // threads that it is enough work for and can be divided among (CPU)
  double pieces = 0;        // parts that are not divided, where they are like each other; 0: as many as one likes (CPU)
  double false_sharing = 0;   // rows whose sums may share a cache line with those of another core (CPU)
  double sharing_window = 0;  // of so many neighbours that are put in order; 0: of all of them
  double beside = 0;          // entries in coordinates
  int launches = 1;           // kernels (GPU), or jobs that several threads are called for (CPU)
  bool fits = true;
  double alone = -1;             // when it is built: entries that one team of threads walks alone; -1: the longest row
  double partials = 0;           // partial sums, of a format that has them
  double gathered = 0;           // places of single entries, of a format that has others too
  double listed = 0;             // diagonals of the different lists of them, where slices are stored so
  bool looks_at_values = false;  // when it is built, for a shorter form
  bool may_have_table = false;   // which may be a table
  bool loose = false;            // bytes and places may be off by times: the format itself is asked whether it fits
};

// What plans are for: of a machine what describes it and nothing that was measured in seconds.
struct Target {
  bool on_gpu = true;  // or its emulator
  int units = 1;       // multiprocessors, or threads
  Isa isa = Isa::baseline;
  GathersPay gathers = {};

  bool loads_singly() const { return !on_gpu && isa != Isa::baseline && !gathers.of_8; }
};
Target target_of(const Machine& machine);

// What the counting functions look at.
struct Subject {
  const Structure& facts;
  int value_bytes;
  Target target;
  bool on_device = false;             // the matrix lies where it will be multiplied, not in host memory
  const StepCounts* steps = nullptr;  // null: not counted

  const Gather& gather() const { return value_bytes == 4 ? facts.gather_f32 : facts.gather_f64; }
  double rows() const { return static_cast<double>(facts.rows); }
  double nnz() const { return static_cast<double>(facts.nnz); }
  double longest() const { return static_cast<double>(facts.rows_len.max); }
};

// All that the planner has to know of a format. Functions of facts and of a target: they ask nothing of this process,
// and all but `count` nothing of the matrix.
struct Rules {
  const char* format;
  int turn;  // between equal predictions the least of them: simple formats first
  std::vector<Plan> (*plans)(const Structure&, const Target&);  // candidates for this matrix, best known settings
  Workload (*gpu)(const Subject&, const Plan&);
  Workload (*cpu)(const Subject&, const Plan&);
  std::string (*suits)(const Structure&, const Plan&);  // what about the matrix speaks for the plan

  // What follows may be missing.
  std::vector<Plan> (*tried)(const Structure&, const Target&) = nullptr;  // candidates that no fact can judge
  const char* selector =
      nullptr;  // ChooseOptions::selector that takes the plans below alone, and tries them if several
  std::vector<Plan> (*selected)() = nullptr;
  // Subject::steps, of a matrix in host memory: what the format has to know on a CPU beyond the facts.
  StepCounts (*count)(const PatternView&, const Subject&) = nullptr;
  bool steady = false;  // on a CPU: takes as long on a busy machine
  // The plan that a matrix is likely to get of which no more is known than whether its rows are of uneven length.
  const char* (*likely)(const Target&, bool uneven) = nullptr;
};

}  // namespace heddle

// What it takes to build a plan: a sum of parts, each a count that follows from the facts times a cost of the format
// that was fitted to measured times (bench/fit_building.py); for a GPU also the way to the device. A CPU's cores share
// the work on entries, rows and places, as many of them as there is work for; what one thread does of it is a part of
// its own.
#pragma once

#include <array>

#include <heddle/machine.hpp>

#include "cost/workload.hpp"
#include "plan/predict/model.hpp"

namespace heddle {

// Counts, in seconds per unit of cost: the names are those of the costs below.
struct BuildParts {
  double once = 0, wide = 0, table = 0, doubles = 0, entries = 0, table_entries = 0, rows = 0, gaps = 0, alone = 0,
         partials = 0, long_rows = 0, some_long = 0, one_thread = 0, sorted_rows = 0, gathered = 0, listed = 0,
         looked_at = 0, new_bytes = 0, memory = 0;

  std::array<double, 19> values() const {
    return {once,     wide,   table,     doubles,   entries,   table_entries, rows,
            gaps,     alone,  partials,  long_rows, some_long, one_thread,    sorted_rows,
            gathered, listed, looked_at, new_bytes, memory};
  }
};

// In us, in ns, or in times.
struct BuildCost {
  std::string_view key;       // cost_key of the plans it holds for; empty: of no plan, a guess
  double once_us = unset;     // once
  double wide_us = unset;     // where rows have six entries and more on average: more is asked about them
  double table_us = unset;    // where values become places in a table (weave, from 2^18 entries on, padded 2^20)
  double doubles_us = unset;  // where doubles are read and stay what they are (weave, likewise), on top of looked_at
  double entry_ns = unset;    // per entry
  double table_entry_ns = unset;  // per entry of table
  double row_ns = unset;          // per row
  double gap_ns = unset;          // per place that is stored without an entry
  double alone_ns = unset;        // per entry of the longest walk that one team of threads has to make alone
  double partial_ns = unset;      // per partial sum of a tile
  double long_row_ns = unset;     // per row of 256 entries and more
  double some_long_us = unset;    // where there are such rows
  double one_thread_ns = unset;   // per entry, of what one thread of a CPU does alone
  double sorted_row_ns = unset;   // per row that is put in order of length
  double gathered_ns = unset;     // per place that is gathered by itself (runs: those take a search)
  double listed_ns = unset;       // per diagonal of the different lists of them, where slices are stored so
  double looked_at_us = unset;    // where values are read and stay what they are, or are all one
  double new_byte_ns = unset;     // per byte that is built, where arrays are so large that they are new memory (CPU)
  double memory = unset;  // reading the matrix and what is built of it once, at the rate of that much memory (CPU)

  bool fitted() const { return !key.empty(); }
  constexpr double check() const {
    return once_us + wide_us + table_us + doubles_us + entry_ns + table_entry_ns + row_ns + gap_ns + alone_ns +
           partial_ns + long_row_ns + some_long_us + one_thread_ns + sorted_row_ns + gathered_ns + listed_ns +
           looked_at_us + new_byte_ns + memory;
  }
  // Without memory, which was measured on the machine itself.
  double working_seconds(const BuildParts& parts) const {
    return once_us * parts.once + wide_us * parts.wide + table_us * parts.table + doubles_us * parts.doubles +
           entry_ns * parts.entries + table_entry_ns * parts.table_entries + row_ns * parts.rows + gap_ns * parts.gaps +
           alone_ns * parts.alone + partial_ns * parts.partials + long_row_ns * parts.long_rows +
           some_long_us * parts.some_long + one_thread_ns * parts.one_thread + sorted_row_ns * parts.sorted_rows +
           gathered_ns * parts.gathered + listed_ns * parts.listed + looked_at_us * parts.looked_at +
           new_byte_ns * parts.new_bytes;
  }
};
// Of a format without a line a guess.
const BuildCost& build_cost(const Plan& plan, bool on_gpu);  // costs.cpp

// `machine`: the CPU or GPU that builds.
BuildParts build_parts(const Subject& subject, const Plan& plan, const Workload& work, const Machine& machine);

double matrix_bytes(double rows, double entries, int value_bytes);  // as csr
double matrix_bytes(const Subject& subject);
double seconds_to_read(double bytes, const Machine& machine);  // so many again and again

// Bytes that pass between host and device: the matrix, where kernels build from it; what was built, where the host
// does.
struct Way {
  double matrix, built;
  bool by_kernels, on_device;  // and where the matrix lies
};
double way_seconds(const Way& way, const Machine& machine);

// BuildParts::new_bytes of an operator of `built` bytes; `cores`: 0 of a GPU.
double new_memory_part(double built, double entries, int cores);
// How many times as long a core takes as the one whose times the costs are.
double slowness(const Machine& machine);

double predict_build_seconds(const Subject& subject, const Plan& plan, const Workload& work, const Machine& machine);

}  // namespace heddle

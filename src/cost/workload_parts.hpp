// What the rules of several formats share.
#pragma once

#include <initializer_list>

#include "core/parallel.hpp"
#include "cost/workload.hpp"

namespace heddle {

inline constexpr double index_bytes = 4, offset_bytes = 8, sector_bytes = 32, lanes_of_warp = 32;

// A setting of the plan; the fallback where it is left out or "auto".
double number(const Plan& plan, const char* key, double fallback);
bool word_is(const Plan& plan, const char* key, const char* word);

double up(double value, double unit);  // to the next multiple

// Whether a multiprocessor's first cache holds an array.
bool in_first_cache(double bytes);

// The parts all rules start from: all bytes are read once. `walked`: places whose column and value are read.
Workload start(const Subject& s, double bytes, double stored, double walked);

// Reads of x, in sectors, when `lanes` neighbours share a row: between a lane per row and a warp per row.
double gathered(const Subject& s, double lanes);

// Places that teams of `lanes` walk: a warp takes 32 / lanes rows and goes on until the longest of them is done.
double team_slots(const Subject& s, double lanes);

// Slices in which a lane, or `lanes` of them, walks a row; `walked` places are visited, `stored` ones are kept.
Workload sliced(const Subject& s, double bytes, double stored, double walked, double lanes, double longest);

// A regular part that is K wide, as the plan says or by `fallback`, and the entries inside of it.
struct RegularPart {
  double K, inside;
};
RegularPart regular_part(const Subject& s, const Plan& plan, double fallback);

// Column by column, this many rows at a time (layout/sliced_cpu.cpp).
inline constexpr int rows_of_columns = 128;

// Entries in coordinates, on top of what another part does: their kernel, and the one that joins pieces.
void add_coordinates(Workload& w, const Subject& s, double entries);

// How a CPU kernel goes through the rows.
enum class Walk {
  entries,  // each row to its own length
  places,   // padding too, with a test
  sorted    // rows of one length after another: their ends are predicted
};

// A thread is called for so many entries.
inline constexpr double work_per_thread = static_cast<double>(work_per_task * tasks_per_thread);

// Share of that work which is enough where elements of x are loaded one by one (core/thread_share.hpp).
double thread_share(const Target& target);

// Threads that share `work` entries, the largest part of which that is not divided being `heaviest`.
double shared_by(const Subject& s, double work, double heaviest);
double diagonals_shared_by(const Subject& s, double places, double heaviest);  // places of diagonals

// On the CPU a product streams the stored matrix and reads x through the caches: what differs are bytes, the places
// walked, the rows begun, how many row ends are mispredicted, the parallel regions, and the rows that one thread has to
// itself at least.
Workload as_on_cpu(const Subject& s, Workload gpu, Walk walk, int regions, double undivided_rows);

template <Workload (*count)(const Subject&, const Plan&), Walk walk, int regions, int undivided_rows = 1>
Workload on_cpu(const Subject& s, const Plan& plan) {
  return as_on_cpu(s, count(s, plan), walk, regions, undivided_rows);
}

// Entries in coordinates, next to a regular part on the CPU. Each is as much work as `places` of that part, and each of
// their rows has a mispredicted end: an order of magnitude dearer than an entry, where they are single ones. What they
// are added to was written by whichever core did the regular part.
void cost_beside(Workload& w, const Subject& s, double places);

// Candidates that need no look at the facts.
inline std::vector<Plan> parse_plans(std::initializer_list<const char*> texts) {
  std::vector<Plan> made;
  for (const char* text : texts) made.push_back(Plan::parse(text));
  return made;
}

// "rows of 1 to 9 entries, 4.2 on average"
std::string row_text(const Structure& facts, const Plan& plan);
// "slices of 32 rows store 1.20 places per entry, 1.02 when sorted"
std::string slice_text(const Structure& facts, const Plan& plan);

}  // namespace heddle

#include "cost/workload_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/check.hpp"
#include "core/thread_share.hpp"
#include "cost/row_counts.hpp"
#include "simt/large_gpu.hpp"

namespace heddle {

Target target_of(const Machine& machine) {
  return {machine.kind != Device::Kind::cpu, machine.units, machine.isa, machine.gathers};
}

double number(const Plan& plan, const char* key, double fallback) {
  const std::string* text = plan.find(key);
  if (!text || *text == "auto") return fallback;
  int value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  check(error == std::errc(), ErrorKind::usage, "{} = {}: a number is needed", key, *text);
  return value;
}

bool word_is(const Plan& plan, const char* key, const char* word) {
  const std::string* text = plan.find(key);
  return text && *text == word;
}

double up(double value, double unit) { return std::ceil(value / unit) * unit; }

namespace {
// x and y once.
double vector_bytes(const Subject& s) { return static_cast<double>(s.facts.rows + s.facts.cols) * s.value_bytes; }
}  // namespace

bool in_first_cache(double bytes) {
  constexpr double first_cache = 160 << 10;
  return bytes <= first_cache;
}

Workload start(const Subject& s, double bytes, double stored, double walked) {
  Workload w;
  w.bytes = bytes;
  w.stored = stored;
  w.stream_bytes = bytes + vector_bytes(s);
  w.x_bytes = static_cast<double>(s.facts.cols) * s.value_bytes;
  w.misses = s.nnz() * s.gather().window;
  // Fetched once by each multiprocessor.
  if (in_first_cache(w.x_bytes)) w.misses = std::min(w.misses, large_gpu_units * w.x_bytes / sector_bytes);
  w.slots = walked;
  w.sectors = walked * (index_bytes + s.value_bytes) / sector_bytes;
  return w;
}

double gathered(const Subject& s, double lanes) {
  const double along = std::log2(lanes) / 5;
  return s.nnz() * (s.gather().rows * (1 - along) + s.gather().entries * along);
}

Workload sliced(const Subject& s, double bytes, double stored, double walked, double lanes, double longest) {
  Workload w = start(s, bytes, stored, walked);
  w.stream_bytes -= (stored - walked) * (index_bytes + s.value_bytes);
  w.sectors += gathered(s, lanes);
  w.teams = s.rows() * lanes / lanes_of_warp;
  w.chain = std::ceil(longest / lanes);
  return w;
}

RegularPart regular_part(const Subject& s, const Plan& plan, double fallback) {
  const double K = number(plan, "K", fallback);
  return {K, clipped_entries(s.facts.rows_len, s.facts.rows, s.facts.nnz, static_cast<std::int64_t>(K))};
}

void add_coordinates(Workload& w, const Subject& s, double entries) {
  if (entries < 0.5) return;
  const double shares = std::ceil(entries / 256);
  const double bytes = entries * (2 * index_bytes + s.value_bytes) + shares * (2 * s.value_bytes + 12);
  w.bytes += bytes;
  w.stored += entries;
  w.beside += entries;
  w.stream_bytes += bytes + 2 * s.value_bytes * std::min(entries, s.rows());
  w.sectors += entries * ((2 * index_bytes + s.value_bytes) / sector_bytes + s.gather().entries);
  w.slots += 4 * entries;  // a segmented sum of five shuffles a step: counted as so many more places
  w.teams += shares;
  w.chain += 8 + (s.longest() > 512 ? s.longest() / 256 / 32 : 0);
  w.launches += 2;
}

double team_slots(const Subject& s, double lanes) {
  const RowLengths& lengths = s.facts.rows_len;
  const double alone = rounded_entries(lengths, s.facts.rows, s.facts.nnz, static_cast<std::int64_t>(lanes));
  const double uneven = (padding_of(s.facts, 32, 1) - 1) * (1 - std::log2(lanes) / 5);
  return alone + s.nnz() * uneven;
}

double thread_share(const Target& target) { return share_for_a_thread(target.isa, target.gathers); }

double shared_by(const Subject& s, double work, double heaviest) {
  const double called = std::max(1.0, std::floor(work / (work_per_thread * thread_share(s.target))));
  return heaviest > 0 ? std::clamp(work / heaviest, 1.0, called) : called;
}

double diagonals_shared_by(const Subject& s, double places, double heaviest) {
  const double share = thread_share(s.target);
  return shared_by(s, work_of_diagonals(places, share), work_of_diagonals(heaviest, share));
}

Workload as_on_cpu(const Subject& s, Workload w, Walk walk, int regions, double undivided_rows) {
  w.slots = walk == Walk::entries ? s.nnz() : w.stored;
  w.teams = s.rows();
  w.sectors = 0;
  w.chain = walk == Walk::entries ? mispredicted_row_ends(s.facts.rows_len, s.facts.rows) : 0;
  w.tasks = shared_by(s, (walk == Walk::entries ? s.nnz() : w.stored) + s.rows(), undivided_rows * s.longest());
  w.pieces = undivided_rows > 0 ? std::ceil(s.rows() / undivided_rows) : 0;
  w.launches = regions;
  return w;
}

void cost_beside(Workload& w, const Subject& s, double places) {
  w.slots += (places - 1) * w.beside;
  w.chain = w.false_sharing = std::min(w.beside, s.rows());
  w.launches = w.beside > work_per_thread ? 2 : 1;
}

std::string row_text(const Structure& facts, const Plan&) {
  const RowLengths& lengths = facts.rows_len;
  return fmt::format("rows of {} to {} entries, {:.3g} on average", lengths.min, lengths.max, lengths.mean);
}

std::string slice_text(const Structure& facts, const Plan&) {
  return fmt::format("slices of 32 rows store {:.2f} places per entry, {:.2f} when sorted", padding_of(facts, 32, 1),
                     padding_of(facts, 32, 1024));
}

}  // namespace heddle

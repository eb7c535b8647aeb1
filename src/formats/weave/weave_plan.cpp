// Weave: which of its layouts are candidates, and what they cost a CPU; a GPU: LAYOUT_plan.cpp in their folders.
#include <fmt/format.h>

#include <algorithm>

#include "cost/row_counts.hpp"
#include "formats/weave/weave_plan.hpp"
#include "formats/weave/weave_rules.hpp"

namespace heddle {

namespace {

using namespace weave_counts;

// Layouts that can pay at all; the model decides between them. Sums pay where a block of rows comes back to what it has
// read of x.
bool worth_a_look(const std::string& layout, const Structure& f) {
  const double nnz = std::max(1.0, static_cast<double>(f.nnz)), mean = f.rows_len.mean;
  if (layout == "diagonals") return f.diagonals.slice_fill > 0 && f.diagonals.slice_fill <= 2;
  if (layout == "blocks") return mean >= 4 && mean <= 512 && fill_of(f, best_block(f)) <= 1.5;
  if (layout == "rows") return std::min(padding_of(f, 32, 1), padding_of(f, 32, 1024)) <= 1.5;
  if (layout == "padded")
    return nnz <= 4e6 && f.rows_len.max <= 1024 &&  // a warp has a row at most (50 rows of 60,000: 408 us; H200)
           static_cast<double>(f.rows) * static_cast<double>(f.rows_len.max) <= 4 * nnz;
  if (layout == "long") return mean >= 24;
  const bool scattered = nnz >= 1e6 && f.gather_f32.entries > weave::perhaps_scattered;
  if (layout == "tiles") return scattered && std::min(f.columns.tile_rows, f.columns.tile_rows_by_degree) < 0.5;
  if (layout == "sums")
    return scattered && weave::has_even_rows(f.rows_len.max, mean) &&
           nnz >= weave::sectors_of_sums({f.rows, f.cols, f.nnz}, sizeof(float));
  return true;
}

// On the CPU a lane has whole rows (of blocks), and only what the kernels walk without branches is tried: diagonals
// that seldom leave the matrix (or sometimes, where instructions leave lanes out), full blocks, rows of similar length.
std::vector<Plan> cpu_plans(const Structure& f, const Target& target) {
  std::vector<Plan> plans;
  const bool has_masks = target.isa == Isa::avx512;
  const double fill = f.diagonals.slice_fill;
  const auto most = weave::cpu_diagonals(has_masks);
  if (f.rows >= (has_masks ? 1024 : 2048) && f.rows_len.mean <= most.mean && f.rows_len.max <= most.longest &&
      fill > 0 && fill <= most.fill)
    plans.push_back(Plan::parse("weave layout=diagonals"));
  const int block = best_block(f);
  if (weave::blocks_suit_cpu(block, f.rows_len.mean, fill_of(f, block)))
    plans.push_back(Plan::parse(fmt::format("weave layout=blocks block={} lanes={}", block,
                                            weave::cpu_lanes_of_blocks(f.rows, f.rows_len.mean, block))));
  if (padding_of(f, 32, 1) <= 1.2) plans.push_back(Plan::parse("weave layout=rows lanes=1 per_lane=2 sort=1"));
  // Values of a dictionary are fewer bytes and more instructions: which of them counts depends on the cores. An open
  // plan has one of the two.
  if (!f.distinct_capped && f.distinct_values <= dictionary_size && weave::small_values_pay(false, f.nnz))
    for (std::size_t i = 0, count = plans.size(); i < count; ++i)
      for (const char* values : {"raw", "dictionary"})
        plans.push_back(Plan::parse(fmt::format("{} values={}", to_string(plans[i]), values)));
  return plans;
}

std::vector<Plan> weave_plans(const Structure& f, const Target& target) {
  if (!target.on_gpu) return cpu_plans(f, target);
  std::vector<Plan> plans;
  for (const char* layout : {"diagonals", "blocks", "rows", "segments", "padded", "long", "tiles", "sums"})
    if (worth_a_look(layout, f)) plans.push_back(Plan::parse(fmt::format("weave layout={}", layout)));
  return plans;
}

// Rows of a slice, which a thread has to itself.
double cpu_slice_rows(const WeaveSettings& settings) {
  if (settings.is(WeaveLayout::diagonals)) return weave::slice_rows;
  if (settings.is(WeaveLayout::rows)) return TeamShape{settings.rows.lanes, settings.rows.per_lane}.slice_rows();
  return settings.is(WeaveLayout::blocks) ? lanes_of_warp / settings.blocks.lanes * settings.blocks.block
                                          : lanes_of_warp;
}

// Diagonals read x in step with the rows; the others fetch it by columns. A value of a dictionary is fetched too, from
// the first cache.
Workload weave_cpu(const Subject& s, const Plan& plan) {
  const WeaveSettings settings = settled(s, plan);
  const double slice_rows = cpu_slice_rows(settings);
  Workload w = as_on_cpu(s, workload(s, settings), Walk::places, 1, slice_rows);
  if (settings.is(WeaveLayout::diagonals)) {
    w.misses = 0;
    w.tasks = diagonals_shared_by(s, w.stored + s.rows(), slice_rows * w.stored / std::max(1.0, s.rows()));
  }
  const EstimatedValues values = values_of(s, settings);
  const double value = settings.is(WeaveLayout::rows) ? values.least : values.bytes;
  if ((value == 1 || value == 2) && !values.constant) w.sectors = w.stored;
  return w;
}

std::string weave_text(const Structure& f, const Plan& plan) {
  if (word_is(plan, "layout", "diagonals"))
    return fmt::format("slices of {} rows store {:.2f} places per entry by diagonals{}", weave::slice_rows,
                       f.diagonals.slice_fill,
                       f.diagonals.constant > 0 && f.diagonals.constant == f.diagonals.full ? ", all constant" : "");
  if (word_is(plan, "layout", "blocks")) {
    const int size = static_cast<int>(number(plan, "block", best_block(f)));
    return fmt::format("{0} x {0} blocks store {1:.2f} places per entry", size, fill_of(f, size));
  }
  if (word_is(plan, "layout", "rows"))
    return fmt::format("{:.0f} % of the slices have columns within 16 bits, slices store {:.2f} places per entry",
                       100 * f.columns.slices16, padding_of(f, 32, 1));
  return row_text(f, plan);
}

Workload weave_gpu(const Subject& s, const Plan& plan) { return workload(s, settled(s, plan)); }

const char* likely_layout(const Target& target, bool uneven) {
  if (!target.on_gpu) return "weave layout=diagonals";
  return uneven ? "weave layout=segments" : "weave layout=rows";
}

}  // namespace

extern const Rules weave_rules;
const Rules weave_rules{.format = "weave",
                        .turn = 13,
                        .plans = weave_plans,
                        .gpu = weave_gpu,
                        .cpu = weave_cpu,
                        .suits = weave_text,
                        .likely = likely_layout};

}  // namespace heddle

#include <heddle/analyze.hpp>

#include <fmt/format.h>

#include "analyze/device/survey_facts.hpp"
#include "analyze/facts_for.hpp"
#include "analyze/looks.hpp"
#include "core/check.hpp"
#include "core/gpu.hpp"
#include "core/matrix/incoming.hpp"
#include "core/memory_errors.hpp"

namespace heddle {

namespace {

int bits_for(std::int64_t lowest, std::int64_t highest) {
  const auto fits = [&](int bits) {
    const std::int64_t limit = std::int64_t{1} << (bits - 1);
    return lowest >= -limit && highest < limit;
  };
  return fits(8) ? 8 : fits(16) ? 16 : 32;
}

template <class V>
Structure look_at(const CsrView<V>& A, Detail detail, bool by_degree, bool with_hash) {
  RowsLook rows_look(A);
  HashLook hash_look(A);
  ValuesLook<V> values_look(A.val, detail == Detail::all ? distinct_cap : planning_cap);
  BlocksLook blocks_look(A, block_sample(A.nnz(), detail), detail);
  ColumnsLook<V> columns_look(A, column_sample(A.nnz(), detail), by_degree);
  with_hash ? look_together(columns_look, blocks_look, hash_look, values_look, rows_look)
            : look_together(columns_look, blocks_look, values_look, rows_look);
  columns_look.begin_second_round();
  blocks_look.begin_second_round();
  values_look.begin_second_round();
  look_together(columns_look, blocks_look, values_look);

  const Reach reach = detail == Detail::all ? measure_reach(A) : Reach{};
  const Symmetry symmetry = detail == Detail::all ? measure_symmetry(A) : Symmetry{};
  const RowFacts rows = rows_look.facts();
  const ValueFacts values = values_look.facts();
  const SampledFacts columns = columns_look.facts();
  Structure facts;
  facts.rows = A.rows;
  facts.cols = A.cols;
  facts.nnz = A.nnz();
  facts.rows_len = rows.lengths;
  facts.bandwidth = reach.bandwidth;
  facts.profile = reach.profile;
  facts.blocks = blocks_look.fills();
  facts.blocks_sampled = are_blocks_sampled(A.nnz(), detail);
  facts.diagonals = columns.diagonals;
  facts.diagonals.count = reach.diagonals.count;
  facts.diagonals.occupancy = reach.diagonals.occupancy;
  facts.padding = rows.padding;
  facts.columns = columns.columns;
  facts.gather_f32 = columns.gather_f32;
  facts.gather_f64 = columns.gather_f64;
  facts.sampled_entries = columns.entries;
  if (with_hash) facts.pattern_hash = hash_look.hash();
  if (detail == Detail::all) facts.index_bits = bits_for(reach.lowest, reach.highest);
  facts.structurally_symmetric = symmetry.structural;
  facts.symmetric = symmetry.numerical;
  facts.distinct_values = values.distinct;
  facts.distinct_capped = values.capped;
  facts.distinct_guess = values.guess;
  facts.f32_exact = values.f32_exact;
  return facts;
}

}  // namespace

template <class V>
Structure analyze(CsrView<V> A, Detail detail) {
  return with_memory_errors([&] {
    validate(A, Require::canonical);
    return look_at(A, detail, true, true);
  });
}

template <class V>
Structure facts_for(const Csr<V>& A, Device target, bool with_hash) {
  const gpu::Current current(A.ptr.device());
  if (A.ptr.device() == Device::cpu()) return look_at(A.view(), Detail::planning, target != Device::cpu(), with_hash);
  return survey(A, with_hash);
}

template <class V>
Structure analyze(const Csr<V>& A, Detail detail) {
  return with_memory_errors([&] {
    check_matrix(A);
    if (!on_device(A)) return look_at(A.view(), detail, true, true);
    const gpu::Current current(A.ptr.device());
    if (detail == Detail::planning) return survey(A);
    return analyze(A.to(Device::cpu()).view(), detail);
  });
}

template Structure analyze(const Csr<float>&, Detail);
template Structure analyze(const Csr<double>&, Detail);
template Structure analyze(CsrView<float>, Detail);
template Structure analyze(CsrView<double>, Detail);
template Structure facts_for(const Csr<float>&, Device, bool);
template Structure facts_for(const Csr<double>&, Device, bool);

std::string to_string(const Structure& s) {
  const RowLengths& len = s.rows_len;
  const char* symmetry = s.symmetric ? "symmetric" : s.structurally_symmetric ? "symmetric pattern" : "unsymmetric";
  std::string text = fmt::format("{} x {}, {} entries, {}\n", s.rows, s.cols, s.nnz, symmetry);
  text += fmt::format("row lengths   {} .. {}, mean {:.2f}, deviation {:.2f} (cv {:.2f}), {} empty\n", len.min, len.max,
                      len.mean, len.stddev, len.cv, len.empty);
  text +=
      fmt::format("bandwidth     {}, profile {}, column - row fits in {} bits\n", s.bandwidth, s.profile, s.index_bits);
  text += fmt::format("diagonals     {}, {:.1f} % occupied; {} at least half full, {} of them constant\n",
                      s.diagonals.count, 100 * s.diagonals.occupancy, s.diagonals.full, s.diagonals.constant);
  text += s.blocks_sampled ? "blocks stored per entry (sampled)  " : "blocks stored per entry  ";
  for (const BlockFill& b : s.blocks) text += fmt::format(" {}x{} {:.2f}", b.r, b.c, b.fill);
  text += "\nslices stored per entry  ";
  for (const SlicePadding& p : s.padding) text += fmt::format(" C={} sigma={} {:.2f}", p.C, p.sigma, p.stored);
  text += fmt::format(
      "\ncolumns       runs of {:.2f}, {:.0f} % of the steps below 16 and {:.0f} % below 256, {:.0f} % of slices in 16 "
      "bits\n",
      s.columns.mean_run, 100 * s.columns.delta4, 100 * s.columns.delta8, 100 * s.columns.slices16);
  text +=
      fmt::format("reads of x    {:.2f} sectors per entry by rows, {:.2f} along entries, {:.2f} in a window (f64)\n",
                  s.gather_f64.rows, s.gather_f64.entries, s.gather_f64.window);
  text += fmt::format("values        {}{} distinct, {}exact in float\n", s.distinct_capped ? "more than " : "",
                      s.distinct_values, s.f32_exact ? "" : "not ");
  return text;
}

}  // namespace heddle

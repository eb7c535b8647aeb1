#include <heddle/analyze.hpp>

#include <fmt/format.h>

#include "analyze/parts.hpp"

namespace heddle {

namespace {

int bits_for(std::int64_t lowest, std::int64_t highest) {
  const auto fits = [&](int bits) {
    const std::int64_t limit = std::int64_t{1} << (bits - 1);
    return lowest >= -limit && highest < limit;
  };
  return fits(8) ? 8 : fits(16) ? 16 : 32;
}

}  // namespace

template <class V>
Structure analyze(CsrView<V> A) {
  const PatternFacts pattern = measure_pattern(A);
  const Symmetry symmetry = measure_symmetry(A);
  const ValueFacts values = measure_values(A.val);
  Structure facts;
  facts.rows = A.rows;
  facts.cols = A.cols;
  facts.nnz = A.nnz();
  facts.rows_len = pattern.lengths;
  facts.bandwidth = pattern.bandwidth;
  facts.profile = pattern.profile;
  facts.blocks = measure_blocks(A);
  facts.blocks_sampled = A.nnz() >= 2 * block_sample;
  facts.diagonals = pattern.diagonals;
  facts.index_bits = bits_for(pattern.lowest, pattern.highest);
  facts.structurally_symmetric = symmetry.structural;
  facts.symmetric = symmetry.numerical;
  facts.distinct_values = values.distinct;
  facts.distinct_capped = values.capped;
  facts.f32_exact = values.f32_exact;
  return facts;
}

template Structure analyze(CsrView<float>);
template Structure analyze(CsrView<double>);

std::string to_string(const Structure& s) {
  const RowLengths& len = s.rows_len;
  const char* symmetry = s.symmetric ? "symmetric" : s.structurally_symmetric ? "symmetric pattern" : "unsymmetric";
  std::string text = fmt::format("{} x {}, {} entries, {}\n", s.rows, s.cols, s.nnz, symmetry);
  text += fmt::format("row lengths   {} .. {}, mean {:.2f}, deviation {:.2f} (cv {:.2f}), {} empty\n", len.min, len.max,
                      len.mean, len.stddev, len.cv, len.empty);
  text +=
      fmt::format("bandwidth     {}, profile {}, column - row fits in {} bits\n", s.bandwidth, s.profile, s.index_bits);
  text += fmt::format("diagonals     {}, {:.1f} % occupied\n", s.diagonals.count, 100 * s.diagonals.occupancy);
  text += s.blocks_sampled ? "blocks stored per entry (sampled)  " : "blocks stored per entry  ";
  for (const BlockFill& b : s.blocks) text += fmt::format(" {}x{} {:.2f}", b.r, b.c, b.fill);
  text += fmt::format("\nvalues        {}{} distinct, {}exact in float\n", s.distinct_capped ? "more than " : "",
                      s.distinct_values, s.f32_exact ? "" : "not ");
  return text;
}

}  // namespace heddle

#include "support/zoo.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>

namespace heddle::test {

std::uint64_t Dice::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

Csr<double> from_entries(std::int64_t rows, std::int64_t cols, const std::vector<Entry>& entries) {
  const auto n = static_cast<std::int64_t>(entries.size());
  Coo<double> coo{rows, cols, Buffer<Index>(n), Buffer<Index>(n), Buffer<double>(n)};
  for (std::int64_t k = 0; k < n; ++k) {
    coo.row[k] = entries[k].row;
    coo.col[k] = entries[k].col;
    coo.val[k] = entries[k].value;
  }
  return to_csr(coo);
}

Csr<double> with_lengths(const std::vector<std::int64_t>& lengths, std::int64_t cols, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<Entry> entries;
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    const std::int64_t length = std::min(lengths[row], cols);
    std::set<Index> chosen;
    if (2 * length >= cols)  // dense rows: leave out instead of picking
      for (Index c = 0; c < length; ++c) chosen.insert(c);
    while (static_cast<std::int64_t>(chosen.size()) < length) chosen.insert(static_cast<Index>(dice.below(cols)));
    for (const Index c : chosen) entries.push_back({static_cast<Index>(row), c, dice.integer()});
  }
  return from_entries(static_cast<std::int64_t>(lengths.size()), cols, entries);
}

namespace {

Csr<double> from_rule(std::int64_t rows, std::int64_t cols,
                      const std::function<bool(std::int64_t, std::int64_t)>& present) {
  Dice dice(static_cast<std::uint64_t>(rows * 31 + cols));
  std::vector<Entry> entries;
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < cols; ++c)
      if (present(r, c)) entries.push_back({r, c, dice.integer()});
  return from_entries(rows, cols, entries);
}

std::vector<std::int64_t> lengths_by(std::int64_t rows, const std::function<std::int64_t(std::int64_t)>& length) {
  std::vector<std::int64_t> all;
  for (std::int64_t r = 0; r < rows; ++r) all.push_back(length(r));
  return all;
}

Csr<double> explicit_zeros() {
  Csr<double> A = with_lengths(lengths_by(40, [](auto r) { return r % 6; }), 40, 5);
  for (std::int64_t k = 0; k < A.nnz(); k += 3) A.val[k] = k % 2 == 0 ? 0.0 : -0.0;
  return A;
}

// Dense r x c blocks on a random block pattern, the last block row and column cut short.
Csr<double> ragged_blocks(std::int64_t rows, std::int64_t cols, int block) {
  return from_rule(rows, cols,
                   [=](std::int64_t r, std::int64_t c) { return (r / block * 7 + c / block * 3) % 5 == 0; });
}

void add_shapes(std::vector<Specimen>& all) {
  all.push_back({"0x0", from_entries(0, 0, {})});
  all.push_back({"0x5", from_entries(0, 5, {})});
  all.push_back({"5x0", from_entries(5, 0, {})});
  all.push_back({"5x5_without_entries", from_entries(5, 5, {})});
  all.push_back({"1x1", from_entries(1, 1, {{0, 0, 3}})});
  all.push_back({"1x1000_full_row", with_lengths({1000}, 1000, 1)});
  all.push_back({"1000x1_full_column", with_lengths(lengths_by(300, [](auto) { return 1; }), 1, 2)});
  all.push_back({"wide_10x1000", with_lengths(lengths_by(10, [](auto r) { return 7 * r; }), 1000, 3)});
  all.push_back({"tall_300x10", with_lengths(lengths_by(300, [](auto r) { return r % 11; }), 10, 4)});
  all.push_back({"last_corner_only", from_entries(70, 90, {{69, 89, -5}})});
}

void add_rows(std::vector<Specimen>& all) {
  all.push_back({"first_last_middle_rows_empty",
                 with_lengths(lengths_by(99, [](auto r) { return r == 0 || r == 49 || r == 98 ? 0 : 4; }), 99, 6)});
  all.push_back({"only_the_last_row", with_lengths(lengths_by(65, [](auto r) { return r == 64 ? 5 : 0; }), 65, 7)});
  all.push_back({"every_other_row_empty", with_lengths(lengths_by(100, [](auto r) { return r % 2 * 9; }), 100, 8)});
  all.push_back({"lengths_0_to_129", with_lengths(lengths_by(130, [](auto r) { return r; }), 200, 9)});
  all.push_back({"lengths_129_to_0", with_lengths(lengths_by(130, [](auto r) { return 129 - r; }), 200, 10)});
  all.push_back({"arrow", from_rule(150, 150, [](auto r, auto c) { return r == c || r == 0 || c == 0; })});
  all.push_back(
      {"arrow_at_the_end", from_rule(150, 150, [](auto r, auto c) { return r == c || r == 149 || c == 149; })});
  all.push_back(
      {"power_law", with_lengths(lengths_by(200, [](auto r) { return 400 / (1 + (r * 37) % 200); }), 500, 11)});
  all.push_back({"explicit_zeros", explicit_zeros()});
}

void add_patterns(std::vector<Specimen>& all) {
  all.push_back({"diagonal", from_rule(77, 77, [](auto r, auto c) { return r == c; })});
  all.push_back({"anti_diagonal", from_rule(77, 77, [](auto r, auto c) { return r + c == 76; })});
  all.push_back({"tridiagonal", from_rule(129, 129, [](auto r, auto c) { return std::abs(r - c) <= 1; })});
  all.push_back({"banded_wide", from_rule(60, 90, [](auto r, auto c) { return c - r >= -2 && c - r <= 5; })});
  all.push_back({"dense", from_rule(40, 35, [](auto, auto) { return true; })});
  all.push_back({"blocks_3_ragged", ragged_blocks(50, 47, 3)});
  all.push_back({"blocks_4_ragged", ragged_blocks(63, 66, 4)});
  all.push_back({"blocks_with_holes",
                 from_rule(48, 48, [](auto r, auto c) { return (r / 4 + c / 4) % 3 == 0 && (r + c) % 4 != 1; })});
}

// Columns around the limits of 8- and 16-bit distances, in both directions.
Csr<double> far_columns() {
  const std::int64_t n = 140000;
  std::vector<Entry> entries;
  Dice dice(12);
  for (const std::int64_t base : {0, 1, 65535, 65536, 65537, 70000})
    for (const std::int64_t distance : {0, 1, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 65537})
      if (base + distance < n) {
        entries.push_back({static_cast<Index>(base / 1000), static_cast<Index>(base + distance), dice.integer()});
        entries.push_back(
            {static_cast<Index>(base / 1000 + 1), static_cast<Index>(n - 1 - base - distance), dice.integer()});
      }
  return from_entries(80, n, entries);
}

Csr<double> band_edges_of_16_bits() {
  const std::int64_t n = 66000;
  std::vector<Entry> entries;
  for (const Index r : {0, 1, 32767, 32768, 32769, 65999})
    for (const std::int64_t d : {-65535, -32769, -32768, -32767, 0, 32766, 32767, 32768, 65535})
      if (r + d >= 0 && r + d < n) entries.push_back({r, static_cast<Index>(r + d), 2});
  return from_entries(n, n, entries);
}

void add_large(std::vector<Specimen>& all) {
  for (const std::int64_t rows : {31, 32, 33, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025})
    all.push_back({"rows_" + std::to_string(rows), with_lengths(lengths_by(rows, [](auto r) { return 1 + r * 5 % 7; }),
                                                                rows, static_cast<std::uint64_t>(rows))});
  all.push_back({"one_row_over_many_blocks", with_lengths({100000}, 100000, 13)});
  all.push_back({"giant_row_among_short_ones",
                 with_lengths(lengths_by(600, [](auto r) { return r == 300 ? 20000 : 3; }), 20000, 14)});
  all.push_back({"two_giant_rows_touching", with_lengths({1, 5000, 7000, 2, 0, 0}, 9000, 15)});
  all.push_back({"far_columns", far_columns()});
  all.push_back({"band_edges_of_16_bits", band_edges_of_16_bits()});
  all.push_back({"random_2000", with_lengths(lengths_by(2000, [](auto r) { return (r * 7919) % 40; }), 3000, 16)});
}

}  // namespace

const std::vector<Specimen>& zoo(Zoo size) {
  static const auto small = [] {
    std::vector<Specimen> all;
    add_shapes(all), add_rows(all), add_patterns(all);
    return all;
  }();
  static const auto full = [] {
    std::vector<Specimen> all = small;
    add_large(all);
    return all;
  }();
  return size == Zoo::small ? small : full;
}

const Csr<double>& small_specimen(const std::string& name) {
  for (const Specimen& one : zoo(Zoo::small))
    if (one.name == name) return one.A;
  throw std::invalid_argument("no specimen " + name);
}

}  // namespace heddle::test

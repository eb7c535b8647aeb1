#include "reproduce/matrices/corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "collection/places.hpp"
#include "generate/random.hpp"

namespace heddle::reproduce {

namespace {

using synthetic::Draws;
using synthetic::LengthLaw;
using synthetic::LikeProfile;
using synthetic::Numbering;

// Of square matrices that were in the collection by 2011, at these shares of them (from its index, 2026-11).
constexpr std::array shares{0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0};
using Quantiles = std::array<double, shares.size()>;

struct Size {
  int count;
  Quantiles rows, mean;        // mean: of the row lengths
  int rows_power, mean_power;  // in sixteenths: what moves the averages to those of Table 2
  std::int64_t most_entries;
  std::uint64_t seed;
};
constexpr Size small_ones{small_of_corpus,
                          {5, 65, 136, 420, 541, 961, 1220, 1813, 2410, 3948, 6537, 8738, 9941},
                          {3, 3.2, 3.59, 4.0, 4.83, 5.94, 6.44, 7.99, 11.77, 20.58, 39.0, 51.21, 329.9},
                          9,
                          13,
                          3279690,
                          11};
constexpr Size large_ones{
    large_of_corpus,
    {10000, 11397, 13681, 18454, 23133, 30798, 41731, 57975, 82670, 123440, 309412, 504855, 2063494},
    {1.1, 3.86, 4.92, 6.45, 7.55, 10.67, 14.02, 23.59, 34.84, 50.1, 70.22, 103.88, 300},
    17,
    17,
    52672325,
    12};

// (to / from)^f, by square roots alone: the same bits with every library.
double between(double from, double to, double f) {
  const double ratio = to / from;
  const int k = std::min(15, static_cast<int>(16 * f));
  const double rest = 16 * f - k;
  return from * (synthetic::sixteenth_power(ratio, k) * (1 - rest) + synthetic::sixteenth_power(ratio, k + 1) * rest);
}

double quantile(const Quantiles& table, double share) {
  std::size_t i = 0;
  while (i + 2 < shares.size() && shares[i + 1] <= share) ++i;
  return between(table[i], table[i + 1], (share - shares[i]) / (shares[i + 1] - shares[i]));
}

std::int64_t whole(double value, std::int64_t low, std::int64_t high) {
  return std::clamp(static_cast<std::int64_t>(value), low, std::max(low, high));
}

// Structure by the length of rows: what is long comes from meshes of blocks, what is short is anything.
CorpusMatrix made_up(int number, std::int64_t rows, double mean, std::int64_t most_entries, Draws& draws) {
  CorpusMatrix made{number, "band", {}};
  LikeProfile& p = made.profile;
  p.name = "";
  p.rows = p.cols = rows;
  p.numbering = Numbering::near;
  p.nnz = whole(mean * static_cast<double>(rows), rows + rows / 8 + 4, std::min(most_entries, rows * rows * 3 / 4));
  mean = static_cast<double>(p.nnz) / static_cast<double>(rows);
  const double kind = draws.unit(), u = draws.unit();
  p.longest = whole(mean * (1.5 + 2 * u) + 2, 2, rows);
  p.lengths.deviation = mean * (0.05 + 0.3 * u);
  if (mean >= 12 && rows >= 600 && kind < 0.75) {
    made.kind = "blocks";
    p.numbering = Numbering::blocks;
    p.dof = mean >= 30 && kind < 0.25 ? 6 : mean >= 18 ? 3 : 2;
    const double points = static_cast<double>(rows) / static_cast<double>(p.dof);
    const bool flat = kind < 0.35;
    p.nx = whole(flat ? std::sqrt(points) : std::cbrt(points), 6, rows);
    p.ny = flat ? 0 : p.nx;
    p.longest = std::min(p.longest, p.dof * (flat ? 60 : 110));
  } else if (mean < 12 && kind < 0.22 && rows >= 100) {
    made.kind = "circuit";  // one row reaches up to a third of all
    p.lengths.law = LengthLaw::circuit;
    p.lengths.surplus = 30;
    p.longest = whole(static_cast<double>(rows) * (u * u / 3), 40, std::min(rows / 2, p.nnz - p.nnz / 8 - rows));
  } else if (mean < 12 && kind < 0.32 && rows >= 100) {
    made.kind = "graph";
    p.numbering = Numbering::hosts;
    p.lengths.law = LengthLaw::power;
    p.longest = whole(static_cast<double>(rows) * 0.1 * u, 12, rows / 4);
  }
  p.longest = std::clamp<std::int64_t>(p.longest, p.nnz / rows + p.nnz / rows / 4 + 1, rows);
  return made;
}

void add_size(const Size& size, std::vector<CorpusMatrix>& all) {
  for (int i = 0; i < size.count; ++i) {
    Draws draws(size.seed, i);
    const double rows = quantile(size.rows, synthetic::sixteenth_power(draws.unit(), size.rows_power));
    const double mean = quantile(size.mean, synthetic::sixteenth_power(draws.unit(), size.mean_power));
    const auto number = static_cast<int>(all.size());
    all.push_back(made_up(number, static_cast<std::int64_t>(rows), mean, size.most_entries, draws));
  }
}

}  // namespace

std::string CorpusMatrix::name() const { return fmt::format("corpus {:04}, {}", number, kind); }

const std::vector<CorpusMatrix>& stand_in_corpus() {
  static const std::vector<CorpusMatrix> list = [] {
    std::vector<CorpusMatrix> all;
    add_size(small_ones, all);
    add_size(large_ones, all);
    return all;
  }();
  return list;
}

std::vector<CorpusMatrix> part_of_corpus(int step) {
  std::vector<CorpusMatrix> part;
  for (const CorpusMatrix& one : stand_in_corpus())
    if ((one.small() ? one.number : one.number - small_of_corpus) % step == step / 2) part.push_back(one);
  return part;
}

namespace {

// Small ones of each kind, and the large ones with the fewest entries.
std::vector<CorpusMatrix> few_of_corpus() {
  constexpr std::int64_t most_of_small = 30000, most_of_large = 45000;
  std::vector<CorpusMatrix> few;
  for (const CorpusMatrix& one : part_of_corpus(100))
    if (one.small() && one.profile.nnz <= most_of_small) few.push_back(one);
  const std::size_t wanted = few.size() + 3;
  for (const CorpusMatrix& one : stand_in_corpus())
    if (!one.small() && one.profile.nnz <= most_of_large && few.size() < wanted) few.push_back(one);
  return few;
}

}  // namespace

namespace {

std::vector<CorpusMatrix> chosen(const Lab& lab) {
  const Outcome* stored = lab.settings().stored;
  const bool to_see_it_run = lab.quick() || lab.settings().device.kind == Device::Kind::emulator;
  if (stored == nullptr) return to_see_it_run ? few_of_corpus() : part_of_corpus(lab.settings().corpus_step);
  std::set<std::string> names;
  for (const Specimen& one : stored->matrices) names.insert(one.name);
  std::vector<CorpusMatrix> again;
  for (const CorpusMatrix& one : stand_in_corpus())
    if (names.contains(one.name())) again.push_back(one);
  return again;
}

std::vector<CorpusItem> items_of_folder(const std::string& folder) {
  std::vector<CorpusItem> items;
  for (const std::string& name : collection::names_in(folder))
    items.push_back({name, [name](Lab& asked) -> const Matrix& { return asked.in_corpus(name); }});
  return items;
}

}  // namespace

std::vector<CorpusItem> corpus_items(const Lab& lab) {
  if (!lab.settings().corpus.empty()) return items_of_folder(lab.settings().corpus);
  std::vector<CorpusItem> items;
  for (const CorpusMatrix& one : chosen(lab))
    items.push_back({one.name(), [one](Lab& asked) -> const Matrix& {
                       return asked.made(one.name(), corpus_source, [&] { return matrix_of(one); });
                     }});
  return items;
}

std::string corpus_origin(const Lab& lab) {
  if (!lab.settings().corpus.empty()) return "real files";
  return "stand-ins of a seeded corpus shaped by Table 2";
}

Csr<double> matrix_of(const CorpusMatrix& matrix) {
  return synthetic::assemble<double>(*synthetic::like_rows(matrix.profile, static_cast<std::uint64_t>(matrix.number)),
                                     {synthetic::ValueLaw::Kind::random, 1});
}

}  // namespace heddle::reproduce

#include "reproduce/stand_ins.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.hpp"
#include "generate/random.hpp"

namespace heddle::reproduce {

namespace {

using synthetic::Draws;

// The sum of twelve uniform numbers, less six: near enough to normal, and the same bits everywhere.
double normal(Draws& draws) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += draws.unit();
  return sum;
}

Vector<std::int64_t> normal_lengths(const Profile& profile) {
  Vector<std::int64_t> lengths(static_cast<std::size_t>(profile.rows));
  const double mean = static_cast<double>(profile.nnz) / static_cast<double>(profile.rows);
  Draws draws(1, 0);
  for (auto& length : lengths) {
    const auto wanted = static_cast<std::int64_t>(std::floor(mean + profile.deviation * normal(draws) + 0.5));
    length = std::clamp<std::int64_t>(wanted, 1, profile.longest);
  }
  return lengths;
}

Vector<std::int64_t> circuit_lengths(const Profile& profile) {
  Vector<std::int64_t> lengths(static_cast<std::size_t>(profile.rows));
  Draws draws(2, 0);
  std::int64_t left = profile.nnz - profile.longest;
  for (auto& length : lengths) left -= length = 1 + draws.below(7);
  while (left > 0) {
    const std::int64_t more = std::min<std::int64_t>(left, 1 + draws.below(profile.surplus));
    lengths[static_cast<std::size_t>(draws.below(profile.rows))] += more;
    left -= more;
  }
  return lengths;
}

// Takes from or gives to rows picked at random, one entry at a time, until the sum is right.
void correct_sum(Vector<std::int64_t>& lengths, std::size_t keep, const Profile& profile) {
  std::int64_t excess = std::accumulate(lengths.begin(), lengths.end(), -profile.nnz);
  Draws draws(3, 0);
  while (excess != 0) {
    const auto row = static_cast<std::size_t>(draws.below(profile.rows));
    if (row == keep) continue;
    if (excess > 0 && lengths[row] > 1) --lengths[row], --excess;
    if (excess < 0 && lengths[row] < profile.longest) ++lengths[row], ++excess;
  }
}

void fill_row(std::int64_t row, std::int64_t length, std::int64_t n, Index* col, double* val) {
  const std::int64_t window = std::min(n, 3 * length + 16);
  const std::int64_t first = std::clamp<std::int64_t>(row - window / 2, 0, n - window);
  Draws draws(4, row);
  for (std::int64_t k = 0; k < length; ++k) {
    const std::int64_t low = k * window / length, high = (k + 1) * window / length;
    col[k] = static_cast<Index>(first + low + draws.below(high - low));
    val[k] = 0.5 + draws.unit();
  }
}

}  // namespace

Vector<std::int64_t> lengths_of(const Profile& profile) {
  Vector<std::int64_t> lengths = profile.surplus > 0 ? circuit_lengths(profile) : normal_lengths(profile);
  const auto longest = static_cast<std::size_t>(profile.rows / 3);
  lengths[longest] = profile.longest;
  correct_sum(lengths, longest, profile);
  return lengths;
}

Profile shrunk(const Profile& profile, std::int64_t most_entries) {
  if (profile.nnz <= most_entries) return profile;
  const double share = static_cast<double>(most_entries) / static_cast<double>(profile.nnz);
  const auto scaled = [&](std::int64_t count) { return static_cast<std::int64_t>(static_cast<double>(count) * share); };
  Profile small = profile;
  small.rows = std::max<std::int64_t>(64, scaled(profile.rows));
  small.nnz = static_cast<std::int64_t>(static_cast<double>(profile.nnz) * static_cast<double>(small.rows) /
                                        static_cast<double>(profile.rows));
  small.longest = std::min(profile.surplus > 0 ? scaled(profile.longest) : profile.longest, small.rows);
  return small;
}

Csr<double> matrix_of(const Profile& profile) { return matrix_with_lengths(lengths_of(profile)); }

Csr<double> matrix_with_lengths(const Vector<std::int64_t>& lengths) {
  const auto rows = static_cast<std::int64_t>(lengths.size());
  Csr<double> A{rows, rows, Buffer<Offset>(rows + 1), {}, {}};
  A.ptr[0] = 0;
  for (std::int64_t row = 0; row < rows; ++row) A.ptr[row + 1] = A.ptr[row] + lengths[static_cast<std::size_t>(row)];
  A.col = Buffer<Index>(A.ptr[rows]);
  A.val = Buffer<double>(A.ptr[rows]);
  parallel_ranges(rows, 1 << 10, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
      fill_row(row, A.ptr[row + 1] - A.ptr[row], rows, A.col.data() + A.ptr[row], A.val.data() + A.ptr[row]);
  });
  return A;
}

}  // namespace heddle::reproduce

#include "reproduce/matrices/stand_ins.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "generate/lengths_of.hpp"
#include "generate/random.hpp"

namespace heddle::reproduce {

namespace {

using synthetic::Draws;

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
  const bool circuit = profile.surplus > 0;
  return synthetic::lengths_of({.rows = profile.rows,
                                .nnz = profile.nnz,
                                .longest = profile.longest,
                                .deviation = profile.deviation,
                                .surplus = profile.surplus,
                                .law = circuit ? synthetic::LengthLaw::circuit : synthetic::LengthLaw::normal});
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

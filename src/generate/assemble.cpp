#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "generate/generator.hpp"
#include "generate/random.hpp"

namespace heddle::synthetic {

namespace {

// Rows differ wildly in cost (a giant row, 4,284 rows of 2,633): many small pieces, whatever the number of threads.
std::int64_t grain_of(std::int64_t rows) { return std::clamp<std::int64_t>(rows / 512, 1, 4096); }

// +-[0.5, 1.5): neither tiny nor large, all bits of the mantissa in use.
double random_value(std::uint64_t bits) {
  const double size = 0.5 + unit(bits);
  return bits & 1 ? -size : size;
}

// -8 .. 8 without 0: products and sums of such numbers are exact in any order.
double integer_value(std::uint64_t bits) {
  const std::int64_t size = 1 + below(bits, 8);
  return static_cast<double>(bits & 1 ? -size : size);
}

void fill_values(const Rows& source, const ValueLaw& law, std::int64_t row, Row& out) {
  using Kind = ValueLaw::Kind;
  out.val.resize(out.col.size());
  if (law.kind == Kind::natural) return source.values(row, out);
  if (law.kind == Kind::ones) return std::fill(out.val.begin(), out.val.end(), 1.0);
  const std::uint64_t seed = mix(law.seed ^ 0x76616c756573);  // apart from the seed that made the pattern
  for (std::size_t k = 0; k < out.col.size(); ++k) {
    const std::uint64_t bits = source.symmetric ? hash_pair(seed, row, out.col[k]) : hash(seed, row, out.col[k]);
    out.val[k] = law.kind == Kind::random ? random_value(bits) : integer_value(bits);
  }
}

}  // namespace

void check_memory(double row_count, double entries, int value_bytes) {
  const double needed = 8 * (row_count + 1) + entries * (4 + value_bytes);
  const double there = static_cast<double>(sysconf(_SC_PAGESIZE)) * static_cast<double>(sysconf(_SC_PHYS_PAGES));
  if (needed <= there) return;
  fail(ErrorKind::unavailable, {"generate", "ask for fewer rows or entries"},
       "about {:.3g} rows with {:.3g} entries need {:.3g} GB, this machine has {:.3g} GB", row_count, entries,
       needed / 1e9, there / 1e9);
}

Rows::Rows(double row_count, double column_count, double expected_entries) {
  const double limit = static_cast<double>(max_dimension);
  if (row_count > limit || column_count > limit)
    fail(ErrorKind::usage, {"generate", "ask for fewer rows"}, "{:.0f} x {:.0f} is beyond the largest dimension, {}",
         row_count, column_count, max_dimension);
  check_memory(row_count, expected_entries, 4);
  rows = static_cast<std::int64_t>(row_count);
  cols = static_cast<std::int64_t>(column_count);
}

namespace {

// Some rows made to know how many entries there will be: a generator's own estimate may be far too small.
void check_sampled_rows(const Rows& source) {
  constexpr std::int64_t samples = 64;
  if (source.counted || source.rows < 64 * samples) return;
  double entries = 0;
  Row made;
  for (std::int64_t i = 0; i < samples; ++i) {
    source.pattern(below(mix(static_cast<std::uint64_t>(i)), source.rows), made);
    entries += static_cast<double>(made.col.size());
  }
  check_memory(static_cast<double>(source.rows), entries / samples * static_cast<double>(source.rows), 4);
}

// Columns of consecutive rows, as made.
using Piece = Vector<Index>;

// Writes the length of every row to ptr[row + 1]; makes the rows where that is the only way to know, one piece per
// `grain` rows.
Vector<Piece> measure(const Rows& source, std::int64_t grain, Buffer<Offset>& ptr) {
  Vector<Piece> pieces(source.counted ? 0 : static_cast<std::size_t>((source.rows + grain - 1) / grain));
  parallel_ranges(source.rows, grain, [&](std::int64_t begin, std::int64_t end) {
    if (source.counted) {
      for (std::int64_t row = begin; row < end; ++row) ptr[row + 1] = source.length(row);
      return;
    }
    Piece& piece = pieces[static_cast<std::size_t>(begin / grain)];
    Row made;
    for (std::int64_t row = begin; row < end; ++row) {
      source.pattern(row, made);
      ptr[row + 1] = static_cast<Offset>(made.col.size());
      piece.insert(piece.end(), made.col.begin(), made.col.end());
    }
  });
  ptr[0] = 0;
  std::partial_sum(ptr.begin(), ptr.end(), ptr.begin());
  return pieces;
}

}  // namespace

template <class V>
Csr<V> assemble(const Rows& source, const ValueLaw& law) {
  check_sampled_rows(source);
  Csr<V> A{source.rows, source.cols, Buffer<Offset>(source.rows + 1), {}, {}};
  const std::int64_t grain = grain_of(source.rows);
  Vector<Piece> pieces = measure(source, grain, A.ptr);
  check_memory(static_cast<double>(A.rows), static_cast<double>(A.ptr[A.rows]), sizeof(V));
  A.col = Buffer<Index>(A.ptr[A.rows]);
  A.val = Buffer<V>(A.ptr[A.rows]);
  parallel_ranges(source.rows, grain, [&](std::int64_t begin, std::int64_t end) {
    const Piece piece = pieces.empty() ? Piece() : std::move(pieces[static_cast<std::size_t>(begin / grain)]);
    Row made;
    for (std::int64_t row = begin; row < end; ++row) {
      const Offset first = A.ptr[row], length = A.ptr[row + 1] - first;
      if (source.counted)
        source.pattern(row, made);
      else
        made.col.assign(piece.begin() + (first - A.ptr[begin]), piece.begin() + (first - A.ptr[begin] + length));
      check(static_cast<Offset>(made.col.size()) == length, ErrorKind::internal,
            "row {} was announced with {} entries and made with {}", row, length, made.col.size());
      fill_values(source, law, row, made);
      std::copy(made.col.begin(), made.col.end(), A.col.data() + first);
      std::transform(made.val.begin(), made.val.end(), A.val.data() + first,
                     [](double v) { return static_cast<V>(v); });
    }
  });
  return A;
}

template Csr<float> assemble(const Rows&, const ValueLaw&);
template Csr<double> assemble(const Rows&, const ValueLaw&);

}  // namespace heddle::synthetic

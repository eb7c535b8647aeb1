#include "formats/weave/sums/sums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <utility>

#include "core/dispatch.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"
#include "simt/large_gpu.hpp"

namespace heddle::weave {

namespace {

constexpr std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t rounded_up(std::int64_t a, std::int64_t to) { return divided_up(a, to) * to; }

struct WarpEntry {
  Index col;
  Index row;  // within the rows of the warp
  Offset entry;
};

// The entries of a warp's rows, by column and then by row. Radix sort: rows are in order to begin with.
class SortedEntries {
 public:
  const Vector<WarpEntry>& of(const PatternView& A, const SumsShape& shape, std::int64_t warp) {
    const std::int64_t first = warp * shape.warp_rows, last = std::min(A.rows, first + shape.warp_rows);
    sorted_.clear();
    sorted_.reserve(static_cast<std::size_t>(A.ptr[last] - A.ptr[first]));
    for (std::int64_t row = first; row < last; ++row)
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
        sorted_.push_back({A.col[k], static_cast<Index>(row - first), k});
    const int bits = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(A.cols, 1) - 1));
    for (int shift = 0; shift < bits; shift += digit_bits) sort_by(shift);
    return sorted_;
  }

 private:
  static constexpr int digit_bits = 11;
  static std::size_t digit(const WarpEntry& e, int shift) {
    return static_cast<std::size_t>(e.col) >> shift & ((1u << digit_bits) - 1);
  }
  void sort_by(int shift) {
    std::array<std::size_t, 1u << digit_bits> place{};
    for (const WarpEntry& e : sorted_) ++place[digit(e, shift)];
    std::size_t before = 0;
    for (std::size_t& p : place) before += std::exchange(p, before);
    other_.resize(sorted_.size());
    for (const WarpEntry& e : sorted_) other_[place[digit(e, shift)]++] = e;
    std::swap(sorted_, other_);
  }

  Vector<WarpEntry> sorted_, other_;
};

// Cuts sorted entries into steps of distinct rows. Those that wait stay in order, so the entries of a row do too.
class StepCutter {
 public:
  StepCutter(int warp_rows, CutParts parts) : parts_(parts), last_step_(static_cast<std::size_t>(warp_rows)) {
    waiting_.reserve(most_waiting);
  }

  // put(step, lane, entry) for every entry; gives the number of steps.
  template <class Put>
  std::int64_t cut(const Vector<WarpEntry>& entries, Put put) {
    std::fill(last_step_.begin(), last_step_.end(), std::int64_t{-1});
    waiting_.clear();
    std::int64_t step = 0;
    const auto count = std::ssize(entries);
    for (std::int64_t part = 0; part < parts_.of(count); ++part) {
      const std::int64_t begin = parts_.begin(count, part), end = parts_.begin(count, part + 1);
      step =
          cut_part(std::span(entries).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
                   step, put);
    }
    return step;
  }

 private:
  template <class Put>
  std::int64_t cut_part(std::span<const WarpEntry> entries, std::int64_t step, const Put& put) {
    std::size_t next = 0;
    for (; next < entries.size() || !waiting_.empty(); ++step) {
      int lane = 0;
      const auto take = [&](const WarpEntry& e) {
        std::int64_t& last = last_step_[static_cast<std::size_t>(e.row)];
        if (last == step) return false;
        last = step;
        put(step, lane++, e);
        return true;
      };
      std::size_t kept = 0;
      for (std::size_t i = 0; i < waiting_.size(); ++i)
        if (lane == simt::warp_size || !take(waiting_[i])) waiting_[kept++] = waiting_[i];
      waiting_.resize(kept);
      for (; next < entries.size() && lane < simt::warp_size && waiting_.size() < most_waiting; ++next)
        if (!take(entries[next])) waiting_.push_back(entries[next]);
    }
    return step;
  }

  CutParts parts_;
  Vector<std::int64_t> last_step_;
  Vector<WarpEntry> waiting_;
};

constexpr std::int64_t warps_of_task = 4;

// f(warp, sorted entries, cutter) for every warp, on several threads.
template <class F>
void each_warp(const PatternView& A, const SumsShape& shape, F f) {
  parallel_ranges(shape.warps(), warps_of_task, [&](std::int64_t begin, std::int64_t end) {
    SortedEntries sorted;
    StepCutter cutter(shape.warp_rows, CutParts(A.nnz()));
    for (std::int64_t warp = begin; warp < end; ++warp) f(warp, sorted.of(A, shape, warp), cutter);
  });
}

// First batch of each warp, and their number at the end.
Buffer<Offset> batch_starts(const PatternView& A, const SumsShape& shape) {
  Buffer<Offset> start(shape.warps() + 1);
  start[0] = 0;
  each_warp(A, shape, [&](std::int64_t warp, const Vector<WarpEntry>& entries, StepCutter& cutter) {
    start[warp + 1] = divided_up(cutter.cut(entries, [](std::int64_t, int, const WarpEntry&) {}), shape.batch);
  });
  for (std::int64_t warp = 0; warp < shape.warps(); ++warp) start[warp + 1] += start[warp];
  return start;
}

// A row has one entry a step at most.
std::int64_t least_stored(const PatternView& A, const SumsShape& shape) {
  std::int64_t steps = 0;
  for (std::int64_t first = 0; first < A.rows; first += shape.warp_rows) {
    const std::int64_t last = std::min(A.rows, first + shape.warp_rows);
    Offset longest = 0;
    for (std::int64_t row = first; row < last; ++row) longest = std::max(longest, A.length(row));
    steps += std::max(longest, divided_up(A.ptr[last] - A.ptr[first], simt::warp_size));
  }
  return steps * simt::warp_size;
}

std::int64_t filled_words(const PatternView& A) {
  for (std::int64_t row = 0; row < A.rows; ++row)
    if (A.length(row) == 0) return divided_up(A.rows, 32);
  return 0;
}

Buffer<std::uint32_t> filled_rows(const PatternView& A) {
  Buffer<std::uint32_t> filled(filled_words(A));
  std::fill(filled.begin(), filled.end(), 0u);
  if (!filled.empty())
    for (std::int64_t row = 0; row < A.rows; ++row)
      if (A.length(row) > 0) filled[row / 32] |= 1u << row % 32;
  return filled;
}

// f(K, S): the steps of a batch as a type, and a value as it is stored.
template <class V, class F>
void with_types(const Sums<V>& A, F f) {
  dispatch_int<4, 8>(A.shape.batch,
                     [&](auto K) { A.values.visit([&]<class S>(const CodedValues<V, S>&) { f(K, S{}); }); });
}

template <int K, class S, class V>
void store_warp(const CsrView<V>& A, std::int64_t warp, const Vector<WarpEntry>& entries, StepCutter& cutter,
                Sums<V>& to) {
  const Offset first = to.start[warp];
  const std::int64_t begin = first * to.shape.batch_slots(), end = to.start[warp + 1] * to.shape.batch_slots();
  std::fill(to.col.begin() + begin, to.col.begin() + end, Index{-1});
  std::fill(to.row.begin() + begin, to.row.begin() + end, std::uint16_t{0});
  to.values.clear(begin, end);
  cutter.cut(entries, [&](std::int64_t step, int lane, const WarpEntry& e) {
    to.col[place_in_batch<Index, K>(first, step, lane)] = e.col;
    to.row[place_in_batch<std::uint16_t, K>(first, step, lane)] = static_cast<std::uint16_t>(e.row);
    to.values.set(place_in_batch<S, K>(first, step, lane), A.val[e.entry]);
  });
}

// f(row, column, place of the value) over all entries, a warp's in the order of its steps.
template <int K, class S, class V, class F>
void each_entry(const Sums<V>& A, F f) {
  for (std::int64_t warp = 0; warp < A.shape.warps(); ++warp) {
    const Offset first = A.start[warp];
    for (std::int64_t step = 0; step < (A.start[warp + 1] - first) * K; ++step)
      for (int lane = 0; lane < simt::warp_size; ++lane) {
        const Index col = A.col[place_in_batch<Index, K>(first, step, lane)];
        if (col < 0) continue;
        f(warp * A.shape.warp_rows + A.row[place_in_batch<std::uint16_t, K>(first, step, lane)], col,
          place_in_batch<S, K>(first, step, lane));
      }
  }
}

}  // namespace

SumsShape SumsShape::of(std::int64_t rows, int value_bytes, int kb, int threads) {
  constexpr std::int64_t few_rows = 256;  // steps of fewer rows are hard to fill
  const std::int64_t most = std::int64_t{kb} * 1024 / value_bytes;
  const std::int64_t blocks = std::max<std::int64_t>(1, divided_up(rows, most));
  const std::int64_t block_rows = std::max<std::int64_t>(1, divided_up(rows, blocks));
  const std::int64_t warps =
      std::clamp(block_rows / few_rows, std::int64_t{1}, std::int64_t{threads / simt::warp_size});
  return {rows, static_cast<int>(rounded_up(divided_up(block_rows, warps), simt::warp_size)), static_cast<int>(warps),
          threads <= 512 ? 8 : 4};
}

double sectors_of_sums(const MatrixShape& A, int value_bytes, int kb) {
  constexpr double sector_bytes = 32;
  const auto blocks = static_cast<double>(SumsShape::of(A.rows, value_bytes, kb).row_blocks());
  return std::max(1.0, blocks * std::ceil(static_cast<double>(A.cols) * value_bytes / sector_bytes));
}

// Least bytes, where a unit without a block counts as one that reads.
int sums_groups(const MatrixShape& A, int value_bytes, int kb, int threads) {
  constexpr double units = large_gpu_units, second_launch = 4e6;
  constexpr int most_groups = 32;
  constexpr std::int64_t enough_batches = 8;  // of a warp in a group
  const auto shape = SumsShape::of(A.rows, value_bytes, kb, threads);
  const auto blocks = static_cast<double>(shape.row_blocks());
  const double entries = static_cast<double>(A.nnz()) * (value_bytes + 6),
               sums = 2.0 * static_cast<double>(A.rows) * value_bytes;
  int best = 1;
  double least = 0;
  for (int groups = 1; groups <= most_groups; ++groups) {
    if (groups > 1 && shape.warps() * groups * enough_batches * shape.batch_slots() > A.nnz()) break;
    const double rounds = std::max(1.0, std::ceil(blocks * groups / units));
    const double cost =
        entries * rounds * units / std::max(1.0, blocks * groups) + (groups > 1 ? sums * groups + second_launch : 0);
    if (groups == 1 || cost < least) {
      best = groups;
      least = cost;
    }
  }
  return best;
}

template <class V>
Footprint Sums<V>::footprint(const PatternView& A, const SumsSettings& settings, int value_bytes) {
  const auto shape = SumsShape::of(A.rows, value_bytes, settings.kb, settings.threads);
  const auto refusal = [](std::int64_t stored) {
    return Footprint{
        .stored = stored, .fits = false, .reason = "a row that is too long for the 32 distinct rows of a step"};
  };
  if (least_stored(A, shape) > most_sums_places(A.nnz())) return refusal(least_stored(A, shape));
  const Buffer<Offset> start = batch_starts(A, shape);
  const std::int64_t stored = start[shape.warps()] * shape.batch_slots();
  if (stored > most_sums_places(A.nnz())) return refusal(stored);
  return {.bytes = start.size() * 8 + stored * 6 + value_store_bytes(settings.codec, stored, value_bytes) +
                   filled_words(A) * 4 + partial_sums(A.rows, settings.groups) * value_bytes,
          .stored = stored};
}

template <class V>
Sums<V> Sums<V>::build(const CsrView<V>& A, const SumsSettings& settings) {
  const auto shape = SumsShape::of(A.rows, sizeof(V), settings.kb, settings.threads);
  Sums to{.shape = shape, .cols = A.cols, .groups = settings.groups};
  to.start = batch_starts(A, shape);
  const std::int64_t stored = to.start[shape.warps()] * shape.batch_slots();
  to.col = Buffer<Index>(stored);
  to.row = Buffer<std::uint16_t>(stored);
  to.values = make_value_store(A.val, settings.codec, stored);
  to.filled = filled_rows(A);
  to.partial = Buffer<V>(partial_sums(A.rows, settings.groups));
  with_types(to, [&]<class S>(auto K, S) {
    each_warp(A, shape, [&](std::int64_t warp, const Vector<WarpEntry>& entries, StepCutter& cutter) {
      store_warp<K, S>(A, warp, entries, cutter, to);
    });
  });
  return to;
}

template <class V>
Csr<V> Sums<V>::restore() const {
  std::int64_t nnz = 0;
  for (const Index c : col) nnz += c >= 0;
  const std::int64_t rows = shape.rows;
  Csr<V> A{rows, cols, Buffer<Offset>(rows + 1), Buffer<Index>(nnz), Buffer<V>(nnz)};
  std::fill(A.ptr.begin(), A.ptr.end(), Offset{0});
  with_types(*this, [&]<class S>(auto K, S) {
    each_entry<K, S>(*this, [&](std::int64_t r, Index, std::int64_t) { ++A.ptr[r + 1]; });
    for (std::int64_t r = 0; r < rows; ++r) A.ptr[r + 1] += A.ptr[r];
    Vector<Offset> next(A.ptr.begin(), A.ptr.end());
    each_entry<K, S>(*this, [&](std::int64_t r, Index column, std::int64_t value) {
      const Offset k = next[static_cast<std::size_t>(r)]++;
      A.col[k] = column;
      A.val[k] = values.get(value);
    });
  });
  return A;
}

template struct Sums<float>;
template struct Sums<double>;

}  // namespace heddle::weave

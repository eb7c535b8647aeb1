#include "io/matrix_market/assemble.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <utility>

#include "core/system.hpp"
#include "io/workers.hpp"

namespace heddle::io {

namespace {

constexpr std::int64_t entry_grain = 1 << 17, row_grain = 4096;

bool ascending(const Buffer<Index>& row, int threads) {
  std::atomic<bool> yes{true};
  run_ranges_on(threads, row.size(), entry_grain, [&](std::int64_t begin, std::int64_t end) {
    if (!yes.load(std::memory_order_relaxed)) return;
    bool fine = true;
    for (std::int64_t k = std::max<std::int64_t>(begin, 1); k < end; ++k) fine &= row[k - 1] <= row[k];
    if (!fine) yes.store(false, std::memory_order_relaxed);
  });
  return yes;
}

// The thread that sees the row change writes the offsets of all rows that begin there.
Buffer<Offset> offsets_of_ascending(const Buffer<Index>& row, std::int64_t rows, int threads) {
  Buffer<Offset> ptr(rows + 1);
  const std::int64_t nnz = row.size();
  std::fill_n(ptr.begin(), nnz == 0 ? rows + 1 : row[0] + 1, 0);
  run_ranges_on(threads, nnz, entry_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = std::max<std::int64_t>(begin, 1); k < end; ++k)
      for (std::int64_t r = row[k - 1] + 1; r <= row[k]; ++r) ptr[r] = k;
  });
  if (nnz > 0) std::fill(ptr.begin() + row[nnz - 1] + 1, ptr.end(), nnz);
  return ptr;
}

// The entries are cut into segments. Segment s knows for each row how many entries earlier segments put there, so all
// segments can be placed at the same time and the order in a row is that of the file, however many segments there are.
//
//   next[s][r]   first: entries of segment s in row r;   then: where the next one of them goes
template <class V, class Place>
class Scatter {
 public:
  Scatter(const Entries<V>& entries, int threads)
      : entries_(entries), threads_(threads), segments_(segments(entries, threads)), next_(segments_ * entries.rows) {}

  Buffer<Offset> make_offsets() {
    run_on(threads_, segments_, [&](std::int64_t s) {
      Place* next = next_of(s);
      std::fill_n(next, entries_.rows, 0);
      each_target(s, [&](std::int64_t, Index r, Index) { ++next[r]; });
    });
    Buffer<Offset> ptr(entries_.rows + 1);
    ptr[0] = 0;
    run_ranges_on(threads_, entries_.rows, row_grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) ptr[r + 1] = length(r);
    });
    std::partial_sum(ptr.begin(), ptr.end(), ptr.begin());
    run_ranges_on(threads_, entries_.rows, row_grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) start_row(r, static_cast<Place>(ptr[r]));
    });
    return ptr;
  }

  // target[place of entry k] = value(k, its column), from the first entry to the last.
  template <class T, class F>
  void place_forwards(Buffer<T>& target, F value) {
    run_on(threads_, segments_, [&](std::int64_t s) {
      Place* next = next_of(s);
      each_target(s, [&](std::int64_t k, Index r, Index c) { target[next[r]++] = value(k, c); });
    });
  }
  // The same from the last entry to the first: it goes back the way place_forwards came.
  template <class T, class F>
  void place_backwards(Buffer<T>& target, F value) {
    const Index* row = entries_.row.data();
    const Index* col = entries_.col.data();
    run_on(threads_, segments_, [&](std::int64_t s) {
      Place* next = next_of(s);
      for (std::int64_t k = begin_of(s + 1) - 1; k >= begin_of(s); --k) {
        if (mirrors() && row[k] != col[k]) target[--next[col[k]]] = value(k, true);
        target[--next[row[k]]] = value(k, false);
      }
    });
  }

 private:
  // More segments than threads gain nothing; and their arrays must stay small, measured by the entries.
  static std::int64_t segments(const Entries<V>& entries, int threads) {
    const std::int64_t nnz = entries.row.size();
    const std::int64_t affordable = 1 + 2 * nnz / (static_cast<std::int64_t>(sizeof(Place)) * (entries.rows + 1));
    return std::clamp<std::int64_t>(std::min(affordable, nnz / entry_grain), 1, thread_count(threads));
  }

  Place* next_of(std::int64_t s) { return next_.data() + s * entries_.rows; }

  std::int64_t length(std::int64_t r) {
    std::int64_t sum = 0;
    for (std::int64_t s = 0; s < segments_; ++s) sum += static_cast<std::int64_t>(next_of(s)[r]);
    return sum;
  }
  void start_row(std::int64_t r, Place start) {
    for (std::int64_t s = 0; s < segments_; ++s) start += std::exchange(next_of(s)[r], start);
  }

  bool mirrors() const { return entries_.symmetry != Symmetry::general; }
  std::int64_t begin_of(std::int64_t s) const { return entries_.row.size() * s / segments_; }

  template <class F>
  void each_target(std::int64_t s, F f) const {
    const Index* row = entries_.row.data();
    const Index* col = entries_.col.data();
    for (std::int64_t k = begin_of(s); k < begin_of(s + 1); ++k) {
      f(k, row[k], col[k]);
      if (mirrors() && row[k] != col[k]) f(k, col[k], row[k]);
    }
  }

  const Entries<V>& entries_;
  int threads_;
  std::int64_t segments_;
  Buffer<Place> next_;
};

template <class V, class Place>
Csr<V> sort_by_row(Entries<V>&& entries, int threads) {
  Csr<V> A{entries.rows, entries.cols, {}, {}, {}};
  Scatter<V, Place> scatter(entries, threads);
  A.ptr = scatter.make_offsets();
  A.col = Buffer<Index>(A.ptr[A.rows]);
  scatter.place_forwards(A.col, [](std::int64_t, Index c) { return c; });
  if (entries.val.empty()) return A;
  if (entries.symmetry == Symmetry::general) entries.col = {};  // no longer needed, and room for the values
  A.val = Buffer<V>(A.nnz());
  const V* val = entries.val.data();
  const bool skew = entries.symmetry == Symmetry::skew_symmetric;
  scatter.place_backwards(A.val, [=](std::int64_t k, bool mirrored) { return skew && mirrored ? -val[k] : val[k]; });
  return A;
}

// Sorting a row in place: keys are (column, position), so equal columns stay in order; values follow along cycles.
template <class V>
void sort_row(Index* col, V* val, std::int64_t length, Vector<std::uint64_t>& key) {
  constexpr std::uint64_t position = (std::uint64_t{1} << 33) - 1;
  key.resize(static_cast<std::size_t>(length));
  for (std::int64_t k = 0; k < length; ++k)
    key[static_cast<std::size_t>(k)] = static_cast<std::uint64_t>(col[k]) << 33 | static_cast<std::uint64_t>(k);
  std::sort(key.begin(), key.end());
  for (std::int64_t k = 0; k < length; ++k) col[k] = static_cast<Index>(key[static_cast<std::size_t>(k)] >> 33);
  for (std::uint64_t start = 0; start < key.size(); ++start) {
    const V first = val[start];
    std::uint64_t to = start;
    for (std::uint64_t from = key[to] & position; from != start; from = key[to] & position) {
      val[to] = val[from];
      key[to] = to;  // done: a cycle of one from now on
      to = from;
    }
    val[to] = first;
    key[to] = to;
  }
}

// Adds up neighbours with the same column; returns how many are left.
template <class V>
std::int64_t add_duplicates(Index* col, V* val, std::int64_t length) {
  std::int64_t out = 0;
  for (std::int64_t k = 0; k < length; ++k) {
    if (out > 0 && col[out - 1] == col[k]) {
      val[out - 1] += val[k];
    } else {
      col[out] = col[k];
      val[out++] = val[k];
    }
  }
  return out;
}

template <class T>
Buffer<T> without_gaps(const Buffer<T>& from, const Buffer<Offset>& old_ptr, const Buffer<Offset>& ptr, int threads) {
  const std::int64_t rows = ptr.size() - 1;
  Buffer<T> to(ptr[rows]);
  run_ranges_on(threads, rows, row_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r)
      std::copy_n(from.data() + old_ptr[r], ptr[r + 1] - ptr[r], to.data() + ptr[r]);
  });
  return to;
}

// Makes every row canonical in place, then closes the gaps that duplicates have left.
template <class V>
void make_canonical(Csr<V>& A, int threads) {
  Buffer<Offset> ptr;  // made by the first row that shrinks: new row lengths, shifted by one
  std::mutex making;
  const auto lengths = [&]() -> Buffer<Offset>& {
    const std::lock_guard lock(making);
    if (ptr.empty()) {
      ptr = Buffer<Offset>(A.rows + 1);
      ptr[0] = 0;
      for (std::int64_t r = 0; r < A.rows; ++r) ptr[r + 1] = A.ptr[r + 1] - A.ptr[r];
    }
    return ptr;
  };
  run_on_with<Vector<std::uint64_t>>(
      threads, (A.rows + row_grain - 1) / row_grain, [&](std::int64_t task, Vector<std::uint64_t>& key) {
        for (std::int64_t r = task * row_grain; r < std::min(A.rows, (task + 1) * row_grain); ++r) {
          Index* col = A.col.data() + A.ptr[r];
          V* val = A.val.data() + A.ptr[r];
          const std::int64_t length = A.ptr[r + 1] - A.ptr[r];
          if (std::is_sorted(col, col + length, std::less_equal<Index>())) continue;  // strictly ascending
          if (!std::is_sorted(col, col + length)) sort_row(col, val, length, key);
          const std::int64_t left = add_duplicates(col, val, length);
          if (left < length) lengths()[r + 1] = left;
        }
      });
  if (ptr.empty()) return;
  std::partial_sum(ptr.begin(), ptr.end(), ptr.begin());
  A.col = without_gaps(A.col, A.ptr, ptr, threads);
  A.val = without_gaps(A.val, A.ptr, ptr, threads);
  A.ptr = std::move(ptr);
}

}  // namespace

template <class V>
Csr<V> assemble(Entries<V>&& entries, int threads) {
  const bool pattern = entries.val.empty();
  Csr<V> A{entries.rows, entries.cols, {}, {}, {}};
  if (entries.symmetry == Symmetry::general && ascending(entries.row, threads)) {
    A.ptr = offsets_of_ascending(entries.row, A.rows, threads);
    entries.row = {};
    A.col = std::move(entries.col);
    A.val = std::move(entries.val);
  } else {
    const bool small = entries.row.size() < (std::int64_t{1} << 31);
    A = small ? sort_by_row<V, std::uint32_t>(std::move(entries), threads)
              : sort_by_row<V, std::uint64_t>(std::move(entries), threads);
    entries = {};
  }
  if (pattern) {
    A.val = Buffer<V>(A.nnz());
    run_ranges_on(threads, A.nnz(), entry_grain, [&](std::int64_t begin, std::int64_t end) {
      std::fill(A.val.begin() + begin, A.val.begin() + end, V(1));
    });
  }
  make_canonical(A, threads);
  return A;
}

template Csr<float> assemble(Entries<float>&&, int);
template Csr<double> assemble(Entries<double>&&, int);

}  // namespace heddle::io

#include "io/matrix_market/write_market.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>

#include "core/parallel.hpp"
#include "core/system.hpp"
#include "io/atomic_file.hpp"
#include "io/gzip.hpp"

namespace heddle::io {

namespace {

constexpr std::int64_t piece_entries = 1 << 15;
constexpr std::size_t longest_line = 64;  // two indices of 10 digits, a value of 24 characters, blanks

class LineWriter {
 public:
  explicit LineWriter(std::int64_t lines) : text_(static_cast<std::size_t>(lines) * longest_line), at_(text_.data()) {}

  void index(std::int64_t zero_based) {
    at_ = std::to_chars(at_, at_ + longest_line, zero_based + 1).ptr;
    *at_++ = ' ';
  }
  template <class V>
  void value(V v) {
    at_ = std::to_chars(at_, at_ + longest_line, v).ptr;
    *at_++ = '\n';
  }
  Vector<char> finish(bool gzip) {
    if (gzip) return deflate_member({text_.data(), static_cast<std::size_t>(at_ - text_.data())});
    text_.resize(static_cast<std::size_t>(at_ - text_.data()));
    return std::move(text_);
  }

 private:
  Vector<char> text_;
  char* at_;
};

// Pieces are made by all threads, a batch at a time, and written in their order.
template <class F>
void write_pieces(AtomicFile& file, std::int64_t count, const Progress& progress, F make) {
  const std::int64_t batch = 2 * threads();
  Vector<Vector<char>> made(static_cast<std::size_t>(std::min(batch, count)));
  for (std::int64_t first = 0; first < count; first += batch) {
    const std::int64_t last = std::min(count, first + batch);
    parallel_tasks(last - first, [&](std::int64_t i) { made[static_cast<std::size_t>(i)] = make(first + i); });
    for (std::int64_t i = 0; i < last - first; ++i) file.write(made[static_cast<std::size_t>(i)]);
    if (progress) progress(static_cast<double>(last) / static_cast<double>(count));
  }
}

void write_head(AtomicFile& file, bool gzip, const std::string& head) {
  if (gzip)
    file.write(deflate_member(head));
  else
    file.write(head);
}

template <class V>
bool same_bits(V a, const V* b) {
  return b != nullptr && std::memcmp(&a, b, sizeof a) == 0;
}

// The value at (row, col), or null where nothing is stored.
template <class V>
const V* entry(CsrView<V> A, Index row, Index col) {
  const Index *begin = A.col.data() + A.ptr[row], *end = A.col.data() + A.ptr[row + 1];
  const Index* found = std::lower_bound(begin, end, col);
  return found != end && *found == col ? A.val.data() + (found - A.col.data()) : nullptr;
}

template <class V>
Vector<char> format_entries(CsrView<V> A, Offset begin, Offset end, bool triangle, bool gzip) {
  LineWriter out(end - begin);
  std::int64_t row = std::upper_bound(A.ptr.begin(), A.ptr.end(), begin) - A.ptr.begin() - 1;
  for (Offset k = begin; k < end; ++k) {
    while (k >= A.ptr[static_cast<std::size_t>(row + 1)]) ++row;
    const Index col = A.col[static_cast<std::size_t>(k)];
    if (triangle && col > row) continue;
    out.index(row);
    out.index(col);
    out.value(A.val[static_cast<std::size_t>(k)]);
  }
  return out.finish(gzip);
}

// Whether a canonical A equals its transpose in every bit, and how many entries its lower triangle has then; else -1.
template <class V>
std::int64_t entries_of_triangle(CsrView<V> A) {
  if (A.rows != A.cols) return -1;
  std::atomic<std::int64_t> lower{0}, upper{0};
  std::atomic<bool> mirrored{true};
  parallel_ranges(A.rows, 4096, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t below = 0, above = 0;
    for (std::int64_t row = begin; row < end && mirrored.load(std::memory_order_relaxed); ++row)
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
        const Index col = A.col[k];
        below += col < row;
        above += col > row;
        if (col > row && !same_bits(A.val[k], entry(A, col, static_cast<Index>(row)))) mirrored = false;
      }
    lower += below;
    upper += above;
  });
  return mirrored && lower == upper ? A.nnz() - upper : -1;
}

}  // namespace

template <class V>
void write_market(const std::string& path, CsrView<V> A, bool gzip, bool symmetric, const Progress& progress) {
  if (gzip) require_gzip(path);
  const std::int64_t stored = symmetric ? entries_of_triangle(A) : -1;
  const bool triangle = stored >= 0;
  AtomicFile file(path);
  write_head(file, gzip,
             fmt::format("%%MatrixMarket matrix coordinate real {}\n{} {} {}\n", triangle ? "symmetric" : "general",
                         A.rows, A.cols, triangle ? stored : A.nnz()));
  write_pieces(file, (A.nnz() + piece_entries - 1) / piece_entries, progress, [&](std::int64_t piece) {
    return format_entries(A, piece * piece_entries, std::min(A.nnz(), (piece + 1) * piece_entries), triangle, gzip);
  });
  file.commit();
}

template <class V>
void write_lines(const std::string& path, std::span<const V> x, bool gzip, bool banner) {
  if (gzip) require_gzip(path);
  AtomicFile file(path);
  const auto size = static_cast<std::int64_t>(x.size());
  if (banner) write_head(file, gzip, fmt::format("%%MatrixMarket matrix array real general\n{} 1\n", size));
  write_pieces(file, (size + piece_entries - 1) / piece_entries, {}, [&](std::int64_t piece) {
    const std::int64_t begin = piece * piece_entries, end = std::min(size, begin + piece_entries);
    LineWriter out(end - begin);
    for (std::int64_t i = begin; i < end; ++i) out.value(x[static_cast<std::size_t>(i)]);
    return out.finish(gzip);
  });
  file.commit();
}

template void write_market(const std::string&, CsrView<float>, bool, bool, const Progress&);
template void write_market(const std::string&, CsrView<double>, bool, bool, const Progress&);
template void write_lines(const std::string&, std::span<const float>, bool, bool);
template void write_lines(const std::string&, std::span<const double>, bool, bool);

}  // namespace heddle::io

#include "io/write_market.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/check.hpp"
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
Vector<char> format_entries(CsrView<V> A, Offset begin, Offset end, bool gzip) {
  LineWriter out(end - begin);
  std::int64_t row = std::upper_bound(A.ptr.begin(), A.ptr.end(), begin) - A.ptr.begin() - 1;
  for (Offset k = begin; k < end; ++k) {
    while (k >= A.ptr[static_cast<std::size_t>(row + 1)]) ++row;
    out.index(row);
    out.index(A.col[static_cast<std::size_t>(k)]);
    out.value(A.val[static_cast<std::size_t>(k)]);
  }
  return out.finish(gzip);
}

}  // namespace

template <class V>
void write_market(const std::string& path, CsrView<V> A, bool gzip, const Progress& progress) {
  if (gzip) require_gzip(path);
  AtomicFile file(path);
  write_head(file, gzip,
             fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", A.rows, A.cols, A.nnz()));
  write_pieces(file, (A.nnz() + piece_entries - 1) / piece_entries, progress, [&](std::int64_t piece) {
    return format_entries(A, piece * piece_entries, std::min(A.nnz(), (piece + 1) * piece_entries), gzip);
  });
  file.commit();
}

template <class V>
void write_market(const std::string& path, std::span<const V> x, bool gzip) {
  if (gzip) require_gzip(path);
  AtomicFile file(path);
  const auto size = static_cast<std::int64_t>(x.size());
  write_head(file, gzip, fmt::format("%%MatrixMarket matrix array real general\n{} 1\n", size));
  write_pieces(file, (size + piece_entries - 1) / piece_entries, {}, [&](std::int64_t piece) {
    const std::int64_t begin = piece * piece_entries, end = std::min(size, begin + piece_entries);
    LineWriter out(end - begin);
    for (std::int64_t i = begin; i < end; ++i) out.value(x[static_cast<std::size_t>(i)]);
    return out.finish(gzip);
  });
  file.commit();
}

template void write_market(const std::string&, CsrView<float>, bool, const Progress&);
template void write_market(const std::string&, CsrView<double>, bool, const Progress&);
template void write_market(const std::string&, std::span<const float>, bool);
template void write_market(const std::string&, std::span<const double>, bool);

}  // namespace heddle::io

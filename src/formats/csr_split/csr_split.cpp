#include "formats/csr_split/csr_split.hpp"

#include <algorithm>

#include "formats/csr_split/csr_split_rules.hpp"
#include "formats/registered.hpp"

namespace heddle {

namespace {

constexpr std::int64_t word_bits = 32;

// Whole groups of four words: the GPU reads 16 bytes at a time.
std::int64_t word_count(std::int64_t entries) { return (entries + 4 * word_bits - 1) / (4 * word_bits) * 4; }

std::int64_t count_empty(const PatternView& A) {
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) count += A.length(row) == 0;
  return count;
}

Buffer<std::uint32_t> mark_row_ends(const PatternView& A) {
  Buffer<std::uint32_t> bits(word_count(A.nnz()));
  std::fill(bits.begin(), bits.end(), 0u);
  for (std::int64_t row = 0; row < A.rows; ++row)
    if (A.length(row) > 0) {
      const Offset last = A.ptr[row + 1] - 1;
      bits[last / word_bits] |= 1u << (last % word_bits);
    }
  return bits;
}

// Rows with entries that end before each share.
Buffer<Index> ranks(const Buffer<std::uint32_t>& row_end, std::int64_t shares, std::int64_t share) {
  Buffer<Index> rank(shares);
  const std::int64_t words_per_share = share / word_bits;
  Index count = 0;
  for (std::int64_t w = 0; w < row_end.size(); ++w) {
    if (w % words_per_share == 0) rank[w / words_per_share] = count;
    count += std::popcount(row_end[w]);
  }
  return rank;
}

}  // namespace

template <class V>
FormatInfo CsrSplitFormat<V>::about() {
  return {.name = "csr_split",
          .summary = "compressed rows in equal shares of entries, any row lengths",
          .origin = "non-zero splitting (merge CSR, HOLA, CSR5), without atomics",
          .drawing =
              "  rows        |a  a  a  b  c  c  c  c |c  c  c  d  f  f       row e has no entries\n"
              "  row_end      0  0  1  1  0  0  0  0 |0  0  1  1  0  1       one bit an entry\n"
              "  rank[share]  0                       2                      rows that end before the share\n"
              "  row_of       a  b  c  d  f                                  rows with entries\n"
              "  empty        e\n"
              "  entry k ends row  row_of[rank[share] + row_end bits of the share before k]\n",
          .settings = {}};
}

template <class V>
void CsrSplitFormat<V>::settle(Settings& settings, const PatternView& A) {
  if (settings.share != automatic) return;
  settings.share = csr_split_share(A.nnz());
}

template <class V>
Footprint CsrSplitFormat<V>::footprint(const PatternView& A, const Settings& settings, int value_bytes) {
  constexpr std::int64_t index = sizeof(Index);
  const std::int64_t shares = share_count(A.nnz(), settings.share), empty = count_empty(A);
  const std::int64_t listed = empty == 0 ? 0 : A.rows;  // row_of and empty together
  return {.bytes = A.nnz() * (index + value_bytes) + word_count(A.nnz()) * 4 + shares * (index + 2 * value_bytes) +
                   listed * index +
                   count_crossings(A.ptr, settings.share) * static_cast<std::int64_t>(sizeof(Crossing)),
          .stored = A.nnz()};
}

template <class V>
CsrSplitFormat<V> CsrSplitFormat<V>::build(Source<V> source, const Settings& settings) {
  const CsrView<V> A = source.view;
  CsrSplitFormat made;
  made.rows = A.rows;
  made.cols = A.cols;
  made.share = settings.share;
  const std::int64_t shares = share_count(A.nnz(), made.share), empty = count_empty(A);
  made.row_end = mark_row_ends(A);
  made.rank = ranks(made.row_end, shares, made.share);
  if (empty > 0) {
    made.row_of = Buffer<Index>(A.rows - empty);
    made.empty = Buffer<Index>(empty);
    std::int64_t filled = 0, bare = 0;
    for (std::int64_t row = 0; row < A.rows; ++row)
      (A.length(row) > 0 ? made.row_of[filled++] : made.empty[bare++]) = static_cast<Index>(row);
  }
  made.crossing = find_crossings(A.ptr, made.share);
  made.head = Buffer<V>(shares);
  made.tail = Buffer<V>(shares);
  Csr<V> arrays = source.take();
  made.col = std::move(arrays.col);
  made.val = std::move(arrays.val);
  return made;
}

template <class V>
Csr<V> CsrSplitFormat<V>::restore() const {
  Buffer<Offset> ptr(rows + 1);
  std::fill(ptr.begin(), ptr.end(), Offset{0});
  std::int64_t number = 0;
  for (std::int64_t k = 0; k < col.size(); ++k)
    if (row_end[k / word_bits] >> (k % word_bits) & 1u) {
      const std::int64_t row = row_of.empty() ? number : row_of[number];
      ++number;
      ptr[row + 1] = k + 1;
    }
  for (std::int64_t row = 0; row < rows; ++row) ptr[row + 1] = std::max(ptr[row + 1], ptr[row]);
  return {rows, cols, std::move(ptr), col, val};
}

template struct CsrSplitFormat<float>;
template struct CsrSplitFormat<double>;

const Format& csr_split_format() { return registered<CsrSplitFormat>(); }

}  // namespace heddle

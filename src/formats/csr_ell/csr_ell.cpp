#include "formats/csr_ell/csr_ell.hpp"

#include <algorithm>
#include <numeric>

#include "core/parallel.hpp"
#include "core/system.hpp"
#include "formats/registered.hpp"
#include "layout/ell_and_rest_build.hpp"

namespace heddle {

namespace {

constexpr std::int64_t row_grain = 4096;

// The two kinds of row, before any entry is moved: all that footprint and build have in common.
struct Split {
  Vector<Index> ell_row, ell_length;  // sorted
  Vector<EllWarp> warp;
  Vector<Index> csr_row;
  Vector<Offset> csr_begin;  // where each CSR row starts
  Vector<CsrPiece> piece;
  Vector<Crossing> crossing;
  std::int64_t ell_stored = 0, csr_entries = 0;
};

// Stable, ascending, in linear time: lengths below T are few.
void sort_by_length(const PatternView& A, int T, Vector<Index>& rows) {
  Vector<std::int64_t> first(static_cast<std::size_t>(T) + 1, 0);
  for (const Index row : rows) ++first[static_cast<std::size_t>(A.length(row) + 1)];
  std::partial_sum(first.begin(), first.end(), first.begin());
  Vector<Index> sorted(rows.size());
  for (const Index row : rows) sorted[static_cast<std::size_t>(first[static_cast<std::size_t>(A.length(row))]++)] = row;
  rows = std::move(sorted);
}

void add_csr_row(Split& split, Index row, Offset length, int L) {
  const auto number = static_cast<Index>(split.csr_row.size());
  const auto first = static_cast<std::int32_t>(split.piece.size());
  const Offset begin = split.csr_entries, end = begin + length;
  for (Offset from = begin; from < end; from += L)
    split.piece.push_back({from, std::min<Offset>(from + L, end), number, length <= L});
  if (length > L) split.crossing.push_back({row, first, static_cast<std::int32_t>(split.piece.size()) - first - 1});
  split.csr_row.push_back(row);
  split.csr_begin.push_back(begin);
  split.csr_entries = end;
}

Split split_rows(const PatternView& A, const CsrEllSettings& settings) {
  Split split;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    const std::int64_t length = A.length(row);
    if (length >= settings.T)
      add_csr_row(split, static_cast<Index>(row), length, settings.L);
    else
      split.ell_row.push_back(static_cast<Index>(row));
  }
  sort_by_length(A, settings.T, split.ell_row);
  split.ell_length.resize(split.ell_row.size());
  for (std::size_t i = 0; i < split.ell_row.size(); ++i)
    split.ell_length[i] = static_cast<Index>(A.length(split.ell_row[i]));
  split.warp = pack_rows(split.ell_length, settings.M, simt::warp_size);
  if (!split.warp.empty()) {
    const EllWarp& last = split.warp.back();
    split.ell_stored = last.start + Offset{last.steps} * simt::warp_size;
  }
  return split;
}

// f(position, entry of the source row) for every entry of the i-th ELL row.
template <class F>
void each_entry(const EllWarp& warp, Index i, Index length, F f) {
  for (Index k = 0; k < length; ++k) f(packed_place(warp, i - warp.first, k, simt::warp_size), k);
}

// The escape: Bell and Garland's hyb with K by Cusp's rule.
constexpr SlicedArrays kept_of_hyb{.start = false, .length = false};
RowPieces cut_by_cusp(const PatternView& A) {
  return {A.ptr, ell_width(stored_lengths(A.rows, {}, RowPieces{A.ptr}), cusp)};
}

}  // namespace

template <class V>
FormatInfo CsrEllFormat<V>::about() {
  return {.name = "csr_ell",
          .summary = "short rows sorted and packed per warp, long rows as CSR over several warps",
          .origin = "adaptive CSR/ELL hybrid, Matam and Kothapalli 2011",
          .drawing =
              "  rows below T entries, the shorter first, packed warp after warp; t lanes a row:\n"
              "    t = 2:   a0 a1 b0 b1 c0 c1 ... | a2 .. b2 b3 c2 c3 ...     '..' padding, column -1\n"
              "    step k: lane q t + p reads start[w] + 32 k + q t + p  =  entry k t + p of the q-th row\n"
              "  other rows stay contiguous; a warp takes at most L entries of one:\n"
              "    row r:  |----- L -----|----- L -----|-- rest --|    sums added in this order\n"
              "  escape=yes: as hyb with rule=cusp\n",
          .settings = {}};
}

template <class V>
void CsrEllFormat<V>::settle(Settings& settings, const PatternView& A) {
  settle_by(settings, row_length_sums(A), A.rows, A.nnz());
}

template <class V>
Footprint CsrEllFormat<V>::footprint(const PatternView& A, const Settings& settings, int value_bytes) {
  if (settings.escape == 1) return ell_and_rest_footprint<Index32>(A, kept_of_hyb, value_bytes, cut_by_cusp(A));
  const Split split = split_rows(A, settings);
  const auto bytes = [](const auto& list) { return static_cast<std::int64_t>(list.size() * sizeof(list[0])); };
  const std::int64_t stored = split.ell_stored + split.csr_entries;
  return {.bytes = stored * (static_cast<std::int64_t>(sizeof(Index)) + value_bytes) + bytes(split.warp) +
                   bytes(split.ell_row) + bytes(split.ell_length) + bytes(split.piece) + bytes(split.csr_row) +
                   bytes(split.crossing) + static_cast<std::int64_t>(split.piece.size()) * value_bytes,
          .stored = stored};
}

template <class V>
CsrEllFormat<V> CsrEllFormat<V>::build(Source<V> source, const Settings& settings) {
  const CsrView<V> A = source.view;
  CsrEllFormat made;
  made.rows = A.rows;
  made.cols = A.cols;
  if (settings.escape == 1) {
    made.hyb = build_ell_and_rest<Index32>(A, kept_of_hyb, cut_by_cusp(A));
    return made;
  }
  const Split split = split_rows(A, settings);
  made.warp = Buffer<EllWarp>::copy_of(split.warp);
  made.ell_row = Buffer<Index>::copy_of(split.ell_row);
  made.ell_length = Buffer<Index>::copy_of(split.ell_length);
  made.piece = Buffer<CsrPiece>::copy_of(split.piece);
  made.csr_row = Buffer<Index>::copy_of(split.csr_row);
  made.crossing = Buffer<Crossing>::copy_of(split.crossing);
  made.partial = Buffer<V>(made.piece.size());
  made.ell_col = Buffer<Index>(split.ell_stored);
  made.ell_val = Buffer<V>(split.ell_stored);
  made.csr_col = Buffer<Index>(split.csr_entries);
  made.csr_val = Buffer<V>(split.csr_entries);
  parallel_ranges(made.warp.size(), row_grain / simt::warp_size, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t w = begin; w < end; ++w) {
      const EllWarp warp = made.warp[w];
      std::fill_n(made.ell_col.data() + warp.start, Offset{warp.steps} * simt::warp_size, Index{-1});
      std::fill_n(made.ell_val.data() + warp.start, Offset{warp.steps} * simt::warp_size, V(0));
      for (Index i = warp.first; i < warp.first + warp.rows; ++i)
        each_entry(warp, i, made.ell_length[i], [&](Offset at, Index k) {
          const Offset from = A.ptr[made.ell_row[i]] + k;
          made.ell_col[at] = A.col[from];
          made.ell_val[at] = A.val[from];
        });
    }
  });
  parallel_ranges(made.csr_row.size(), 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Offset from = A.ptr[made.csr_row[i]], length = A.length(made.csr_row[i]);
      const Offset to = split.csr_begin[static_cast<std::size_t>(i)];
      std::copy_n(A.col.data() + from, length, made.csr_col.data() + to);
      std::copy_n(A.val.data() + from, length, made.csr_val.data() + to);
    }
  });
  return made;
}

template <class V>
Csr<V> CsrEllFormat<V>::restore() const {
  if (escaped()) return restore_ell_and_rest(hyb, cols);
  Csr<V> A{rows, cols, Buffer<Offset>(rows + 1), {}, {}};
  std::fill(A.ptr.begin(), A.ptr.end(), Offset{0});
  for (std::int64_t i = 0; i < ell_row.size(); ++i) A.ptr[ell_row[i] + 1] = ell_length[i];
  for (const CsrPiece& p : piece) A.ptr[csr_row[p.row] + 1] += p.end - p.begin;
  std::partial_sum(A.ptr.begin(), A.ptr.end(), A.ptr.begin());
  A.col = Buffer<Index>(A.ptr[rows]);
  A.val = Buffer<V>(A.ptr[rows]);
  for (const EllWarp& w : warp)
    for (Index i = w.first; i < w.first + w.rows; ++i)
      each_entry(w, i, ell_length[i], [&](Offset at, Index k) {
        A.col[A.ptr[ell_row[i]] + k] = ell_col[at];
        A.val[A.ptr[ell_row[i]] + k] = ell_val[at];
      });
  Index row = -1;
  Offset to = 0;
  for (const CsrPiece& p : piece) {
    if (p.row != row) to = A.ptr[csr_row[row = p.row]];
    std::copy_n(csr_col.data() + p.begin, p.end - p.begin, A.col.data() + to);
    std::copy_n(csr_val.data() + p.begin, p.end - p.begin, A.val.data() + to);
    to += p.end - p.begin;
  }
  return A;
}

template struct CsrEllFormat<float>;
template struct CsrEllFormat<double>;

const Format& csr_ell_format() { return registered<CsrEllFormat>(); }

}  // namespace heddle

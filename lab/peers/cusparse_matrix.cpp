// Compiled only where cusparse.h is found.
#include "peers/cusparse_matrix.hpp"

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "layout/blocks_build.hpp"
#include "layout/sliced_build.hpp"

namespace heddle::bench {

namespace {

constexpr auto base = CUSPARSE_INDEX_BASE_ZERO;
constexpr auto index = CUSPARSE_INDEX_32I;

// The descriptor that create(&descriptor, arguments...) makes.
template <class F, class... Args>
CusparseOwner<cusparseConstSpMatDescr_t> described(const CusparseTable& table, F create, Args... arguments) {
  cusparseConstSpMatDescr_t made = nullptr;
  check_cusparse(table, create(&made, arguments...), "describing the matrix");
  return {made, table.destroy_matrix};
}

struct BlockChoice {
  BlockShape shape{0, 0};
  Buffer<Offset> start;  // empty: no side will do
  double bytes = 0;
};

template <class V>
BlockChoice choose_blocks(const CsrView<V>& A) {
  constexpr double least_fill = 0.7;
  BlockChoice best;
  for (const int side : {2, 3, 4, 6}) {
    if (A.rows % side != 0 || A.cols % side != 0) continue;
    const BlockShape shape{side, side};
    Buffer<Offset> start = block_starts(A, shape);
    const auto blocks = static_cast<double>(start[start.size() - 1]);
    const double bytes = blocks * (sizeof(V) * shape.places() + sizeof(Index));
    if (static_cast<double>(A.nnz()) < least_fill * blocks * shape.places()) continue;
    if (best.start.empty() || bytes < best.bytes) best = {shape, std::move(start), bytes};
  }
  return best;
}

}  // namespace

CusparseOffsets::CusparseOffsets(std::span<const Offset> host, Device device) {
  if (host.back() > INT32_MAX) {
    wide = Buffer<Offset>::copy_of(host, device);
    return;
  }
  Buffer<Index> short_ones(static_cast<std::int64_t>(host.size()));
  parallel_ranges(short_ones.size(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) short_ones[i] = static_cast<Index>(host[i]);
  });
  narrow = short_ones.to(device);
}

template <class V>
CusparseMatrix<V> cusparse_csr(const CusparseTable& table, const CsrView<V>& A, Device device) {
  CusparseMatrix<V> made{
      .start = {A.ptr, device}, .col = Buffer<Index>::copy_of(A.col, device), .val = Buffer<V>::copy_of(A.val, device)};
  made.descriptor = described(table, table.create_csr, A.rows, A.cols, A.nnz(), made.start.data(), made.col.data(),
                              made.val.data(), made.start.type(), index, base, cusparse_value<V>());
  return made;
}

template <class V>
CusparseMatrix<V> cusparse_coo(const CusparseTable& table, const CsrView<V>& A, Device device) {
  CusparseMatrix<V> made{.row = row_numbers(A).to(device),
                         .col = Buffer<Index>::copy_of(A.col, device),
                         .val = Buffer<V>::copy_of(A.val, device)};
  made.descriptor = described(table, table.create_coo, A.rows, A.cols, A.nnz(), made.row.data(), made.col.data(),
                              made.val.data(), index, base, cusparse_value<V>());
  return made;
}

template <class V>
CusparseMatrix<V> cusparse_sliced_ell(const CusparseTable& table, const CsrView<V>& A, Device device) {
  constexpr std::int64_t slice = 32;
  const auto host =
      build_sliced<V, Index32>(A, {.rows = A.rows, .slice = slice}, {}, {.length = false}, RowPieces{.ptr = A.ptr});
  CusparseMatrix<V> made{.start = {host.start, device}, .col = host.col.to(device), .val = host.val.to(device)};
  made.descriptor =
      described(table, table.create_sliced_ell, A.rows, A.cols, A.nnz(), host.val.size(), slice, made.start.data(),
                made.col.data(), made.val.data(), made.start.type(), index, base, cusparse_value<V>());
  return made;
}

template <class V>
CusparseMatrix<V> cusparse_bsr(const CusparseTable& table, const CsrView<V>& A, Device device) {
  const BlockChoice choice = choose_blocks(A);
  check(!choice.start.empty(), ErrorKind::unavailable, "no square blocks of 2, 3, 4 or 6 rows are 70 % full");
  const BlockShape shape = choice.shape;
  const std::int64_t block_rows = A.rows / shape.r, block_cols = A.cols / shape.c, blocks = choice.start[block_rows];
  Buffer<Index> col(blocks);
  Buffer<V> val(blocks * shape.places());
  parallel_ranges(block_rows, block_rows_at_once(block_rows, A.nnz()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b)
      each_block(A, shape, b, [&, at = choice.start[b]](const BlockEntries& block) mutable {
        col[at] = block.col;
        fill_block(A, shape, block, val.data() + at * shape.places(), 1);
        ++at;
      });
  });
  CusparseMatrix<V> made{.start = {choice.start, device}, .col = col.to(device), .val = val.to(device)};
  made.descriptor = described(table, table.create_bsr, block_rows, block_cols, blocks, std::int64_t{shape.r},
                              std::int64_t{shape.c}, made.start.data(), made.col.data(), made.val.data(),
                              made.start.type(), index, base, cusparse_value<V>(), CUSPARSE_ORDER_ROW);
  return made;
}

#define HEDDLE_INSTANTIATE(V)                                                                      \
  template CusparseMatrix<V> cusparse_csr(const CusparseTable&, const CsrView<V>&, Device);        \
  template CusparseMatrix<V> cusparse_coo(const CusparseTable&, const CsrView<V>&, Device);        \
  template CusparseMatrix<V> cusparse_sliced_ell(const CusparseTable&, const CsrView<V>&, Device); \
  template CusparseMatrix<V> cusparse_bsr(const CusparseTable&, const CsrView<V>&, Device);
HEDDLE_INSTANTIATE(float)
HEDDLE_INSTANTIATE(double)
#undef HEDDLE_INSTANTIATE

}  // namespace heddle::bench

#include "core/dispatch.hpp"
#include "formats/weave/sums/sums.hpp"

namespace heddle::weave {

namespace {

struct FilledRows {
  const std::uint32_t* bits;  // null: every row has entries

  SIMT_DEVICE bool has(std::int64_t row) const {
    return bits == nullptr || (simt::cached_load(bits + row / 32) >> row % 32 & 1) != 0;
  }
};

template <class V, class S>
struct SumsView {
  std::int64_t rows, warps;
  int warp_rows, groups;
  const Offset* start;
  const Index* col;
  const std::uint16_t* row;
  CodedValues<V, S> values;
  FilledRows filled;
  V* partial;
};

template <int K, class S>
struct Batch {
  Index col[K];
  std::uint16_t row[K];
  S stored[K];
};

template <int K, class V, class S>
SIMT_DEVICE void load(const SumsView<V, S>& A, Offset batch, Batch<K, S>& to) {
  constexpr int slots = K * simt::warp_size;
  load_pieces<Keep::nothing>(A.col + batch * slots, to.col);
  load_pieces<Keep::nothing>(A.row + batch * slots, to.row);
  load_pieces<Keep::nothing>(A.values.data + batch * slots, to.stored);
}

// The rows of a step are distinct; those of two steps are not.
template <int K, class V, class S>
SIMT_DEVICE void add(const Batch<K, S>& batch, const CodedValues<V, S>& values, const V* x, V* sums) {
  V product[K];
#pragma unroll
  for (int i = 0; i < K; ++i) product[i] = batch.col[i] >= 0 ? simt::cached_load(x + batch.col[i]) : V(0);
#pragma unroll
  for (int i = 0; i < K; ++i) product[i] = batch.col[i] >= 0 ? values.decode(batch.stored[i]) * product[i] : V(0);
#pragma unroll
  for (int i = 0; i < K; ++i) {
    if (batch.col[i] >= 0) sums[batch.row[i]] += product[i];
    simt::sync_warp();
  }
}

// A block a row block and group; its warps never meet.
template <int K, class V, class S>
SIMT_BOUNDED_KERNEL((K == 4 ? 1024 : 512), 1)
weave_sums_block_per_rows(SumsView<V, S> A, const V* x, Update<V> update) {
  const std::int64_t row_block = simt::block() / A.groups, group = simt::block() % A.groups;
  const std::int64_t warp = row_block * (simt::block_threads() / simt::warp_size) + simt::warp();
  if (warp >= A.warps) return;
  const std::int64_t first_row = warp * A.warp_rows, left = A.rows - first_row;
  const int rows = left < A.warp_rows ? static_cast<int>(left) : A.warp_rows;
  V* sums = simt::shared<V>() + simt::warp() * A.warp_rows;
  for (int i = simt::lane(); i < rows; i += simt::warp_size) sums[i] = 0;
  simt::sync_warp();

  const Offset first = A.start[warp], batches = A.start[warp + 1] - first;
  const Offset end = first + batches * (group + 1) / A.groups;
  Offset at = first + batches * group / A.groups;
  Batch<K, S> next;
  if (at < end) load(A, at, next);
  while (at < end) {
    const Batch<K, S> batch = next;
    if (++at < end) load(A, at, next);
    add(batch, A.values, x, sums);
  }

  for (int i = simt::lane(); i < rows; i += simt::warp_size) {
    const std::int64_t row = first_row + i;
    if (A.groups == 1)
      update.row(row, sums[i], A.filled.has(row));
    else
      A.partial[group * A.rows + row] = sums[i];
  }
}

template <class V>
SIMT_KERNEL weave_sums_thread_per_row(const V* partial, std::int64_t rows, int groups, FilledRows filled,
                                      Update<V> update) {
  const std::int64_t row = simt::global_thread();
  if (row >= rows) return;
  V sum = 0;
  for (int group = 0; group < groups; ++group) sum += simt::uncached_load(partial + group * rows + row);
  update.row(row, sum, filled.has(row));
}

template <class V, class S>
void start(simt::Here here, const Sums<V>& A, const CodedValues<V, S>& values, const Product<V>& p) {
  const FilledRows filled{A.filled.data()};
  V* partial = const_cast<V*>(A.partial.data());
  const SumsShape& shape = A.shape;
  const SumsView<V, S> view{shape.rows,   shape.warps(), shape.warp_rows, A.groups, A.start.data(),
                            A.col.data(), A.row.data(),  values,          filled,   partial};
  const simt::Launch blocks{shape.row_blocks() * A.groups, shape.block_warps * simt::warp_size,
                            static_cast<std::size_t>(shape.block_warps) * shape.warp_rows * sizeof(V), p.stream};
  dispatch_int<4, 8>(shape.batch, [&](auto K) {
    simt::launch(here, blocks, weave_sums_block_per_rows<K.value, V, S>, view, p.x, p.update);
  });
  if (A.groups == 1) return;
  constexpr int threads = 256;
  const simt::Launch per_row{simt::blocks_for(shape.rows, threads), threads, 0, p.stream};
  simt::launch(here, per_row, weave_sums_thread_per_row<V>, partial, shape.rows, A.groups, filled, p.update);
}

}  // namespace

template <class V>
void Sums<V>::multiply(simt::Here here, const Product<V>& p) const {
  values.visit([&](const auto& coded) { weave::start(here, *this, coded, p); });
}

template void Sums<float>::multiply(simt::Here, const Product<float>&) const;
template void Sums<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle::weave

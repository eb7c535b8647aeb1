#include "formats/weave/blocks/blocks.hpp"

#include <atomic>
#include <bit>

#include "core/parallel.hpp"
#include "layout/blocks_build.hpp"

namespace heddle::weave {

namespace {

TeamShape shape_of(const BlocksSettings& settings) { return {settings.lanes, 1}; }

// Where block k of stored block row i is: its slot, and its lane.
struct Slot {
  std::int64_t step;
  int lane;
};
Slot slot_of(const SlicedColumns& c, std::int64_t i, std::int64_t k) {
  const ColumnSlice& slice = c.slices[i / c.shape.slice_rows()];
  return {slice.first + k / c.shape.lanes, c.shape.lane_of(static_cast<int>(i % c.shape.slice_rows()), k)};
}

// f(B, place) with place(slot, e): where entry e of a block is among the values.
template <class V, class F>
void with_places(int size, const ValueStore<V>& values, F f) {
  dispatch_block(size, [&](auto B) {
    values.visit([&]<class S>(const CodedValues<V, S>&) {
      constexpr int places = B * B;
      f([](Slot at, int e) { return at.step * simt::warp_size * places + place_in_pieces<S, places>(at.lane, e); });
    });
  });
}

// Full blocks need not be looked for: they lie one after the other in each of their rows.
template <class V>
void store_full_blocks(const CsrView<V>& A, Blocks<V>& to) {
  with_places(to.size, to.values, [&](auto place) {
    parallel_ranges(to.columns.rows, block_rows_at_once(to.columns.rows, A.nnz()),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) {
                        const std::int64_t top = to.columns.stored_row(i) * to.size;
                        const std::int64_t blocks = top < A.rows ? A.length(top) / to.size : 0;
                        for (std::int64_t k = 0; k < blocks; ++k) {
                          const Slot at = slot_of(to.columns, i, k);
                          for (int e = 0; e < to.size * to.size; ++e)
                            to.values.set(place(at, e), A.val[A.ptr[top + e / to.size] + k * to.size + e % to.size]);
                        }
                      }
                    });
  });
}

template <class V>
void store_blocks(const CsrView<V>& A, Blocks<V>& to, const BlockPattern& pattern) {
  const BlockShape shape{to.size, to.size};
  const std::int64_t at_once = block_rows_at_once(to.columns.rows, A.nnz());
  with_places(to.size, to.values, [&](auto place) {
    parallel_ranges(to.columns.rows, at_once, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t block_row = to.columns.stored_row(i);
        std::int64_t k = 0;
        each_block(A, shape, block_row, [&](const BlockEntries& block) {
          const Slot at = slot_of(to.columns, i, k);
          const Index corner = block.col * to.size;
          for (int line = 0; line < to.size; ++line)
            for (Offset e = block.from[line]; e < block.to[line]; ++e)
              to.values.set(place(at, line * to.size + (A.col[e] - corner)), A.val[e]);
          to.masks[at.step * simt::warp_size + at.lane] = pattern.mask[pattern.ptr[block_row] + k];
          ++k;
        });
      }
    });
  });
}

}  // namespace

namespace {

BlockPattern pattern_of_full_blocks(const PatternView& A, int size) {
  BlockPattern made{A.rows / size, (A.cols + size - 1) / size, Buffer<Offset>(A.rows / size + 1), {}, {}};
  made.col = Buffer<Index>(A.nnz() / (size * size));
  made.ptr[0] = 0;
  parallel_ranges(made.rows, block_rows_at_once(made.rows, A.nnz()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      Offset next = A.ptr[row * size] / (size * size);
      for (Offset k = A.ptr[row * size]; k < A.ptr[row * size + 1]; k += size) made.col[next++] = A.col[k] / size;
      made.ptr[row + 1] = next;
    }
  });
  return made;
}

}  // namespace

BlockPattern block_pattern(const PatternView& A, int size) {
  const BlockSizes asked{possible_full_blocks(A).bits & 1u << size};
  if (asked.bits != 0 && full_blocks(A, asked).has(size)) return pattern_of_full_blocks(A, size);
  const BlockShape shape{size, size};
  BlockPattern made{shape.block_rows(A.rows), (A.cols + size - 1) / size, block_starts(A, shape), {}, {}};
  const Offset blocks = made.ptr[made.rows];
  made.col = Buffer<Index>(blocks);
  made.mask = Buffer<std::uint32_t>(blocks);
  std::atomic<bool> full{true};
  parallel_ranges(made.rows, block_rows_at_once(made.rows, A.nnz()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      Offset k = made.ptr[row];
      each_block(A, shape, row, [&](const BlockEntries& block) {
        std::uint32_t mask = 0;
        for (int line = 0; line < size; ++line)
          for (Offset e = block.from[line]; e < block.to[line]; ++e)
            mask |= 1u << (line * size + (A.col[e] - block.col * size));
        if (mask != shape.full()) full.store(false, std::memory_order_relaxed);
        made.col[k] = block.col;
        made.mask[k++] = mask;
      });
    }
  });
  made.full = full;
  return made;
}

template <class V>
Footprint Blocks<V>::footprint(const PatternView& A, const BlocksSettings& settings, int value_bytes) {
  const BlockPattern pattern = block_pattern(A, settings.block);
  const SlicedColumns planned = plan_columns(pattern.view(), shape_of(settings), settings.sort);
  const std::int64_t slots = planned.steps * simt::warp_size, stored = slots * settings.block * settings.block;
  return {.bytes = column_bytes(planned) + (pattern.full ? 0 : slots * 4) +
                   value_store_bytes(settings.codec, stored, value_bytes),
          .stored = stored};
}

template <class V>
Blocks<V> Blocks<V>::build(const CsrView<V>& A, const BlocksSettings& settings) {
  const BlockPattern pattern = block_pattern(A, settings.block);
  Blocks to{A.rows,
            A.cols,
            settings.block,
            settings.keep == Keep::matrix,
            plan_columns(pattern.view(), shape_of(settings), settings.sort),
            {},
            {}};
  store_columns(pattern.view(), to.columns);
  const std::int64_t slots = to.columns.steps * simt::warp_size, stored = slots * to.size * to.size;
  if (!pattern.full) {
    to.masks = Buffer<std::uint32_t>(slots);
    std::fill(to.masks.begin(), to.masks.end(), 0u);
  }
  to.values = make_value_store(A.val, settings.codec, stored);
  parallel_ranges(stored, 1 << 16, [&](std::int64_t begin, std::int64_t end) { to.values.clear(begin, end); });
  if (pattern.full)
    store_full_blocks(A, to);
  else
    store_blocks(A, to, pattern);
  return to;
}

template <class V>
Csr<V> Blocks<V>::restore() const {
  Csr<V> A{rows, cols, Buffer<Offset>(rows + 1), {}, {}};
  const BlockShape shape{size, size};
  // f(line, column, entry of the block, slot) over the entries of stored block row i, block by block.
  const auto each = [&](std::int64_t i, auto f) {
    const std::int64_t s = i / columns.shape.slice_rows();
    for (std::int64_t k = 0; k / columns.shape.lanes < columns.slices[s].width; ++k) {
      const Slot at = slot_of(columns, i, k);
      const Index block_col = columns.column(s, k / columns.shape.lanes, at.lane, 0);
      if (block_col < 0) return;
      const std::uint64_t mask = masks.empty() ? shape.full() : masks[at.step * simt::warp_size + at.lane];
      for (std::uint64_t left = mask; left != 0; left &= left - 1) {
        const int e = std::countr_zero(left);
        f(e / size, block_col * size + e % size, e, at);
      }
    }
  };
  std::fill(A.ptr.begin(), A.ptr.end(), Offset{0});
  for (std::int64_t i = 0; i < columns.rows; ++i)
    each(i, [&](int line, Index, int, Slot) { ++A.ptr[columns.stored_row(i) * size + line + 1]; });
  for (std::int64_t row = 0; row < rows; ++row) A.ptr[row + 1] += A.ptr[row];
  A.col = Buffer<Index>(A.ptr[rows]);
  A.val = Buffer<V>(A.ptr[rows]);
  with_places(size, values, [&](auto place) {
    for (std::int64_t i = 0; i < columns.rows; ++i) {
      const std::int64_t first = columns.stored_row(i) * size;
      Offset next[largest_block] = {};
      for (int line = 0; line < size && first + line < rows; ++line) next[line] = A.ptr[first + line];
      each(i, [&](int line, Index column, int e, Slot at) {
        A.col[next[line]] = column;
        A.val[next[line]++] = values.get(place(at, e));
      });
    }
  });
  return A;
}

template struct Blocks<float>;
template struct Blocks<double>;

}  // namespace heddle::weave

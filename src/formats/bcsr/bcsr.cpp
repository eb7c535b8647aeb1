#include "formats/bcsr/bcsr.hpp"

#include "formats/registered.hpp"
#include "layout/row_tasks.hpp"

namespace heddle {

namespace {

// The tasks of the rows, on borders of block rows: work follows the entries, whatever the blocks.
Buffer<Index> block_row_tasks(const PatternView& A, BlockShape shape) {
  Buffer<Index> task = row_tasks(A);
  for (Index& first : task) first = static_cast<Index>(shape.block_rows(first));
  return task;
}

}  // namespace

template <class V>
FormatInfo BcsrFormat<V>::about() {
  return {.name = "bcsr",
          .summary = "blocked compressed rows, aligned r x c blocks, one column number per block",
          .origin = "BCSR 4x4 of Buatois et al.; BSR in other libraries",
          .drawing =
              "  2 x 2:  a b | . .     ptr   0  2  3            block row R owns blocks ptr[R] .. ptr[R+1]-1\n"
              "          c . | d .     col   0  1  1\n"
              "          ---------     mask  1110 0010 1111     which places are entries\n"
              "          . . | e f     val   a b c 0 | 0 0 d 0 | e f g h\n"
              "          . . | g h     entry (i, j) of block b is at val[b*r*c + i*c + j]\n",
          .settings = {}};
}

// No product here can overflow: blocks <= entries, and a block takes at most 64 * 8 + 12 bytes.
template <class V>
Footprint BcsrFormat<V>::footprint(const PatternView& A, const Settings& settings, int value_bytes) {
  Found starts;
  return at_most(A, settings, value_bytes, starts);
}

// Exactly so much.
template <class V>
Footprint BcsrFormat<V>::at_most(const PatternView& A, const Settings& settings, int value_bytes, Found& starts) {
  const BlockShape shape{settings.r, settings.c};
  if (starts.empty()) starts = block_starts(A, shape);
  const std::int64_t block_rows = shape.block_rows(A.rows), blocks = starts[block_rows];
  const std::int64_t block =
      std::int64_t{shape.places()} * value_bytes + shape.mask_bytes() + static_cast<std::int64_t>(sizeof(Index));
  return {.bytes = (block_rows + 1) * static_cast<std::int64_t>(sizeof(Offset)) + blocks * block +
                   row_task_bytes(A.rows, A.nnz()),
          .stored = blocks * shape.places()};
}

template <class V>
BcsrFormat<V> BcsrFormat<V>::build(Source<V> source, const Settings& settings, Found starts) {
  const CsrView<V>& A = source.view;
  BcsrFormat made{A.rows, A.cols, {settings.r, settings.c}, {}, {}, {}, {}, {}};
  const BlockShape shape = made.shape;
  const std::int64_t block_rows = shape.block_rows(A.rows);
  made.ptr = starts.empty() ? block_starts(A, shape) : std::move(starts);
  const Offset blocks = made.ptr[block_rows];
  made.col = Buffer<Index>(blocks);
  made.mask = Buffer<std::uint8_t>(blocks * shape.mask_bytes());
  made.val = Buffer<V>(blocks * shape.places());
  made.task = block_row_tasks(A, shape);
  parallel_ranges(block_rows, block_rows_at_once(block_rows, A.nnz()), [&](std::int64_t begin, std::int64_t end) {
    Offset b = made.ptr[begin];
    for (std::int64_t block_row = begin; block_row < end; ++block_row)
      each_block(A, shape, block_row, [&](const BlockEntries& entries) {
        made.col[b] = entries.col;
        const std::uint64_t mask = fill_block(A, shape, entries, made.val.data() + b * shape.places(), 1);
        store_mask(made.mask.data(), shape.mask_bytes(), b, mask);
        ++b;
      });
  });
  return made;
}

template <class V>
StoredBlock<V> BcsrFormat<V>::block(std::int64_t i, std::int64_t k) const {
  const Offset b = ptr[i] + k;
  return {col[b], load_mask(mask.data(), shape.mask_bytes(), b), val.data() + b * shape.places(), 1};
}

template <class V>
Csr<V> BcsrFormat<V>::restore() const {
  return restore_blocks<V>(*this);
}

template struct BcsrFormat<float>;
template struct BcsrFormat<double>;

const Format& bcsr_format() { return registered<BcsrFormat>(); }

}  // namespace heddle

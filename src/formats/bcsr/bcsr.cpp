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

template <class F>
void each_block_row(const PatternView& A, BlockShape shape, F f) {
  const std::int64_t rows = shape.block_rows(A.rows);
  parallel_ranges(rows, block_rows_at_once(rows, A.nnz()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) f(row);
  });
}

// The block on or right of the diagonal that holds (row, col), which is left of it; -1: there is none.
std::int64_t twin_block(const BcsrPattern& p, std::int64_t block_rows, std::int64_t row, std::int64_t col) {
  if (row >= block_rows) return -1;
  const Index* last = p.col.data() + p.ptr[row + 1];
  const Index* first = last - (p.own[row + 1] - p.own[row]);
  const Index* found = std::lower_bound(first, last, col);
  return found != last && *found == col ? p.own[row] + (found - first) : -1;
}

BcsrPattern bcsr_pattern(const PatternView& A, BlockShape shape, bool symmetric) {
  BcsrPattern made{.ptr = block_starts(A, shape)};
  if (!symmetric) return made;
  const std::int64_t rows = shape.block_rows(A.rows);
  made.own = Buffer<Offset>(rows + 1);
  made.col = Buffer<Index>(made.ptr[rows]);
  made.own[0] = 0;
  each_block_row(A, shape, [&](std::int64_t row) {
    Offset b = made.ptr[row], own = 0;
    each_block(A, shape, row, [&](const BlockEntries& block) {
      made.col[b++] = block.col;
      own += block.col >= row ? 1 : 0;
    });
    made.own[row + 1] = own;
  });
  for (std::int64_t row = 0; row < rows; ++row) made.own[row + 1] += made.own[row];
  made.at = Buffer<Index>(made.ptr[rows] - made.own[rows]);
  std::atomic<bool> all_found = true;
  each_block_row(A, shape, [&](std::int64_t row) {
    const Index* col = made.col.data() + made.ptr[row];
    for (Offset k = made.ptr[row] - made.own[row]; k < made.ptr[row + 1] - made.own[row + 1]; ++k) {
      const std::int64_t at = twin_block(made, rows, *col++, row);
      if (at < 0) all_found = false;
      made.at[k] = static_cast<Index>(at);
    }
  });
  if (made.own[rows] > INT32_MAX) made.misfit = "it would store more than 2^31 blocks";
  if (!all_found) made.misfit = "its pattern is not symmetric";
  return made;
}

std::int64_t mask_bytes(BlockShape shape, std::int64_t blocks, std::int64_t nnz, bool symmetric) {
  return symmetric && blocks * shape.places() == nnz ? 0 : blocks * shape.mask_bytes();
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

template <class V>
void BcsrFormat<V>::settle(Settings& settings, const PatternView&) {
  if (settings.symmetric() && (settings.r != settings.c || settings.r < 2 || settings.r > 5))
    fail(ErrorKind::unavailable, {"values=symmetric", "r and c are equal, 2 to 5"}, "blocks of {} x {}", settings.r,
         settings.c);
}

// No product here can overflow: blocks <= entries, and a block takes at most 64 * 8 + 12 bytes.
template <class V>
Footprint BcsrFormat<V>::footprint(const PatternView& A, const Settings& settings, int value_bytes) {
  Found pattern;
  return at_most(A, settings, value_bytes, pattern);
}

// Exactly so much.
template <class V>
Footprint BcsrFormat<V>::at_most(const PatternView& A, const Settings& settings, int value_bytes, Found& pattern) {
  const BlockShape shape{settings.r, settings.c};
  const bool symmetric = settings.symmetric();
  if (pattern.ptr.empty()) pattern = bcsr_pattern(A, shape, symmetric);
  const std::int64_t rows = shape.block_rows(A.rows), blocks = pattern.ptr[rows];
  const std::int64_t stored = symmetric ? pattern.own[rows] : blocks;
  constexpr std::int64_t index = sizeof(Index), offset = sizeof(Offset);
  Footprint need{.bytes = (rows + 1) * offset + blocks * index + mask_bytes(shape, blocks, A.nnz(), symmetric) +
                          stored * shape.places() * value_bytes + row_task_bytes(A.rows, A.nnz()),
                 .stored = stored * shape.places()};
  if (symmetric) need.bytes += (rows + 1) * offset + (blocks - stored) * index;
  if (pattern.misfit) need.fits = false, need.reason = pattern.misfit;
  return need;
}

namespace {

// Blocks of a row, those left of `from` without their values: another row keeps them.
template <class V>
void fill_block_row(const CsrView<V>& A, BcsrFormat<V>& to, std::int64_t row, std::int64_t from) {
  const BlockShape shape = to.shape;
  V elsewhere[most_block_rows * most_block_rows];
  Offset b = to.ptr[row], stored = to.symmetric() ? to.own[row] : b;
  each_block(A, shape, row, [&](const BlockEntries& entries) {
    V* val = entries.col < from ? elsewhere : to.val.data() + stored++ * shape.places();
    const std::uint64_t mask = fill_block(A, shape, entries, val, 1);
    if (!to.mask.empty()) store_mask(to.mask.data(), shape.mask_bytes(), b, mask);
    to.col[b++] = entries.col;
  });
}

}  // namespace

template <class V>
BcsrFormat<V> BcsrFormat<V>::build(Source<V> source, const Settings& settings, Found found) {
  const CsrView<V>& A = source.view;
  const BlockShape shape{settings.r, settings.c};
  const bool symmetric = settings.symmetric();
  if (symmetric) check_symmetric(A, WithoutTwin::refused);
  if (found.ptr.empty()) found = bcsr_pattern(A, shape, symmetric);
  auto& [ptr, own, col, at, misfit] = found;
  const std::int64_t rows = shape.block_rows(A.rows), blocks = ptr[rows], stored = symmetric ? own[rows] : blocks;
  BcsrFormat made{.rows = A.rows,
                  .cols = A.cols,
                  .shape = shape,
                  .ptr = std::move(ptr),
                  .col = symmetric ? std::move(col) : Buffer<Index>(blocks),
                  .mask = Buffer<std::uint8_t>(mask_bytes(shape, blocks, A.nnz(), symmetric)),
                  .val = Buffer<V>(stored * shape.places()),
                  .task = block_row_tasks(A, shape),
                  .own = std::move(own),
                  .at = std::move(at)};
  each_block_row(A, shape, [&](std::int64_t row) { fill_block_row(A, made, row, symmetric ? row : 0); });
  return made;
}

template <class V>
StoredBlock<V> BcsrFormat<V>::block(std::int64_t i, std::int64_t k) const {
  const Offset b = ptr[i] + k;
  const std::int64_t left = left_of(i);
  const bool mirrored = k < left;
  const Offset stored = mirrored ? at[ptr[i] - own[i] + k] : symmetric() ? own[i] + k - left : b;
  return {.col = col[b],
          .mask = mask.empty() ? shape.full() : load_mask(mask.data(), shape.mask_bytes(), b),
          .val = val.data() + stored * shape.places(),
          .transposed = mirrored};
}

template <class V>
Csr<V> BcsrFormat<V>::restore() const {
  return restore_blocks<V>(*this);
}

template struct BcsrFormat<float>;
template struct BcsrFormat<double>;

const Format& bcsr_format() { return registered<BcsrFormat>(); }

}  // namespace heddle

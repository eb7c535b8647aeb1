// y in shared memory: the layout for random columns. A block of the GPU owns up to 32,768 rows (float) and adds up
// their sums in shared memory, so the entries of a warp may come in the order of their columns: all warps of the block
// walk along x together, and a sector of x that one of them has fetched serves the others from the L1.
//
//   rows     | row block: warps of `warp_rows` rows each | row block | ...     no two warps share a sum
//   stream   of a warp: its entries by column, in steps of 32 (one a lane) whose rows are DISTINCT: adding to shared
//            memory needs no atomics and gives the same bits every time
//
//            by column     a b a c d b ...    (row of each entry)         32 lanes, here 4
//            steps         a b c d | a b . .  an entry whose row is in the step already waits for a later one;
//                                             . no entry (column -1)
//
//   batch    4 or 8 steps: what a warp has in flight. Lanes have their entries in pieces (codec/lane_pieces.hpp)
//   threads  of a block: fewer warps have more rows each, so the 32 columns of a step lie closer together
//   groups   G blocks share a row block: each takes an equal part of every warp's batches and leaves its sums in
//            `partial`; a second kernel adds the G of a row, in order
//   filled   one bit a row: has it entries; absent when all have
#pragma once

#include "formats/weave/weave_layout.hpp"

namespace heddle::weave {

struct SumsSettings {
  ValueCodec codec = ValueCodec::raw;
  Open<int> threads, kb, groups;  // of a block of the GPU; memory for its sums; blocks that share the same rows

  template <class F>
  void each(F f) {
    f("threads", threads), f("kb", kb), f("groups", groups);
  }
};

inline constexpr int default_sums_kb = 128;  // leaves about 100 KB of an H200's unit to the L1
inline constexpr int default_sums_threads = 1024;
inline constexpr int most_warp_rows = 26624;  // 208 KB of floats for two warps

// How rows are dealt out to blocks and warps, by the memory for their sums.
struct SumsShape {
  std::int64_t rows = 0;
  int warp_rows = simt::warp_size;  // a multiple of 32
  int block_warps = 1;
  int batch = 4;  // steps: 8 where few threads share the registers

  static SumsShape of(std::int64_t rows, int value_bytes, int kb = default_sums_kb, int threads = default_sums_threads);
  int batch_slots() const { return batch * simt::warp_size; }
  std::int64_t warps() const { return (rows + warp_rows - 1) / warp_rows; }
  std::int64_t row_blocks() const { return (warps() + block_warps - 1) / block_warps; }
};

// Where an array of Ts has the entry of a lane in a step of the warp that begins with `first_batch`; K steps a batch.
template <class T, int K>
SIMT_BOTH std::int64_t place_in_batch(Offset first_batch, std::int64_t step, int lane) {
  return (first_batch + step / K) * K * simt::warp_size + place_in_pieces<T, K>(lane, static_cast<int>(step % K));
}

// An entry whose row is in the step already waits; so many at most, which bounds the search of a step. (Random columns
// keep about one waiting.)
inline constexpr int most_waiting = 128;

// The entries of a warp are cut in parts of about 8,192, each for itself, so that several warps of a GPU can do it at
// the same time. It leaves a step or two of 256 half empty. A smaller matrix has few warps, and smaller parts (2,048
// instead of 4,096: 3.7 M entries in random columns are built in 232 instead of 289 us, and multiplied as before;
// H200).
struct CutParts {
  std::int64_t part_entries;

  explicit CutParts(std::int64_t nnz) : part_entries(nnz < 1 << 22 ? 2048 : nnz < 1 << 23 ? 4096 : 8192) {}
  SIMT_BOTH std::int64_t of(std::int64_t entries) const {
    return entries < part_entries ? 1 : (entries + part_entries / 2) / part_entries;
  }
  SIMT_BOTH std::int64_t begin(std::int64_t entries, std::int64_t part) const {
    return part < of(entries) ? entries * part / of(entries) : entries;
  }
};

// The most places that are worth storing.
inline std::int64_t most_sums_places(std::int64_t nnz) {
  constexpr std::int64_t always_fine = 1 << 16;
  return std::max(2 * nnz, always_fine);
}
inline std::int64_t partial_sums(std::int64_t rows, int groups) { return groups > 1 ? rows * groups : 0; }

template <class V>
struct Sums {
  using Settings = SumsSettings;

  SumsShape shape;
  std::int64_t cols = 0;
  int groups = 1;
  Buffer<Offset> start;  // first batch of each warp, and the number of batches at the end
  Buffer<Index> col;
  Buffer<std::uint16_t> row;  // within the rows of the warp
  ValueStore<V> values;
  Buffer<std::uint32_t> filled;
  Buffer<V> partial;  // scratch of `multiply`: group g has partial[g * rows ...]; empty for one group

  static Footprint footprint(const PatternView& A, const SumsSettings& settings, int value_bytes);
  static Sums build(const CsrView<V>& A, const SumsSettings& settings);
  static std::optional<Sums> build_there(simt::Emulator, const MatrixThere<V>& A, const SumsSettings& settings, Device);
  static std::optional<Sums> build_there(simt::Cuda, const MatrixThere<V>& A, const SumsSettings& settings, Device);
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.start), f(self.col), f(self.row), f(self.filled), f(self.partial);
    ValueStore<V>::each_array(self.values, f);
  }
  template <class Self, class F>
  static void each_scratch(Self& self, F f) {
    f(self.partial);
  }
  bool uses_scratch() const { return !partial.empty(); }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
};

// Blocks that share a row block, so that a large GPU has one block (or a few) a unit.
int sums_groups(const MatrixShape& A, int value_bytes, int kb, int threads);

// Pieces of x of 32 bytes, for all row blocks together: how many entries share one tells how often the L1 is of use.
double sectors_of_sums(const MatrixShape& A, int value_bytes, int kb = default_sums_kb);

}  // namespace heddle::weave

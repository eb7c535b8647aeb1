// Small dense blocks in slices: the layout for several unknowns a node (elasticity, flow, lattices). One 16-bit number
// a block (codec/sliced_columns.hpp, rows and columns being those of blocks), T lanes share a row of blocks.
//
//   values of a step: 32 lanes x B*B places of a block (codec/lane_pieces.hpp), row by row of the block
//   masks:            one number a block, bit i*B + j for entry (i, j); absent when every block is full
//
// Fill-in and places without a block never touch x.
#pragma once

#include <memory>
#include <optional>

#include "codec/sliced_columns.hpp"
#include "formats/weave/blocks/full_blocks.hpp"
#include "formats/weave/weave_layout.hpp"

namespace heddle::weave {

struct BlocksSettings {
  ValueCodec codec = ValueCodec::raw;
  Open<int> block, lanes, sort;  // rows and columns of a block; lanes that share a row of them; as for rows
  Open<Keep> keep;

  template <class F>
  void each(F f) {
    f("block", block), f("lanes", lanes), f("sort", sort), f("keep", keep);
  }
};

// The slices of full blocks, planned before the host knows which are full, or whether the arrays are a matrix: kernels
// have found that out when it is their turn. One wait less.
class PlannedBlocks {
 public:
  // Of each size.
  struct Lanes {
    int of[largest_block + 1] = {};
  };
  virtual ~PlannedBlocks() = default;
  // Where FullBlocksQuestion shall leave what it finds.
  virtual BlockSizes* holes() = 0;
  // Behind that question.
  virtual void queue() = 0;
  // Waits. full: what was found. Nothing: that is planned for other sizes, or other lanes.
  virtual std::optional<PlannedColumns> heard(BlockSizes full, int size, int lanes) = 0;
};
// Null: slices are not few.
std::unique_ptr<PlannedBlocks> plan_full_blocks(simt::Emulator, const PatternView& there, BlockSizes sizes,
                                                const PlannedBlocks::Lanes& lanes, Device device);
std::unique_ptr<PlannedBlocks> plan_full_blocks(simt::Cuda, const PatternView& there, BlockSizes sizes,
                                                const PlannedBlocks::Lanes& lanes, Device device);

// What was found out before building.
struct BlocksKnown {
  BlockSizes full;  // sizes of which all blocks are full
  std::unique_ptr<PlannedBlocks> planned;
};

template <class V>
struct Blocks {
  using Settings = BlocksSettings;

  std::int64_t rows = 0, cols = 0;
  int size = 3;  // B
  bool keep = false;
  SlicedColumns columns;        // of blocks
  Buffer<std::uint32_t> masks;  // per slot
  ValueStore<V> values;

  static Footprint footprint(const PatternView& A, const BlocksSettings& settings, int value_bytes);
  static Blocks build(const CsrView<V>& A, const BlocksSettings& settings);
  using Found = std::optional<BlocksKnown>;  // none: nobody has asked
  static std::optional<Blocks> build_there(simt::Emulator, const MatrixThere<V>& A, const BlocksSettings& settings,
                                           Device, const Found& found = {});
  static std::optional<Blocks> build_there(simt::Cuda, const MatrixThere<V>& A, const BlocksSettings& settings, Device,
                                           const Found& found = {});
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    SlicedColumns::each_array(self.columns, f);
    f(self.masks);
    ValueStore<V>::each_array(self.values, f);
  }
  bool uses_scratch() const { return false; }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
  bool multiply_many(OnCpu, const ProductMany<V>& product) const;
  bool multiply_many(simt::Emulator, const ProductMany<V>& product) const;
  bool multiply_many(simt::Cuda, const ProductMany<V>& product) const;
};

// The matrix of blocks: its pattern, the mask of each block, and whether all are full; then there may be no masks.
struct BlockPattern {
  std::int64_t rows = 0, cols = 0;
  Buffer<Offset> ptr;
  Buffer<Index> col;
  Buffer<std::uint32_t> mask;
  bool full = true;

  PatternView view() const { return {rows, cols, ptr, col}; }
};
BlockPattern block_pattern(const PatternView& A, int size);
// For arrays on a device, on that device. Kernels that build full blocks do without it (full_blocks.hpp).
BlockPattern block_pattern(simt::Emulator, const PatternView& there, int size, Device device);
BlockPattern block_pattern(simt::Cuda, const PatternView& there, int size, Device device);

}  // namespace heddle::weave

// The settings of weave: which layout, and what that layout can be told.
#pragma once

#include "codec/value_codec.hpp"
#include "formats/settings.hpp"

namespace heddle {

enum class WeaveLayout { diagonals, blocks, rows, segments, padded, long_rows, tiles, sums };
inline const std::vector<std::string> weave_layout_names{"diagonals", "blocks", "rows",  "segments",
                                                         "padded",    "long",   "tiles", "sums"};

enum class WeaveColumns { each, bytes, runs, quads };
inline const std::vector<std::string> weave_column_names{"each", "bytes", "runs", "quads"};

struct WeaveSettings {
  int layout = automatic;
  int values = automatic;
  int block = automatic;     // blocks: rows and columns of a block
  int lanes = automatic;     // blocks, rows, padded: lanes that share a row (of blocks)
  int per_lane = automatic;  // rows, diagonals: rows of a lane; segments, tiles: entries of a lane
  int sort = automatic;      // blocks, rows: window in which rows are sorted by length; 1: not at all
  int threads = automatic;   // rows, sums: threads of a block of the GPU
  int team = automatic;      // long: threads of a row
  int columns = automatic;   // rows, long: how they are stored
  int order = automatic;     // tiles: of the columns
  int width = automatic;     // tiles: columns of a tile
  int keep = automatic;      // whether the L1 shall keep the matrix
  int kb = automatic;        // sums: memory for the sums of a block of the GPU
  int groups = automatic;    // long, sums: blocks that share the same rows

  WeaveLayout chosen() const { return static_cast<WeaveLayout>(layout); }
  ValueCodec codec() const { return values == automatic ? ValueCodec::raw : static_cast<ValueCodec>(values); }
  WeaveColumns column_codec() const {
    return columns == automatic ? WeaveColumns::each : static_cast<WeaveColumns>(columns);
  }
  bool in_bytes() const { return column_codec() == WeaveColumns::bytes; }
  bool any(std::initializer_list<WeaveLayout> layouts) const {
    for (const WeaveLayout l : layouts)
      if (layout == automatic || chosen() == l) return true;
    return false;
  }

  std::vector<Field> fields() {
    using enum WeaveLayout;
    return {
        {.name = "layout",
         .value = &layout,
         .meaning = "how entries are arranged; auto: by the structure of the matrix",
         .words = weave_layout_names,
         .may_be_automatic = true},
        {.name = "values",
         .value = &values,
         .meaning = "how values are stored, never with loss; auto: the fewest bytes that hold them",
         .words = value_codec_names,
         .may_be_automatic = true},
        {.name = "block",
         .value = &block,
         .meaning = "rows and columns of a block",
         .numbers = {2, 3, 4, 5},
         .may_be_automatic = true,
         .used = any({blocks})},
        {.name = "lanes",
         .value = &lanes,
         .meaning = "lanes of a warp that share a row, or a row of blocks",
         .numbers = {1, 2, 4, 8, 16, 32},
         .may_be_automatic = true,
         .used = any({blocks, rows, padded})},
        {.name = "per_lane",
         .value = &per_lane,
         .meaning = "rows a lane works on (rows: 1, 2, 4; diagonals: 1, 4), or its entries of a row or segment "
                    "(padded: 1, 4; segments, "
                    "tiles: 4, 8)",
         .numbers = {1, 2, 4, 8},
         .may_be_automatic = true,
         .used = any({diagonals, rows, segments, padded, tiles})},
        {.name = "sort",
         .value = &sort,
         .meaning = "rows that are sorted by their lengths together; 1: none",
         .numbers = {1, 1024},
         .may_be_automatic = true,
         .used = any({blocks, rows})},
        {.name = "threads",
         .value = &threads,
         .meaning = "threads of a block of the GPU",
         .numbers = {64, 128, 256, 512, 1024},
         .may_be_automatic = true,
         .used = any({rows, sums})},
        {.name = "team",
         .value = &team,
         .meaning = "threads that share a row",
         .numbers = {32, 64, 128, 256, 512, 1024},
         .may_be_automatic = true,
         .used = any({long_rows})},
        {.name = "columns",
         .value = &columns,
         .meaning = "how columns are stored; bytes (rows): in 8 bits what fits, quads (long): four consecutive ones as "
                    "one, runs (long): of rows without gaps the first",
         .words = weave_column_names,
         .may_be_automatic = true,
         .used = any({rows, long_rows})},
        {.name = "order",
         .value = &order,
         .meaning = "how columns are numbered before tiles are cut; degree: those with most entries first",
         .words = {"natural", "degree"},
         .may_be_automatic = true,
         .used = any({tiles})},
        {.name = "width",
         .value = &width,
         .meaning = "columns of a tile, fewer where the shared memory of a GPU holds fewer; auto: as many as it holds",
         .low = 32,
         .high = 1 << 16,
         .may_be_automatic = true,
         .used = any({tiles})},
        {.name = "keep",
         .value = &keep,
         .meaning = "whether the L1 of a GPU shall keep the matrix beside x",
         .words = {"nothing", "matrix"},
         .may_be_automatic = true,
         .used = any({diagonals, blocks, rows, segments})},
        {.name = "kb",
         .value = &kb,
         .meaning = "shared memory for the sums of a block's rows, in KB",
         .low = 1,
         .high = 208,
         .may_be_automatic = true,
         .used = any({sums})},
        {.name = "groups",
         .value = &groups,
         .meaning =
             "blocks of the GPU that share the same rows, each with a part of their entries (long: 1, 2, 4 or 8)",
         .low = 1,
         .high = 64,
         .may_be_automatic = true,
         .used = any({long_rows, sums})},
    };
  }
};

}  // namespace heddle

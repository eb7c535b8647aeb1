#include "formats/weave/weave_settings.hpp"

#include <algorithm>

namespace heddle {

namespace {

// Every name has one meaning and one set of values, whichever layouts know it; their order is that of plans.
std::vector<Field> all_names() {
  return {
      {.name = "layout",
       .meaning = "how entries are arranged; auto: by the structure of the matrix",
       .words = {"diagonals", "blocks", "rows", "segments", "padded", "long", "tiles", "sums"}},
      {.name = "values",
       .meaning = "how values are stored, never with loss; auto: the fewest bytes that hold them",
       .words = value_codec_names},
      {.name = "block", .meaning = "rows and columns of a block", .numbers = {2, 3, 4, 5}},
      {.name = "lanes",
       .meaning = "lanes of a warp that share a row, or a row of blocks",
       .numbers = {1, 2, 4, 8, 16, 32}},
      {.name = "per_lane",
       .meaning = "rows a lane works on (rows: 1, 2, 4; diagonals: 1, 4), or its entries of a row or segment "
                  "(padded: 1, 4; segments, tiles: 4, 8)",
       .numbers = {1, 2, 4, 8}},
      {.name = "sort", .meaning = "rows that are sorted by their lengths together; 1: none", .numbers = {1, 1024}},
      {.name = "threads", .meaning = "threads of a block of the GPU", .numbers = {64, 128, 256, 512, 1024}},
      {.name = "team", .meaning = "threads that share a row", .numbers = {32, 64, 128, 256, 512, 1024}},
      {.name = "columns",
       .meaning = "how columns are stored; bytes (rows): in 8 bits what fits, quads (long): four consecutive ones "
                  "as one, runs (long): of rows without gaps the first",
       .words = {"each", "bytes", "runs", "quads"}},
      {.name = "order",
       .meaning = "how columns are numbered before tiles are cut; degree: those with most entries first",
       .words = {"natural", "degree"}},
      {.name = "width",
       .meaning = "columns of a tile, fewer where the shared memory of a GPU holds fewer; auto: as many as it holds",
       .low = 32,
       .high = 1 << 16},
      {.name = "keep",
       .meaning = "whether the L1 of a GPU shall keep the matrix beside x",
       .words = {"nothing", "matrix"}},
      {.name = "kb", .meaning = "shared memory for the sums of a block's rows, in KB", .low = 1, .high = 208},
      {.name = "groups",
       .meaning = "blocks of the GPU that share the same rows, each with a part of their entries (long: 1, 2, 4 or 8)",
       .low = 1,
       .high = 64}};
}

}  // namespace

std::vector<Field> WeaveSettings::fields() {
  std::vector<Field> all = all_names();
  const auto add = [&](std::string_view name, auto& setting) {
    std::ranges::find(all, name, &Field::name)->value.add(setting.number());
  };
  const auto add_layout = [&](WeaveLayout one, auto& settings) {
    if (!layout.named() || is(one)) settings.each(add);
  };
  add("layout", layout), add("values", values);
  add_layout(WeaveLayout::diagonals, diagonals);
  add_layout(WeaveLayout::blocks, blocks);
  add_layout(WeaveLayout::rows, rows);
  add_layout(WeaveLayout::segments, segments);
  add_layout(WeaveLayout::padded, padded);
  add_layout(WeaveLayout::long_rows, long_rows);
  add_layout(WeaveLayout::tiles, tiles);
  add_layout(WeaveLayout::sums, sums);
  for (Field& field : all) field.may_be_automatic = true, field.used = !field.value.empty();
  return all;
}

}  // namespace heddle

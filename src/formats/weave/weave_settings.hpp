// The settings of weave: which layout, and what each layout can be told. A plan that names no layout tells it all of
// them; one that is settled has the settings of its layout alone.
#pragma once

#include "formats/weave/blocks/blocks.hpp"
#include "formats/weave/diagonals/diagonals.hpp"
#include "formats/weave/long_rows/long_rows.hpp"
#include "formats/weave/padded/padded.hpp"
#include "formats/weave/rows/rows.hpp"
#include "formats/weave/segments/segments.hpp"
#include "formats/weave/sums/sums.hpp"
#include "formats/weave/tiles/tiles.hpp"

namespace heddle {

enum class WeaveLayout { diagonals, blocks, rows, segments, padded, long_rows, tiles, sums };

struct WeaveSettings {
  Open<WeaveLayout> layout;
  Open<ValueCodec> values;
  weave::DiagonalsSettings diagonals = {};
  weave::BlocksSettings blocks = {};
  weave::RowsSettings rows = {};
  weave::SegmentsSettings segments = {};
  weave::PaddedSettings padded = {};
  weave::LongSettings long_rows = {};
  weave::TilesSettings tiles = {};
  weave::SumsSettings sums = {};

  ValueCodec codec() const { return values.value_or(ValueCodec::raw); }
  bool is(WeaveLayout one) const { return layout == one; }
  std::vector<Field> fields();
};

}  // namespace heddle

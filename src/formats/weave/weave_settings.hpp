// The settings of weave: which layout, and what each layout can be told. A plan that names no layout tells it all of
// them; one that is settled has the settings of its layout alone.
#pragma once

#include <string>

#include <heddle/error.hpp>

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

  // f(the settings of the layout)
  template <class F>
  auto of_layout(F f) {
    return of_layout(*this, f);
  }
  template <class F>
  auto of_layout(F f) const {
    return of_layout(*this, f);
  }

 private:
  template <class Self, class F>
  static auto of_layout(Self& self, F f) {
    switch (WeaveLayout(self.layout)) {
      case WeaveLayout::diagonals: return f(self.diagonals);
      case WeaveLayout::blocks: return f(self.blocks);
      case WeaveLayout::rows: return f(self.rows);
      case WeaveLayout::segments: return f(self.segments);
      case WeaveLayout::padded: return f(self.padded);
      case WeaveLayout::long_rows: return f(self.long_rows);
      case WeaveLayout::tiles: return f(self.tiles);
      case WeaveLayout::sums: return f(self.sums);
    }
    throw Error(ErrorKind::internal,
                "weave has no layout " + std::to_string(static_cast<int>(WeaveLayout(self.layout))));
  }
};

}  // namespace heddle

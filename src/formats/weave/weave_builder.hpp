// Weave from a matrix on a device, by kernels. For weave.cpp alone.
//
//   begin    what layouts are likely to ask is queued beside the check of the arrays, the longest first
//   settle   the choice waits for what decides; what the chosen layout need not find out again is kept in found_
//   finish   the layout stores, from what was found
#pragma once

#include <tuple>

#include "formats/registered.hpp"
#include "formats/weave/diagonals/diagonals_found.hpp"
#include "formats/weave/weave.hpp"
#include "formats/weave/weave_rules.hpp"

namespace heddle::weave {

template <class Where, class V>
class BuilderThere final : public BuilderOf<WeaveFormat, V> {
 public:
  BuilderThere(Where where, BuildBoard<V>& board, const Plan& plan)
      : BuilderOf<WeaveFormat, V>(board, plan), where_(where), A_(board.matrix()), device_(board.device()) {}

  void begin() override {
    const auto tiles = segments_to_count();
    if (A_.nnz() < fewest_looked_at || !(open_values() || is(WeaveLayout::blocks) || tiles))
      return board_.check(where_).queue(where_, false);
    const bool wanted = is(WeaveLayout::diagonals) || (open() && may_be_small_grid());
    // First, as these take longest, and as memory may have to be waited for.
    if (open_values() && wanted) sought_ = seek_diagonals(where_, A_, true, device_);
    const bool seeks = sought_ != nullptr;
    facts_ = facts_of(where_, A_, -1, device_);
    if (!wanted) planned_ = blocks_to_plan();
    BlockSizes* const holes = planned_ ? planned_->holes() : nullptr;
    // Few values are looked for too: one wait less for full blocks with a table. In vain where values are many, which
    // takes little as a few of them tell.
    const bool asks_few = open() && open_values() && !seeks && looks_at_values_first() &&
                          !stays_in_cache(A_, sizeof(V)) && full_blocks_may_decide(settings_, *facts_, sizeof(V));
    if (asks_few) board_.few_values().begin(where_, A_.val);
    // All of it behind whatever makes the matrix, hence on the default stream.
    if (open_values() && (seeks || looks_at_values_first()))
      board_.ask_codec(where_, {.overlaps = seeks || asks_few}, true, !seeks);
    else
      board_.check(where_).queue(where_, false);
    if (open()) ask_unseen(settings_, *facts_, sizeof(V), seeks, holes);
    if (tiles && (!open() || (!seeks && segments_may_follow(settings_, *facts_, sizeof(V)))))
      std::get<SegmentsFound>(found_) = count_segments(where_, A_, *tiles, device_);
    if (is(WeaveLayout::blocks)) facts_->expect({.full_blocks = sizes_to_ask(), .holes = holes, .unseen = true});
    if (planned_) planned_->queue();
    if (asks_few) board_.few_values().finish(where_, A_.val, planned_ != nullptr);
  }

  bool settle(bool values_will_change) override {
    settle_layout();
    const bool settled = !open_values() || settle_values();
    facts_.reset(), sought_.reset(), planned_.reset();  // storing needs the memory
    if (values_will_change) this->store_raw();
    return settled;
  }

  std::unique_ptr<Store<V>> finish() override {
    if (!codec_is_missing(settings_).empty()) return nullptr;
    std::get<typename Padded<V>::Found>(found_) = board_.source().longest;
    return with_layout<V>(
        settings_, [&]<class Layout>(std::type_identity<Layout>, const auto& its) -> std::unique_ptr<Store<V>> {
          std::optional<Layout> built = store<Layout>({A_, std::move(codec_)}, its);
          if (!built) return nullptr;
          built->values.there = {};  // only who builds looks for values
          return std::make_unique<StoreOf<WeaveFormat, V>>(WeaveFormat<V>{std::move(*built)}, device_);
        });
  }

 private:
  using BuilderOf<WeaveFormat, V>::board_, BuilderOf<WeaveFormat, V>::settings_;
  using DiagonalsOf = typename Diagonals<V>::Found;
  using BlocksFound = typename Blocks<V>::Found;
  using SegmentsFound = typename Segments<V>::Found;
  using LongFound = typename Long<V>::Found;

  bool open() const { return !settings_.layout.named(); }
  bool open_values() const { return !settings_.values.named(); }
  bool is(WeaveLayout layout) const { return settings_.is(layout); }

  // Whether all diagonals are looked for together with the first look at the matrix, where otherwise a sample tells
  // first whether they pay: two waits are a quarter of a build whose matrix stays in the L2, and a wasted look takes
  // a quarter longer. So only where rows have as many entries as those of a grid. (Narrow ones are padded.)
  bool may_be_small_grid() const {
    return looks_at_values_first() && A_.cols > PaddedShape::most_narrow && has_entries_of_grid(A_);
  }
  // Whether values are looked at together with the first look. Of a matrix that stays in the L2 that takes no time of
  // its own: its launch is queued while the host would wait for the look.
  bool looks_at_values_first() const {
    constexpr std::int64_t many = 1 << 23;
    return A_.nnz() < many;
  }
  // Blocks that may be stored, and may all be full.
  BlockSizes sizes_to_ask() const {
    const BlockSizes possible = possible_full_blocks(A_);
    return settings_.blocks.block.named() ? BlockSizes{possible.bits & 1u << settings_.blocks.block} : possible;
  }
  // Tiles that are counted with the first look: of a matrix that is stored by segments, or may be. Of some sizes it is
  // not known yet whether columns are far apart, which decides.
  std::optional<TileSizes> segments_to_count() const {
    if (A_.nnz() >= most_counted_unseen || !(open() || is(WeaveLayout::segments))) return {};
    if (const auto& K = settings_.segments.per_lane; K.named()) return TileSizes{simt::warp_size * std::max<int>(K, 4)};
    if (A_.nnz() < few_segment_entries) return TileSizes{simt::warp_size * 4};
    return TileSizes{simt::warp_size * 8, simt::warp_size * 4};
  }
  // Slices of full blocks that are planned with the first look: of a matrix that is stored by them, or will be if there
  // are any. Null: none.
  std::unique_ptr<PlannedBlocks> blocks_to_plan() const {
    const bool as_they_come = settings_.blocks.sort.value_or(1) == 1;
    const bool likely = open() ? full_blocks_may_decide(settings_, *facts_, sizeof(V)) : is(WeaveLayout::blocks);
    if (!likely || !as_they_come) return {};
    PlannedBlocks::Lanes lanes;
    for (const int size : block_sizes) lanes.of[size] = lanes_of_blocks(settings_.blocks, A_, size, sizeof(V));
    return plan_full_blocks(where_, A_, sizes_to_ask(), lanes, device_);
  }

  void settle_layout() {
    if (!facts_) facts_ = facts_of(where_, A_, -1, device_);
    facts_->known_longest = board_.source().longest;
    if (sought_) {
      facts_->known_diagonal_fill = sought_->fill();
      std::get<DiagonalsOf>(found_) = sought_->found();
    }
    if (open_values() && A_.nnz() >= fewest_looked_at && !board_.codec_asked()) facts_->beside = [&] { ask_values(); };
    auto& segments = std::get<SegmentsFound>(found_);
    if (open() && !segments && A_.nnz() < most_counted_beside)
      facts_->beside_tiles = [&] {
        segments = count_segments(where_, A_, {simt::warp_size * 8}, device_, device::side_stream(device_));
      };
    choose_weave(settings_, *facts_, sizeof(V));
    if (!is(WeaveLayout::diagonals)) std::get<DiagonalsOf>(found_).reset(), sought_.reset();
    if (!is(WeaveLayout::segments) || (segments && !segments->has(simt::warp_size * settings_.segments.per_lane)))
      segments.reset();  // wasted work
    if (is(WeaveLayout::long_rows) && settings_.long_rows.columns != WeaveColumns::quads)
      std::get<LongFound>(found_) =
          LongRowsKnown{facts_->team_steps(settings_.long_rows.team), facts_->rows_are_runs()};
    if (is(WeaveLayout::blocks) && facts_->knows_full_blocks(sizes_to_ask()))
      std::get<BlocksFound>(found_) = BlocksKnown{facts_->full_blocks(sizes_to_ask()), std::move(planned_)};
  }

  void ask_values() { board_.ask_codec(where_, {device::side_stream(device_, device::Side::second)}); }

  // False: diagonals are for the host to find.
  bool settle_values() {
    settings_.values = ValueCodec::raw;
    if (!small_values_pay(settings_, A_.nnz())) return true;
    if (is(WeaveLayout::diagonals)) {
      auto& found = std::get<DiagonalsOf>(found_);
      if (!found) found = sought_ ? find_diagonals(where_, A_, true, device_) : diagonals_of(where_, A_, true, device_);
      if (!found) return false;
      if (found->constant) settings_.values = ValueCodec::constant;
      if (found->constant) return true;
    }
    if (!board_.codec_asked()) ask_values();
    codec_ = board_.heard_codec(codecs_of(settings_, A_, sizeof(V)));
    settings_.values = codec_.codec;
    return true;
  }

  template <class Layout>
  std::optional<Layout> store(const MatrixThere<V>& A, const auto& its) const {
    if constexpr (requires { typename Layout::Found; })
      return Layout::build_there(where_, A, its, device_, std::get<typename Layout::Found>(found_));
    else
      return Layout::build_there(where_, A, its, device_);
  }

  Where where_;
  CsrView<V> A_;
  Device device_;
  std::unique_ptr<PatternFacts> facts_;
  std::unique_ptr<SoughtDiagonals<V>> sought_;
  std::unique_ptr<PlannedBlocks> planned_;
  std::tuple<DiagonalsOf, BlocksFound, SegmentsFound, typename Padded<V>::Found, LongFound> found_;
  FoundCodec<V> codec_;
};

}  // namespace heddle::weave

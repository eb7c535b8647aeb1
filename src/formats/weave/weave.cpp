#include "formats/weave/weave.hpp"

#include "codec/value_table.hpp"
#include "formats/registered.hpp"
#include "formats/weave/diagonals/diagonals_found.hpp"
#include "formats/weave/weave_rules.hpp"
#include "simt/primitives/answers.hpp"

namespace heddle {

namespace {

// f(std::type_identity<Layout<V>>) for the layout chosen.
template <class V, class F>
auto with_layout(const WeaveSettings& settings, F f) {
  using namespace weave;
  switch (settings.chosen()) {
    case WeaveLayout::diagonals: return f(std::type_identity<Diagonals<V>>{});
    case WeaveLayout::blocks: return f(std::type_identity<Blocks<V>>{});
    case WeaveLayout::rows: return f(std::type_identity<Rows<V>>{});
    case WeaveLayout::segments: return f(std::type_identity<Segments<V>>{});
    case WeaveLayout::padded: return f(std::type_identity<Padded<V>>{});
    case WeaveLayout::long_rows: return f(std::type_identity<Long<V>>{});
    case WeaveLayout::tiles: return f(std::type_identity<Tiles<V>>{});
    case WeaveLayout::sums: return f(std::type_identity<Sums<V>>{});
  }
  fail(ErrorKind::internal, "weave has no layout {}", settings.layout);
}

}  // namespace

template <class V>
FormatInfo WeaveFormat<V>::about() {
  return {
      .name = "weave",
      .summary = "ours: diagonals, blocks, rows, segments, tiles and more, with 16-bit columns and value codecs",
      .origin = "Heddle",
      .drawing =
          "  diagonals   128 rows a slice; values by diagonal, columns only as a list of offsets shared by slices\n"
          "  blocks      slices of rows of small dense blocks, 2 bytes of column a block\n"
          "  rows        slices of rows, 1 or 2 bytes of column an entry: window << 6 or 14 | column - base[window]\n"
          "  segments    equal numbers of entries a warp, whatever the rows are\n"
          "  padded      all rows of one length, no descriptor at all\n"
          "  long        32 to 1024 threads a row, four entries each a step\n"
          "  tiles       entries by tile of x in shared memory, 2 bytes of column; partial sums, then rows\n"
          "  sums        y in shared memory: entries of thousands of rows by column, 32 distinct rows a step\n"
          "  values      raw, f32 (doubles that a float holds), dictionary (1 byte), dictionary16 (2 bytes),\n"
          "              constant (per diagonal), uniform (none: the matrix has one value)\n",
      .settings = {}};
}

template <class V>
void WeaveFormat<V>::settle(Settings& settings, const PatternView& A) {
  choose_weave(settings, A, sizeof(V));
}

namespace {

bool has_all_codecs(const WeaveSettings& settings) {
  using enum WeaveLayout;
  for (const WeaveLayout layout : {rows, segments, padded, long_rows})
    if (settings.chosen() == layout) return true;
  return false;
}

// Why the layout does not store values so, or nothing.
std::string codec_is_missing(const WeaveSettings& settings) {
  const bool diagonals = settings.chosen() == WeaveLayout::diagonals;
  switch (settings.codec()) {
    case ValueCodec::constant: return diagonals ? "" : "values=constant is for layout=diagonals";
    case ValueCodec::dictionary16:
    case ValueCodec::uniform:
      if (has_all_codecs(settings)) return "";
      return fmt::format("values={} is for layout=rows, segments, padded and long",
                         value_codec_names[static_cast<std::size_t>(settings.values)]);
    default: return "";
  }
}

bool small_values_pay(const WeaveSettings& settings, std::int64_t nnz) {
  return weave::small_values_pay(settings.chosen() == WeaveLayout::padded, nnz);
}

bool tables_pay(const WeaveSettings& settings, const PatternView& A, int value_bytes) {
  return weave::tables_pay(weave::stays_in_cache(A, value_bytes), settings.chosen() == WeaveLayout::segments,
                           value_bytes);
}
Codecs codecs_of(const WeaveSettings& settings, const PatternView& A, int value_bytes) {
  return {.all = has_all_codecs(settings), .tables = tables_pay(settings, A, value_bytes)};
}

// Whether settling has found out what storing needs to know of long rows.
bool knows_long_rows(const WeaveSettings& settings) {
  return settings.chosen() == WeaveLayout::long_rows && settings.column_codec() != WeaveColumns::quads;
}

// Whether all diagonals are looked for together with the first look at the matrix, where otherwise a sample tells first
// whether they pay: two waits are a quarter of a build whose matrix stays in the L2, and to look in vain takes a
// quarter longer. So only where rows have as many entries as those of a grid. (Narrow ones are padded.)
bool may_be_small_grid(const PatternView& A) {
  constexpr std::int64_t many = 1 << 23;
  return A.nnz() < many && A.cols > weave::PaddedShape::most_narrow && has_entries_of_grid(A);
}

// Whether values are looked at together with the first look. Of a matrix that stays in the L2 that takes no time of its
// own: its launch is queued while the host would wait for the look.
bool looks_at_values_first(const PatternView& A) {
  constexpr std::int64_t many = 1 << 23;
  return A.nnz() < many;
}

// Whether few values are looked for with the first look: one wait less for full blocks with a table. In vain where
// values are many, which takes little as a few of them tell.
bool may_have_table(const WeaveSettings& settings, weave::PatternFacts& facts, int value_bytes) {
  const PatternView& A = facts.pattern();
  return looks_at_values_first(A) && !weave::stays_in_cache(A, value_bytes) &&
         full_blocks_may_decide(settings, facts, value_bytes);
}

// Blocks that may be stored, and may all be full.
weave::BlockSizes sizes_to_ask(const WeaveSettings& settings, const PatternView& A) {
  const weave::BlockSizes possible = weave::possible_full_blocks(A);
  return settings.block == automatic ? possible : weave::BlockSizes{possible.bits & 1u << settings.block};
}

// Tiles that are counted with the first look: of a matrix that is stored by segments, or may be. Of some sizes nobody
// knows yet whether columns are far apart, which decides.
std::optional<weave::TileSizes> segments_to_count(const WeaveSettings& settings, const PatternView& A) {
  const bool open = settings.layout == automatic;
  if (A.nnz() >= weave::most_counted_unseen || !(open || settings.chosen() == WeaveLayout::segments)) return {};
  if (settings.per_lane != automatic) return weave::TileSizes{simt::warp_size * std::max(settings.per_lane, 4)};
  if (A.nnz() < weave::few_segment_entries) return weave::TileSizes{simt::warp_size * 4};
  return weave::TileSizes{simt::warp_size * 8, simt::warp_size * 4};
}

// Slices of full blocks that are planned with the first look: of a matrix that is stored by them, or will be if there
// are any. Null: none.
template <class Where>
std::unique_ptr<weave::PlannedBlocks> blocks_to_plan(Where where, const WeaveSettings& settings,
                                                     weave::PatternFacts& facts, int value_bytes, Device device) {
  const PatternView& A = facts.pattern();
  const bool open = settings.layout == automatic, as_they_come = settings.sort == automatic || settings.sort == 1;
  const bool likely =
      open ? full_blocks_may_decide(settings, facts, value_bytes) : settings.chosen() == WeaveLayout::blocks;
  if (!likely || !as_they_come) return {};
  weave::PlannedBlocks::Lanes lanes;
  for (const int size : weave::block_sizes) lanes.of[size] = lanes_of_blocks(settings, A, size, value_bytes);
  return weave::plan_full_blocks(where, A, sizes_to_ask(settings, A), lanes, device);
}

// What is on its way before anybody knows whether the arrays are a matrix.
template <class V>
struct Asked {
  std::unique_ptr<weave::PatternFacts> facts;
  std::unique_ptr<weave::SoughtDiagonals<V>> diagonals;
  CodecQuestion<V> of_values;
  std::unique_ptr<DistinctValues<V>> few_values;
  std::shared_ptr<weave::SegmentsCount> segments;
  std::shared_ptr<weave::PlannedBlocks> blocks;
};

// What settling leaves for storing: what the layout it chose, and the codec, would have to find out again.
template <class V>
struct Left {
  std::shared_ptr<const void> of_layout;
  FoundCodec<V> of_values;
};

// Of diagonals, on the host; one for settling, for asking what they take and for building.
std::shared_ptr<const weave::DiagonalSkeleton> skeleton_of(const PatternView& A, Found* found) {
  return found_or_made<weave::DiagonalSkeleton>(found, [&] { return weave::diagonal_skeleton(A); });
}
weave::DiagonalSkeleton taken_skeleton(const PatternView& A, Found* found) {
  return take_found<weave::DiagonalSkeleton>(found, [&] { return weave::diagonal_skeleton(A); });
}

}  // namespace

template <class V>
void WeaveFormat<V>::settle_values(Settings& settings, Source<V> source) {
  const CsrView<V>& A = source.view;
  const bool open = settings.values == automatic;
  settle(settings, A);
  if (!open) return;
  settings.values = static_cast<int>(ValueCodec::raw);
  if (!small_values_pay(settings, A.nnz())) return;
  const bool constant =
      settings.chosen() == WeaveLayout::diagonals && weave::constant_diagonals(A, *skeleton_of(A, source.found));
  settings.values =
      static_cast<int>(constant ? ValueCodec::constant : smallest_codec(A.val, codecs_of(settings, A, sizeof(V))));
}

template <class V>
template <class Where>
void WeaveFormat<V>::ask_there(Where where, const Settings& settings, Source<V> there, const QueueLook& look) {
  const CsrView<V>& A = there.view;
  const bool open = settings.layout == automatic, open_values = settings.values == automatic;
  const bool blocks = !open && settings.chosen() == WeaveLayout::blocks;
  const auto tiles = segments_to_count(settings, A);
  if (!there.asked || A.nnz() < weave::fewest_looked_at || !(open_values || blocks || tiles)) return look(false);
  auto asked = std::make_shared<Asked<V>>();
  const bool wanted = open ? may_be_small_grid(A) : settings.chosen() == WeaveLayout::diagonals;
  // First, as these take longest, and as memory may have to be waited for.
  if (open_values && wanted) asked->diagonals = weave::seek_diagonals(where, A, true, there.device);
  const bool seeks = asked->diagonals != nullptr;
  asked->facts = weave::facts_of(where, A, -1, there.device);
  if (!wanted) asked->blocks = blocks_to_plan(where, settings, *asked->facts, sizeof(V), there.device);
  weave::BlockSizes* const holes = asked->blocks ? asked->blocks->holes() : nullptr;
  if (open && open_values && !seeks && may_have_table(settings, *asked->facts, sizeof(V))) {
    asked->few_values = std::make_unique<DistinctValues<V>>(dictionary_size, there.device);
    asked->few_values->begin(where, A.val);
  }
  // All of it behind whatever makes the matrix, hence on the default stream.
  if (open_values && (seeks || looks_at_values_first(A)))
    asked->of_values =
        ask_smallest_codec(where, A.val, there.device, {.overlaps = seeks || asked->few_values}, &look.along(), !seeks);
  else
    look(false);
  if (open) ask_unseen(settings, *asked->facts, sizeof(V), seeks, holes);
  if (tiles && (!open || (!seeks && segments_may_follow(settings, *asked->facts, sizeof(V)))))
    asked->segments = weave::count_segments(where, A, *tiles, there.device);
  if (blocks) asked->facts->expect({.full_blocks = sizes_to_ask(settings, A), .holes = holes, .unseen = true});
  if (asked->blocks) asked->blocks->queue();
  if (asked->few_values) asked->few_values->finish(where, A.val, asked->blocks != nullptr);
  *there.asked = std::move(asked);
}

template <class V>
template <class Where>
bool WeaveFormat<V>::settle_there(Where where, Settings& settings, Source<V> there) {
  const CsrView<V>& A = there.view;
  auto asked = std::static_pointer_cast<Asked<V>>(there.asked ? std::move(*there.asked) : nullptr);
  CodecQuestion<V> codec_of = asked ? std::move(asked->of_values) : nullptr;
  const auto ask_values = [&] {
    codec_of =
        ask_smallest_codec(where, A.val, there.device, {device::side_stream(there.device, device::Side::second)});
  };
  const auto facts = asked ? std::move(asked->facts) : weave::facts_of(where, A, there.longest, there.device);
  facts->known_longest = there.longest;
  auto sought = asked ? std::move(asked->diagonals) : nullptr;
  if (sought) facts->known_diagonal_fill = sought->fill();
  auto found = sought ? sought->found() : nullptr;
  if (settings.values == automatic && A.nnz() >= weave::fewest_looked_at && !codec_of) facts->beside = ask_values;
  std::shared_ptr<weave::SegmentsCount> segments = asked ? std::move(asked->segments) : nullptr;
  if (settings.layout == automatic && !segments && A.nnz() < weave::most_counted_beside)
    facts->beside_tiles = [&] {
      segments =
          weave::count_segments(where, A, {simt::warp_size * 8}, there.device, device::side_stream(there.device));
    };
  choose_weave(settings, *facts, sizeof(V));
  if (settings.chosen() != WeaveLayout::diagonals) sought.reset(), found.reset();  // others need the memory
  auto left = std::make_shared<Left<V>>();
  if (there.found) *there.found = left;
  const int tile = settings.chosen() == WeaveLayout::segments ? simt::warp_size * settings.per_lane : 0;
  if (segments && segments->has(tile)) left->of_layout = segments;
  segments.reset();  // counted in vain: its memory serves others
  if (knows_long_rows(settings))
    left->of_layout = std::make_shared<const weave::LongRowsKnown>(
        weave::LongRowsKnown{facts->team_steps(settings.team), facts->rows_are_runs()});
  if (settings.chosen() == WeaveLayout::blocks && facts->knows_full_blocks(sizes_to_ask(settings, A)))
    left->of_layout = std::make_shared<const weave::BlocksKnown>(
        weave::BlocksKnown{facts->full_blocks(sizes_to_ask(settings, A)), asked ? std::move(asked->blocks) : nullptr});
  if (asked) asked->blocks.reset();
  if (settings.values != automatic) return true;
  settings.values = static_cast<int>(ValueCodec::raw);
  if (!small_values_pay(settings, A.nnz())) return true;
  if (settings.chosen() == WeaveLayout::diagonals) {
    if (!found && sought) found = weave::find_diagonals(where, A, true, there.device);
    if (!found) found = weave::diagonals_of(where, A, true, there.device);
    if (!found) return false;
    left->of_layout = found;
    if (found->constant) settings.values = static_cast<int>(ValueCodec::constant);
    if (found->constant) return true;
  }
  if (!codec_of) ask_values();
  left->of_values = codec_of(codecs_of(settings, A, sizeof(V)), asked ? asked->few_values.get() : nullptr);
  settings.values = static_cast<int>(left->of_values.codec);
  return true;
}

template <class V>
Footprint WeaveFormat<V>::footprint(const PatternView& A, const Settings& settings, int value_bytes) {
  if (const std::string missing = codec_is_missing(settings); !missing.empty())
    return {.fits = false, .reason = missing};
  return with_layout<V>(
      settings, [&]<class Layout>(std::type_identity<Layout>) { return Layout::footprint(A, settings, value_bytes); });
}

template <class V>
Footprint WeaveFormat<V>::at_most(const PatternView& A, const Settings& settings, int value_bytes, Found* found) {
  const bool missing = !codec_is_missing(settings).empty();
  if (!missing && settings.chosen() == WeaveLayout::tiles) return weave::Tiles<V>::at_most(A, settings, value_bytes);
  if (!missing && settings.chosen() == WeaveLayout::diagonals)
    return weave::Diagonals<V>::footprint(*skeleton_of(A, found), settings, value_bytes);
  return footprint(A, settings, value_bytes);
}

template <class V>
WeaveFormat<V> WeaveFormat<V>::build(Source<V> source, const Settings& settings) {
  if (settings.chosen() == WeaveLayout::diagonals)
    return {weave::Diagonals<V>::build(source.view, settings, taken_skeleton(source.view, source.found))};
  return with_layout<V>(settings, [&]<class Layout>(std::type_identity<Layout>) {
    return WeaveFormat{Layout::build(source.view, settings)};
  });
}

template <class V>
template <class Where>
std::optional<WeaveFormat<V>> WeaveFormat<V>::build_there(Where where, Source<V> there, const Settings& settings) {
  if (!codec_is_missing(settings).empty()) return {};
  return with_layout<V>(settings, [&]<class Layout>(std::type_identity<Layout>) {
    const auto left = std::static_pointer_cast<const Left<V>>(there.found ? *there.found : nullptr);
    const MatrixThere<V> A(there.view, left ? left->of_values : FoundCodec<V>{});
    const std::shared_ptr<const void> of_layout = left ? left->of_layout : nullptr;
    // `known`: what looking at the matrix and settling the plan found out already.
    const auto build_knowing = [&](auto... known) {
      return Layout::build_there(where, A, settings, there.device, std::move(known)...);
    };
    std::optional<Layout> built;
    if constexpr (std::is_same_v<Layout, weave::Diagonals<V>>) {
      built = build_knowing(std::static_pointer_cast<const weave::DiagonalsFound<V>>(of_layout));
    } else if constexpr (std::is_same_v<Layout, weave::Long<V>>) {
      built = build_knowing(std::static_pointer_cast<const weave::LongRowsKnown>(of_layout));
    } else if constexpr (std::is_same_v<Layout, weave::Blocks<V>>) {
      built = build_knowing(std::static_pointer_cast<const weave::BlocksKnown>(of_layout));
    } else if constexpr (std::is_same_v<Layout, weave::Segments<V>>) {
      built = build_knowing(std::static_pointer_cast<weave::SegmentsCount>(std::const_pointer_cast<void>(of_layout)));
    } else if constexpr (std::is_same_v<Layout, weave::Padded<V>>) {
      built = build_knowing(there.longest);
    } else {
      built = build_knowing();
    }
    if (!built) return std::optional<WeaveFormat>{};
    built->values.there = {};  // only who builds looks for values
    return std::optional(WeaveFormat{std::move(*built)});
  });
}

template <class V>
Csr<V> WeaveFormat<V>::restore() const {
  return std::visit([](const auto& chosen) { return chosen.restore(); }, layout);
}

template struct WeaveFormat<float>;
template struct WeaveFormat<double>;

const Format& weave_format() { return registered<WeaveFormat>(); }

}  // namespace heddle

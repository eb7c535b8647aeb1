#include "formats/weave/weave.hpp"

#include "formats/weave/weave_builder.hpp"
#include "formats/weave/weave_rules.hpp"

namespace heddle {

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

template <class V>
void WeaveFormat<V>::settle_on_cpu(Settings& settings, const PatternView& A) {
  choose_weave_on_cpu(settings, A);
}

namespace {

bool has_all_codecs(const WeaveSettings& settings) {
  using enum WeaveLayout;
  return settings.is(rows) || settings.is(segments) || settings.is(padded) || settings.is(long_rows);
}

}  // namespace

std::string codec_is_missing(const WeaveSettings& settings) {
  const bool diagonals = settings.is(WeaveLayout::diagonals);
  switch (settings.codec()) {
    case ValueCodec::constant: return diagonals ? "" : "values=constant is for layout=diagonals";
    case ValueCodec::dictionary16:
    case ValueCodec::uniform:
      if (has_all_codecs(settings)) return "";
      return fmt::format("values={} is for layout=rows, segments, padded and long",
                         value_codec_names[static_cast<std::size_t>(settings.codec())]);
    default: return "";
  }
}

bool small_values_pay(const WeaveSettings& settings, std::int64_t nnz) {
  return weave::small_values_pay(settings.is(WeaveLayout::padded), nnz);
}

Codecs codecs_of(const WeaveSettings& settings, const weave::MatrixShape& A, int value_bytes) {
  const bool segments = settings.is(WeaveLayout::segments);
  return {.all = has_all_codecs(settings),
          .tables = weave::tables_pay(weave::stays_in_cache(A, value_bytes), segments, value_bytes)};
}

namespace {

// One for settling, for asking what they take and for building.
const weave::DiagonalSkeleton& skeleton_of(const PatternView& A, std::optional<weave::DiagonalSkeleton>& found) {
  if (!found) found = weave::diagonal_skeleton(A);
  return *found;
}

}  // namespace

template <class V>
void WeaveFormat<V>::settle_values(Settings& settings, Source<V> source, Found& skeleton) {
  const CsrView<V>& A = source.view;
  const bool named = settings.values.named();
  settle(settings, A);
  if (named) return;
  settings.values = ValueCodec::raw;
  if (!small_values_pay(settings, A.nnz())) return;
  const bool constant = settings.is(WeaveLayout::diagonals) && weave::constant_diagonals(A, skeleton_of(A, skeleton));
  settings.values = constant ? ValueCodec::constant : smallest_codec(A.val, codecs_of(settings, A, sizeof(V)));
}

template <class V>
Footprint WeaveFormat<V>::footprint(const PatternView& A, const Settings& settings, int value_bytes) {
  if (const std::string missing = codec_is_missing(settings); !missing.empty())
    return {.fits = false, .reason = missing};
  return with_layout<V>(settings, [&]<class Layout>(std::type_identity<Layout>, const auto& its) {
    return Layout::footprint(A, its, value_bytes);
  });
}

template <class V>
Footprint WeaveFormat<V>::at_most(const PatternView& A, const Settings& settings, int value_bytes, Found& skeleton) {
  if (!codec_is_missing(settings).empty()) return footprint(A, settings, value_bytes);
  return with_layout<V>(settings, [&]<class Layout>(std::type_identity<Layout>, const auto& its) {
    if constexpr (std::is_same_v<Layout, weave::Tiles<V>>)
      return Layout::at_most(A, its, value_bytes);
    else if constexpr (std::is_same_v<Layout, weave::Diagonals<V>>)
      return Layout::footprint(skeleton_of(A, skeleton), its, value_bytes);
    else
      return Layout::footprint(A, its, value_bytes);
  });
}

template <class V>
WeaveFormat<V> WeaveFormat<V>::build(Source<V> source, const Settings& settings, Found skeleton) {
  const CsrView<V>& A = source.view;
  return with_layout<V>(settings, [&]<class Layout>(std::type_identity<Layout>, const auto& its) {
    if constexpr (std::is_same_v<Layout, weave::Diagonals<V>>) {
      skeleton_of(A, skeleton);
      return WeaveFormat{Layout::build(A, its, std::move(*skeleton))};
    } else {
      return WeaveFormat{Layout::build(A, its)};
    }
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

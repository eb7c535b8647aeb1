// Weave, our own: fewer bytes than CSR, and gathers from closer memory. A small set of layouts, each for a kind of
// matrix, each with 16-bit columns (or none) and lossless value codecs; `layout=auto` picks one by the structure.
//
//   diagonals   grids                          diagonals/diagonals.hpp
//   blocks      several unknowns a node        blocks/blocks.hpp
//   rows        local columns, similar rows    rows/rows.hpp
//   segments    any row lengths                segments/segments.hpp
//   padded      small or dense                 padded/padded.hpp
//   long        rows of hundreds of entries    long_rows/long_rows.hpp
//   tiles       columns used often, anywhere   tiles/tiles.hpp
//   sums        random columns                 sums/sums.hpp
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "formats/weave/weave_facts.hpp"
#include "formats/weave/weave_settings.hpp"

namespace heddle {

namespace weave {
template <class Where, class V>
class BuilderThere;  // weave_builder.hpp
}

template <class V>
struct WeaveFormat {
  using Settings = WeaveSettings;
  using Found = std::optional<weave::DiagonalSkeleton>;  // of layout=diagonals

  // In the order of WeaveLayout.
  std::variant<weave::Diagonals<V>, weave::Blocks<V>, weave::Rows<V>, weave::Segments<V>, weave::Padded<V>,
               weave::Long<V>, weave::Tiles<V>, weave::Sums<V>>
      layout;

  static FormatInfo about();
  static void settle(Settings& settings, const PatternView& A);
  static void settle_on_cpu(Settings& settings, const PatternView& A);
  static void settle_values(Settings& settings, Source<V> source, Found& skeleton);
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static Footprint at_most(const PatternView& A, const Settings& settings, int value_bytes, Found& skeleton);
  static WeaveFormat build(Source<V> source, const Settings& settings, Found skeleton = {});
  template <class Where>
  using BuilderThere = weave::BuilderThere<Where, V>;
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    std::visit([&](auto& chosen) { chosen.each_array(chosen, f); }, self.layout);
  }
  template <class Self, class F>
  static void each_scratch(Self& self, F f) {
    std::visit(
        [&](auto& chosen) {
          if constexpr (requires { chosen.each_scratch(chosen, f); }) chosen.each_scratch(chosen, f);
        },
        self.layout);
  }
  bool uses_scratch() const {
    return std::visit([](const auto& chosen) { return chosen.uses_scratch(); }, layout);
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;

  // Some layouts have kernels for several right-hand sides, some of them with scratch for as many.
  bool multiply_many(OnCpu, const ProductMany<V>& product) const;
  bool multiply_many(simt::Emulator, const ProductMany<V>& product) const;
  bool multiply_many(simt::Cuda, const ProductMany<V>& product) const;
  template <class Where>
  bool multiply_many_at(Where where, const ProductMany<V>& product) const {
    return std::visit(
        [&](const auto& chosen) {
          if constexpr (requires { chosen.multiply_many(where, product); })
            return chosen.multiply_many(where, product);
          else
            return false;
        },
        layout);
  }
  void reserve(int count) {
    std::visit(
        [&](auto& chosen) {
          if constexpr (requires { chosen.reserve(count); }) chosen.reserve(count);
        },
        layout);
  }
};

// The one of several layouts that has these settings.
template <class Settings, class Layouts>
struct LayoutWith;
template <class Settings, class First, class... Others>
struct LayoutWith<Settings, std::variant<First, Others...>>
    : std::conditional_t<std::is_same_v<typename First::Settings, Settings>, std::type_identity<First>,
                         LayoutWith<Settings, std::variant<Others...>>> {};

// f(std::type_identity<Layout<V>>, its settings) for the layout chosen.
template <class V, class F>
auto with_layout(const WeaveSettings& settings, F f) {
  return settings.of_layout([&]<class Its>(Its its) {
    its.codec = settings.codec();
    return f(std::type_identity<typename LayoutWith<Its, decltype(WeaveFormat<V>::layout)>::type>{}, its);
  });
}

// Why the layout does not store values so, or nothing.
std::string codec_is_missing(const WeaveSettings& settings);
// Whether the layout has something shorter than raw values, and what.
bool small_values_pay(const WeaveSettings& settings, std::int64_t nnz);
Codecs codecs_of(const WeaveSettings& settings, const weave::MatrixShape& A, int value_bytes);

// Names the layout, and what it can be told but the codec (weave_choice.cpp).
void choose_weave(WeaveSettings& settings, const PatternView& A, int value_bytes);
void choose_weave(WeaveSettings& settings, weave::PatternFacts& facts, int value_bytes);
// Names the layout that suits a CPU, where none is named (weave_choice_cpu.cpp).
void choose_weave_on_cpu(WeaveSettings& settings, const PatternView& A);
// Whether full blocks will be asked for before all else, by the shape of the matrix alone.
bool full_blocks_may_decide(const WeaveSettings& settings, weave::PatternFacts& facts, int value_bytes);
// Whether rows have as many entries as those of a grid, but for its boundary.
bool has_entries_of_grid(const weave::MatrixShape& A);
// Whether segments are likely where nothing else is found, and little is lost by counting their tiles before that.
bool segments_may_follow(const WeaveSettings& settings, weave::PatternFacts& facts, int value_bytes);
// Queues what that will ask of unchecked arrays. holes: as of weave::Questions.
void ask_unseen(const WeaveSettings& settings, weave::PatternFacts& facts, int value_bytes, bool seeks_diagonals,
                weave::BlockSizes* holes);
// Lanes that share a row of blocks.
int lanes_of_blocks(const weave::BlocksSettings& settings, const weave::MatrixShape& A, int block, int value_bytes);

}  // namespace heddle

#include <algorithm>

#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "formats/weave/blocks/blocks.hpp"
#include "formats/weave/blocks/blocks_wide.hpp"
#include "simd/fetch.hpp"

namespace heddle::weave {

namespace {

// Lanes that are multiplied side by side: a vector of 64 bytes.
template <class V>
constexpr int group_lanes = 64 / sizeof(V);

// Sums of B lines of a group of lanes, and which places of their blocks were entries.
template <class V, int B>
struct LaneGroup {
  static constexpr int G = group_lanes<V>, places = B * B;
  static constexpr std::uint32_t full = (1u << places) - 1;

  V sum[B][G] = {};
  std::uint32_t present[G] = {};
};

// The blocks of a group of lanes in one step.
template <class V, int B>
struct GroupStep {
  using Group = LaneGroup<V, B>;
  static constexpr int G = Group::G, places = Group::places;

  Index col[G];
  std::uint32_t mask[G];
  V fetched[B][G];

  // No places where a lane has no block. Returns whether all blocks are there and full.
  bool load_masks(const std::uint32_t* masks) {
    Index least = 0;
    for (int i = 0; i < G; ++i) least |= col[i];
    if (least >= 0 && !masks) {
      for (int i = 0; i < G; ++i) mask[i] = Group::full;
      return true;
    }
    for (int i = 0; i < G; ++i) mask[i] = (masks ? masks[i] : Group::full) & ~static_cast<std::uint32_t>(col[i] >> 31);
    std::uint32_t common = Group::full;
    for (int i = 0; i < G; ++i) common &= mask[i];
    return common == Group::full;
  }
  // A block may reach beyond the last column, with no entry there.
  template <class On>
  void fetch_from(On on, const V* x, Index last) {
    for (int j = 0; j < B; ++j) {
      Index at[G];
      for (int i = 0; i < G; ++i) at[i] = std::min(std::max(col[i], 0) * B, last - j) + j;
      fetch(on, x, at, fetched[j]);
    }
  }
  // value(place, i) of lane i.
  template <class S, class F>
  void add_full(F value, Group& group) const {
    constexpr int P = piece_size<S, places>();
#pragma GCC unroll 25
    for (int piece = 0; piece < places / P; ++piece)
      for (int i = 0; i < G; ++i)
        for (int e = piece * P; e < (piece + 1) * P; ++e) group.sum[e / B][i] += value(e, i) * fetched[e % B][i];
    for (int i = 0; i < G; ++i) group.present[i] = Group::full;
  }
  template <class S, class F>
  void add_masked(F value, Group& group) const {
    constexpr int P = piece_size<S, places>();
#pragma GCC unroll 25
    for (int piece = 0; piece < places / P; ++piece)
      for (int i = 0; i < G; ++i)
        for (int e = piece * P; e < (piece + 1) * P; ++e)
          group.sum[e / B][i] += kept(value(e, i) * fetched[e % B][i], -static_cast<Index>(mask[i] >> e & 1));
    for (int i = 0; i < G; ++i) group.present[i] |= mask[i];
  }
};

// A step of the slice after the other, so that values are read as they lie.
template <int B, class V, class S, class On>
inline void add_slice(On on, const Blocks<V>& A, const CodedValues<V, S>& values, const ColumnSlice& slice, const V* x,
                      LaneGroup<V, B>* groups) {
  constexpr int lanes = simt::warp_size, places = B * B, G = group_lanes<V>;
  constexpr bool is_dictionary = std::is_same_v<S, std::uint8_t>;
  const std::uint16_t* narrow = A.columns.codes.data() + slice.columns;
  const auto* wide = reinterpret_cast<const Index*>(narrow);
  const std::uint32_t* masks = A.masks.empty() ? nullptr : A.masks.data() + slice.first * lanes;
  for (Index step = 0; step < slice.width; ++step) {
    const S* stored = values.data + (slice.first + step) * lanes * places;
    V decoded[is_dictionary ? lanes * places : 1];
    if constexpr (is_dictionary) load_values(on, values, stored, decoded);
    for (int lane = 0; lane < lanes; lane += G) {
      const std::int64_t at = std::int64_t{step} * lanes + lane;
      const auto value = [&](int e, int i) {
        const int place = place_in_pieces<S, places>(lane + i, e);
        if constexpr (is_dictionary)
          return decoded[place];
        else
          return static_cast<V>(stored[place]);
      };
      GroupStep<V, B> now;
      if (slice.wide)
        std::copy_n(wide + at, G, now.col);
      else
        decode_columns(slice.windows, narrow + at, now.col);
      const bool full = now.load_masks(masks ? masks + at : nullptr);
      now.fetch_from(on, x, static_cast<Index>(A.cols - 1));
      if (full)
        now.template add_full<S>(value, groups[lane / G]);
      else
        now.template add_masked<S>(value, groups[lane / G]);
    }
  }
}

// The sums of B lines of each lane, and which places of their blocks were entries.
template <int B, class V, class S, class On>
inline void sum_lanes(On on, const Blocks<V>& A, const CodedValues<V, S>& values, const ColumnSlice& slice, const V* x,
                      V (&sums)[B][simt::warp_size], std::uint32_t (&present)[simt::warp_size]) {
  if constexpr (On::value == Isa::avx512 && std::is_same_v<S, V>) {
    sum_slice<B>(A, slice, x, sums, present);
  } else {
    using Group = LaneGroup<V, B>;
    constexpr int G = Group::G;
    Group groups[simt::warp_size / G];
    add_slice<B>(on, A, values, slice, x, groups);
    for (int lane = 0; lane < simt::warp_size; ++lane) {
      present[lane] = groups[lane / G].present[lane % G];
      for (int line = 0; line < B; ++line) sums[line][lane] = groups[lane / G].sum[line][lane % G];
    }
  }
}

template <int B, class V, class S, class On>
inline void multiply_slice(On on, const Blocks<V>& A, const CodedValues<V, S>& values, std::int64_t s,
                           const Product<V>& p) {
  const SlicedColumns& c = A.columns;
  V sums[B][simt::warp_size];
  std::uint32_t places[simt::warp_size];
  sum_lanes<B>(on, A, values, c.slices[s], p.x, sums, places);
  const std::int64_t first = s * c.shape.slice_rows();
  const int count = static_cast<int>(std::min<std::int64_t>(c.shape.slice_rows(), c.rows - first));
  for (int row = 0; row < count; ++row) {
    const std::int64_t top = c.stored_row(first + row) * B;
    std::uint32_t present = 0;
    V sum[B] = {};
    for (int lane = row * c.shape.lanes; lane < (row + 1) * c.shape.lanes; ++lane) {
      present |= places[lane];
      for (int line = 0; line < B; ++line) sum[line] += sums[line][lane];
    }
    for (int line = 0; line < B && top + line < A.rows; ++line)
      p.update.row(top + line, sum[line], (present >> line * B & ((1u << B) - 1)) != 0);
  }
}

}  // namespace

template <class V>
void Blocks<V>::multiply(OnCpu, const Product<V>& p) const {
  values.visit([&](const auto& coded) {
    dispatch_block(size, [&](auto B) {
      const std::int64_t slices = columns.slices.size(), places = columns.codes.size() * size * size;
      parallel_work(slices, places, [&](std::int64_t begin, std::int64_t end) {
        with_isa([&](auto on) {
          for (std::int64_t s = begin; s < end; ++s) multiply_slice<B>(on, *this, coded, s, p);
        });
      });
    });
  });
}

template void Blocks<float>::multiply(OnCpu, const Product<float>&) const;
template void Blocks<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle::weave

// How rows aside are cut into parts and spans (runs_aside.hpp).
#pragma once

#include <algorithm>

#include "core/system.hpp"
#include "formats/runs/runs_aside.hpp"

namespace heddle {

// Entries of a part where rows aside have so many together.
inline Offset entries_of_part(Offset entries_aside) {
  Offset part = 2048;
  while (entries_aside / part > most_shared_parts / 2) part *= 2;
  return part;
}

// Where the dense span ends that begins with the first of `length` columns; 0 where there is none. It takes a third of
// 128 columns to begin, and ends where of 32 less than a quarter are there, unless they are the last.
inline Offset dense_end(const Index* col, Offset length) {
  constexpr Offset begin = 44, columns_to_begin = 128, least = 8;
  if (length < begin || col[begin - 1] - col[0] >= columns_to_begin) return 0;
  Offset k = 0;
  for (Index window = 0; k < length; ++window) {
    Offset end = k;
    while (end < length && (col[end] - col[0]) / columns_of_mask == window) ++end;
    if (end == k || (end - k < least && end < length)) return k;
    k = end;
  }
  return k;
}

// f(first entry, entries, whether they are dense) for the spans of `length` entries from `begin` on.
template <class F>
inline void each_span(const PatternView& A, Offset begin, Offset length, F f) {
  const Index* col = A.col.data() + begin;
  Offset first = 0;  // of those that are not dense
  for (Offset k = 0; k < length;) {
    const Offset dense = dense_end(col + k, length - k);
    if (dense == 0) {
      ++k;
      continue;
    }
    if (first < k) f(begin + first, k - first, false);
    f(begin + k, dense, true);
    first = k += dense;
  }
  if (first < length) f(begin + first, length - first, false);
}

// All arrays of rows aside but columns and values.
struct AsideCut {
  Offset part_entries;
  Vector<Index> row;
  Vector<Offset> work{0}, part{0}, span{0}, from;  // `from`: entry of the matrix that each span begins with
  Vector<AsideSpan> spans{{0, 0, -1}};
  Vector<SharedPart> shared;
  Vector<std::uint32_t> mask;
  Offset columns = 0;

  explicit AsideCut(Offset entries_aside) : part_entries(entries_of_part(entries_aside)) {}

  void add_row(const PatternView& A, std::int64_t r) {
    const Offset begin = A.ptr[static_cast<std::size_t>(r)], length = A.length(r);
    const bool is_shared = length >= 2 * part_entries;
    const Offset at_once = is_shared ? part_entries : std::max<Offset>(length, 1);
    for (Offset k = 0; k < length; k += at_once) {
      if (is_shared) shared.push_back({static_cast<Offset>(row.size()), static_cast<Offset>(span.size()) - 1});
      each_span(A, begin + k, std::min(at_once, length - k),
                [&](Offset entry, Offset count, bool dense) { add_span(A, entry, count, dense); });
      span.push_back(static_cast<Offset>(spans.size()) - 1);
    }
    row.push_back(static_cast<Index>(r));
    part.push_back(static_cast<Offset>(span.size()) - 1);
    work.push_back(work.back() + (is_shared ? 0 : length));
  }
  Offset entries() const { return spans.back().entry; }
  std::int64_t bytes(int value_bytes) const {
    const auto of = [](const auto& array) { return static_cast<std::int64_t>(array.size() * sizeof(array[0])); };
    return of(row) + of(work) + of(part) + of(span) + of(spans) + of(shared) + of(mask) +
           columns * static_cast<std::int64_t>(sizeof(Index)) + entries() * value_bytes;
  }
  // Of so many rows with so many entries, whatever their columns: no span but the last of a part has less than 32
  // entries, or the dense one behind it has.
  static std::int64_t bytes_at_most(std::int64_t rows, Offset entries, int value_bytes) {
    constexpr std::int64_t of_row = sizeof(Index) + 2 * sizeof(Offset), of_part = sizeof(Offset) + sizeof(SharedPart);
    const std::int64_t parts = rows + entries / 1024, most_spans = parts + entries / 16;
    return (rows + 1) * of_row + (parts + 1) * of_part +
           (most_spans + 1) * static_cast<std::int64_t>(sizeof(AsideSpan)) + entries * (value_bytes + 4);
  }

  template <class V>
  AsideRows<V> filled(const CsrView<V>& A) const {
    AsideRows<V> made{Buffer<Index>::copy_of(row),
                      Buffer<Offset>::copy_of(work),
                      Buffer<Offset>::copy_of(part),
                      Buffer<Offset>::copy_of(span),
                      Buffer<AsideSpan>::copy_of(spans),
                      Buffer<SharedPart>::copy_of(shared),
                      Buffer<std::uint32_t>::copy_of(mask),
                      Buffer<Index>(columns),
                      Buffer<V>(entries())};
    for (std::size_t s = 0; s < from.size(); ++s) {
      const Offset count = spans[s + 1].entry - spans[s].entry;
      std::copy_n(A.val.data() + from[s], count, made.val.data() + spans[s].entry);
      if (!spans[s].is_dense()) std::copy_n(A.col.data() + from[s], count, made.col.data() + spans[s].at);
    }
    return made;
  }

 private:
  void add_span(const PatternView& A, Offset entry, Offset count, bool dense) {
    const Index* col = A.col.data() + entry;
    const auto masks = static_cast<Offset>(mask.size());
    spans.back().at = dense ? masks : columns;
    spans.back().first = dense ? col[0] : -1;
    spans.push_back({spans.back().entry + count, 0, -1});
    from.push_back(entry);
    if (!dense) {
      columns += count;
      return;
    }
    mask.resize(static_cast<std::size_t>(masks + (col[count - 1] - col[0]) / columns_of_mask + 1), 0u);
    for (Offset k = 0; k < count; ++k) {
      const Index place = col[k] - col[0];
      mask[static_cast<std::size_t>(masks + place / columns_of_mask)] |= 1u << place % columns_of_mask;
    }
  }
};

// Share of the entries of a row that are in dense spans, by a look at some of them.
inline double dense_share(const PatternView& A, std::int64_t row) {
  constexpr Offset most = 4096;
  const Offset length = A.length(row), looked_at = std::min(length, most);
  Offset found = 0;
  each_span(A, A.ptr[static_cast<std::size_t>(row)] + (length - looked_at) / 2, looked_at,
            [&](Offset, Offset count, bool dense) { found += dense ? count : 0; });
  return looked_at > 0 ? static_cast<double>(found) / static_cast<double>(looked_at) : 0;
}

}  // namespace heddle

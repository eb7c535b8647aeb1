#include "analyze/device/survey_facts.hpp"

#include <cstring>
#include <mutex>
#include <optional>

#include "analyze/column_degrees.hpp"
#include "analyze/device/survey.hpp"
#include "analyze/kinds.hpp"
#include "analyze/parts.hpp"
#include "analyze/pattern_hash.hpp"
#include "analyze/slice_diagonals.hpp"
#include "analyze/value_bits.hpp"
#include "core/gpu.hpp"
#include "core/mark.hpp"
#include "simt/where.hpp"

namespace heddle {

namespace {

using Memory = Buffer<std::uint64_t>;

// Memory of a GPU stays for the next survey: to release it would make the whole device wait. A thread that finds it in use
// gets memory of their own. With what is kept goes memory of the host that kernels reach: a copy is a call of the
// driver and a job of its own behind the kernels.
class Workspace {
 public:
  Workspace(Device device, std::int64_t words) : lock_(kept().guard, std::try_to_lock) {
    const bool keeps = lock_.owns_lock() && device.kind == Device::Kind::gpu;
    Memory& memory = keeps ? kept().memory : own_;
    if (keeps && !(memory.device() == device)) kept().mark.reset();  // an event is of one device
    if (memory.size() < words || !(memory.device() == device)) memory = Memory(words, device);
    memory_ = &memory;
    if (!keeps) return;
    if (!kept().mark) kept().mark.emplace();
    static auto* const of_host = static_cast<std::uint64_t*>(gpu::allocate_for_both(8 * most_host_words));
    host_ = of_host;
  }
  std::uint64_t* words() { return memory_->data(); }
  std::uint64_t* host_words(std::int64_t count) { return count <= most_host_words ? host_ : nullptr; }
  gpu::Mark& mark() { return *kept().mark; }  // where there are host_words

 private:
  static constexpr std::int64_t most_host_words = 8 << 10;
  struct Kept {
    std::mutex guard;
    Memory memory;
    std::optional<gpu::Mark> mark;
  };
  static Kept& kept() {
    static Kept all;
    return all;
  }
  std::unique_lock<std::mutex> lock_;
  Memory own_;
  Memory* memory_ = nullptr;
  std::uint64_t* host_ = nullptr;
};

// Parts of one block of memory, each at a multiple of 8 bytes; what the host reads back comes first.
template <class V>
struct Layout {
  Survey<V> survey;

  Layout(const Csr<V>& A, bool with_hash)
      : survey{.rows = A.rows,
               .cols = A.cols,
               .nnz = A.nnz(),
               .ptr = A.ptr.data(),
               .col = A.col.data(),
               .val = A.val.data(),
               .aligned = is_aligned(A.col.data()) && is_aligned(A.val.data()),
               .hashes = with_hash,
               .windows = WindowChoice(A.rows, A.nnz(), column_sample(A.nnz(), Detail::planning)),
               .blocks = BlockWindows(A.rows, A.nnz(), block_sample(A.nnz(), Detail::planning))} {
    if (ColumnDegrees::wanted(A.nnz(), A.cols)) survey.runs = ColumnDegrees::runs(A.nnz());
    place(nullptr);
  }

  // Says where everything lies; without memory only how much is needed.
  void place(std::uint64_t* memory) {
    std::int64_t words = 0;
    const auto take = [&]<class T>(T*& array, std::int64_t count) {
      static_assert(sizeof(T) % sizeof(std::uint64_t) == 0 || sizeof(T) == sizeof(std::uint64_t));
      array = memory ? reinterpret_cast<T*>(memory + words) : nullptr;
      words += count * static_cast<std::int64_t>(sizeof(T) / sizeof(std::uint64_t));
    };
    take(survey.totals, 1);
    take(survey.window, survey.window_counts());
    survey.words_for_host = words;
    take(survey.values, Survey<V>::value_slots);
    take(survey.diagonals, SurveyDiagonal::slots);
    take(survey.patterns, Survey<V>::pattern_slots);
    take(survey.columns, survey.runs > 0 ? ColumnDegrees::slots : 0);
    survey.words = memory;
    survey.word_count = words;
  }

 private:
  static bool is_aligned(const void* array) { return reinterpret_cast<std::uintptr_t>(array) % 16 == 0; }
};

std::int64_t number(SurveyTotals::Word word) { return static_cast<std::int64_t>(word); }

LengthCounts lengths_of(const SurveyTotals& t) {
  LengthCounts counts;
  counts.min = number(SurveyTotals::not_longer - t.shorter);
  counts.max = number(t.longest);
  counts.squares_low = t.squares_low;
  counts.squares_high = t.squares_high;
  std::transform(std::begin(t.long_rows), std::end(t.long_rows), counts.long_rows, number);
  std::transform(std::begin(t.lengths), std::end(t.lengths), counts.counts, number);
  return counts;
}

BlockCounts blocks_of(const SurveyTotals& t) {
  BlockCounts counts{.entries = number(t.block_entries), .entries_of_fives = number(t.entries_of_fives)};
  for (int i = 0; i < block_shapes; ++i) counts.blocks[i] = number(t.blocks[i]);
  return counts;
}

DiagonalCounts diagonals_of(const SurveyTotals& t) {
  return {number(t.diagonal_rows), number(t.diagonal_entries),
          number(t.slice_places),  number(t.slice_entries),
          number(t.diagonals),     number(t.full),
          number(t.constant),      number(t.on_full),
          number(t.slices),        std::min(number(t.patterns), DiagonalCounts::most_patterns)};
}

template <class V>
ValueFacts values_of(const SurveyTotals& t, std::int64_t values) {
  const std::int64_t distinct = number(t.values) + (t.zeros != 0);
  const bool capped = t.many_values != 0 || distinct > planning_cap;
  if (!capped) return {distinct, false, t.inexact == 0, distinct};
  const std::int64_t guess =
      ValueSample::wanted<V>(values) ? kinds_in_all(number(t.sampled_values), ValueSample::size, values) : values;
  return {planning_cap, true, t.inexact == 0, std::max(planning_cap + 1, guess)};
}

template <class V>
Structure facts_of(const Survey<V>& s, const SurveyTotals& t, std::span<const WindowCounts> windows) {
  Structure facts;
  facts.rows = s.rows;
  facts.cols = s.cols;
  facts.nnz = s.nnz;
  facts.rows_len = length_facts(lengths_of(t), s.rows, s.nnz);
  std::int64_t stored[padding_pairs];
  std::transform(t.stored, t.stored + padding_pairs, stored, number);
  facts.padding = padding_facts(stored, s.nnz);
  facts.blocks = block_fills(blocks_of(t), Detail::planning);
  facts.blocks_sampled = are_blocks_sampled(s.nnz, Detail::planning);
  facts.diagonals = diagonal_facts(diagonals_of(t), s.rows);
  const ColumnFacts columns = column_facts(windows, s.windows.all);
  facts.columns = columns.columns;
  if (s.runs > 0 && ColumnDegrees::matter(columns)) facts.columns.tile_rows_by_degree = pairs_by_degree(windows);
  facts.gather_f32 = columns.gather_f32;
  facts.gather_f64 = columns.gather_f64;
  facts.sampled_entries = columns.entries;
  if (s.hashes) facts.pattern_hash = PatternHash::of(t.hash, s.rows, s.cols, s.nnz);
  const ValueFacts values = values_of<V>(t, s.nnz);
  facts.distinct_values = values.distinct;
  facts.distinct_capped = values.capped;
  facts.distinct_guess = values.guess;
  facts.f32_exact = values.f32_exact;
  return facts;
}

}  // namespace

template <class V>
Structure survey(const Csr<V>& A, bool with_hash) {
  const Device device = A.ptr.device();
  Layout<V> layout(A, with_hash);
  Survey<V>& s = layout.survey;
  Workspace workspace(device, s.word_count);
  layout.place(workspace.words());
  s.host_words = workspace.host_words(s.words_for_host);
  on_gpu(device, [&](auto where) { run_survey(where, s); });
  Vector<std::uint64_t> copy;
  if (s.host_words != nullptr) {
    workspace.mark().set({});
    workspace.mark().wait();
  } else {
    copy.resize(static_cast<std::size_t>(s.words_for_host));
    memory::copy(copy.data(), Device::cpu(), workspace.words(), device, 8 * copy.size());
  }
  const auto* totals = reinterpret_cast<const SurveyTotals*>(s.host_words ? s.host_words : copy.data());
  const auto* windows = reinterpret_cast<const WindowCounts*>(totals + 1);
  return facts_of(s, *totals, {windows, static_cast<std::size_t>(s.window_counts())});
}

template Structure survey(const Csr<float>&, bool);
template Structure survey(const Csr<double>&, bool);

}  // namespace heddle

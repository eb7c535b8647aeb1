#include "analyze/device/survey.hpp"
#include "analyze/device/survey_blocks.hpp"
#include "analyze/device/survey_board.hpp"
#include "analyze/device/survey_degrees.hpp"
#include "analyze/device/survey_entries.hpp"
#include "analyze/device/survey_rows.hpp"
#include "analyze/device/survey_windows.hpp"

namespace heddle {

namespace {

// A block to a multiprocessor, and enough of them for the largest GPU: one that comes late finds no task.
constexpr std::int64_t block_limit = 160;
// Windows of a matrix that is small but has many rows are taken several at a time.
constexpr std::int64_t most_window_tasks = 512;

SIMT_KERNEL clear_words(std::uint64_t* words, std::int64_t count) {
  for (std::int64_t i = simt::global_thread(); i < count; i += simt::grid_blocks() * simt::block_threads())
    words[i] = 0;
}

SIMT_KERNEL copy_words(std::uint64_t* to, const std::uint64_t* from, std::int64_t count) {
  if (simt::global_thread() < count) to[simt::global_thread()] = from[simt::global_thread()];
}

struct Tasks {
  std::int64_t parts;  // of a window, a task each
  std::int64_t windows, blocks, degrees, values, rows, entries;

  SIMT_BOTH std::int64_t all() const { return windows + blocks + degrees + values + rows + entries; }
};

template <class V>
Tasks tasks_of(const Survey<V>& s) {
  const std::int64_t parts = s.windows.count * window_parts <= block_limit ? window_parts : 1;
  return {parts,
          std::min(parts * s.windows.count, most_window_tasks),
          simt::blocks_for(s.blocks.count, survey_threads / block_team(s)),
          simt::blocks_for(s.runs, runs_of_task),
          ValueSample::wanted<V>(s.nnz) ? 1 : 0,
          simt::blocks_for(s.rows, rows_of_task),
          simt::blocks_for(s.nnz, entries_of_task)};
}

template <class V>
SIMT_DEVICE void do_task(const Survey<V>& s, const Tasks& tasks, std::int64_t task, Board& board) {
  if (task < tasks.windows) {
    if (tasks.parts > 1) return survey_window(s, task / window_parts, 1u << task % window_parts, board);
    for (std::int64_t i = task; i < s.windows.count; i += tasks.windows) survey_window(s, i, all_parts, board);
    return;
  }
  task -= tasks.windows;
  if (task < tasks.blocks) return survey_blocks(s, task, board);
  task -= tasks.blocks;
  if (task < tasks.degrees) return survey_degrees(s, task, board);
  task -= tasks.degrees;
  if (task < tasks.values) return survey_sampled_values(s, board);
  task -= tasks.values;
  if (task < tasks.rows) return survey_rows(s, task, board);
  survey_entries(s, task - tasks.rows, board);
}

// What the first thread asks for while a task is done: the next one, and whether anything can still be learnt from
// values. Its answers are looked at when the task is over.
template <class V>
class Foresight {
 public:
  SIMT_DEVICE void ask(const Survey<V>& s) {
    if (simt::thread() != 0) return;
    task_ = static_cast<std::uint32_t>(simt::atomic_add(&s.totals->next_task, std::uint64_t{1}));
    many_ = static_cast<std::uint32_t>(simt::uncached_load(&s.totals->many_values));
    inexact_ = static_cast<std::uint32_t>(simt::uncached_load(&s.totals->inexact));
  }
  SIMT_DEVICE void tell(Board& board) const {
    if (simt::thread() != 0) return;
    board.task = task_;
    board.looks_at_values = many_ == 0 || (sizeof(V) == 8 && inexact_ == 0);
  }

 private:
  std::uint32_t task_ = 0, many_ = 0, inexact_ = 0;  // in few registers
};

template <class V>
SIMT_BOUNDED_KERNEL(survey_threads, 1)
count_tasks(Survey<V> s, Tasks tasks) {
  Board& board = *simt::shared<Board>();
  Foresight<V> next;
  next.ask(s);
  board.clear();
  for (;;) {
    next.tell(board);
    simt::sync_block();
    const std::int64_t task = board.task;
    if (task >= (s.hashes || board.looks_at_values ? tasks.all() : tasks.all() - tasks.entries)) break;
    next.ask(s);
    do_task(s, tasks, task, board);
    simt::sync_block();
  }
  board.add_up();
  board.add_to(s.totals);
  hand_in_values(s, board);
}

// Diagonals with an entry in half of the rows that were looked at.
template <class V>
SIMT_DEVICE void conclude_diagonals(const Survey<V>& s) {
  std::uint32_t full = 0, constant = 0, entries = 0;
  for (std::uint32_t at = simt::thread(); at < SurveyDiagonal::slots; at += survey_threads) {
    const SurveyDiagonal& d = s.diagonals[at];
    if (d.key == 0 || 2 * std::uint64_t{d.entries} < s.totals->diagonal_rows) continue;
    ++full;
    constant += (d.ones & d.zeros) == 0;
    entries += d.entries;
  }
  add_warp(&s.totals->full, full);
  add_warp(&s.totals->constant, constant);
  add_warp(&s.totals->on_full, entries);
}

template <class V>
SIMT_BOUNDED_KERNEL(survey_threads, 1)
conclude(Survey<V> s) {
  Board& board = *simt::shared<Board>();
  if (simt::block() == 0) conclude_diagonals(s);
  if (s.runs > 0 && degrees_may_matter(s))
    for (std::int64_t i = simt::block(); i < s.windows.count; i += simt::grid_blocks()) conclude_window(s, i, board);
  if (blocks_leave_hope(s)) conclude_blocks(s);
}

}  // namespace

template <class V>
void run_survey(simt::Here here, const Survey<V>& s) {
  constexpr int clearing = 256;
  simt::launch(here, {std::min<std::int64_t>(simt::blocks_for(s.word_count, clearing), 4 * block_limit), clearing},
               clear_words, s.words, s.word_count);
  const Tasks tasks = tasks_of(s);
  simt::launch(here, {std::min(tasks.all(), block_limit), survey_threads, sizeof(Board)}, count_tasks<V>, s, tasks);
  const std::int64_t conclusions =
      std::max<std::int64_t>(1, s.windows.count + other_shapes * block_pieces * s.blocks.count);
  simt::launch(here, {std::min(conclusions, block_limit), survey_threads, sizeof(Board)}, conclude<V>, s);
  if (s.host_words != nullptr)
    simt::launch(here, {simt::blocks_for(s.words_for_host, clearing), clearing}, copy_words, s.host_words, s.words,
                 s.words_for_host);
}

template void run_survey(simt::Here, const Survey<float>&);
template void run_survey(simt::Here, const Survey<double>&);

}  // namespace heddle

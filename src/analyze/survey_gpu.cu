#include "analyze/survey.hpp"
#include "analyze/survey_blocks.hpp"
#include "analyze/survey_board.hpp"
#include "analyze/survey_degrees.hpp"
#include "analyze/survey_entries.hpp"
#include "analyze/survey_rows.hpp"
#include "analyze/survey_windows.hpp"

namespace heddle {

namespace {

// A block to a multiprocessor, and enough of them for the largest GPU: one that comes late finds no task.
constexpr std::int64_t most_blocks = 160;
// Windows of a matrix that is small but has many rows are taken several at a time.
constexpr std::int64_t most_window_tasks = 512;

SIMT_KERNEL clear_words(std::uint64_t* words, std::int64_t count) {
  for (std::int64_t i = simt::global_thread(); i < count; i += simt::grid_blocks() * simt::block_threads())
    words[i] = 0;
}

struct Tasks {
  std::int64_t windows, blocks, degrees, rows, entries;

  std::int64_t all() const { return windows + blocks + degrees + rows + entries; }
};

template <class V>
Tasks tasks_of(const Survey<V>& s) {
  return {std::min(s.windows.count, most_window_tasks), simt::blocks_for(s.blocks.count, block_teams),
          simt::blocks_for(s.runs, runs_of_task), simt::blocks_for(s.rows, row_windows * padding_window),
          simt::blocks_for(s.nnz, entries_of_task)};
}

template <class V>
SIMT_DEVICE void do_task(const Survey<V>& s, const Tasks& tasks, std::int64_t task, Board& board) {
  if (task < tasks.windows) {
    for (std::int64_t i = task; i < s.windows.count; i += tasks.windows) survey_window(s, i, board);
    return;
  }
  task -= tasks.windows;
  if (task < tasks.blocks) return survey_blocks(s, task, board);
  task -= tasks.blocks;
  if (task < tasks.degrees) return survey_degrees(s, task, board);
  task -= tasks.degrees;
  if (task < tasks.rows) return survey_rows(s, task, board);
  survey_entries(s, task - tasks.rows, board);
}

template <class V>
SIMT_BOUNDED_KERNEL(survey_threads, 1)
count_tasks(Survey<V> s, Tasks tasks, std::int64_t count) {
  Board& board = *simt::shared<Board>();
  board.clear();
  for (;;) {
    if (simt::thread() == 0)
      board.task = static_cast<std::int64_t>(simt::atomic_add(&s.totals->next_task, std::uint64_t{1}));
    simt::sync_block();
    const std::int64_t task = board.task;
    if (task >= count) break;
    do_task(s, tasks, task, board);
    simt::sync_block();
  }
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
conclude_tasks(Survey<V> s, std::int64_t windows) {
  Board& board = *simt::shared<Board>();
  if (simt::block() == 0) conclude_diagonals(s);
  for (std::int64_t task = simt::block(); task < windows + s.blocks.count; task += simt::grid_blocks())
    task < windows ? conclude_window(s, task, board) : conclude_blocks(s, task - windows);
}

}  // namespace

template <class V>
void run_survey(simt::Here here, const Survey<V>& s) {
  constexpr int clearing = 256;
  simt::launch(here, {std::min<std::int64_t>(simt::blocks_for(s.word_count, clearing), 4 * most_blocks), clearing},
               clear_words, s.words, s.word_count);
  const Tasks tasks = tasks_of(s);
  simt::launch(here, {std::min(tasks.all(), most_blocks), survey_threads, sizeof(Board)}, count_tasks<V>, s, tasks,
               tasks.all());
  const std::int64_t windows = s.runs > 0 ? s.windows.count : 0;
  simt::launch(here,
               {std::clamp<std::int64_t>(windows + s.blocks.count, 1, most_blocks), survey_threads, sizeof(Board)},
               conclude_tasks<V>, s, windows);
}

template void run_survey(simt::Here, const Survey<float>&);
template void run_survey(simt::Here, const Survey<double>&);

}  // namespace heddle

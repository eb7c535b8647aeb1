// The loop over the data lines of a text, in parallel, with the same result and the same error for any number of
// threads.
//
//   pass 1   count lines in every chunk    -> where each chunk's entries go, and the number of its first line
//   pass 2   parse every chunk             -> straight into the final arrays
//
// A bad line ends its chunk; of all bad chunks the first one counts, so the error is that of the first bad line.
#pragma once

#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>

#include <heddle/error.hpp>
#include <heddle/io.hpp>

#include "io/text.hpp"
#include "io/workers.hpp"

namespace heddle::io {

struct ParseOptions {
  int threads = 0;  // 0: heddle::threads()
  Progress progress = {};
  std::int64_t chunk_bytes = 256 << 10;  // fits the second-level cache together with what is written
};

struct LineRules {
  std::int64_t entries = -1;      // how many there must be; -1: as many as there are
  bool comments = false;          // lines that begin with % or # count as blank
  std::int64_t lines_before = 0;  // lines of the file before the data
};

// A line that cannot be read: the place is added where file and line are known.
struct BadLine {
  std::string message, hint = {};
};

class DataLines {
 public:
  DataLines(const Text& text, std::int64_t body, const LineRules& rules, ParseOptions options);

  std::int64_t entries() const { return entries_; }

  // Calls read_line(p, k) for every data line: p is at its first character that is not blank, k its number from 0;
  // it returns the place of the line break, or throws BadLine.
  template <class F>
  void parse(F&& read_line) {
    parsed_ = 0;
    each_chunk([&](Chunk& chunk, const ChunkText& bytes) { parse_chunk(chunk, bytes, read_line); }, options_.progress);
    finish();
  }

 private:
  bool is_data(const char* line) const { return *line != '\n' && !(rules_.comments && (*line == '%' || *line == '#')); }
  std::int64_t count_data_lines(const ChunkText& bytes) const;
  void count_quickly();
  void count_exactly();
  void number_chunks();
  // Error of the first bad line, or of too few of them.
  void finish() const;
  [[noreturn]] void fail_at(const Chunk& chunk, const ChunkText& bytes, const char* at, const BadLine& bad) const;
  BadLine too_many() const;
  void remember_failure(std::int64_t chunk);

  template <class F>
  void each_chunk(F&& f, const Progress& progress) {
    const auto count = static_cast<std::int64_t>(chunks_.size());
    const std::int64_t batch =
        progress ? std::max<std::int64_t>(4 * thread_count(options_.threads), count / 64) : count;
    for (std::int64_t first = 0; first < count; first += batch) {
      const std::int64_t last = std::min(count, first + batch);
      run_on_with<Vector<char>>(options_.threads, last - first,
                                [&](std::int64_t i, Vector<char>& scratch) { visit(first + i, scratch, f); });
      if (progress) progress(static_cast<double>(last) / static_cast<double>(count));
    }
  }

  template <class F>
  void visit(std::int64_t number, Vector<char>& scratch, F& f) {
    if (number > first_bad_.load(std::memory_order_relaxed)) return;
    Chunk& chunk = chunks_[static_cast<std::size_t>(number)];
    try {
      f(chunk, ChunkText(text_, chunk, scratch));
    } catch (const Error&) {
      remember_failure(number);
    }
  }

  template <class F>
  void parse_chunk(const Chunk& chunk, const ChunkText& bytes, F& read_line) {
    const std::int64_t end = std::min(chunk.first_entry + chunk.entries, entries_);
    std::int64_t k = chunk.first_entry;
    const char* line = bytes.begin();
    try {
      for (const char* p = bytes.begin(); p < bytes.end(); ++p) {
        line = skip_line_end(p);
        if (is_data(line)) [[likely]] {
          if (k >= end) throw too_many();
          p = read_line(line, k++);
        } else {
          p = static_cast<const char*>(std::memchr(line, '\n', static_cast<std::size_t>(bytes.end() - line)));
        }
      }
    } catch (const BadLine& bad) {
      fail_at(chunk, bytes, line, bad);
    }
    parsed_ += k - chunk.first_entry;
  }

  const Text& text_;
  LineRules rules_;
  ParseOptions options_;
  Vector<Chunk> chunks_;
  std::int64_t entries_ = 0, lines_ = 0;
  std::atomic<std::int64_t> parsed_{0};
  std::atomic<std::int64_t> first_bad_{INT64_MAX};
  std::mutex failure_guard_;
  std::exception_ptr failure_;
};

}  // namespace heddle::io

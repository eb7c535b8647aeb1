#include "io/matrix_market/data_lines.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace heddle::io {

DataLines::DataLines(const Text& text, std::int64_t body, const LineRules& rules, ParseOptions options)
    : text_(text),
      rules_(rules),
      options_(std::move(options)),
      chunks_(split_at_lines(text, body, options_.chunk_bytes)) {
  count_quickly();
  // As many lines as entries: then none is blank, or the parser will find too few.
  if (lines_ != rules.entries) count_exactly();
  number_chunks();
  if (failure_) std::rethrow_exception(failure_);
}

void DataLines::count_quickly() {
  each_chunk(
      [](Chunk& chunk, const ChunkText& bytes) {
        chunk.lines = chunk.entries = count_line_breaks(bytes.begin(), bytes.end());
      },
      {});
  for (const Chunk& chunk : chunks_) lines_ += chunk.lines;
}

std::int64_t DataLines::count_data_lines(const ChunkText& bytes) const {
  std::int64_t count = 0;
  for (const char* p = bytes.begin(); p < bytes.end(); ++p) {
    p = skip_line_end(p);
    count += is_data(p);
    p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(bytes.end() - p)));
  }
  return count;
}

void DataLines::count_exactly() {
  each_chunk([this](Chunk& chunk, const ChunkText& bytes) { chunk.entries = count_data_lines(bytes); }, {});
}

void DataLines::number_chunks() {
  std::int64_t line = rules_.lines_before + 1, entry = 0;
  for (Chunk& chunk : chunks_) {
    chunk.first_line = line;
    chunk.first_entry = entry;
    line += chunk.lines;
    entry += chunk.entries;
  }
  entries_ = rules_.entries < 0 ? entry : rules_.entries;
}

void DataLines::finish() const {
  if (failure_) std::rethrow_exception(failure_);
  if (parsed_ == entries_) return;
  const std::int64_t last_line = std::max<std::int64_t>(1, rules_.lines_before + lines_);
  fail(ErrorKind::input, At{fmt::format("{}:{}", text_.name(), last_line), "the file may be cut off"},
       "the file ends after {} entries, {} are declared", parsed_.load(), entries_);
}

void DataLines::fail_at(const Chunk& chunk, const ChunkText& bytes, const char* at, const BadLine& bad) const {
  const std::int64_t line = chunk.first_line + count_line_breaks(bytes.begin(), at);
  fail(ErrorKind::input, At{fmt::format("{}:{}", text_.name(), line), bad.hint}, "{}", bad.message);
}

BadLine DataLines::too_many() const { return {fmt::format("there are more entries than the {} declared", entries_)}; }

void DataLines::remember_failure(std::int64_t chunk) {
  const std::lock_guard lock(failure_guard_);
  if (chunk >= first_bad_) return;
  first_bad_ = chunk;
  failure_ = std::current_exception();
}

}  // namespace heddle::io

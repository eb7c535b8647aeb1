// Text to be parsed: a regular file that is read piece by piece, or memory (inflated gzip, a pipe, a test).
//
//   bytes      |%%MatrixMarket ...|5 5 8|1 1 1.0|1 2 2.0|...|5 5 8.0|
//              0                        ^ body                      ^ end (trailing white space cut off)
//   chunks                              [ lines of chunk 0 ][ lines of chunk 1 ] ...
//
// Pieces are copied into a scratch buffer that stays in the cache. That was chosen over mapping the file: a file that
// another program truncates meanwhile is then an error and not a SIGBUS, and copying costs less than page faults.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <heddle/buffer.hpp>

#include "core/system.hpp"

namespace heddle::io {

// What a message may quote of a file: short, and printable whatever the file holds.
std::string quoted(std::string_view text);

inline constexpr const char* standard_input = "-";  // in place of a path

class OpenFile {  // a descriptor for reading
 public:
  // Error(input) for what is missing, unreadable or a directory.
  explicit OpenFile(const std::string& path);
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();

  int descriptor() const { return descriptor_; }
  bool regular() const { return regular_; }
  std::int64_t size() const { return size_; }

 private:
  int descriptor_ = -1;
  bool regular_ = false;
  std::int64_t size_ = 0;
};

class Text;
// Error(input) for a text that cannot be what is wanted, by its first bytes.
using Judge = std::function<void(const Text& beginning)>;

class Text {
 public:
  // Borrowed memory.
  Text(std::string name, std::span<const char> memory);
  // A regular file stays on disk; anything else (a pipe, a terminal) is read to its end once its beginning was judged.
  Text(std::string name, std::shared_ptr<OpenFile> file, const Judge& judge = {});
  // Memory that grows by append().
  explicit Text(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  std::int64_t size() const { return size_; }
  // Error(input) when the file cannot be read, or has become shorter.
  void read(std::int64_t begin, std::int64_t end, char* to) const;
  bool starts_with(std::string_view start) const;

  // Room for at least one more byte at the end; append(n) then says how many of it have been filled.
  std::span<char> room();
  void append(std::int64_t filled) { size_ += filled; }

 private:
  struct Block {
    std::int64_t begin;
    Buffer<char> bytes;
  };
  void read_file(std::int64_t begin, std::int64_t end, char* to) const;

  std::string name_;
  std::int64_t size_ = 0;
  std::shared_ptr<OpenFile> file_;
  Vector<Block> blocks_;
};

// Walks over lines without their line breaks. A line stays valid until the next one is asked for.
class LineCursor {
 public:
  explicit LineCursor(const Text& text) : text_(text) {}
  bool next(std::string_view& line);
  std::int64_t line_number() const { return number_; }  // of the line last given, from 1
  std::int64_t position() const { return position_; }   // where the next line begins

 private:
  void refill();

  const Text& text_;
  std::int64_t position_ = 0, number_ = 0;
  std::int64_t window_begin_ = 0, window_size_ = 0;
  Vector<char> window_;
};

struct Chunk {
  std::int64_t begin = 0, end = 0;      // bytes; begins at a line, ends behind a line break or at the end
  std::int64_t lines = 0, entries = 0;  // entries: lines that are not blank
  std::int64_t first_line = 0, first_entry = 0;
};

// The bytes from `body` on, without white space at the end, cut at line breaks about every `chunk_bytes`.
Vector<Chunk> split_at_lines(const Text& text, std::int64_t body, std::int64_t chunk_bytes);

// The bytes of a chunk, always with a final line break and readable bytes behind it, so that scanners need no bounds.
class ChunkText {
 public:
  static constexpr std::int64_t slack = 64;
  ChunkText(const Text& text, const Chunk& chunk, Vector<char>& scratch);
  const char* begin() const { return begin_; }
  const char* end() const { return end_; }  // behind the final line break

 private:
  const char *begin_, *end_;
};

std::int64_t count_line_breaks(const char* begin, const char* end);

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline const char* skip_blanks(const char* p) {
  while (is_blank(*p)) ++p;
  return p;
}
// Blanks and the carriage returns of DOS: what may stand between the last number of a line and its line break.
inline const char* skip_line_end(const char* p) {
  while (is_blank(*p) || *p == '\r') ++p;
  return p;
}

}  // namespace heddle::io

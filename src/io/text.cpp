#include "io/text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/check.hpp"
#include "io/file_table.hpp"
#include "io/growth.hpp"

namespace heddle::io {

FileTable& file_table() noexcept {
  static FileTable table{::read, ::pread, ::write, ::fsync, ::rename};
  return table;
}

ErrorKind kind_of_error(int code) noexcept {
  for (const int name_is_wrong : {ENOENT, ENOTDIR, EISDIR, ENAMETOOLONG, ELOOP})
    if (code == name_is_wrong) return ErrorKind::usage;
  return ErrorKind::unavailable;
}

std::string quoted(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, 40)) shown += c >= ' ' && c <= '~' ? c : '?';
  return "'" + shown + (text.size() > 40 ? "...'" : "'");
}

namespace {

std::string hint_about_missing(const std::string& path) {
  for (const char* suffix : {".mtx", ".mtx.gz", ".hdl"})
    if (::access((path + suffix).c_str(), F_OK) == 0) return fmt::format("did you mean {}{}?", path, suffix);
  return "check the path; generated matrices are written gen:KIND,key=value";
}

}  // namespace

OpenFile::OpenFile(const std::string& path) {
  do descriptor_ = path == standard_input ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) {
    const int code = errno;
    fail(ErrorKind::input, At{path, code == ENOENT ? hint_about_missing(path) : ""}, "cannot open the file: {}",
         std::strerror(code));
  }
  struct stat about {};
  const bool known = ::fstat(descriptor_, &about) == 0;
  if (known && !S_ISDIR(about.st_mode)) {
    regular_ = S_ISREG(about.st_mode) && about.st_size > 0;  // files of /proc say 0 and are read like a pipe
    size_ = regular_ ? about.st_size : 0;
    return;
  }
  ::close(descriptor_);
  check(known, ErrorKind::input, "{}: the state of the file cannot be read: {}", path, std::strerror(errno));
  fail(ErrorKind::input, At{path, "name a file in it"}, "this is a folder");
}

OpenFile::~OpenFile() { ::close(descriptor_); }

Text::Text(std::string name, std::span<const char> memory)
    : name_(std::move(name)), size_(static_cast<std::int64_t>(memory.size())) {
  blocks_.push_back({0, Buffer<char>::borrow(memory)});
}

Text::Text(std::string name, std::shared_ptr<OpenFile> file, const Judge& judge)
    : name_(std::move(name)), file_(std::move(file)) {
  if (file_->regular()) {
    size_ = file_->size();
    if (judge) judge(*this);
    return;
  }
  const auto pipe = std::exchange(file_, nullptr);
  Growth growth(*this, judge);
  for (;;) {
    const std::span<char> free = room();
    const ssize_t got = file_table().read(pipe->descriptor(), free.data(), free.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(ErrorKind::input, At{name_}, "reading failed: {}", std::strerror(errno));
    if (got == 0) break;
    append(got);
    growth.add(free.first(static_cast<std::size_t>(got)));
  }
  growth.finish();
}

std::span<char> Text::room() {
  constexpr std::int64_t smallest = 64 << 10, largest = 4 << 20;
  if (blocks_.empty() || blocks_.back().begin + blocks_.back().bytes.size() == size_) {
    const auto wanted = blocks_.empty() ? smallest : std::min(largest, 2 * blocks_.back().bytes.size());
    blocks_.push_back({size_, Buffer<char>(wanted)});
  }
  return blocks_.back().bytes.span().subspan(static_cast<std::size_t>(size_ - blocks_.back().begin));
}

void Text::read(std::int64_t begin, std::int64_t end, char* to) const {
  if (begin >= end) return;
  if (file_) return read_file(begin, end, to);
  auto block = std::upper_bound(blocks_.begin(), blocks_.end(), begin,
                                [](std::int64_t at, const Block& b) { return at < b.begin; }) -
               1;
  for (; begin < end; ++block) {
    const std::int64_t bytes = std::min(end, block->begin + block->bytes.size()) - begin;
    std::memcpy(to, block->bytes.data() + (begin - block->begin), static_cast<std::size_t>(bytes));
    begin += bytes;
    to += bytes;
  }
}

void Text::read_file(std::int64_t begin, std::int64_t end, char* to) const {
  while (begin < end) {
    const ssize_t got = file_table().pread(file_->descriptor(), to, static_cast<std::size_t>(end - begin), begin);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(ErrorKind::input, At{name_}, "reading failed: {}", std::strerror(errno));
    if (got == 0) fail(ErrorKind::input, At{name_}, "the file became shorter while it was read");
    begin += got;
    to += got;
  }
}

bool Text::starts_with(std::string_view start) const {
  const auto length = static_cast<std::int64_t>(start.size());
  if (size_ < length) return false;
  std::string found(start.size(), '\0');
  read(0, length, found.data());
  return found == start;
}

bool LineCursor::next(std::string_view& line) {
  if (position_ >= text_.size()) return false;
  std::int64_t searched = 0;
  for (;;) {
    const std::int64_t in_window = window_begin_ + window_size_ - position_;
    const char* start = window_.data() + (position_ - window_begin_);
    const void* found = in_window > searched
                            ? std::memchr(start + searched, '\n', static_cast<std::size_t>(in_window - searched))
                            : nullptr;
    const bool last = window_begin_ + window_size_ == text_.size();
    if (found || (last && in_window > 0)) {
      const std::int64_t length = found ? static_cast<const char*>(found) - start : in_window;
      line = {start, static_cast<std::size_t>(length)};
      position_ += length + (found ? 1 : 0);
      ++number_;
      return true;
    }
    searched = in_window;
    refill();
  }
}

// Drops what lies before the present line; a line longer than the window doubles it.
void LineCursor::refill() {
  const std::int64_t keep = window_begin_ + window_size_ - position_;
  const std::int64_t wanted = std::min(std::max<std::int64_t>(16 << 10, 2 * keep), text_.size() - position_);
  if (keep > 0)
    std::memmove(window_.data(), window_.data() + (position_ - window_begin_), static_cast<std::size_t>(keep));
  window_.resize(static_cast<std::size_t>(std::max(wanted, keep)));
  text_.read(position_ + keep, position_ + wanted, window_.data() + keep);
  window_begin_ = position_;
  window_size_ = wanted;
}

namespace {

constexpr std::int64_t window_bytes = 4096;

bool is_white(char c) { return is_blank(c) || c == '\r' || c == '\n'; }

std::int64_t end_without_white_space(const Text& text, std::int64_t body) {
  char window[window_bytes];
  std::int64_t end = text.size();
  while (end > body) {
    const std::int64_t begin = std::max(body, end - window_bytes);
    text.read(begin, end, window);
    while (end > begin && is_white(window[end - begin - 1])) --end;
    if (end > begin) break;
  }
  return end;
}

// The first line start at or behind `from`; `end` when there is none.
std::int64_t line_start(const Text& text, std::int64_t from, std::int64_t end) {
  char window[window_bytes];
  for (std::int64_t at = from - 1; at < end; at += window_bytes) {
    const std::int64_t bytes = std::min(window_bytes, end - at);
    text.read(at, at + bytes, window);
    if (const void* found = std::memchr(window, '\n', static_cast<std::size_t>(bytes)))
      return at + (static_cast<const char*>(found) - window) + 1;
  }
  return end;
}

}  // namespace

Vector<Chunk> split_at_lines(const Text& text, std::int64_t body, std::int64_t chunk_bytes) {
  const std::int64_t end = end_without_white_space(text, body);
  Vector<Chunk> chunks;
  for (std::int64_t begin = body; begin < end;) {
    const std::int64_t next = begin + chunk_bytes < end ? line_start(text, begin + chunk_bytes, end) : end;
    chunks.push_back({begin, next});
    begin = next;
  }
  return chunks;
}

// Eight bytes at a time: 0x01 in every byte that is a line break, added up before a byte can overflow.
std::int64_t count_line_breaks(const char* begin, const char* end) {
  constexpr std::uint64_t ones = 0x0101010101010101, low_bits = 0x7F * ones;
  std::int64_t count = 0;
  while (end - begin >= 8) {
    const std::int64_t words = std::min<std::int64_t>(255, (end - begin) / 8);
    std::uint64_t sums = 0;
    for (std::int64_t i = 0; i < words; ++i) {
      std::uint64_t eight;
      std::memcpy(&eight, begin + 8 * i, 8);
      eight ^= '\n' * ones;
      sums += (~(((eight & low_bits) + low_bits) | eight) >> 7) & ones;
    }
    // Neighbouring bytes are paired first: eight times 255 does not fit one byte.
    const std::uint64_t pairs = (sums & 0x00FF00FF00FF00FF) + (sums >> 8 & 0x00FF00FF00FF00FF);
    count += static_cast<std::int64_t>(pairs * 0x0001000100010001 >> 48);
    begin += 8 * words;
  }
  return count + std::count(begin, end, '\n');
}

ChunkText::ChunkText(const Text& text, const Chunk& chunk, Vector<char>& scratch) {
  const std::int64_t bytes = chunk.end - chunk.begin;
  const auto wanted = static_cast<std::size_t>(bytes + 1 + slack);
  if (scratch.size() < wanted) scratch.resize(wanted);
  char* start = scratch.data();
  text.read(chunk.begin, chunk.end, start);
  char* stop = start + bytes;
  if (bytes == 0 || stop[-1] != '\n') *stop++ = '\n';
  std::memset(stop, 0, static_cast<std::size_t>(slack));
  begin_ = start;
  end_ = stop;
}

}  // namespace heddle::io

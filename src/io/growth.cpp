#include "io/growth.hpp"

#include <algorithm>
#include <cstring>

#include "core/check.hpp"

namespace heddle::io {

namespace {

constexpr std::int64_t enough_to_judge = 4096, longest_line = 4096, most_padding = 64 << 20;

}  // namespace

void Growth::add(std::span<const char> bytes) {
  judge_once(enough_to_judge);
  for (const char *p = bytes.data(), *end = p + bytes.size(); p < end;) {
    const auto* found = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
    const char* stop = found != nullptr ? found + 1 : end;
    const char* word = std::find_if(p, stop, [](char c) { return !is_blank(c) && c != '\r'; });
    if (line_ == 0) comment_ = word == stop || *word == '%' || *word == '#' || *word == '\n';
    const std::int64_t before = comment_ ? 0 : std::min(line_, longest_line);
    line_ += stop - p;
    const std::int64_t now = comment_ ? 0 : std::min(line_, longest_line);
    padding_ += (stop - p) - (now - before);
    if (found != nullptr) line_ = 0;
    p = stop;
  }
  if (padding_ > most_padding)
    fail(ErrorKind::input, At{text_.name(), "remove them"},
         "more than {} MB of comments, blank lines or overlong lines", most_padding >> 20);
}

void Growth::add_dense() {
  judge_once(enough_to_judge);
  line_ = 1;  // somewhere in a line
  comment_ = false;
}

void Growth::finish() { judge_once(0); }

void Growth::judge_once(std::int64_t enough) {
  if (judged_ || text_.size() < enough) return;
  judged_ = true;
  if (judge_) judge_(text_);
}

}  // namespace heddle::io

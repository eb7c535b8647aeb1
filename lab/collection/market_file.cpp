#include "collection/market_file.hpp"

#include <algorithm>
#include <memory>

#include <heddle/io.hpp>

#include "core/memory_errors.hpp"
#include "io/gzip.hpp"
#include "io/matrix_market/matrix_market.hpp"

namespace heddle::collection {

namespace {

constexpr std::string_view word = "complex";

io::Text text_of(const std::string& path) {
  io::Text text(path, std::make_shared<io::OpenFile>(path));
  return io::is_gzip(text) ? io::inflate_text(text) : text;
}

// Where the banner says "complex" in whatever case, or npos.
std::size_t place_of_word(std::string banner) {
  std::transform(banner.begin(), banner.end(), banner.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return banner.find(word);
}

// Without its last word: "1 2 0.5 -3" -> "1 2 0.5".
std::string_view without_imaginary_part(std::string_view line) {
  const std::size_t end = line.find_last_not_of(" \t\r");
  if (end == std::string_view::npos) return line;
  const std::size_t gap = line.find_last_of(" \t", end);
  return gap == std::string_view::npos ? line : line.substr(0, gap);
}

void append(io::Text& text, std::string_view piece) {
  while (!piece.empty()) {
    const std::span<char> room = text.room();
    const std::size_t size = std::min(room.size(), piece.size());
    std::copy_n(piece.data(), size, room.data());
    text.append(static_cast<std::int64_t>(size));
    piece.remove_prefix(size);
  }
}

// The same lines, so that an error names the right one: a real banner, and real values.
io::Text real_parts(const io::Text& text) {
  io::Text made(text.name());
  io::LineCursor lines(text);
  bool sized = false;  // the line of the sizes has passed
  for (std::string_view line; lines.next(line);) {
    const std::size_t start = line.find_first_not_of(" \t\r");
    const bool says_something = start != std::string_view::npos && line[start] != '%';
    if (lines.line_number() == 1) {
      std::string banner(line);
      append(made, banner.replace(place_of_word(banner), word.size(), "real"));
    } else {
      append(made, sized && says_something ? without_imaginary_part(line) : line);
      sized = sized || says_something;
    }
    append(made, "\n");
  }
  return made;
}

bool is_complex(const io::Text& text) {
  if (!io::is_matrix_market(text)) return false;
  io::LineCursor lines(text);
  std::string_view banner;
  return lines.next(banner) && place_of_word(std::string(banner)) != std::string::npos;
}

}  // namespace

MarketFile read_market_file(const std::string& path) {
  return with_memory_errors([&]() -> MarketFile {
    const io::Text text = text_of(path);
    if (!is_complex(text)) return {read_matrix(path), false};
    return {io::parse_matrix_market<double>(real_parts(text)), true};
  });
}

}  // namespace heddle::collection

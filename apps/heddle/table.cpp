#include "table.hpp"

#include <algorithm>
#include <sstream>

namespace heddle {

namespace {

constexpr int indent = 2, gap = 2;

std::string padded(const std::string& cell, int width, Align align) {
  const std::string blanks(static_cast<std::size_t>(std::max(0, width - shown_width(cell))), ' ');
  return align == Align::left ? cell + blanks : blanks + cell;
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string wrapped(const Terminal& terminal, const std::string& cell, int start) {
  const int room = terminal.width - start;
  if (!terminal.results_shown || room < 20 || shown_width(cell) <= room) return cell;
  std::istringstream words(cell);
  std::string text;
  int used = 0;
  for (std::string word; words >> word;) {
    const int width = shown_width(word);
    if (used > 0 && used + 1 + width > room) {
      text += '\n' + std::string(static_cast<std::size_t>(start), ' ');
      used = 0;
    } else if (used > 0) {
      text += ' ';
      ++used;
    }
    text += word;
    used += width;
  }
  return text;
}

std::vector<int> Table::widths() const {
  std::vector<int> found;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    int width = shown_width(columns_[c].title);
    for (const auto& cells : rows_) width = std::max(width, shown_width(cells[c]));
    found.push_back(width);
  }
  return found;
}

std::string Table::text(const Terminal& terminal) const {
  const std::vector<int> width = widths();
  const auto line = [&](auto cell_of, bool wrap) {
    std::string made(indent, ' ');
    int start = indent;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const bool last = c + 1 == columns_.size();
      const std::string& cell = cell_of(c);
      made += last && wrap && columns_[c].align == Align::left ? wrapped(terminal, cell, start)
                                                               : padded(cell, width[c], columns_[c].align);
      if (!last) made += std::string(gap, ' ');
      start += width[c] + gap;
    }
    return without_trailing_blanks(made);
  };
  const auto title = [&](std::size_t c) -> const std::string& { return columns_[c].title; };
  std::string text = terminal.faint(line(title, false)) + '\n';
  for (const auto& cells : rows_) {
    const auto cell = [&](std::size_t c) -> const std::string& { return cells[c]; };
    text += line(cell, true) + '\n';
  }
  return text;
}

}  // namespace heddle

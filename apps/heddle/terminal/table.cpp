#include "terminal/table.hpp"

#include <algorithm>
#include <numeric>
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

// Words, of which those wider than `room` are cut after a comma, where there is one.
std::vector<std::string> words_of(const std::string& text, int room) {
  std::istringstream words(text);
  std::vector<std::string> made;
  for (std::string word; words >> word; made.push_back(word))
    while (shown_width(word) > room) {
      const std::size_t comma = word.rfind(',', static_cast<std::size_t>(std::max(0, room - 1)));
      if (comma == std::string::npos || comma + 1 == word.size()) break;
      made.push_back(word.substr(0, comma + 1));
      word.erase(0, comma + 1);
    }
  return made;
}

// `text` in lines of at most `room` columns; a longer word has a line of its own.
std::vector<std::string> lines_of(const std::string& text, int room) {
  std::vector<std::string> lines;
  int used = 0;
  for (const std::string& word : words_of(text, room)) {
    const int width = shown_width(word);
    if (lines.empty() || used + 1 + width > room) {
      lines.push_back(word);
      used = width;
    } else {
      lines.back() += ' ' + word;
      used += 1 + width;
    }
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

// Every line keeps the colours of the whole cell.
std::vector<std::string> lines_of_cell(const std::string& cell, int room) {
  if (shown_width(cell) <= room) return {cell};
  const std::string_view end = "\033[0m";
  const bool styled = cell.starts_with("\033[") && cell.ends_with(end);
  if (!styled) return lines_of(cell, room);
  const std::size_t begin = cell.find('m') + 1;
  std::vector<std::string> lines = lines_of(cell.substr(begin, cell.size() - begin - end.size()), room);
  for (std::string& line : lines) line = cell.substr(0, begin) + line + std::string(end);
  return lines;
}

int longest_word(const std::string& text) {
  int longest = 0;
  for (const std::string& word : lines_of(text, 1)) longest = std::max(longest, shown_width(word));
  return longest;
}

// In lines of the terminal's width, the second and later ones below the second column of words.
std::string folded_line(const Terminal& terminal, const std::string& given) {
  constexpr int least_room = 24, narrow_indent = 6;
  if (shown_width(given) <= terminal.width) return given;
  const std::string line = without_trailing_blanks(given);
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string::npos) return line;
  const std::size_t two = line.find("  ", first);
  const std::size_t start = two == std::string::npos ? first : line.find_first_not_of(' ', two);
  const std::string name = line.substr(0, start), rest = line.substr(start);
  const int width = shown_width(name);
  if (width <= std::max(narrow_indent, terminal.width - least_room)) return name + wrapped(terminal, rest, width);
  return without_trailing_blanks(name) + '\n' + std::string(narrow_indent, ' ') +
         wrapped(terminal, rest, narrow_indent);
}

}  // namespace

std::string wrapped(const Terminal& terminal, const std::string& cell, int start) {
  const int room = terminal.width - start;
  if (!terminal.results_shown || room < 20 || shown_width(cell) <= room) return cell;
  std::string text;
  for (const std::string& line : lines_of(cell, room))
    text += (text.empty() ? "" : '\n' + std::string(static_cast<std::size_t>(start), ' ')) + line;
  return text;
}

std::string folded(const Terminal& terminal, const std::string& text) {
  if (!terminal.results_shown) return text;
  std::string made;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    made += folded_line(terminal, text.substr(begin, end - begin));
    if (end < text.size()) made += '\n';
    begin = end + 1;
  }
  return made;
}

// Columns of words get narrower, the widest first, until a line fits: at least as wide as their longest word and title.
std::vector<int> Table::widths(const Terminal& terminal) const {
  std::vector<int> width, least;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    width.push_back(shown_width(columns_[c].title));
    least.push_back(width.back());
    for (const auto& cells : rows_) {
      width.back() = std::max(width.back(), shown_width(cells[c]));
      least.back() = std::max(least.back(), longest_word(cells[c]));
    }
    if (columns_[c].align == Align::right) least.back() = width.back();
  }
  while (terminal.results_shown && line_width(width) > terminal.width) {
    std::size_t widest = width.size();
    for (std::size_t c = 0; c < width.size(); ++c)
      if (width[c] > least[c] && (widest == width.size() || width[c] > width[widest])) widest = c;
    if (widest == width.size()) break;
    --width[widest];
  }
  return width;
}

int Table::line_width(const std::vector<int>& widths) {
  return std::accumulate(widths.begin(), widths.end(), indent + gap * (static_cast<int>(widths.size()) - 1));
}

// As many lines as the cell with the most of them needs.
std::string Table::row(const std::vector<std::string>& cells, const std::vector<int>& width) const {
  std::vector<std::vector<std::string>> parts;
  std::size_t most = 1;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    parts.push_back(lines_of_cell(cells[c], width[c]));
    most = std::max(most, parts.back().size());
  }
  std::string text;
  for (std::size_t part = 0; part < most; ++part) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < cells.size(); ++c)
      line += padded(part < parts[c].size() ? parts[c][part] : "", width[c], columns_[c].align) +
              std::string(c + 1 == cells.size() ? 0 : gap, ' ');
    text += without_trailing_blanks(line) + '\n';
  }
  return text;
}

// A line for each cell: for a terminal that even narrow columns do not fit.
std::string Table::records(const Terminal& terminal) const {
  int title = 0;
  for (const Column& column : columns_) title = std::max(title, shown_width(column.title));
  std::string text;
  for (const auto& cells : rows_) {
    if (!text.empty()) text += '\n';
    for (std::size_t c = 0; c < cells.size(); ++c)
      text += without_trailing_blanks(std::string(indent, ' ') +
                                      terminal.faint(padded(columns_[c].title, title, Align::left)) +
                                      std::string(gap, ' ') + wrapped(terminal, cells[c], indent + title + gap)) +
              '\n';
  }
  return text;
}

std::string Table::text(const Terminal& terminal) const {
  const std::vector<int> width = widths(terminal);
  if (terminal.results_shown && line_width(width) > terminal.width) return records(terminal);
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::string head = row(titles, width);
  head.pop_back();
  std::string text = terminal.faint(head) + '\n';
  for (const auto& cells : rows_) text += row(cells, width);
  return text;
}

}  // namespace heddle

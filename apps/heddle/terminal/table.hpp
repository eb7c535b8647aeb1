// An aligned table. On a terminal that is too narrow columns of words are wrapped, and where that is not enough each
// cell gets a line of its own; in a pipe it is left alone.
#pragma once

#include <string>
#include <vector>

#include "terminal/terminal.hpp"

namespace heddle {

enum class Align { left, right };

class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::right;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as columns; a cell may carry colours.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  std::string text(const Terminal& terminal) const;

 private:
  std::vector<int> widths(const Terminal& terminal) const;
  static int line_width(const std::vector<int>& widths);
  std::string row(const std::vector<std::string>& cells, const std::vector<int>& widths) const;
  std::string records(const Terminal& terminal) const;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// `text`, which starts at column `start`, on as many lines as the terminal's width asks for. Left alone in a pipe, and
// where there is no room to speak of.
std::string wrapped(const Terminal& terminal, const std::string& text, int start);

// Lines that are too long for the terminal are wrapped; "  name  description" below its description.
std::string folded(const Terminal& terminal, const std::string& text);

}  // namespace heddle

// An aligned table. The last column is wrapped to the terminal's width, and left alone in a pipe.
#pragma once

#include <string>
#include <vector>

#include "terminal.hpp"

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
  std::vector<int> widths() const;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// `text`, which starts at column `start`, on as many lines as the terminal's width asks for. Left alone in a pipe, and
// where there is no room to speak of.
std::string wrapped(const Terminal& terminal, const std::string& text, int start);

}  // namespace heddle

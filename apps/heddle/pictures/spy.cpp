#include "pictures/spy.hpp"

#include <algorithm>
#include <array>

#include "pictures/density.hpp"

namespace heddle {

namespace {

// Bit of a braille character, U+2800 + bits, for dot (i, j):   0 3
//                                                               1 4
//                                                               2 5
//                                                               6 7
constexpr int braille_bit[4][2] = {{0, 3}, {1, 4}, {2, 5}, {6, 7}};

// Shades without colours, by ordered dithering: a dot is set when its shade exceeds its place in this pattern. The
// darkest place is well below 1, so that lines do not break where neighbouring cells hold 2 or 3 entries by rounding.
constexpr double threshold[4][2] = {{0.05, 0.35}, {0.45, 0.15}, {0.10, 0.40}, {0.50, 0.20}};

std::string braille(int bits) {
  const int code = 0x2800 + bits;
  return {static_cast<char>(0xE0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3F)),
          static_cast<char>(0x80 | (code & 0x3F))};
}

// Dots of the 2 x 4 cells at (top, left). A character with entries never comes out blank: its darkest dot is set.
int dots(const Density& grid, int top, int left) {
  int bits = 0, darkest_bit = 0;
  double darkest = 0;
  for (int i = 0; i < 4 && top + i < grid.tall; ++i)
    for (int j = 0; j < 2 && left + j < grid.wide; ++j) {
      const double shade = grid.shade(top + i, left + j);
      if (shade > threshold[i][j]) bits |= 1 << braille_bit[i][j];
      if (shade > darkest) {
        darkest = shade;
        darkest_bit = 1 << braille_bit[i][j];
      }
    }
  return bits == 0 ? darkest_bit : bits;
}

std::string repeated(const char* text, int times) {
  std::string made;
  for (int i = 0; i < times; ++i) made += text;
  return made;
}

template <class F>
std::string framed(int wide, int tall, bool unicode, F line) {
  const std::string edge = repeated(unicode ? "─" : "-", wide);
  const char* side = unicode ? "│" : "|";
  std::string text = unicode ? "  ┌" + edge + "┐\n" : "  +" + edge + "+\n";
  for (int i = 0; i < tall; ++i) text += std::string("  ") + side + line(i) + side + '\n';
  return text + (unicode ? "  └" + edge + "┘\n" : "  +" + edge + "+\n");
}

std::string spy_braille(const PatternView& A, GridSize room) {
  const Density grid = density(A, fit(A.rows, A.cols, {2 * room.wide, 4 * room.tall}, 8, 1));
  const int wide = (grid.wide + 1) / 2;
  return framed(wide, (grid.tall + 3) / 4, true, [&](int line) {
    std::string text;
    for (int c = 0; c < wide; ++c) text += braille(dots(grid, 4 * line, 2 * c));
    return text;
  });
}

// A character is about twice as tall as wide: the matrix is given half as many lines.
std::string spy_ascii(const PatternView& A, GridSize room) {
  constexpr std::array<char, 9> shades{'.', ':', '-', '=', '+', '*', '#', '%', '@'};
  GridSize size = fit(A.rows, A.cols, {room.wide, 2 * room.tall}, 4, 1);
  size.tall = (size.tall + 1) / 2;
  const Density grid = density(A, size);
  return framed(grid.wide, grid.tall, false, [&](int i) {
    std::string text;
    for (int j = 0; j < grid.wide; ++j) {
      const auto level = static_cast<std::size_t>(grid.shade(i, j) * (shades.size() - 1));
      text += grid.at(i, j) == 0 ? ' ' : shades[level];
    }
    return text;
  });
}

}  // namespace

std::string spy_text(const PatternView& A, const Terminal& terminal, int most_lines) {
  if (A.rows == 0 || A.cols == 0) return "  (nothing to draw: the matrix has no rows or no columns)\n";
  const GridSize room{std::clamp(terminal.width - 4, 8, 72), most_lines};
  return terminal.unicode ? spy_braille(A, room) : spy_ascii(A, room);
}

}  // namespace heddle

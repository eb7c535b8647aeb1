// What the reader's terminal can show.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

struct Terminal {
  bool colour = false;         // results are read by a person on a colour terminal, and NO_COLOR is not set
  bool unicode = false;        // the locale is UTF-8
  bool results_shown = false;  // stdout is a terminal
  bool progress = false;       // stderr is a terminal that can rewrite a line
  int width = 80;              // columns of stdout, or 80

  static Terminal here();

  std::string bold(std::string_view text) const { return styled("1", text); }
  std::string faint(std::string_view text) const { return styled("2", text); }
  std::string good(std::string_view text) const { return styled("32", text); }
  std::string bad(std::string_view text) const { return styled("31", text); }
  std::string accent(std::string_view text) const { return styled("36", text); }

 private:
  std::string styled(std::string_view code, std::string_view text) const;
};

// Columns a text takes on a terminal: UTF-8 characters, without escape sequences.
int shown_width(std::string_view text);

// To stderr. What cannot be written there (closed, a full disk) is lost, and nothing else happens.
void put_on_stderr(std::string_view text) noexcept;

// One line of stderr that is rewritten while work goes on, and wiped before anything else is written there. Wiping is
// async-signal-safe.
void show_live_line(std::string_view text) noexcept;
void wipe_live_line() noexcept;

}  // namespace heddle

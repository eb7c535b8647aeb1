#include "terminal/terminal.hpp"

#include <fmt/format.h>
#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace heddle {

namespace {

bool is_set(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr && *text != '\0';
}

bool dumb() {
  const char* kind = std::getenv("TERM");
  return kind == nullptr || std::string_view(kind) == "dumb";
}

// Asks the locale of the environment without making it the locale of this process: numbers stay "1.5" everywhere.
bool locale_is_utf8() {
  const locale_t here = newlocale(LC_CTYPE_MASK, "", nullptr);
  if (here == nullptr) return false;
  const bool yes = std::string_view(nl_langinfo_l(CODESET, here)) == "UTF-8";
  freelocale(here);
  return yes;
}

int columns() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return std::clamp<int>(size.ws_col, 20, 400);
  if (const char* text = std::getenv("COLUMNS"))
    if (const int asked = std::atoi(text); asked > 0) return std::clamp(asked, 20, 400);
  return 80;
}

}  // namespace

Terminal Terminal::here() {
  Terminal found;
  found.results_shown = isatty(STDOUT_FILENO) != 0;
  found.colour = found.results_shown && !is_set("NO_COLOR") && !dumb();
  found.progress = isatty(STDERR_FILENO) != 0 && !dumb();
  found.unicode = locale_is_utf8();
  found.width = columns();
  return found;
}

std::string Terminal::styled(std::string_view code, std::string_view text) const {
  return colour ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

int shown_width(std::string_view text) {
  int width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      while (i < text.size() && text[i] != 'm') ++i;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
      ++width;
    }
  }
  return width;
}

void put_on_stderr(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

namespace {
std::atomic<bool> line_is_live{false};
}

void show_live_line(std::string_view text) noexcept {
  line_is_live = true;
  put_on_stderr("\r");
  put_on_stderr(text);
  put_on_stderr("\033[K");
}

void wipe_live_line() noexcept {
  if (line_is_live.exchange(false)) put_on_stderr("\r\033[K");
}

}  // namespace heddle

// What a person sees: lines as wide as the terminal, the manual page, completed words.
#include <gtest/gtest.h>

#include <sstream>

#include "support/command.hpp"

namespace heddle::test {
namespace {

int characters_in(const std::string& line) {
  int count = 0;
  for (const char c : line) count += c != '\r' && (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

Surroundings terminal_of(int columns) {
  return {.environment = {{"TERM", "xterm"},
                          {"NO_COLOR", "1"},
                          {"LC_ALL", "C.UTF-8"},
                          {"COLUMNS", std::to_string(columns)}},
          .terminal = true};
}

std::string on_terminal(const std::vector<std::string>& words, int columns) {
  const Outcome outcome = heddle_command(words, terminal_of(columns));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  return outcome.out;
}

void expect_lines_of(const std::string& text, int columns) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(characters_in(line), columns) << columns << ": " << line;
}

class Narrow : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Narrow, no_line_is_wider_than_the_terminal) {
  for (const int columns : {40, 60, 80}) expect_lines_of(on_terminal(GetParam(), columns), columns);
}

TEST(Terminal, the_tour_is_no_wider_than_the_terminal) {
  const ScratchFolder folder;
  for (const int columns : {40, 80}) {
    const Outcome tour = run_program(
        {"sh", "-c", "cd " + folder.path("") + " && \"$HEDDLE_COMMAND\" demo --out tour --device cpu --quiet"},
        terminal_of(columns));
    EXPECT_EQ(tour.exit_code, 0) << tour.out;
    EXPECT_NE(tour.out.find("8. What it is for"), std::string::npos);
    expect_lines_of(tour.out, columns);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Terminal, Narrow,
    testing::Values(
        std::vector<std::string>{"--help"}, std::vector<std::string>{"solve", "--help"},
        std::vector<std::string>{"devices", "--quiet"}, std::vector<std::string>{"formats"},
        std::vector<std::string>{"formats", "gen:stencil2d5,n=20", "--device", "cpu", "--quiet"},
        std::vector<std::string>{"plan", "gen:stencil2d5,n=20", "--device", "cpu", "--quiet"},
        std::vector<std::string>{"info", "gen:stencil2d5,n=20", "--device", "cpu", "--quiet"},
        std::vector<std::string>{"multiply", "gen:stencil2d5,n=20", "--device", "cpu", "--quiet"},
        std::vector<std::string>{"solve", "gen:stencil2d5,n=20", "--device", "cpu", "--quiet", "--precond", "amg"},
        std::vector<std::string>{"reorder", "gen:stencil2d5,n=20", "--device", "cpu", "--quiet"},
        std::vector<std::string>{"generate"},
        std::vector<std::string>{"bench", "gen:stencil2d5,n=20", "--device", "cpu", "--quiet", "--seconds", "0.0005"}));

// Every word of a wide table is in a narrow one.
TEST(Terminal, a_narrow_table_loses_nothing) {
  std::istringstream wide(heddle_command({"devices", "--quiet"}).out);
  const std::string narrow = on_terminal({"devices", "--quiet"}, 40);
  for (std::string word; wide >> word;)
    if (word.find_first_of("0123456789") == std::string::npos) {  // free memory changes
      EXPECT_NE(narrow.find(word), std::string::npos) << word;
    }
}

TEST(Manual, has_every_command_and_option_with_what_help_says_of_it) {
  const std::string page = heddle_command({"manual"}).out, help = heddle_command({"solve", "--help"}).out;
  for (const char* part : {".TH HEDDLE 1", ".SH NAME", ".SH SYNOPSIS", ".SS \"heddle solve M [options]\"",
                           "\\fB\\-\\-precond, \\-\\-preconditioner\\fR \\fIVALUE\\fR", "One of auto, none, jacobi",
                           "\\fB\\-\\-overlap\\fR\n", "Exit codes: 0 done", ".SH OPTIONS OF EVERY COMMAND"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  std::istringstream words(help);
  for (std::string word; words >> word;)
    if (word.starts_with("--")) {
      std::string escaped;
      for (const char c : word.substr(0, word.find_first_of(",[=")))
        escaped += c == '-' ? std::string("\\-") : std::string(1, c);
      EXPECT_NE(page.find(escaped), std::string::npos) << word;
    }
}

// What bash would offer after these words.
std::string offered(const std::string& words, const std::string& last) {
  const std::string script = R"(source /dev/stdin; COMP_WORDS=()" + words + " \"" + last +
                             R"("); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _heddle; echo "${COMPREPLY[@]}")";
  return run_program({"bash", "-c", "\"$HEDDLE_COMMAND\" completion | (" + script + ")"}).out;
}

TEST(Completion, knows_commands_options_and_their_words) {
  if (run_program({"bash", "--version"}).exit_code != 0) GTEST_SKIP() << "no bash";
  EXPECT_EQ(offered("heddle", "re"), "reorder reproduce\n");
  EXPECT_EQ(offered("heddle help", "mu"), "multiply\n");
  EXPECT_EQ(offered("heddle solve a.mtx --method", ""), "auto cg minres bicgstab gmres\n");
  EXPECT_EQ(offered("heddle bench a.mtx --device", "c"), "cpu\n");
  EXPECT_EQ(offered("heddle solve a.mtx", "--absol"), "--absolute-tolerance\n");
  EXPECT_EQ(offered("heddle plan a.mtx", "--absol"), "\n");
  EXPECT_EQ(offered("heddle generate", "stencil2d5"), "stencil2d5\n");
}

}  // namespace
}  // namespace heddle::test

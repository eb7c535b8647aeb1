// Commands and their options, as the commands describe them: a front before CLI11, which only option.cpp includes. (It
// costs every file that does three seconds of reading and three of compiling what it defines, used or not.)
//
//   command.option("--window", options->window, "Rows").check(whole_number_from(0)).shows_default();
//
// Names are "--long,--other", or "WORD" for what is given without a name. Commands and options are handles: a copy is
// the same one.
#pragma once

#include <memory>
#include <optional>

#include "options/checks.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace heddle {

class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option& required();
  Option& check(const Check& wanted);
  Option& shows_default();
  Option& takes_one_word();  // each time it is named: other words are not its own, although it holds several
  Option& group(const std::string& heading);
  Option& excludes(Option other);

 private:
  CLI::Option* option_;
};

// What a manual says of an option.
struct OptionText {
  std::vector<std::string> long_names, short_names;  // "--tolerance", "-h"
  std::string word;                                  // of one without a name
  std::string help, group, type, fallback;           // type: "TEXT:{auto,cg}"
  bool flag = false, required = false;

  std::vector<std::string> names() const;  // the long ones first
};

class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  // The target is set when the line is parsed; until then it holds the default.
  Option option(const std::string& names, std::string& target, const std::string& help);
  Option option(const std::string& names, std::vector<std::string>& target, const std::string& help);
  Option option(const std::string& names, int& target, const std::string& help);
  Option option(const std::string& names, std::int64_t& target, const std::string& help);
  Option option(const std::string& names, double& target, const std::string& help);
  Option flag(const std::string& names, bool& target, const std::string& help);
  void footer(const std::string& text);
  // `chosen` is called when the line names it.
  Command subcommand(const std::string& name, const std::string& summary, std::function<void()> chosen);

  bool has_option(const std::string& name) const;
  std::string name() const;
  std::string summary() const;
  std::string footer() const;
  std::vector<OptionText> options() const;
  std::vector<Command> subcommands() const;

 private:
  CLI::App* app_;
};

// What is wrong with a line.
struct Misuse {
  enum class Kind { missing, unexpected, other };
  Kind kind = Kind::other;
  std::string message;
  std::optional<Command> command;       // that it names
  std::vector<std::string> unexpected;  // words that mean nothing here
};

// One of them, or neither: the line was understood, and targets are set.
struct Parsed {
  std::optional<std::string> text;  // of --help or --version, asked for
  std::optional<Misuse> misuse;
};

// The whole line: a command of commands.
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& summary, const std::string& version_text);
  ~CommandLine();

  Command root();
  Parsed parse(const std::vector<std::string>& words);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace heddle

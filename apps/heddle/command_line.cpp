#include "command_line.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "generate/arguments.hpp"

namespace heddle {

namespace {

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

// "--tolerance", "--tol", ...
std::vector<std::string> names_of_options(const CLI::App& command) {
  std::vector<std::string> names{"--json"};
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// The word of `candidates` that comes first on the command line.
std::string first_of(const std::vector<std::string>& words, const std::vector<std::string>& candidates) {
  const auto wrong = [&](const std::string& word) {
    return std::find(candidates.begin(), candidates.end(), word) != candidates.end();
  };
  const auto found = std::find_if(words.begin(), words.end(), wrong);
  return found != words.end() ? *found : candidates.front();
}

Error unknown_word(const CLI::App& command, const std::vector<std::string>& words,
                   const std::vector<std::string>& unexpected) {
  const std::string see = fmt::format("see heddle {} --help", command.get_name()), word = first_of(words, unexpected);
  if (!word.starts_with('-') || word.size() < 2)
    return Error(ErrorKind::usage, fmt::format("unexpected word '{}'", word), command.get_name(), see);
  const std::string option = word.substr(0, word.find('='));
  return Error(ErrorKind::usage, fmt::format("unknown option {}", option), command.get_name(),
               synthetic::suggestion(option, names_of_options(command)) + see);
}

Error unknown_command(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> names = names_of_commands(app);
  const std::string hint = "commands: " + synthetic::listed(names);
  if (word.starts_with('-')) return Error(ErrorKind::usage, "unknown option " + word, {}, "see heddle --help");
  return Error(ErrorKind::usage, "no such command", word, synthetic::suggestion(word, names) + hint);
}

}  // namespace

std::vector<std::string> with_usual_words(std::vector<std::string> words) {
  if (words.empty()) return words;
  if (words.front() == "version" || words.front() == "-v" || words.front() == "-V") return {"--version"};
  if (words.front() != "help") return words;
  words.erase(words.begin());
  words.resize(std::min<std::size_t>(1, words.size()));
  words.push_back("--help");
  return words;
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words) {
  const auto chosen = app.get_subcommands();
  const auto unexpected = app.remaining(true);
  if (!chosen.empty()) {
    const CLI::App& command = *chosen.front();
    const bool extras = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    if (extras && !unexpected.empty()) return unknown_word(command, words, unexpected);
    return Error(ErrorKind::usage, error.what(), command.get_name(),
                 fmt::format("see heddle {} --help", command.get_name()));
  }
  const auto word = std::find_if(words.begin(), words.end(), [](const std::string& w) { return !w.starts_with('-'); });
  if (word != words.end()) return unknown_command(app, *word);
  if (!unexpected.empty()) return unknown_command(app, first_of(words, unexpected));
  if (error.get_name() != "RequiredError") return Error(ErrorKind::usage, error.what(), {}, "see heddle --help");
  return Error(ErrorKind::usage, "no command given", {}, "commands: " + synthetic::listed(names_of_commands(app)));
}

}  // namespace heddle

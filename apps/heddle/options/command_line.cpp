#include "options/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "generate/arguments.hpp"

namespace heddle {

namespace {

std::vector<std::string> names_of_commands(const Command& root) {
  std::vector<std::string> names;
  for (const Command& command : root.subcommands()) names.push_back(command.name());
  return names;
}

// "--tolerance", "--tol", ...
std::vector<std::string> names_of_options(const Command& command) {
  std::vector<std::string> names{"--json"};
  for (const OptionText& option : command.options())
    names.insert(names.end(), option.long_names.begin(), option.long_names.end());
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

Error unknown_word(const Command& command, const std::vector<std::string>& words,
                   const std::vector<std::string>& unexpected) {
  const std::string see = fmt::format("see heddle {} --help", command.name()), word = first_of(words, unexpected);
  if (!word.starts_with('-') || word.size() < 2)
    return Error(ErrorKind::usage, fmt::format("unexpected word '{}'", word), command.name(), see);
  const std::string option = word.substr(0, word.find('='));
  return Error(ErrorKind::usage, fmt::format("unknown option {}", option), command.name(),
               synthetic::suggestion(option, names_of_options(command)) + see);
}

Error unknown_command(const Command& root, const std::string& word) {
  const std::vector<std::string> names = names_of_commands(root);
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

Error usage_error(const Command& root, const Misuse& misuse, const std::vector<std::string>& words) {
  const std::vector<std::string>& unexpected = misuse.unexpected;
  if (misuse.command) {
    const Command& command = *misuse.command;
    if (misuse.kind == Misuse::Kind::unexpected && !unexpected.empty()) return unknown_word(command, words, unexpected);
    return Error(ErrorKind::usage, misuse.message, command.name(), fmt::format("see heddle {} --help", command.name()));
  }
  const auto word = std::find_if(words.begin(), words.end(), [](const std::string& w) { return !w.starts_with('-'); });
  if (word != words.end()) return unknown_command(root, *word);
  if (!unexpected.empty()) return unknown_command(root, first_of(words, unexpected));
  if (misuse.kind != Misuse::Kind::missing) return Error(ErrorKind::usage, misuse.message, {}, "see heddle --help");
  return Error(ErrorKind::usage, "no command given", {}, "commands: " + synthetic::listed(names_of_commands(root)));
}

}  // namespace heddle

// heddle manual, heddle completion: what --help says, as a manual page and as a script for shells.
#include <sstream>

#include <heddle/generate.hpp>
#include <heddle/version.hpp>

#include "commands/commands.hpp"

namespace heddle {

namespace {

using Names = std::vector<std::string>;

constexpr const char* every_command = "Every command";  // the group of the options that all have

Names split(const std::string& text, char separator) {
  Names parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// The words that an option takes, where they are few: those of its check, "TEXT:{auto,cg}".
Names values_of(const OptionText& option) {
  const auto is = [&](const char* name) { return option.long_names == Names{name}; };
  if (is("--device")) return {"auto", "cpu", "gpu", "emulator"};
  if (is("--precision")) return {"f64", "f32"};
  const auto begin = option.type.find('{'), end = option.type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return split(option.type.substr(begin + 1, end - begin - 1), ',');
}

// ---- a manual page

// Text of a line of troff.
std::string troff(const std::string& text) {
  std::string made;
  for (const char c : text) {
    if (c == '\\' || c == '-') made += '\\';
    made += c == '\\' ? 'e' : c;
  }
  if (!made.empty() && (made[0] == '.' || made[0] == '\'')) made.insert(0, "\\&");
  return made;
}

std::string lines_of_troff(const std::string& text) {
  std::string made;
  for (const std::string& line : split(text, '\n'))
    if (!line.empty()) made += (made.empty() ? ".PP\n" : ".br\n") + troff(line) + '\n';
  return made;
}

std::string sentence(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

std::string option_of_manual(const OptionText& option) {
  std::string text = fmt::format(".TP\n\\fB{}\\fR", troff(fmt::format("{}", fmt::join(option.names(), ", "))));
  if (!option.flag) text += " \\fIVALUE\\fR";
  text += '\n' + troff(sentence(option.help));
  const Names values = values_of(option);
  if (!values.empty()) text += '\n' + troff(fmt::format("One of {}.", fmt::join(values, ", ")));
  if (!option.flag && !option.fallback.empty()) text += '\n' + troff("Without it " + option.fallback + '.');
  return text + '\n';
}

std::string options_of_manual(const Command& command, bool of_every_command) {
  std::string text;
  for (const OptionText& option : command.options())
    if (!option.names().empty() && (option.group == every_command) == of_every_command)
      text += option_of_manual(option);
  return text;
}

std::string command_of_manual(const Command& command) {
  std::string words = "heddle " + command.name();
  for (const OptionText& option : command.options())
    if (option.names().empty()) words += option.required ? ' ' + option.word : " [" + option.word + ']';
  return fmt::format(".SS \"{} [options]\"\n{}\n{}", troff(words), troff(sentence(command.summary())),
                     options_of_manual(command, false));
}

std::string manual_page(const Command& root) {
  std::string text = fmt::format(
      ".TH HEDDLE 1 \"\" \"Heddle {}\" \"User Commands\"\n.SH NAME\nheddle \\- sparse matrix times vector, and "
      "solvers\n"
      ".SH SYNOPSIS\n.B heddle\n.I COMMAND\n[options]\n.SH DESCRIPTION\n{}\n{}.SH COMMANDS\n",
      version, troff(root.summary()), lines_of_troff(root.footer()));
  const std::vector<Command> commands = root.subcommands();
  for (const Command& command : commands) text += command_of_manual(command);
  return text + ".SH OPTIONS OF EVERY COMMAND\n" + options_of_manual(commands.front(), true);
}

// ---- a script for bash, and for zsh, which has a way to take it

std::string spaced(const Names& names) { return fmt::format("{}", fmt::join(names, " ")); }

Names options_of(const Command& command) {
  Names all;
  for (const OptionText& option : command.options())
    for (const std::string& name : option.names()) all.push_back(name);
  return all;
}

Names first_words_of(const Command& command) {
  Names words;
  if (command.name() == "generate")
    for (const GeneratorInfo& kind : generators()) words.push_back(kind.name);
  return words;
}

// "    solve:--method) words="auto cg" ;;"
std::string values_of_script(const Command& command) {
  std::string text;
  for (const OptionText& option : command.options()) {
    const Names values = values_of(option);
    if (values.empty()) continue;
    Names cases;
    for (const std::string& name : option.names()) cases.push_back(command.name() + ':' + name);
    if (!cases.empty()) text += fmt::format("    {}) words=\"{}\" ;;\n", fmt::join(cases, " | "), spaced(values));
  }
  return text;
}

std::string completion_script(const Command& root) {
  Names commands;
  std::string values, options, first;
  for (const Command& command : root.subcommands()) {
    commands.push_back(command.name());
    values += values_of_script(command);
    options += fmt::format("      {}) words=\"{}\" ;;\n", command.name(), spaced(options_of(command)));
    const Names words = first_words_of(command);
    if (!words.empty()) first += fmt::format("      {}) words=\"{}\" ;;\n", command.name(), spaced(words));
  }
  return fmt::format(R"(# Completion of the command heddle for bash, and for zsh.
#   bash    heddle completion > ~/.local/share/bash-completion/completions/heddle
#   zsh     source <(heddle completion)
if [[ -n ${{ZSH_VERSION-}} ]]; then autoload -U +X bashcompinit && bashcompinit; fi
_heddle() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} commands="{}" words="" command="" known
  if ((COMP_CWORD > 1)); then command=${{COMP_WORDS[1]}}; fi
  case $command:$before in
{}  esac
  if [[ -z $words && $word == -* ]]; then
    case $command in
{}      *) words="--help --version" ;;
    esac
  elif [[ -z $words && -z $command ]]; then
    words=$commands
  elif [[ -z $words && $COMP_CWORD == 2 ]]; then
    case $command in
{}      help) words=$commands ;;
    esac
  fi
  if [[ -n $words ]]; then
    while read -r known; do COMPREPLY+=("$known"); done < <(compgen -W "$words" -- "$word")
  fi
}}
complete -o default -F _heddle heddle
)",
                     spaced(commands), values, options, first);
}

void add_text(Command root, Session& session, const std::string& name, const std::string& summary,
              std::string (*text_of)(const Command&)) {
  session.add_command(root, name, summary, [root, &session, text_of] {
    const std::string text = text_of(root);
    session.json()["text"] = text;
    session.print("{}", text);
  });
}

}  // namespace

void add_manual(Command root, Session& session) {
  add_text(root, session, "manual", "This help as a manual page: heddle manual | man -l -", manual_page);
  add_text(root, session, "completion", "A script that completes words in bash and zsh", completion_script);
}

}  // namespace heddle

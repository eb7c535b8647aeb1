// heddle manual, heddle completion: what --help says, as a manual page and as a script for shells.
#include <heddle/generate.hpp>
#include <heddle/version.hpp>

#include "commands.hpp"

namespace heddle {

namespace {

using Commands = std::vector<const CLI::App*>;
using Names = std::vector<std::string>;

constexpr const char* every_command = "Every command";  // the group of the options that all have

Commands commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

Names names_of(const CLI::Option& option) {
  Names names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

// The words that an option takes, where they are few: those of its check, "TEXT:{auto,cg}".
Names values_of(const CLI::Option& option) {
  if (option.check_lname("device")) return {"auto", "cpu", "gpu", "emulator"};
  if (option.check_lname("precision")) return {"f64", "f32"};
  const std::string type = option.get_type_name();
  const auto begin = type.find('{'), end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
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
  for (const std::string& line : CLI::detail::split(text, '\n'))
    if (!line.empty()) made += (made.empty() ? ".PP\n" : ".br\n") + troff(line) + '\n';
  return made;
}

std::string sentence(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

std::string option_of_manual(const CLI::Option& option) {
  const bool flag = option.get_items_expected_max() == 0;
  std::string text = fmt::format(".TP\n\\fB{}\\fR", troff(fmt::format("{}", fmt::join(names_of(option), ", "))));
  if (!flag) text += " \\fIVALUE\\fR";
  text += '\n' + troff(sentence(option.get_description()));
  const Names values = values_of(option);
  if (!values.empty()) text += '\n' + troff(fmt::format("One of {}.", fmt::join(values, ", ")));
  if (!flag && !option.get_default_str().empty()) text += '\n' + troff("Without it " + option.get_default_str() + '.');
  return text + '\n';
}

std::string options_of_manual(const CLI::App& command, bool of_every_command) {
  std::string text;
  for (const CLI::Option* option : command.get_options())
    if (!names_of(*option).empty() && (option->get_group() == every_command) == of_every_command)
      text += option_of_manual(*option);
  return text;
}

std::string command_of_manual(const CLI::App& command) {
  std::string words = "heddle " + command.get_name();
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional() && names_of(*option).empty())
      words += option->get_required() ? ' ' + option->get_name(true) : " [" + option->get_name(true) + ']';
  return fmt::format(".SS \"{} [options]\"\n{}\n{}", troff(words), troff(sentence(command.get_description())),
                     options_of_manual(command, false));
}

std::string manual_page(const CLI::App& app) {
  std::string text = fmt::format(
      ".TH HEDDLE 1 \"\" \"Heddle {}\" \"User Commands\"\n.SH NAME\nheddle \\- sparse matrix times vector, and "
      "solvers\n"
      ".SH SYNOPSIS\n.B heddle\n.I COMMAND\n[options]\n.SH DESCRIPTION\n{}\n{}.SH COMMANDS\n",
      version, troff(app.get_description()), lines_of_troff(app.get_footer()));
  for (const CLI::App* command : commands_of(app)) text += command_of_manual(*command);
  return text + ".SH OPTIONS OF EVERY COMMAND\n" + options_of_manual(*commands_of(app).front(), true);
}

// ---- a script for bash, and for zsh, which has a way to take it

std::string spaced(const Names& names) { return fmt::format("{}", fmt::join(names, " ")); }

Names options_of(const CLI::App& command) {
  Names names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : names_of(*option)) names.push_back(name);
  return names;
}

Names first_words_of(const CLI::App& command) {
  Names words;
  if (command.get_name() == "generate")
    for (const GeneratorInfo& kind : generators()) words.push_back(kind.name);
  return words;
}

// "    solve:--method) words="auto cg" ;;"
std::string values_of_script(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    const Names values = values_of(*option);
    if (values.empty()) continue;
    Names cases;
    for (const std::string& name : names_of(*option)) cases.push_back(command.get_name() + ':' + name);
    if (!cases.empty()) text += fmt::format("    {}) words=\"{}\" ;;\n", fmt::join(cases, " | "), spaced(values));
  }
  return text;
}

std::string completion_script(const CLI::App& app) {
  Names commands;
  std::string values, options, first;
  for (const CLI::App* command : commands_of(app)) {
    commands.push_back(command->get_name());
    values += values_of_script(*command);
    options += fmt::format("      {}) words=\"{}\" ;;\n", command->get_name(), spaced(options_of(*command)));
    const Names words = first_words_of(*command);
    if (!words.empty()) first += fmt::format("      {}) words=\"{}\" ;;\n", command->get_name(), spaced(words));
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

void add_text(CLI::App& app, Session& session, const std::string& name, const std::string& summary,
              std::string (*text_of)(const CLI::App&)) {
  session.add_command(app, name, summary, [&app, &session, text_of] {
    const std::string text = text_of(app);
    session.json()["text"] = text;
    session.print("{}", text);
  });
}

}  // namespace

void add_manual(CLI::App& app, Session& session) {
  add_text(app, session, "manual", "This help as a manual page: heddle manual | man -l -", manual_page);
  add_text(app, session, "completion", "A script that completes words in bash and zsh", completion_script);
}

}  // namespace heddle

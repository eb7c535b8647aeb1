#include "options/option.hpp"

#include <CLI/CLI.hpp>
#include <sstream>

namespace heddle {

namespace {

std::vector<std::string> prefixed(const std::string& prefix, const std::vector<std::string>& names) {
  std::vector<std::string> made;
  for (const std::string& name : names) made.push_back(prefix + name);
  return made;
}

OptionText text_of(const CLI::Option& option) {
  return {.long_names = prefixed("--", option.get_lnames()),
          .short_names = prefixed("-", option.get_snames()),
          .word = option.get_positional() ? option.get_name(true) : "",
          .help = option.get_description(),
          .group = option.get_group(),
          .type = option.get_type_name(),
          .fallback = option.get_default_str(),
          .flag = option.get_items_expected_max() == 0,
          .required = option.get_required()};
}

Misuse::Kind kind_of(const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return Misuse::Kind::unexpected;
  return error.get_name() == "RequiredError" ? Misuse::Kind::missing : Misuse::Kind::other;
}

Misuse misuse_of(const CLI::App& app, const CLI::ParseError& error) {
  Misuse misuse{.kind = kind_of(error), .message = error.what(), .command = {}, .unexpected = app.remaining(true)};
  if (const auto chosen = app.get_subcommands(); !chosen.empty()) misuse.command.emplace(*chosen.front());
  return misuse;
}

}  // namespace

Option& Option::required() {
  option_->required();
  return *this;
}

// CLI11 calls it for each word, which it could change, and takes an empty text for a yes.
Option& Option::check(const Check& wanted) {
  const auto complaint = [say = wanted.complaint](std::string& word) { return say(word); };
  option_->check(CLI::Validator(complaint, wanted.shown));
  return *this;
}

Option& Option::shows_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::takes_one_word() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::group(const std::string& heading) {
  option_->group(heading);
  return *this;
}

Option& Option::excludes(Option other) {
  option_->excludes(other.option_);
  return *this;
}

std::vector<std::string> OptionText::names() const {
  std::vector<std::string> all = long_names;
  all.insert(all.end(), short_names.begin(), short_names.end());
  return all;
}

Option Command::option(const std::string& names, std::string& target, const std::string& help) {
  return Option(*app_->add_option(names, target, help));
}
Option Command::option(const std::string& names, std::vector<std::string>& target, const std::string& help) {
  return Option(*app_->add_option(names, target, help));
}
Option Command::option(const std::string& names, int& target, const std::string& help) {
  return Option(*app_->add_option(names, target, help));
}
Option Command::option(const std::string& names, std::int64_t& target, const std::string& help) {
  return Option(*app_->add_option(names, target, help));
}
Option Command::option(const std::string& names, double& target, const std::string& help) {
  return Option(*app_->add_option(names, target, help));
}
Option Command::flag(const std::string& names, bool& target, const std::string& help) {
  return Option(*app_->add_flag(names, target, help));
}

void Command::footer(const std::string& text) { app_->footer(text); }

Command Command::subcommand(const std::string& name, const std::string& summary, std::function<void()> chosen) {
  CLI::App& made = *app_->add_subcommand(name, summary);
  made.callback(std::move(chosen));
  return Command(made);
}

bool Command::has_option(const std::string& name) const { return app_->get_option_no_throw(name) != nullptr; }
std::string Command::name() const { return app_->get_name(); }
std::string Command::summary() const { return app_->get_description(); }
std::string Command::footer() const { return app_->get_footer(); }

std::vector<OptionText> Command::options() const {
  std::vector<OptionText> texts;
  for (const CLI::Option* option : app_->get_options()) texts.push_back(text_of(*option));
  return texts;
}

std::vector<Command> Command::subcommands() const {
  std::vector<Command> commands;
  for (CLI::App* command : app_->get_subcommands([](CLI::App*) { return true; })) commands.emplace_back(*command);
  return commands;
}

CommandLine::CommandLine(const std::string& name, const std::string& summary, const std::string& version_text)
    : app_(std::make_unique<CLI::App>(summary, name)) {
  app_->set_version_flag("--version", version_text);
  app_->require_subcommand(1);
}

CommandLine::~CommandLine() = default;

Command CommandLine::root() { return Command(*app_); }

Parsed CommandLine::parse(const std::vector<std::string>& words) {
  try {
    app_->parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them last first
  } catch (const CLI::Success& wanted) {                                  // --help, --version
    std::ostringstream text;
    app_->exit(wanted, text, text);
    return {.text = text.str(), .misuse = {}};
  } catch (const CLI::ParseError& error) {
    return {.text = {}, .misuse = misuse_of(*app_, error)};
  }
  return {};
}

}  // namespace heddle

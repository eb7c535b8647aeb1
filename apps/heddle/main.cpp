// heddle COMMAND [options]: see `heddle --help`. Exit codes: 0 done, 1 internal failure, 2 wrong usage, 3 bad input,
// 4 a solver did not converge, 5 the device or the memory is not available.
#include <algorithm>
#include <cstdio>

#include <heddle/error.hpp>
#include <heddle/version.hpp>

#include "commands.hpp"

namespace {

using heddle::Error;
using heddle::ErrorKind;
using heddle::Session;

void describe_command_line(CLI::App& app, Session& session) {
  app.set_version_flag("--version", fmt::format("heddle {}", heddle::version));
  app.require_subcommand(1);
  app.footer(
      "M is a file (.mtx, .mtx.gz, .hdl) or a generated matrix: gen:stencil3d7,n=100 (`heddle generate` lists them).\n"
      "Exit codes: 0 done, 1 internal failure, 2 wrong usage, 3 bad input, 4 not converged, 5 device or memory not "
      "available.");
  session.add_global_options(app);
  heddle::add_demo(app, session);
  heddle::add_info(app, session);
  heddle::add_formats(app, session);
  heddle::add_plan(app, session);
  heddle::add_multiply(app, session);
  heddle::add_solve(app, session);
  heddle::add_bench(app, session);
  heddle::add_generate(app, session);
  heddle::add_convert(app, session);
  heddle::add_reorder(app, session);
  heddle::add_reproduce(app, session);
  heddle::add_devices(app, session);
}

std::string names_of_commands(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names += (names.empty() ? "" : ", ") + command->get_name();
  return names;
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words) {
  const auto chosen = app.get_subcommands();
  if (!chosen.empty()) {
    const std::string help = fmt::format("see heddle {} --help", chosen.front()->get_name());
    return Error(ErrorKind::usage, error.what(), chosen.front()->get_name(), help);
  }
  const std::string hint = "commands: " + names_of_commands(app);
  const auto word = std::find_if(words.begin(), words.end(), [](const std::string& w) { return !w.starts_with('-'); });
  if (error.get_name() != "RequiredError") return Error(ErrorKind::usage, error.what(), {}, "see heddle --help");
  if (word == words.end()) return Error(ErrorKind::usage, "no command given", {}, hint);
  return Error(ErrorKind::usage, "no such command", *word, hint);
}

int run(CLI::App& app, Session& session, const std::vector<std::string>& words) {
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them last first
  } catch (const CLI::Success& wanted) {
    return app.exit(wanted);  // --help, --version
  } catch (const CLI::ParseError& error) {
    for (const CLI::App* command : app.get_subcommands()) session.name_command(command->get_name());
    return session.report(usage_error(app, error, words));
  }
  session.run_command();
  return session.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  Session session;
  try {
    const std::vector<std::string> words = session.take_json({argv + 1, argv + argc});
    CLI::App app("Heddle: sparse matrix times vector, as fast as memory delivers it.", "heddle");
    describe_command_line(app, session);
    return run(app, session, words);
  } catch (const std::exception& error) {
    return session.report(error);
  }
}

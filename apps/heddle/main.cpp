// heddle COMMAND [options]: see `heddle --help`. Exit codes: 0 done, 1 internal failure, 2 wrong usage, 3 bad input,
// 4 a solver did not converge, 5 the device or the memory is not available, 128 + number ended by a signal.
#include <fcntl.h>
#include <unistd.h>

#include <heddle/error.hpp>
#include <heddle/version.hpp>

#include "commands/commands.hpp"
#include "options/command_line.hpp"
#include "terminal/interrupt.hpp"

namespace {

using heddle::Error;
using heddle::ErrorKind;
using heddle::Session;

void describe_command_line(heddle::Command root, Session& session) {
  root.footer(
      "M is a file (.mtx, .mtx.gz, .hdl) or a generated matrix: gen:stencil3d7,n=100 (`heddle generate` lists them).\n"
      "Exit codes: 0 done, 1 internal failure, 2 wrong usage, 3 bad input, 4 not converged, 5 device or memory not "
      "available,\n"
      "130 Ctrl-C (128 + the number of the signal).\n"
      "Try: heddle demo; heddle plan gen:fem,n=20,dof=3; heddle solve gen:stencil3d7,n=60 --precond amg");
  session.add_global_options(root);
  heddle::add_demo(root, session);
  heddle::add_info(root, session);
  heddle::add_formats(root, session);
  heddle::add_plan(root, session);
  heddle::add_predict(root, session);
  heddle::add_multiply(root, session);
  heddle::add_solve(root, session);
  heddle::add_bench(root, session);
  heddle::add_generate(root, session);
  heddle::add_convert(root, session);
  heddle::add_reorder(root, session);
  heddle::add_fetch(root, session);
  heddle::add_reproduce(root, session);
  heddle::add_model(root, session);
  heddle::add_devices(root, session);
  heddle::add_manual(root, session);
}

int run(heddle::CommandLine& line, Session& session, const std::vector<std::string>& words) {
  const heddle::Parsed parsed = line.parse(words);
  if (parsed.text) return session.print_text(*parsed.text);
  if (parsed.misuse) {
    if (parsed.misuse->command) session.name_command(parsed.misuse->command->name());
    return session.report(heddle::usage_error(line.root(), *parsed.misuse, words));
  }
  session.run_command();
  return session.exit_code();
}

// A file must not be opened under the number of a stream that is closed: what is meant for the stream would go into it.
// What takes the place of the stream fails as it would.
void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
}

int exit_code_of(int argc, char** argv) {
  Session session;
  try {
    const std::vector<std::string> words = session.take_json(heddle::with_usual_words({argv + 1, argv + argc}));
    heddle::CommandLine line("heddle", "Heddle: sparse matrix times vector, as fast as memory delivers it.",
                             fmt::format("heddle {}", heddle::version));
    describe_command_line(line.root(), session);
    return run(line, session, words);
  } catch (const std::exception& error) {
    return session.report(error);
  } catch (...) {
    return session.report(Error(ErrorKind::internal, "an exception of an unknown type"));
  }
}

}  // namespace

// What was stopped by a signal says so, whatever else there is to say of what it had done until then.
int main(int argc, char** argv) {
  open_standard_streams();
  heddle::handle_signals();
  const int exit_code = exit_code_of(argc, argv), number = heddle::Interruptible::signal();
  return number != 0 ? 128 + number : exit_code;
}

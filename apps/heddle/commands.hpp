// One function per subcommand, each in the file of its name: it adds the subcommand to the command line.
#pragma once

#include "numbers.hpp"
#include "session.hpp"

namespace heddle {

inline constexpr const char* matrix_help = "Matrix file, - for standard input, or gen:KIND,key=value,...";

void add_demo(CLI::App& app, Session& session);
void add_info(CLI::App& app, Session& session);
void add_formats(CLI::App& app, Session& session);
void add_plan(CLI::App& app, Session& session);
void add_predict(CLI::App& app, Session& session);
void add_multiply(CLI::App& app, Session& session);
void add_solve(CLI::App& app, Session& session);
void add_bench(CLI::App& app, Session& session);
void add_generate(CLI::App& app, Session& session);
void add_convert(CLI::App& app, Session& session);
void add_reorder(CLI::App& app, Session& session);
void add_fetch(CLI::App& app, Session& session);
void add_model(CLI::App& app, Session& session);
void add_reproduce(CLI::App& app, Session& session);
void add_devices(CLI::App& app, Session& session);
void add_manual(CLI::App& app, Session& session);

}  // namespace heddle

// One function per subcommand, each in the file of its name: it adds the subcommand to the command line.
#pragma once

#include <memory>

#include "options/option.hpp"
#include "session/session.hpp"

namespace heddle {

inline constexpr const char* matrix_help = "Matrix file, - for standard input, or gen:KIND,key=value,...";

void add_demo(Command root, Session& session);
void add_info(Command root, Session& session);
void add_formats(Command root, Session& session);
void add_plan(Command root, Session& session);
void add_predict(Command root, Session& session);
void add_multiply(Command root, Session& session);
void add_solve(Command root, Session& session);
void add_bench(Command root, Session& session);
void add_generate(Command root, Session& session);
void add_convert(Command root, Session& session);
void add_reorder(Command root, Session& session);
void add_fetch(Command root, Session& session);
void add_model(Command root, Session& session);
void add_reproduce(Command root, Session& session);
void add_devices(Command root, Session& session);
void add_manual(Command root, Session& session);

}  // namespace heddle

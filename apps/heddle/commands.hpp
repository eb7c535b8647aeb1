// One function per subcommand, each in the file of its name: it adds the subcommand to the command line.
#pragma once

#include <cstdlib>
#include <string>

#include "session.hpp"

namespace heddle {

// For numbers of 0 and more. (That of the library answers with the largest number there is, in 309 digits.)
inline CLI::Validator at_least_zero() {
  return {[](std::string& text) {
            char* end = nullptr;
            const bool right = std::strtod(text.c_str(), &end) >= 0 && end != text.c_str() && *end == '\0';
            return right ? std::string() : text + " is not a number of 0 or more";
          },
          "NONNEGATIVE"};
}

void add_demo(CLI::App& app, Session& session);
void add_info(CLI::App& app, Session& session);
void add_formats(CLI::App& app, Session& session);
void add_plan(CLI::App& app, Session& session);
void add_multiply(CLI::App& app, Session& session);
void add_solve(CLI::App& app, Session& session);
void add_bench(CLI::App& app, Session& session);
void add_generate(CLI::App& app, Session& session);
void add_convert(CLI::App& app, Session& session);
void add_reorder(CLI::App& app, Session& session);
void add_reproduce(CLI::App& app, Session& session);
void add_devices(CLI::App& app, Session& session);

}  // namespace heddle

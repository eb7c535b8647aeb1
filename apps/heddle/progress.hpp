// A bar on stderr for work that takes long enough to wonder: "reading cant.mtx  ████████░░░░  63 %".
#pragma once

#include <string>

#include <heddle/io.hpp>

#include "terminal.hpp"

namespace heddle {

// For library calls that report their share done. Empty (so the library stays silent) where no bar is wanted. The line
// is wiped when the share reaches 1 or the last copy of the function is gone.
Progress progress_bar(const Terminal& terminal, std::string what);

}  // namespace heddle

// A reproduction as one page of HTML: verdicts, tables and figures like the papers'.
#pragma once

#include "reproduce/outcome.hpp"

namespace heddle::reproduce {

std::string to_html(const Outcome& outcome);

}  // namespace heddle::reproduce

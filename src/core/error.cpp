#include <heddle/error.hpp>

namespace heddle {

const char* name_of(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::internal: return "internal";
    case ErrorKind::usage: return "usage";
    case ErrorKind::input: return "input";
    case ErrorKind::not_converged: return "not_converged";
    case ErrorKind::unavailable: return "unavailable";
    case ErrorKind::stopped: return "stopped";
  }
  return "internal";
}

namespace {
std::string one_line(const std::string& message, const std::string& where, const std::string& hint) {
  std::string line = where.empty() ? message : where + ": " + message;
  return hint.empty() ? line : line + "; " + hint;
}
}  // namespace

Error::Error(ErrorKind kind, std::string message, std::string where, std::string hint)
    : kind_(kind),
      message_(std::move(message)),
      where_(std::move(where)),
      hint_(std::move(hint)),
      line_(one_line(message_, where_, hint_)) {}

}  // namespace heddle

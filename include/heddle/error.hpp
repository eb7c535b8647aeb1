// Every failure of the library is one exception type: what went wrong, where, and what to do about it.
#pragma once

#include <exception>
#include <string>

#include <heddle/export.hpp>

namespace HEDDLE_PUBLIC heddle {

// The value is the exit code of the command `heddle` for an error of this kind.
enum class ErrorKind { internal = 1, usage = 2, input = 3, not_converged = 4, unavailable = 5, stopped = 130 };

const char* name_of(ErrorKind kind) noexcept;

class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message, std::string where = {}, std::string hint = {});

  ErrorKind kind() const noexcept { return kind_; }
  const std::string& message() const noexcept { return message_; }
  const std::string& where() const noexcept { return where_; }          // "file:line", an argument, or empty
  const std::string& hint() const noexcept { return hint_; }            // what to do about it, or empty
  const char* what() const noexcept override { return line_.c_str(); }  // "where: message; hint"

 private:
  ErrorKind kind_;
  std::string message_, where_, hint_, line_;
};

}  // namespace heddle

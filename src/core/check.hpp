// The way this library fails: fail(...) throws Error{what, where, hint}; check(...) does so unless the condition holds.
#pragma once

#include <fmt/format.h>

#include <string>

#include <heddle/error.hpp>

namespace heddle {

// "where" and "hint" of an error. Write At{...} when there is only a where: {x} alone would be taken for the text.
struct At {
  std::string where;
  std::string hint = {};
};

template <class... Args>
[[noreturn]] void fail(ErrorKind kind, At at, fmt::format_string<Args...> text, Args&&... args) {
  throw Error(kind, fmt::format(text, std::forward<Args>(args)...), std::move(at.where), std::move(at.hint));
}

template <class... Args>
[[noreturn]] void fail(ErrorKind kind, fmt::format_string<Args...> text, Args&&... args) {
  throw Error(kind, fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
void check(bool condition, ErrorKind kind, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) [[unlikely]]
    fail(kind, text, std::forward<Args>(args)...);
}

}  // namespace heddle

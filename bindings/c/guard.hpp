// What every function of the C ABI does alike: exceptions become a status and a text of the thread, structs of callers
// of any version are read and written, text goes out.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <heddle.h>
#include <heddle/error.hpp>

namespace heddle::c {

// Thrown by callbacks that were asked to stop.
struct Stopped {};

// Of the exception in flight.
heddle_status note_failure() noexcept;

template <class F>
heddle_status guard(F&& f) noexcept {
  try {
    std::forward<F>(f)();
    return HEDDLE_OK;
  } catch (...) {
    return note_failure();
  }
}

[[noreturn]] void wrong_usage(const std::string& message, const std::string& where = {}, const std::string& hint = {});

// Error(usage) "`name` is NULL".
template <class T>
T& needed(T* argument, const char* name) {
  if (!argument) wrong_usage("NULL", name);
  return *argument;
}

inline void need_memory(const void* argument, const char* name) {
  if (!argument) wrong_usage("NULL", name);
}

template <class T>
void need_size(const T& given) {
  if (given.size < sizeof(given.size))
    wrong_usage("a struct whose size is not set", {}, "HEDDLE_INIT(type, name) sets it");
}

// A struct of the caller as this library knows it: what an older caller does not have is zero.
template <class T>
T taken(const T* given) {
  T mine{};
  if (given) {
    need_size(*given);
    std::memcpy(&mine, given, std::min(given->size, sizeof(T)));
  }
  mine.size = sizeof(T);
  return mine;
}

// `mine` into the struct of the caller, as far as that reaches.
template <class T>
void hand_over(T mine, T* caller) {
  need_size(*caller);
  mine.size = caller->size;
  std::memcpy(caller, &mine, std::min(mine.size, sizeof(T)));
}

void hand_over(const std::string& text, char* to, int64_t capacity, int64_t* length);

template <std::size_t N>
void put(char (&to)[N], const std::string& text) {
  const std::size_t n = std::min(text.size(), N - 1);
  std::memcpy(to, text.data(), n);
  to[n] = 0;
}

}  // namespace heddle::c

#include "guard.hpp"

#include <new>

namespace heddle::c {

namespace {

struct ErrorText {
  char message[1024] = "", hint[512] = "";
};
thread_local ErrorText last;

heddle_status note(heddle_status status, const std::string& message, const std::string& hint = {}) {
  put(last.message, message);
  put(last.hint, hint);
  return status;
}

heddle_status status_of(ErrorKind kind) {
  return kind == ErrorKind::stopped ? HEDDLE_STOPPED : static_cast<heddle_status>(kind);
}

heddle_status note(const Error& e) {
  return note(status_of(e.kind()), e.where().empty() ? e.message() : e.where() + ": " + e.message(), e.hint());
}

}  // namespace

heddle_status note_failure() noexcept {
  try {
    throw;
  } catch (const Error& e) {
    return note(e);
  } catch (const Stopped&) {
    return note(HEDDLE_STOPPED, "stopped by the caller");
  } catch (const std::bad_alloc&) {
    put(last.message, "out of memory");
    put(last.hint, {});
    return HEDDLE_NO_MEMORY;
  } catch (const std::exception& e) {
    return note(HEDDLE_INTERNAL, e.what());
  } catch (...) {
    return note(HEDDLE_INTERNAL, "unknown exception");
  }
}

void wrong_usage(const std::string& message, const std::string& where, const std::string& hint) {
  throw Error(ErrorKind::usage, message, where, hint);
}

void hand_over(const std::string& text, char* to, int64_t capacity, int64_t* length) {
  if (length) *length = static_cast<int64_t>(text.size());
  if (!to || capacity <= 0) return;
  const std::size_t n = std::min(text.size(), static_cast<std::size_t>(capacity) - 1);
  std::memcpy(to, text.data(), n);
  to[n] = 0;
}

}  // namespace heddle::c

const char* heddle_last_error(void) { return heddle::c::last.message; }
const char* heddle_last_hint(void) { return heddle::c::last.hint; }

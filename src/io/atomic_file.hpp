// Writing that is all or nothing: a temporary file in the same folder, fsync, rename. Whatever happens before the
// rename (no space, a failing disk, an exception, kill -9) the final name holds what it held before.
#pragma once

#include <span>
#include <string>

namespace heddle::io {

class AtomicFile {
 public:
  // A pipe or a device (/dev/stdout, /dev/null) cannot be renamed over: it is written directly.
  // Error(unavailable) when nothing can be written there.
  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();  // without commit(): the temporary file is removed

  void write(std::span<const char> bytes);
  void commit();

 private:
  [[noreturn]] void give_up(const char* doing) const;
  void open_temporary();

  std::string path_;       // as given, for messages
  std::string target_;     // links resolved, so that a link stays one
  std::string temporary_;  // empty: written directly
  int descriptor_ = -1;
};

}  // namespace heddle::io

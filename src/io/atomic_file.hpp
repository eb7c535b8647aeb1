// Writing that is all or nothing: a temporary file in the same folder, fsync, rename. Whatever happens before the
// rename (no space, a failing disk, an exception, kill -9) the final name holds what it held before. A command that is
// interrupted removes the temporary file (remove_temporary_files); only kill -9 leaves it behind.
#pragma once

#include <span>
#include <string>

#include "io/temporary_name.hpp"

namespace heddle::io {

class AtomicFile {
 public:
  // A pipe or a device (/dev/stdout, /dev/null) cannot be renamed over: it is written directly.
  // Error(usage) for a name that cannot be (a folder, no such folder, too long), Error(unavailable) for everything else
  // that keeps it from being written.
  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();  // without commit(): the temporary file is removed

  void write(std::span<const char> bytes);
  void commit();

 private:
  [[noreturn]] void give_up(const char* doing) const;
  void open_temporary();

  std::string path_;         // as given, for messages
  std::string target_;       // links resolved, so that a link stays one
  TemporaryName temporary_;  // empty: written directly
  int descriptor_ = -1;
};

}  // namespace heddle::io

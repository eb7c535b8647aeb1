// The name of a temporary file, known to handlers of signals from before the file is made until it is gone.
#pragma once

#include <memory>
#include <string>

namespace heddle::io {

class TemporaryName {
 public:
  TemporaryName() = default;
  explicit TemporaryName(std::string name);
  TemporaryName(TemporaryName&& other) noexcept;
  TemporaryName& operator=(TemporaryName&& other) noexcept;
  ~TemporaryName() { forget(); }

  bool empty() const { return name_ == nullptr; }
  const char* c_str() const { return name_->c_str(); }

 private:
  void forget() noexcept;

  std::unique_ptr<std::string> name_;
  int place_ = -1;  // in the list that handlers read; -1: it was full
};

// Removes the temporary files of this process. Async-signal-safe; the process must end after it.
void remove_temporary_files() noexcept;

}  // namespace heddle::io

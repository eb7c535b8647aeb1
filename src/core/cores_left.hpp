#pragma once

namespace heddle {

// While one lives, parallel loops of the thread that made it leave so many cores to other threads of the process.
class CoresLeft {
 public:
  explicit CoresLeft(int cores);
  ~CoresLeft();
  CoresLeft(const CoresLeft&) = delete;

 private:
  int before_;
};

}  // namespace heddle

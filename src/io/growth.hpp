// A text that grows in memory as it comes out of a pipe or of gzip: judged by its first bytes, and given up where what
// comes is padding. A few kilobytes of gzip hold gigabytes of comments; /dev/zero never ends.
#pragma once

#include <span>

#include "io/text.hpp"

namespace heddle::io {

class Growth {
 public:
  Growth(const Text& text, const Judge& judge) : text_(text), judge_(judge) {}

  // Bytes that were just appended. Error(input) by the judge, or beyond the limits of padding.
  void add(std::span<const char> bytes);
  // The same for bytes that cannot be mostly padding: they are not read.
  void add_dense();
  void finish();

 private:
  void judge_once(std::int64_t enough);

  const Text& text_;
  const Judge& judge_;
  bool judged_ = false;
  std::int64_t padding_ = 0;  // comments, blank lines and what is beyond the first 4096 bytes of a line
  std::int64_t line_ = 0;     // bytes so far of the present line
  bool comment_ = false;      // it is one
};

}  // namespace heddle::io

// The artificial matrices paper 5 fits its model on: n rows of exactly m entries each. One block of zeros serves every
// n and m, because without x nobody looks at what the columns say.
#pragma once

#include "reproduce/lab.hpp"

namespace heddle::reproduce {

template <class V, class Codec>
class UniformRows {
 public:
  UniformRows(Lab& lab, std::int64_t most_entries, std::int64_t most_rows);
  // Cold: at these sizes a cache would hold some matrices and not others, which the model knows nothing of.
  double seconds_without_x(std::int64_t n, std::int64_t m);

 private:
  using Stored = typename Codec::Stored;
  Lab& lab_;
  Device device_;
  Buffer<Stored> col_;
  Buffer<Index> length_;
  Buffer<Offset> start_;  // of the CPU alone
  Buffer<V> val_, y_;
};

}  // namespace heddle::reproduce

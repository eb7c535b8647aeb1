// A small square matrix written out row by row; zeros are not stored.
#pragma once

#include "support/zoo.hpp"

namespace heddle::test {

inline Csr<double> dense(std::int64_t n, const std::vector<double>& values) {
  std::vector<Entry> entries;
  for (std::int64_t i = 0; i < n * n; ++i)
    if (const double v = values[static_cast<std::size_t>(i)]; v != 0)
      entries.push_back({static_cast<Index>(i / n), static_cast<Index>(i % n), v});
  return from_entries(n, n, entries);
}

}  // namespace heddle::test

// Texts that are kept in test/golden/: whoever changes one on purpose has it written anew, and reads the difference:
//
//   HEDDLE_WRITE_RECORD=1 ctest --test-dir build -R NAME_test
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/tree.hpp"

namespace heddle::test {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline bool same_text(const std::string& a, const std::string& b) { return a == b; }

inline std::string kept_text(const std::string& name) {
  const auto kept = tree::all().find("test/golden/" + name);
  return kept == tree::all().end() ? "" : kept->second;
}

// A failure for each of the first lines that differ, below the last line that is not indented.
inline void expect_kept(const std::string& name, const std::string& text,
                        bool (*same)(const std::string& now, const std::string& kept) = same_text) {
  if (std::getenv("HEDDLE_WRITE_RECORD")) {
    std::ofstream(tree::folder() + "/test/golden/" + name) << text;
    GTEST_SKIP() << "written";
  }
  const std::vector<std::string> now = lines_of(text), kept = lines_of(kept_text(name));
  std::string head;
  int differences = 0;
  for (std::size_t i = 0; i < std::max(now.size(), kept.size()) && differences < 20; ++i) {
    const std::string a = i < now.size() ? now[i] : "", b = i < kept.size() ? kept[i] : "";
    if (!b.starts_with(' ')) head = b;
    if (same(a, b)) continue;
    ++differences;
    ADD_FAILURE() << head << "\n  kept: " << b << "\n  now:  " << a;
  }
}

}  // namespace heddle::test

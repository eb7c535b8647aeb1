// A Plan names a format and its settings. Its text is the CLI flag, the cache line and the label of a failing test.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heddle/export.hpp>

namespace HEDDLE_PUBLIC heddle {

// "sell C=32 sigma=1024"; parse(print(p)) == p.
struct Plan {
  std::string format = "csr";
  std::vector<std::pair<std::string, std::string>> settings;  // in the order given

  // Error(usage) for text that is not "WORD key=value ..."; whether the format exists is asked by `build`.
  static Plan parse(std::string_view text);
  const std::string* find(std::string_view key) const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

std::string to_string(const Plan& plan);

}  // namespace heddle

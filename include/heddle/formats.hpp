// The registry as data: which formats there are, what they can be told, and what they would cost for a matrix.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <heddle/export.hpp>
#include <heddle/matrix.hpp>
#include <heddle/plan.hpp>

namespace HEDDLE_PUBLIC heddle {

struct SettingInfo {
  std::string name, fallback, meaning;  // fallback: the default value as text
  std::vector<std::string> allowed;     // every value it may take; empty: any number from `low` to `high`
  std::int64_t low = 0, high = 0;
};

struct FormatInfo {
  std::string name, summary, origin;
  std::string drawing;  // the layout and its index formula, several lines
  std::vector<SettingInfo> settings;
};

const std::vector<FormatInfo>& formats();
// Error(usage) with the list of names when there is no such format.
const FormatInfo& find_format(const std::string& name);

// What a format needs for a matrix, known without building it.
struct Footprint {
  std::int64_t bytes = 0;      // of all arrays: exactly what building allocates on the device
  std::int64_t stored = 0;     // entries kept, padding included
  double padding_percent = 0;  // 100 * (stored - nnz) / nnz: artificial zeros per true entry
  bool fits = true;            // false: absurdly large; `build` refuses
  std::string reason;          // why not
};

Footprint footprint(const PatternView& A, const Plan& plan, int value_bytes = 8);

// The plan with every setting present and every "auto" replaced by its value for this matrix; what depends on the
// values as well stays "auto" until `build` has seen them.
Plan resolve(const PatternView& A, const Plan& plan, int value_bytes = 8);

}  // namespace heddle

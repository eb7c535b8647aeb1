#include <fmt/ranges.h>

#include <algorithm>

#include "core/memory_errors.hpp"
#include "formats/registered.hpp"

namespace heddle {

const Format& registered_format(const std::string& name) {
  for (const Format* format : registry())
    if (format->info.name == name) return *format;
  std::vector<std::string> names;
  for (const Format* format : registry()) names.push_back(format->info.name);
  fail(ErrorKind::usage, {name, fmt::format("known formats: {}", fmt::join(names, ", "))}, "no such format");
}

Footprint judged(Footprint need, std::int64_t nnz) {
  need.padding_percent = nnz == 0 ? 0 : 100.0 * static_cast<double>(need.stored - nnz) / static_cast<double>(nnz);
  if (need.fits && too_much_padding(need.stored, nnz)) {
    need.fits = false;
    need.reason = fmt::format("it would store {} entries for the {} of the matrix", need.stored, nnz);
  }
  return need;
}

const std::vector<FormatInfo>& formats() {
  static const std::vector<FormatInfo> infos = [] {
    std::vector<FormatInfo> all;
    for (const Format* format : registry()) all.push_back(format->info);
    return all;
  }();
  return infos;
}

const FormatInfo& find_format(const std::string& name) { return registered_format(name).info; }

Plan resolve(const PatternView& A, const Plan& plan, int value_bytes) {
  return with_memory_errors([&] {
    validate(A, Require::canonical);
    return registered_format(plan.format).resolve(plan, A, value_bytes);
  });
}

Footprint footprint(const PatternView& A, const Plan& plan, int value_bytes) {
  return with_memory_errors([&] {
    validate(A, Require::canonical);
    const Format& format = registered_format(plan.format);
    return format.footprint(format.resolve(plan, A, value_bytes), A, value_bytes);
  });
}

}  // namespace heddle

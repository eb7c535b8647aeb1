#include <fmt/ranges.h>

#include <atomic>
#include <list>
#include <mutex>

#include "core/memory_errors.hpp"
#include "formats/custom.hpp"
#include "formats/registered.hpp"

namespace heddle {

std::vector<const Format*> built_in_formats();  // registry_list.cpp, generated

namespace {

// A list that was handed out stays as it is: a format that is registered makes a longer one.
struct Lists {
  std::vector<const Format*> lines;
  std::vector<FormatInfo> infos;

  explicit Lists(std::vector<const Format*> all) : lines(std::move(all)) {
    for (const Format* line : lines) infos.push_back(line->info);
  }
};

class Registry {
 public:
  Registry() { append(built_in_formats()); }
  const Lists& now() const { return *now_.load(std::memory_order_acquire); }
  void append(const std::vector<const Format*>& more) {
    const std::lock_guard guard(guard_);
    std::vector<const Format*> all = lists_.empty() ? std::vector<const Format*>() : lists_.back().lines;
    all.insert(all.end(), more.begin(), more.end());
    now_.store(&lists_.emplace_back(std::move(all)), std::memory_order_release);
  }

 private:
  std::mutex guard_;
  std::list<Lists> lists_;
  std::atomic<const Lists*> now_ = nullptr;
};

Registry& the_registry() {
  static Registry of_this_process;
  return of_this_process;
}

}  // namespace

const std::vector<const Format*>& registry() { return the_registry().now().lines; }

void add_line(const Format& line) { the_registry().append({&line}); }

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

void does_not_fit(const Plan& plan, const Footprint& need) {
  fail(ErrorKind::unavailable, {to_string(plan), "csr, coo and csr_split store any matrix"},
       "this format does not fit the matrix: {}", need.reason);
}

const std::vector<FormatInfo>& formats() { return the_registry().now().infos; }

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

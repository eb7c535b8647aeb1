#include "plan/choice_cache.hpp"

#include <fmt/format.h>

#include <sstream>

#include <heddle/version.hpp>

#include "io/block_hash.hpp"
#include "machine/machine_file.hpp"

namespace heddle {

namespace {

// heddle choice 0.1.0
// for 0123456789abcdef f64 measure model 132 NVIDIA H200
// 1.25e-05 0.031 sell C=32 sigma=1 lanes=1             seconds of a product, seconds of building, plan
std::string head_of(const ChoiceKey& key) {
  return fmt::format("heddle choice {}\nfor {:016x} f{} {} {} {} {}\n", version, key.pattern_hash, 8 * key.value_bytes,
                     to_string(key.effort), key.selector, key.units, key.device);
}

struct Line {
  double seconds = 0, build_seconds = 0;
  std::string plan;
};

bool parse(const std::string& text, Line& line) {
  std::istringstream words(text);
  words.imbue(std::locale::classic());
  return static_cast<bool>(words >> line.seconds >> line.build_seconds) && line.seconds > 0 &&
         line.build_seconds >= 0 && std::getline(words >> std::ws, line.plan);
}

}  // namespace

std::string choice_file_name(const ChoiceKey& key) {
  const std::string head = head_of(key);
  return fmt::format("choice-{:016x}.txt", io::hash_bytes({head.data(), head.size()}));
}

bool read_choice(const ChoiceKey& key, std::vector<Candidate>& candidates) {
  const auto text = read_cache_file(choice_file_name(key));
  const std::string head = head_of(key);
  if (!text || !text->starts_with(head)) return false;
  std::istringstream lines(text->substr(head.size()));
  bool any = false;
  Line line;
  for (std::string each; std::getline(lines, each);) {
    if (!parse(each, line)) continue;
    for (Candidate& candidate : candidates)
      if (to_string(candidate.plan) == line.plan) {
        candidate.measured_seconds = line.seconds;
        candidate.measured_build_seconds = line.build_seconds;
        any = true;
      }
  }
  return any;
}

void write_choice(const ChoiceKey& key, const std::vector<Candidate>& candidates) noexcept {
  try {
    std::string text = head_of(key);
    for (const Candidate& c : candidates)
      if (c.measured_seconds > 0)
        text += fmt::format("{} {} {}\n", c.measured_seconds, c.measured_build_seconds, to_string(c.plan));
    write_cache_file(choice_file_name(key), text);
  } catch (const std::exception&) {
    // No place, or no memory for some lines of text: nothing is remembered.
  }
}

}  // namespace heddle

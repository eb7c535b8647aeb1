#include <heddle/plan.hpp>

#include <algorithm>

#include "core/check.hpp"
#include "core/memory_errors.hpp"

namespace heddle {

namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view blanks = " \t\n\r";
  std::vector<std::string_view> words;
  while (true) {
    const auto begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return words;
    const auto end = std::min(text.find_first_of(blanks, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

// The selectors of two source papers are plans by another name, so that they can be asked for wherever a plan can.
Plan named(std::string_view word) {
  if (word == "csr_ell_rules") return {"csr_ell", {}};
  if (word == "ellr_trials") return {"ellr", {{"T", "auto"}}};
  return {std::string(word), {}};
}

Plan parsed(std::string_view text) {
  const auto words = words_of(text);
  const At at{std::string(text), "a plan reads like \"sell C=32 sigma=1024\""};
  if (words.empty()) fail(ErrorKind::usage, at, "a plan needs the name of a format");
  if (words[0].find('=') != std::string_view::npos)
    fail(ErrorKind::usage, at, "a plan starts with the name of a format, not with '{}'", words[0]);
  Plan plan = named(words[0]);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto equal = words[i].find('=');
    if (equal == std::string_view::npos || equal == 0 || equal + 1 == words[i].size())
      fail(ErrorKind::usage, at, "'{}' is not a setting of the form key=value", words[i]);
    const std::string key(words[i].substr(0, equal));
    if (plan.find(key)) fail(ErrorKind::usage, at, "setting '{}' is given twice", key);
    plan.settings.emplace_back(key, std::string(words[i].substr(equal + 1)));
  }
  return plan;
}

}  // namespace

Plan Plan::parse(std::string_view text) {
  return with_memory_errors([&] { return parsed(text); });
}

const std::string* Plan::find(std::string_view key) const {
  const auto found = std::find_if(settings.begin(), settings.end(), [&](const auto& s) { return s.first == key; });
  return found == settings.end() ? nullptr : &found->second;
}

std::string to_string(const Plan& plan) {
  std::string text = plan.format;
  for (const auto& [key, value] : plan.settings) text += " " + key + "=" + value;
  return text;
}

}  // namespace heddle

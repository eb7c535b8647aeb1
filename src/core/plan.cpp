#include <heddle/plan.hpp>

#include <algorithm>

#include "core/check.hpp"
#include "core/memory_errors.hpp"

namespace heddle {

namespace {

// The first word of the text, which it leaves; empty: there is none.
std::string_view next_word(std::string_view& text) {
  constexpr std::string_view blanks = " \t\n\r";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

// The selectors of two source papers are plans by another name, so that they can be asked for wherever a plan can.
Plan named(std::string_view word) {
  if (word == "csr_ell_rules") return {"csr_ell", {}};
  if (word == "ellr_trials") return {"ellr", {{"T", "auto"}}};
  return {std::string(word), {}};
}

// Choosing for a GPU parses some 25 plans, and optimizing a small matrix there takes 100 us.
Plan parsed(std::string_view text) {
  const auto refuse = [whole = text]<class... Args>(fmt::format_string<Args...> words, Args&&... args) {
    fail(ErrorKind::usage, {std::string(whole), "a plan reads like \"sell C=32 sigma=1024\""}, words,
         std::forward<Args>(args)...);
  };
  const std::string_view format = next_word(text);
  if (format.empty()) refuse("a plan needs the name of a format");
  if (format.find('=') != std::string_view::npos)
    refuse("a plan starts with the name of a format, not with '{}'", format);
  Plan plan = named(format);
  for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) {
    const auto equal = word.find('=');
    if (equal == std::string_view::npos || equal == 0 || equal + 1 == word.size())
      refuse("'{}' is not a setting of the form key=value", word);
    const std::string_view key = word.substr(0, equal);
    if (plan.find(key)) refuse("setting '{}' is given twice", key);
    plan.settings.emplace_back(key, word.substr(equal + 1));
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

#include "generate/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "core/check.hpp"

namespace heddle::synthetic {

namespace {

// Letters to insert, delete, replace or swap with the next one to turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    next[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      next[j + 1] = std::min({row[j] + (a[i] == b[j] ? 0 : 1), next[j] + 1, row[j + 1] + 1});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
    }
    before = std::exchange(row, next);
  }
  return row.back();
}

double scale_of(char suffix) {
  switch (suffix) {
    case 'k':
    case 'K': return 1e3;
    case 'm':
    case 'M': return 1e6;
    case 'g':
    case 'G': return 1e9;
    default: return 0;
  }
}

std::optional<double> parse_real(std::string_view text) {
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || !std::isfinite(value)) return {};
  if (stop == end) return value;
  const double scale = stop + 1 == end ? scale_of(*stop) : 0;
  return scale == 0 ? std::nullopt : std::optional(value * scale);
}

// Exact for plain digits up to 2^64 - 1; otherwise whatever parse_real gives, when that is a whole number.
std::optional<std::uint64_t> parse_whole(std::string_view text) {
  const char* const end = text.data() + text.size();
  std::uint64_t whole = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, whole);
  if (error == std::errc() && stop == end) return whole;
  const std::optional<double> value = parse_real(text);
  if (!value || *value < 0 || *value >= 0x1p53 || *value != std::floor(*value)) return {};
  return static_cast<std::uint64_t>(*value);
}

// What a message may quote of a text of any length.
std::string brief(const std::string& text) {
  constexpr std::size_t most = 100;
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

}  // namespace

std::string listed(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : ", ") + word;
  return line;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const auto farther = [&](const auto& a, const auto& b) { return edit_distance(word, a) < edit_distance(word, b); };
  const auto nearest = std::min_element(known.begin(), known.end(), farther);
  if (nearest == known.end() || edit_distance(word, *nearest) > std::max<std::size_t>(1, word.size() / 3)) return {};
  return fmt::format("did you mean '{}'? ", *nearest);
}

std::string_view kind_of(std::string_view text) { return text.substr(0, text.find(',')); }

Arguments::Arguments(std::string_view text, const std::vector<GeneratorInfo::Key>& known)
    : where_(fmt::format("gen:{}", text)) {
  for (const GeneratorInfo::Key& key : known) values_.push_back({key.name, key.fallback});
  std::size_t comma = text.find(',');
  while (comma != std::string_view::npos) {
    text.remove_prefix(comma + 1);
    // A generated matrix inside the text, "of=gen:road,rows=1k", takes all that follows.
    comma = text.starts_with("of=gen:") ? std::string_view::npos : text.find(',');
    take(text.substr(0, comma), known);
  }
}

void Arguments::take(std::string_view piece, const std::vector<GeneratorInfo::Key>& known) {
  const std::size_t equals = piece.find('=');
  if (equals == std::string_view::npos || equals == 0)
    fail(ErrorKind::usage, {where_, "write KIND,key=value,key=value"}, "'{}' is not key=value", piece);
  const std::string_view key = piece.substr(0, equals);
  const auto value = std::find_if(values_.begin(), values_.end(), [&](const Value& v) { return v.key == key; });
  if (value == values_.end()) {
    std::vector<std::string> names;
    names.reserve(known.size());
    for (const GeneratorInfo::Key& k : known) names.push_back(k.name);
    fail(ErrorKind::usage, {where_, suggestion(key, names) + "known keys: " + listed(names)}, "'{}' has no key '{}'",
         kind_of(std::string_view(where_).substr(4)), key);
  }
  if (value->given) reject(key, "is given twice");
  value->text = piece.substr(equals + 1);
  value->given = true;
}

void Arguments::reject(std::string_view key, const std::string& why) const {
  const Value& value = value_of(key);
  fail(ErrorKind::usage, At{brief(where_)}, "{}={} {}", value.key, brief(value.text), why);
}

const Arguments::Value& Arguments::value_of(std::string_view key) const {
  for (const Value& value : values_) {
    if (value.key != key) continue;
    const bool names_another = !value.given && std::any_of(values_.begin(), values_.end(),
                                                           [&](const Value& v) { return v.key == value.text; });
    return names_another ? value_of(value.text) : value;
  }
  fail(ErrorKind::internal, At{where_}, "the generator asks for a key '{}' that it does not declare", key);
}

const std::string& Arguments::text_of(std::string_view key) const { return value_of(key).text; }

std::int64_t Arguments::integer(std::string_view key, std::int64_t low, std::int64_t high) const {
  const std::optional<std::uint64_t> value = parse_whole(text_of(key));
  const bool fits = value && *value <= static_cast<std::uint64_t>(high) && static_cast<std::int64_t>(*value) >= low;
  if (!fits) reject(key, fmt::format("must be a whole number from {} to {}", low, high));
  return static_cast<std::int64_t>(*value);
}

double Arguments::real(std::string_view key, double low, double high) const {
  const std::optional<double> value = parse_real(text_of(key));
  if (!value || *value < low || *value > high) reject(key, fmt::format("must be a number from {} to {}", low, high));
  return *value;
}

std::string Arguments::word(std::string_view key, std::initializer_list<std::string_view> allowed) const {
  const std::string& value = text_of(key);
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end())
    reject(key, "must be one of " + listed({allowed.begin(), allowed.end()}));
  return value;
}

std::uint64_t Arguments::seed() const {
  const std::optional<std::uint64_t> value = parse_whole(text_of("seed"));
  if (!value) reject("seed", "must be a whole number from 0 to 2^64 - 1");
  return *value;
}

}  // namespace heddle::synthetic

#include "collection/index.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "core/check.hpp"
#include "generate/arguments.hpp"

namespace heddle::collection {

namespace {

// The next piece up to `end`, which is taken off the text with it.
std::string_view take(std::string_view& text, char end) {
  const std::size_t size = std::min(text.find(end), text.size());
  const std::string_view piece = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return piece;
}

std::int64_t count(std::string_view word, std::string_view line) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  check(error == std::errc() && stop == word.data() + word.size() && value > 0, ErrorKind::internal,
        "no line of the index: {}", line);
  return value;
}

Entry parse_line(const std::string_view line) {
  std::string_view rest = line;
  Entry entry;
  entry.group = take(rest, '/');
  entry.name = take(rest, ' ');
  entry.cols = entry.rows = count(take(rest, ' '), line);
  entry.nnz = count(take(rest, ' '), line);
  while (!rest.empty()) {
    const std::string_view word = take(rest, ' ');
    if (word.starts_with('x'))
      entry.cols = count(word.substr(1), line);
    else if (word == "c")
      entry.complex = true;
    else if (word == "p")
      entry.definite = true;
    else
      fail(ErrorKind::internal, "no line of the index: {}", line);
  }
  return entry;
}

std::vector<const Entry*> named(const std::string& name) {
  std::vector<const Entry*> found;
  const bool with_group = name.find('/') != std::string::npos;
  for (const Entry& entry : entries())
    if (with_group ? entry.label() == name : entry.name == name) found.push_back(&entry);
  return found;
}

}  // namespace

std::string Entry::label() const { return fmt::format("{}/{}", group, name); }

std::vector<Entry> parse_index(std::string_view text) {
  std::vector<Entry> list;
  while (!text.empty()) {
    const std::string_view line = take(text, '\n');
    if (!line.empty() && !line.starts_with('#')) list.push_back(parse_line(line));
  }
  return list;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> list = parse_index(matrices_txt);
  return list;
}

const Entry& entry(const std::string& name) {
  const auto found = named(name);
  if (found.size() == 1) return *found.front();
  if (found.empty()) {
    std::vector<std::string> known;
    for (const Entry& one : entries()) known.emplace_back(one.name);
    fail(ErrorKind::usage, At{name, synthetic::suggestion(name, known) + "sets: papers, corpus, spd"},
         "no matrix of the collection");
  }
  std::vector<std::string> labels;
  for (const Entry* one : found) labels.push_back(one->label());
  fail(ErrorKind::usage, At{name, fmt::format("{}", fmt::join(labels, ", "))}, "several matrices have this name");
}

const Entry* find(const std::string& name) {
  const auto found = named(name);
  return found.size() == 1 ? found.front() : nullptr;
}

std::vector<const Entry*> corpus() {
  constexpr std::size_t wanted = 1598;
  constexpr std::int64_t most_rows = 2063494, most_entries = 52672325, least_rows = 5, least_entries = 15;
  std::vector<const Entry*> list;
  for (const Entry& entry : entries()) {
    const bool fits = entry.rows >= least_rows && entry.rows <= most_rows && entry.nnz >= least_entries &&
                      entry.nnz <= most_entries && entry.rows == entry.cols;
    if (fits && !entry.complex && list.size() < wanted) list.push_back(&entry);
  }
  return list;
}

std::vector<const Entry*> large_definite() {
  std::vector<const Entry*> list;
  for (const Entry& entry : entries())
    if (entry.definite && entry.rows > 100000) list.push_back(&entry);
  return list;
}

}  // namespace heddle::collection

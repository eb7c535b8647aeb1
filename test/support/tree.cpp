#include "support/tree.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace tree {

std::string folder() { return HEDDLE_SOURCE_FOLDER; }

namespace {

namespace fs = std::filesystem;

Files read_tree() {
  const fs::path root = folder();
  Files files;
  const auto take = [&](const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    files[path.lexically_relative(root).generic_string()] = text.str();
  };
  for (const char* folder :
       {"include", "src", "lab", "apps", "bench", "test", "examples", "docs", "cmake", "bindings", ".ci"}) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file()) take(entry.path());
  }
  for (const auto& entry : fs::directory_iterator(root))  // .git is a file in a work tree of git
    if (entry.is_regular_file() && entry.path().filename() != ".git") take(entry.path());
  return files;
}

}  // namespace

const Files& all() {
  static const Files files = read_tree();
  return files;
}

std::set<std::string> format_names(const Files& files) {
  static const std::regex in_format(R"(src/formats/([^/]+)/[^/]+)");
  std::set<std::string> names;
  std::smatch hit;
  for (const auto& [path, text] : files)
    if (std::regex_match(path, hit, in_format)) names.insert(hit[1]);
  return names;
}

std::vector<Include> includes_of(const std::string& text) {
  static const std::regex line(R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">])re");
  std::vector<Include> found;
  for (std::sregex_iterator hit(text.begin(), text.end(), line), none; hit != none; ++hit)
    found.push_back({(*hit)[2], (*hit)[1] == "\""});
  return found;
}

testing::AssertionResult silent(const Complaints& found) {
  if (found.empty()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << fmt::format("{}", fmt::join(found, "\n"));
}

}  // namespace tree

// What the pages say about the tree has to be true of the tree. As in architecture_test.cpp, every rule is also tested
// on a small tree that breaks it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "support/tree.hpp"

namespace {

using namespace tree;

Complaints undocumented_formats(const Files& files) {
  const auto page = files.find("docs/formats.md");
  Complaints found;
  for (const std::string& name : format_names(files))
    if (page == files.end() || page->second.find(fmt::format("\n| `{}` |", name)) == std::string::npos)
      found.push_back(name + " has no line in the table of docs/formats.md");
  return found;
}

// The program in the README is the example that the test `examples` builds and runs, letter by letter.
std::string first_program(const std::string& page) {
  const std::string fence = "```cpp\n";
  const auto begin = page.find(fence);
  if (begin == std::string::npos) return "";
  const auto end = page.find("```", begin + fence.size());
  return page.substr(begin + fence.size(), end - begin - fence.size());
}

// Words of every sentence of a page: paragraphs and lists, without code, tables and headings; of links the text alone.
std::vector<std::size_t> sentence_lengths(const std::string& page) {
  std::istringstream lines(page);
  std::vector<std::size_t> lengths;
  std::size_t words = 0;
  const auto end = [&] {
    if (words > 0) lengths.push_back(words);
    words = 0;
  };
  bool in_code = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) in_code = !in_code;
    const bool prose = !in_code && !line.starts_with("    ") && line.find_first_of("|#<!`[") != 0;
    if (!prose || line.empty() || line.starts_with("* ")) end();
    if (!prose) continue;
    std::istringstream text(std::regex_replace(line, std::regex(R"(\[([^\]]*)\]\([^)]*\))"), "$1"));
    for (std::string word; text >> word;) {
      words += word != "*";
      if (std::regex_search(word, std::regex(R"([.?!][*)]*$)"))) end();
    }
  }
  end();
  return lengths;
}

// Paths in backquotes or links of a page that look like files or folders of the tree.
Complaints missing_places(const Files& files, const std::string& page) {
  static const std::regex place(
      R"re([`(]((?:include|src|lab|apps|bench|test|examples|docs|cmake)/[a-z0-9_./-]*)[`)])re");
  const std::string& text = files.at(page);
  Complaints found;
  for (std::sregex_iterator hit(text.begin(), text.end(), place), none; hit != none; ++hit) {
    const std::string path = (*hit)[1];
    const auto next = files.lower_bound(path);
    const bool is_folder = next != files.end() && next->first.starts_with(path.ends_with('/') ? path : path + "/");
    if (!is_folder && !files.contains(path)) found.push_back(fmt::format("{} speaks of {}", page, path));
  }
  return found;
}

Complaints machine_paths(const Files& files) {
  static const std::regex place(R"((^|[\s"'=:(`])/(home|root|work|mnt|Users)/\w)");
  Complaints found;
  for (const auto& [path, text] : files) {
    std::smatch hit;
    if (text.find('\0') == std::string::npos && std::regex_search(text, hit, place))
      found.push_back(fmt::format("{}: {}", path, hit.str()));
  }
  return found;
}

TEST(Documentation, every_format_has_a_line_in_the_documentation) { EXPECT_TRUE(silent(undocumented_formats(all()))); }

TEST(Documentation, complains_about_a_format_that_no_page_describes) {
  EXPECT_EQ(
      undocumented_formats({{"src/formats/ell/ell.hpp", ""}, {"docs/formats.md", "\n| `sell` | like ell |\n"}}).size(),
      1u);
}

TEST(Documentation, the_program_of_the_readme_is_the_tested_example) {
  EXPECT_EQ(first_program("text\n```cpp\nint main() {}\n```\ntext\n"), "int main() {}\n");
  EXPECT_EQ(first_program(all().at("README.md")), all().at("examples/multiply.cpp"));
}

TEST(Documentation, counts_the_words_of_sentences) {
  EXPECT_EQ(
      sentence_lengths(
          "# A title\n\nOne two\nthree. **Four** five!\n\n| a b c d |\n\n    code code\n* [six seven](a b)\n* eight\n"),
      (std::vector<std::size_t>{3, 2, 2, 1}));
}

TEST(Documentation, the_readme_can_be_read_aloud) {
  std::vector<std::size_t> lengths = sentence_lengths(all().at("README.md"));
  ASSERT_GE(lengths.size(), 15u);
  std::sort(lengths.begin(), lengths.end());
  EXPECT_LE(lengths.back(), 25u) << "words in the longest sentence";
  EXPECT_LE(lengths[lengths.size() / 2], 15u) << "words in the median sentence";
}

TEST(Documentation, the_documentation_speaks_of_places_that_exist) {
  for (const auto& [path, text] : all())
    if (path.ends_with(".md")) {
      EXPECT_TRUE(silent(missing_places(all(), path)));
    }
}

TEST(Documentation, complains_about_a_page_that_speaks_of_a_lost_file) {
  const Files files = {{"a.md", "`src/core/` and `src/core/b.cpp` and [c](docs/c.md)"}, {"src/core/a.cpp", ""}};
  EXPECT_EQ(missing_places(files, "a.md"), (Complaints{"a.md speaks of src/core/b.cpp", "a.md speaks of docs/c.md"}));
}

TEST(Documentation, no_text_names_a_folder_of_one_machine) { EXPECT_TRUE(silent(machine_paths(all()))); }

TEST(Documentation, complains_about_a_home_folder) {
  EXPECT_EQ(machine_paths({{"docs/a.md",
                            "see `/"
                            "home/me/a.mtx`"}})
                .size(),
            1u);
  EXPECT_TRUE(silent(machine_paths({{"docs/a.md",
                                     "see https://host/"
                                     "home/a and bin/work/a"}})));
}

}  // namespace

// What the pages say about the tree has to be true of the tree. As in architecture_test.cpp, every rule is also tested
// on a small tree that breaks it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
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

std::vector<std::string> programs(const std::string& page) {
  const std::string fence = "```cpp\n";
  std::vector<std::string> found;
  for (auto begin = page.find(fence); begin != std::string::npos; begin = page.find(fence, begin)) {
    begin += fence.size();
    found.push_back(page.substr(begin, page.find("```", begin) - begin));
  }
  return found;
}

std::string without_spaces(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c); });
  return text;
}

// Words of every sentence of a page: paragraphs and lists, without code, tables and headings; of links the text alone.
// A bar between words ends a sentence, too.
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
    const bool is_fence = line.starts_with("```");
    in_code ^= is_fence;
    const bool prose = !in_code && !is_fence && !line.starts_with("    ") && line.find_first_of("|#<!") != 0;
    if (!prose || line.empty() || line.starts_with("* ")) end();
    if (!prose) continue;
    std::istringstream text(std::regex_replace(line, std::regex(R"(\[([^\]]*)\]\([^)]*\))"), "$1"));
    for (std::string word; text >> word;) {
      words += word != "*" && word != "|";
      if (std::regex_search(word, std::regex(R"(^[|]$|[.?!][*)]*$)"))) end();
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

struct Link {
  std::string page, target, heading;  // of this tree; target: a file or folder
};

std::string without_code(const std::string& page) {
  std::istringstream lines(page);
  std::string prose;
  bool in_code = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_fence = line.starts_with("```");
    in_code ^= is_fence;
    if (!in_code && !is_fence) prose += line + '\n';
  }
  return prose;
}

// Links in their place, and those by reference: lines like "[R1]: page.md#r1".
std::vector<Link> links_of(const std::string& page, const std::string& text) {
  static const std::regex link(R"((?:\]\(|(?:^|\n)\[[^\]\n]+\]: )([^)#\s]*)#?([^)\s]*))");
  std::vector<Link> found;
  const std::string prose = without_code(text);
  for (std::sregex_iterator hit(prose.begin(), prose.end(), link), none; hit != none; ++hit) {
    const std::string place = (*hit)[1];
    if (place.starts_with("http")) continue;
    const std::filesystem::path whole = std::filesystem::path(page).parent_path() / place;
    std::string target = place.empty() ? page : whole.lexically_normal().generic_string();
    if (target.ends_with('/')) target.pop_back();
    found.push_back({page, std::move(target), (*hit)[2]});
  }
  return found;
}

// A heading as links name it: "What choosing costs" -> "what-choosing-costs".
bool has_heading(const std::string& page, const std::string& wanted) {
  std::istringstream lines(without_code(page));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) continue;
    std::string name;
    for (const char c : line.substr(line.find_first_not_of("# ")))
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == ' ')
        name += c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (name == wanted) return true;
  }
  return false;
}

bool is_folder(const Files& files, const std::string& path) {
  const auto next = files.lower_bound(path + '/');
  return next != files.end() && next->first.starts_with(path + '/');
}

Complaints broken_links(const Files& files) {
  Complaints found;
  for (const auto& [path, text] : files) {
    if (!path.ends_with(".md")) continue;
    for (const Link& link : links_of(path, text)) {
      const auto file = files.find(link.target);
      const bool lost = file == files.end()    ? !link.heading.empty() || !is_folder(files, link.target)
                        : link.heading.empty() ? false
                                               : !has_heading(file->second, link.heading);
      if (lost) found.push_back(fmt::format("{} links to {}#{}", path, link.target, link.heading));
    }
  }
  return found;
}

// Pages of docs/ that no way of links from docs/index.md leads to. A link to a folder leads to all it holds.
Complaints unreached_pages(const Files& files) {
  std::set<std::string> reached;
  std::vector<std::string> next{"docs/index.md"};
  while (!next.empty()) {
    const std::string page = next.back();
    next.pop_back();
    if (!reached.insert(page).second) continue;
    if (const auto file = files.find(page); file != files.end()) {
      for (const Link& link : links_of(page, file->second)) next.push_back(link.target);
    } else {
      for (auto one = files.lower_bound(page + '/'); one != files.end() && one->first.starts_with(page + '/'); ++one)
        next.push_back(one->first);
    }
  }
  Complaints found;
  for (const auto& [path, text] : files)
    if (path.starts_with("docs/") && path.ends_with(".md") && !reached.contains(path))
      found.push_back(path + " is not reached from docs/index.md");
  return found;
}

// Environment variables that a program reads and docs/environment.md does not name.
Complaints unnamed_variables(const Files& files) {
  static const std::regex reads(R"re((?:getenv|environ\.get|environment|is_set)\("([A-Z_]+)")re");
  const auto page = files.find("docs/environment.md");
  std::set<std::string> found;
  for (const auto& [path, text] : files) {
    const bool is_program = path.ends_with(".cpp") || path.ends_with(".py") || path.ends_with(".hpp");
    if (!is_program || path == "test/documentation_test.cpp") continue;
    for (std::sregex_iterator hit(text.begin(), text.end(), reads), none; hit != none; ++hit) {
      const std::string name = (*hit)[1];
      const bool of_system = name == "HOME" || name == "PYTHONPATH";
      if (!of_system && (page == files.end() || page->second.find(name) == std::string::npos))
        found.insert(fmt::format("{} reads {}", path, name));
    }
  }
  return {found.begin(), found.end()};
}

// Options of CMake that docs/install.md does not name.
Complaints unnamed_options(const Files& files) {
  static const std::regex option(R"((?:option\((HEDDLE_\w+)|set\((HEDDLE_\w+)[^)]* CACHE ))");
  const auto page = files.find("docs/install.md");
  Complaints found;
  for (const auto& [path, text] : files) {
    if (!path.ends_with("CMakeLists.txt") && !path.ends_with(".cmake")) continue;
    for (std::sregex_iterator hit(text.begin(), text.end(), option), none; hit != none; ++hit) {
      const std::string name = (*hit)[1].matched ? (*hit)[1] : (*hit)[2];
      if (page == files.end() || page->second.find('`' + name + '`') == std::string::npos)
        found.push_back(fmt::format("{} has {}", path, name));
    }
  }
  return found;
}

// Options whose default is another on that page. ON in the tree, and OFF inside another project, is `ON` * there.
Complaints wrong_defaults(const Files& files) {
  static const std::regex option(R"re(option\((\w+) "[^"]*" (ON|OFF|\$\{PROJECT_IS_TOP_LEVEL\})\))re");
  const std::string& page = files.at("docs/install.md");
  Complaints found;
  for (const auto& [path, text] : files) {
    if (!path.ends_with("CMakeLists.txt") && !path.ends_with(".cmake")) continue;
    for (std::sregex_iterator hit(text.begin(), text.end(), option), none; hit != none; ++hit) {
      const std::string name = (*hit)[1], value = (*hit)[2];
      const std::string line =
          fmt::format("| `{}` | {} |", name, value.starts_with('$') ? "`ON` *" : '`' + value + '`');
      if (page.find(line) == std::string::npos) found.push_back(fmt::format("{}: {} is {}", path, name, value));
    }
  }
  return found;
}

// Pictures that stay light where the system is dark, or whose letters are smaller than 11 pixels where they are shown 400
// pixels wide.
Complaints unreadable_pictures(const Files& files) {
  static const std::regex box(R"re(viewBox="[-\d.]+ [-\d.]+ ([\d.]+) )re");
  static const std::regex letters(R"re((?:font-size(?:="|: *)|font: *)([\d.]+))re");
  Complaints found;
  for (const auto& [path, text] : files) {
    if (!path.starts_with("docs/") || !path.ends_with(".svg")) continue;
    std::smatch hit;
    if (text.find("(prefers-color-scheme: dark)") == std::string::npos) found.push_back(path + " is never dark");
    const double width = std::regex_search(text, hit, box) ? std::stod(hit[1]) : 0;
    std::sregex_iterator size(text.begin(), text.end(), letters), none;
    if (width == 0 || size == none) found.push_back(path + " has no viewBox, or letters of no size");
    for (; size != none; ++size)
      if (std::stod((*size)[1]) * 400 < 11 * width)
        found.push_back(fmt::format("{}: letters of {} in {}", path, (*size)[1].str(), width));
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
  EXPECT_EQ(programs("text\n```cpp\nint main() {}\n```\ntext\n```cpp\n1;\n```\n"),
            (std::vector<std::string>{"int main() {}\n", "1;\n"}));
  EXPECT_EQ(programs(all().at("README.md")).at(0), all().at("examples/own_arrays.cpp"));
}

// The code of all other pages is compiled (page_code.cmake).
TEST(Documentation, the_page_on_formats_quotes_the_tested_example) {
  const std::string example = without_spaces(all().at("examples/custom_format/ones.hpp")) +
                              without_spaces(all().at("examples/custom_format/main.cpp"));
  for (const std::string& quoted : programs(all().at("docs/add-a-format.md")))
    EXPECT_NE(example.find(without_spaces(quoted)), std::string::npos) << quoted;
}

TEST(Documentation, counts_the_words_of_sentences) {
  EXPECT_EQ(
      sentence_lengths(
          "# A title\n\nOne two\nthree. **Four** five!\n\n| a b c d |\n\n    code code\n* [six seven](a b)\n* eight\n"
          "```\ncode\n```\n`nine` ten\n[eleven](a) | [twelve](b)\n![picture](c)\n"),
      (std::vector<std::size_t>{3, 2, 2, 1, 3, 1}));
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

TEST(Documentation, every_link_leads_to_a_file_and_heading) { EXPECT_TRUE(silent(broken_links(all()))); }

TEST(Documentation, complains_about_links_that_lead_nowhere) {
  const Files files = {{"docs/a.md",
                        "# A word, two\n[1](b.md) [2](#a-word-two) [3](../src/) [4](http://x) [5](b.md#c)\n"
                        "[R7]: b.md#e\n[R8]: b.md#b\n"},
                       {"docs/b.md", "# B"},
                       {"src/x.cpp", ""},
                       {"README.md", "[6](docs/c.md)\n```\nf[0](x)\n```\n"}};
  EXPECT_EQ(broken_links(files), (Complaints{"README.md links to docs/c.md#", "docs/a.md links to docs/b.md#c",
                                             "docs/a.md links to docs/b.md#e"}));
}

TEST(Documentation, the_index_reaches_every_page) { EXPECT_TRUE(silent(unreached_pages(all()))); }

TEST(Documentation, complains_about_a_page_that_the_index_does_not_reach) {
  const Files files = {{"docs/index.md", "[a](a.md) [notes](notes/)"},
                       {"docs/a.md", "[b](b.md)"},
                       {"docs/b.md", ""},
                       {"docs/c.md", "[a](a.md)"},
                       {"docs/notes/d.md", ""}};
  EXPECT_EQ(unreached_pages(files), (Complaints{"docs/c.md is not reached from docs/index.md"}));
}

TEST(Documentation, every_environment_variable_is_on_its_page) { EXPECT_TRUE(silent(unnamed_variables(all()))); }

TEST(Documentation, complains_about_a_variable_that_no_page_names) {
  const Files files = {{"docs/environment.md", "| `A_B` |"},
                       {"src/a.cpp", "getenv(\"A_B\"); std::getenv(\"C_D\"); getenv(\"HOME\")"},
                       {"x.py", "os.environ.get(\"E\")"}};
  EXPECT_EQ(unnamed_variables(files), (Complaints{"src/a.cpp reads C_D", "x.py reads E"}));
}

TEST(Documentation, every_option_of_cmake_is_on_the_page_of_installing) { EXPECT_TRUE(silent(unnamed_options(all()))); }

TEST(Documentation, complains_about_an_option_that_no_page_names) {
  const Files files = {
      {"docs/install.md", "| `HEDDLE_A` |"},
      {"CMakeLists.txt", "option(HEDDLE_A \"a\" ON)\nset(HEDDLE_B x)\nset(HEDDLE_C AUTO CACHE STRING \"c\")\n"},
      {"cmake/a.cmake", "  option(HEDDLE_D \"d\" OFF)"}};
  EXPECT_EQ(unnamed_options(files), (Complaints{"CMakeLists.txt has HEDDLE_C", "cmake/a.cmake has HEDDLE_D"}));
}

TEST(Documentation, the_defaults_of_options_are_those_of_cmake) { EXPECT_TRUE(silent(wrong_defaults(all()))); }

TEST(Documentation, complains_about_another_default) {
  const Files files = {{"docs/install.md", "| `A` | `ON` |\n| `B` | `ON` * |\n| `C` | `OFF` |"},
                       {"CMakeLists.txt",
                        "option(A \"a\" ${PROJECT_IS_TOP_LEVEL})\noption(B \"b\" "
                        "${PROJECT_IS_TOP_LEVEL})\noption(C \"c\" OFF)\noption(D \"d\" ON)"}};
  EXPECT_EQ(wrong_defaults(files),
            (Complaints{"CMakeLists.txt: A is ${PROJECT_IS_TOP_LEVEL}", "CMakeLists.txt: D is ON"}));
}

TEST(Documentation, pictures_can_be_read_when_small_and_in_the_dark) {
  EXPECT_TRUE(silent(unreadable_pictures(all())));
}

TEST(Documentation, complains_about_a_picture_that_is_light_or_small) {
  const Files files = {
      {"docs/a.svg", "<svg viewBox=\"0 0 800 9\" font-size=\"12\">"},
      {"docs/b.svg", "<svg viewBox=\"0 -9 400 9\"><style>text{font: 13px x} @media (prefers-color-scheme: dark) {}"}};
  EXPECT_EQ(unreadable_pictures(files), (Complaints{"docs/a.svg is never dark", "docs/a.svg: letters of 12 in 800"}));
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

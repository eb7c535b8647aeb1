// The rules of the tree, checked on its text. Every rule is a function from files to complaints, so that it is also
// tested on a small tree that breaks it: a rule that never complains would pass for a tidy tree.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "support/tree.hpp"

namespace {

using namespace tree;

bool is_source(const std::string& path) {
  static const std::regex source(R"(.*\.(h|hpp|cpp|cu|cuh|in))");
  return std::regex_match(path, source);
}

//  apps                              main.cpp; a layer may include the layers below it and its neighbours on the same
//  commands                          line, the neighbours as long as that closes no circle
//  pictures products records systems
//  session
//  terminal  options                 the rooms down to here lie in apps/heddle/, those of the next line in lab/
//  peers  bench  report  collection
//    reproduce                       those below it in src/: solve plan machine formats update layout cost simd codec
//                                    simt io generate analyze reorder core
int layer(const std::string& folder) {
  static const std::map<std::string, int> layers = {
      {"core", 0},    {"simt", 1},      {"simt/primitives", 1}, {"simt/csr", 1},  {"io", 1},       {"generate", 1},
      {"analyze", 1}, {"reorder", 1},   {"codec", 2},           {"simd", 2},      {"layout", 3},   {"update", 3},
      {"cost", 3},    {"formats", 4},   {"machine", 5},         {"plan", 5},      {"solve", 6},    {"peers", 7},
      {"bench", 7},   {"report", 7},    {"collection", 7},      {"reproduce", 7}, {"terminal", 8}, {"options", 8},
      {"session", 9}, {"pictures", 10}, {"products", 10},       {"records", 10},  {"systems", 10}, {"commands", 11},
      {"apps", 12}};
  const auto known = layers.find(folder);
  return known == layers.end() ? -1 : known->second;
}

constexpr int lab_layer = 7;

// The stage of a path as includes name it: "simt/csr" for simt/csr/entries.hpp, which has a layer of its own, and "io"
// for io/matrix_market/reader.hpp.
std::string stage_in(const std::string& path) {
  const auto first = path.find('/'), second = path.find('/', first + 1);
  const std::string both = path.substr(0, second);
  return second != std::string::npos && layer(both) >= 0 ? both : path.substr(0, first);
}

// The stage a file belongs to: "io" for src/io/reader.cpp, "bench" for lab/bench/timing.cpp, "session" for
// apps/heddle/session/load.cpp, "apps" for apps/heddle/main.cpp, "" for what has no layer. Tests may look anywhere.
std::string stage_of(const std::string& path) {
  if (path.ends_with("_test.cpp")) return "";
  static const std::regex in_source(R"((?:src|lab|apps/heddle)/([^/]+/.*))");
  std::smatch hit;
  if (std::regex_match(path, hit, in_source)) return stage_in(hit[1]);
  return path.starts_with("apps/") ? "apps" : "";
}

// simt/annotations.hpp is the exception that lets the output functor of core be compiled for the GPU: it includes
// nothing.
std::string stage_of_target(const std::string& target) {
  if (target == "simt/annotations.hpp") return "core";
  return stage_in(target);
}

using Edges = std::map<std::string, std::set<std::string>>;

Edges stage_edges(const Files& files) {
  Edges edges;
  for (const auto& [path, text] : files) {
    const std::string from = stage_of(path);
    if (from.empty()) continue;
    for (const Include& include : includes_of(text)) {
      if (!include.quoted || include.target.find('/') == std::string::npos) continue;
      const std::string to = stage_of_target(include.target);
      if (layer(to) >= 0 && to != from) edges[from].insert(to);
    }
  }
  return edges;
}

Complaints upward_includes(const Files& files) {
  Complaints found;
  for (const auto& [path, text] : files) {
    const std::string from = stage_of(path);
    if (from.empty()) continue;
    if (layer(from) < 0) found.push_back(fmt::format("{}: the folder {} has no layer", path, from));
    for (const Include& include : includes_of(text)) {
      const int to = layer(stage_of_target(include.target));
      if (include.quoted && to > layer(from)) found.push_back(fmt::format("{} includes {}", path, include.target));
    }
  }
  return found;
}

// What is installed lies in src/, what the command and the benchmarks need in lab/, and the command in rooms of its own
// with other names, so that an include says where the file lies.
Complaints misplaced_stages(const Files& files) {
  Complaints found;
  for (const auto& [path, text] : files) {
    const std::string stage = stage_of(path);
    if (stage.empty()) continue;
    const char* home = layer(stage) < lab_layer ? "src/" : layer(stage) == lab_layer ? "lab/" : "apps/heddle/";
    if (!path.starts_with(home)) found.push_back(fmt::format("{} belongs into {}", path, home));
    if (stage == "apps" && is_source(path) && path != "apps/heddle/main.cpp")
      found.push_back(path + " belongs into a room");
  }
  return found;
}

bool reaches(const Edges& edges, const std::string& from, const std::string& goal, std::set<std::string>& seen) {
  const auto next = edges.find(from);
  if (next == edges.end() || !seen.insert(from).second) return false;
  return std::any_of(next->second.begin(), next->second.end(),
                     [&](const std::string& to) { return to == goal || reaches(edges, to, goal, seen); });
}

Complaints circles(const Files& files) {
  Complaints found;
  const Edges edges = stage_edges(files);
  for (const auto& [stage, targets] : edges) {
    std::set<std::string> seen;
    if (reaches(edges, stage, stage, seen)) found.push_back(fmt::format("{} includes itself by way of others", stage));
  }
  return found;
}

// Public headers know each other and the standard library: no CUDA, no fmt, nothing of src/.
Complaints foreign_public_includes(const Files& files) {
  static const std::regex own(R"(heddle/[a-z_]+\.hpp)"), standard(R"([a-z_0-9]+(\.h)?)");
  Complaints found;
  for (const auto& [path, text] : files) {
    if (!path.starts_with("include/")) continue;
    for (const Include& include : includes_of(text)) {
      const bool ours = std::regex_match(include.target, own) && files.contains("include/" + include.target);
      const bool library =
          std::regex_match(include.target, standard) && include.target.find("cuda") == std::string::npos;
      if (include.quoted || !(ours || library)) found.push_back(fmt::format("{} includes {}", path, include.target));
    }
  }
  return found;
}

// What a header declares must be seen in a shared library. Its namespace says so for all but templates of functions.
Complaints hidden_public_headers(const Files& files) {
  static const std::regex template_of_function(
      R"re((?:^|\n)template <[^\n]*>\n(?!struct|class|concept|HEDDLE_PUBLIC)((?:[^;{]|\{\})*);)re");
  Complaints found;
  for (const auto& [path, text] : files) {
    if (!path.starts_with("include/heddle/")) continue;
    if (text.find("\nnamespace heddle") != std::string::npos)
      found.push_back(path + " opens its namespace without HEDDLE_PUBLIC");
    for (std::sregex_iterator hit(text.begin(), text.end(), template_of_function), none; hit != none; ++hit)
      found.push_back(fmt::format("{} declares without HEDDLE_PUBLIC: {}", path, (*hit)[1].str()));
  }
  return found;
}

// Types with a name of their own in each named namespace: two of one name in different files are one type to the
// linker.
Complaints types_named_twice(const Files& files) {
  static const std::regex opens(R"((?:inline )?namespace (?:HEDDLE_PUBLIC )?([A-Za-z0-9_:]*) ?\{[^}]*)"),
      closes(R"(\}  // namespace.*)"),
      defines(
          R"((?:struct|class|enum class|enum|union) (?:HEDDLE_PUBLIC )?([A-Za-z0-9_]+)(?: final)?(?: ?:[^:].*| ?\{.*)?)");
  std::map<std::string, std::string> first;  // full name -> file
  Complaints found;
  for (const auto& [path, text] : files) {
    if (stage_of(path).empty() && !path.starts_with("include/")) continue;
    std::vector<std::string> inside;
    std::istringstream lines(text);
    std::smatch hit;
    for (std::string line; std::getline(lines, line);) {
      if (std::regex_match(line, hit, opens)) inside.push_back(hit[1]);
      if (std::regex_match(line, closes) && !inside.empty()) inside.pop_back();
      if (!std::regex_match(line, hit, defines) || std::ranges::count(inside, "") > 0) continue;
      std::string name;
      for (const std::string& space : inside) name += space + "::";
      const auto [other, is_new] = first.emplace(name + hit[1].str(), path);
      if (!is_new && other->second != path)
        found.push_back(fmt::format("{} is a type in {} and in {}", other->first, other->second, path));
    }
  }
  return found;
}

Complaints long_files(const Files& files) {
  Complaints found;
  for (const auto& [path, text] : files) {
    const auto lines = std::count(text.begin(), text.end(), '\n');
    if (is_source(path) && lines > 450) found.push_back(fmt::format("{} has {} lines", path, lines));
  }
  return found;
}

// A room is taken in at a glance, its tests with it.
Complaints full_folders(const Files& files) {
  constexpr int most = 35;
  static const std::regex house(R"((src|lab|apps|bindings)/.*)");
  std::map<std::string, int> count;
  for (const auto& [path, text] : files)
    if (std::regex_match(path, house)) ++count[path.substr(0, path.rfind('/'))];
  Complaints found;
  for (const auto& [folder, number] : count)
    if (number > most) found.push_back(fmt::format("{} has {} files", folder, number));
  return found;
}

// A definition that nobody makes reads like one of a part that is missing.
Complaints parts_unasked(const Files& files) {
  static const std::regex asked(R"((?:^|\n)[ \t]*#[ \t]*(?:if|elif).*HEDDLE_HAS_(?:CUDA|EMULATOR)\b)");
  Complaints found;
  for (const auto& [path, text] : files) {
    if (is_source(path) && std::regex_search(text, asked) &&
        text.find("#include \"built_with.hpp\"") == std::string::npos)
      found.push_back(fmt::format("{} asks for parts of the build without built_with.hpp", path));
  }
  return found;
}

Complaints empty_names(const Files& files) {
  static const std::regex empty(R"((.*[/_])?(utils?|helpers?|detail|common|misc|impl|v[0-9]+)([/_.].*)?)");
  Complaints found;
  for (const auto& [path, text] : files)
    if (is_source(path) && std::regex_match(path, empty)) found.push_back(path);
  return found;
}

TEST(Architecture, includes_point_downwards) {
  EXPECT_GT(stage_edges(all()).size(), 1u) << "no includes were found at all";
  EXPECT_TRUE(stage_edges(all()).contains("commands")) << "the rooms of the command were not found";
  EXPECT_TRUE(silent(upward_includes(all())));
}

TEST(Architecture, complains_about_an_include_that_points_upwards) {
  EXPECT_EQ(upward_includes({{"src/core/a.hpp", "#include \"io/reader.hpp\"\n"}}),
            Complaints{"src/core/a.hpp includes io/reader.hpp"});
  EXPECT_EQ(upward_includes({{"src/formats/csr/csr.cpp", "\n  # include \"plan/predict/model.hpp\"\n"}}).size(), 1u);
  EXPECT_EQ(upward_includes({{"src/codec/a.hpp", "#include \"layout/sliced.hpp\"\n"}}).size(), 1u);
  EXPECT_EQ(upward_includes({{"src/simt/csr/a.hpp", "#include \"codec/a.hpp\"\n"}}).size(), 1u);
  EXPECT_EQ(upward_includes({{"src/attic/a.cpp", ""}}), Complaints{"src/attic/a.cpp: the folder attic has no layer"});
  EXPECT_TRUE(silent(upward_includes({{"apps/heddle/main.cpp", "#include \"io/reader.hpp\"\n"}})));
  EXPECT_TRUE(silent(upward_includes({{"apps/heddle/main.cpp", "#include \"commands/commands.hpp\"\n"}})));
  EXPECT_EQ(upward_includes({{"apps/heddle/terminal/a.cpp", "#include \"session/session.hpp\"\n"}}),
            Complaints{"apps/heddle/terminal/a.cpp includes session/session.hpp"});
  EXPECT_EQ(upward_includes({{"lab/bench/a.cpp", "#include \"terminal/text.hpp\"\n"}}).size(), 1u);
}

TEST(Architecture, the_library_holds_nothing_of_the_lab) {
  EXPECT_TRUE(all().contains("lab/bench/timing.hpp")) << "the lab was not found at all";
  EXPECT_TRUE(silent(misplaced_stages(all())));
}

TEST(Architecture, complains_about_a_part_that_lies_in_another_house) {
  EXPECT_EQ(misplaced_stages({{"src/report/a.cpp", ""}}), Complaints{"src/report/a.cpp belongs into lab/"});
  EXPECT_EQ(misplaced_stages({{"lab/core/a.cpp", ""}}), Complaints{"lab/core/a.cpp belongs into src/"});
  EXPECT_EQ(misplaced_stages({{"lab/session/a.cpp", ""}}), Complaints{"lab/session/a.cpp belongs into apps/heddle/"});
  EXPECT_EQ(misplaced_stages({{"apps/heddle/bench/a.cpp", ""}}),
            Complaints{"apps/heddle/bench/a.cpp belongs into lab/"});
  EXPECT_EQ(misplaced_stages({{"apps/heddle/a.cpp", ""}}), Complaints{"apps/heddle/a.cpp belongs into a room"});
  EXPECT_TRUE(silent(misplaced_stages({{"apps/heddle/main.cpp", ""}, {"apps/heddle/CMakeLists.txt", ""}})));
  EXPECT_EQ(upward_includes({{"src/solve/krylov/cg.cpp", "#include \"bench/timing.hpp\"\n"}}).size(), 1u);
  EXPECT_TRUE(silent(misplaced_stages({{"lab/bench/a.cpp", "#include \"core/b.hpp\"\n"}})));
}

// It costs each file that does six seconds of compiling (2026-11).
TEST(Architecture, one_file_includes_the_library_for_options) {
  std::set<std::string> found;
  for (const auto& [path, text] : all())
    for (const Include& include : includes_of(text))
      if (include.target.starts_with("CLI/")) found.insert(path);
  EXPECT_EQ(found, std::set<std::string>{"apps/heddle/options/option.cpp"});
}

TEST(Architecture, no_stage_includes_itself_by_way_of_others) { EXPECT_TRUE(silent(circles(all()))); }

TEST(Architecture, complains_about_neighbours_that_include_each_other) {
  Files files = {{"src/io/a.cpp", "#include \"generate/a.hpp\"\n"},
                 {"src/generate/a.hpp", "#include \"core/b.hpp\"\n"}};
  EXPECT_TRUE(silent(circles(files)));
  files["src/generate/b.cpp"] = "#include \"io/b.hpp\"\n";
  EXPECT_EQ(circles(files).size(), 2u);
  EXPECT_EQ(circles({{"src/simt/a.hpp", "#include \"simt/primitives/a.hpp\"\n"},
                     {"src/simt/primitives/a.hpp", "#include \"simt/b.hpp\"\n"}})
                .size(),
            2u);
}

TEST(Architecture, public_headers_know_only_each_other_and_the_standard_library) {
  EXPECT_TRUE(silent(foreign_public_includes(all())));
}

TEST(Architecture, complains_about_a_public_header_that_shows_what_is_behind_it) {
  const auto complaints = [](const std::string& line) {
    return foreign_public_includes({{"include/heddle/a.hpp", line + "\n"}}).size();
  };
  EXPECT_EQ(complaints("#include <cuda_runtime.h>"), 1u);
  EXPECT_EQ(complaints("#include <fmt/format.h>"), 1u);
  EXPECT_EQ(complaints("#include \"core/check.hpp\""), 1u);
  EXPECT_EQ(complaints("#include <heddle/not_there.hpp>"), 1u);
  EXPECT_EQ(complaints("#include <heddle/a.hpp>"), 0u);
  EXPECT_EQ(complaints("#include <vector>"), 0u);
}

TEST(Architecture, public_headers_are_seen_in_a_shared_library) { EXPECT_TRUE(silent(hidden_public_headers(all()))); }

TEST(Architecture, complains_about_a_public_header_that_is_hidden) {
  const auto complaints = [](const char* text) {
    return hidden_public_headers({{"include/heddle/a.hpp", text}}).size();
  };
  EXPECT_EQ(complaints("\nnamespace heddle {\n"), 1u);
  EXPECT_EQ(complaints("\ntemplate <class V>\nvoid f(V v, Options o = {});\n"), 1u);
  EXPECT_EQ(complaints("\ntemplate <class V>\nHEDDLE_PUBLIC void f(V v);\n"), 0u);
  EXPECT_EQ(complaints("\ntemplate <class V>\nstruct S;\n"), 0u);
  EXPECT_EQ(complaints("\ntemplate <class V>\nV twice(V v) {\n  return v + v;\n}\n"), 0u);
  EXPECT_EQ(complaints("\nnamespace HEDDLE_PUBLIC heddle {\n"), 0u);
}

TEST(Architecture, no_two_types_have_one_name) { EXPECT_TRUE(silent(types_named_twice(all()))); }

TEST(Architecture, complains_about_a_second_type_of_a_name) {
  const std::string one = "namespace heddle {\n\nstruct Piece {\n  int a;\n};\n\n}  // namespace heddle\n";
  EXPECT_EQ(types_named_twice({{"src/io/a.hpp", one}, {"src/layout/b.hpp", one}}),
            Complaints{"heddle::Piece is a type in src/io/a.hpp and in src/layout/b.hpp"});
  const std::string hidden =
      "namespace heddle {\nnamespace {\nclass Piece : Base {\n};\n}  // namespace\n}  // namespace heddle\n";
  const std::string elsewhere =
      "namespace heddle::io {\ntemplate <class V>\nstruct Piece {\n};\n}  // namespace heddle::io\n";
  const std::string declared = "namespace heddle {\nstruct Piece;\n}  // namespace heddle\n";
  EXPECT_TRUE(silent(types_named_twice(
      {{"src/io/a.hpp", one}, {"src/io/b.cpp", hidden}, {"src/io/c.hpp", elsewhere}, {"src/io/d.hpp", declared}})));
}

TEST(Architecture, no_source_file_is_longer_than_450_lines) { EXPECT_TRUE(silent(long_files(all()))); }

TEST(Architecture, complains_about_line_451) {
  EXPECT_TRUE(silent(long_files({{"src/core/a.cpp", std::string(450, '\n')}})));
  EXPECT_EQ(long_files({{"src/core/a.cpp", std::string(451, '\n')}}), Complaints{"src/core/a.cpp has 451 lines"});
}

TEST(Architecture, who_asks_for_parts_of_the_build_includes_them) {
  EXPECT_TRUE(silent(parts_unasked(all())));
  EXPECT_EQ(parts_unasked({{"src/core/a.cpp", "int a;\n#ifdef HEDDLE_HAS_CUDA\n#endif\n"}}),
            Complaints{"src/core/a.cpp asks for parts of the build without built_with.hpp"});
  EXPECT_EQ(parts_unasked({{"lab/bench/a.cpp", "#if !defined(HEDDLE_HAS_EMULATOR)\n#endif\n"}}).size(), 1u);
  EXPECT_TRUE(silent(parts_unasked({{"src/a.cpp", "#include \"built_with.hpp\"\n#ifdef HEDDLE_HAS_CUDA\n#endif\n"}})));
}

TEST(Architecture, no_folder_has_more_than_35_files) { EXPECT_TRUE(silent(full_folders(all()))); }

TEST(Architecture, complains_about_file_36) {
  Files files = {{"src/core/below/a.cpp", ""}};
  for (int i = 0; i < 35; ++i) files[fmt::format("src/core/{}.cpp", i)];
  EXPECT_TRUE(silent(full_folders(files)));
  files["src/core/one_test.cpp"];
  EXPECT_EQ(full_folders(files), Complaints{"src/core has 36 files"});
  for (const char* other : {"lab/reproduce", "apps/heddle", "bindings/petsc", "docs"})
    for (int i = 0; i < 36; ++i) files[fmt::format("{}/{}.cpp", other, i)];
  EXPECT_EQ(full_folders(files).size(), 4u);
}

TEST(Architecture, no_file_has_a_name_that_says_nothing) { EXPECT_TRUE(silent(empty_names(all()))); }

TEST(Architecture, complains_about_names_that_say_nothing) {
  for (const char* path : {"src/io/utils.hpp", "src/detail/a.hpp", "src/io/reader_v2.cpp", "src/io/reader_impl.hpp"})
    EXPECT_EQ(empty_names({{path, ""}}), Complaints{path});
  EXPECT_TRUE(silent(empty_names({{"src/io/implied_commons.hpp", ""}})));
}

}  // namespace

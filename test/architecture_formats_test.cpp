// The rules of the tree for formats and the planner: what knows what. As in architecture_test.cpp, each is also tested on
// a small tree that breaks it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>

#include "support/tree.hpp"

namespace {

using namespace tree;

Complaints incomplete_formats(const Files& files) {
  Complaints found;
  for (const std::string& name : format_names(files))
    for (const char* suffix : {".hpp", ".cpp", "_cpu.cpp", "_gpu.cu"}) {
      const std::string path = fmt::format("src/formats/{0}/{0}{1}", name, suffix);
      if (!files.contains(path)) found.push_back("missing: " + path);
    }
  return found;
}

// The planner knows formats by their rules. csr alone has a name there: it is what everything is compared with.
Complaints named_formats(const Files& files) {
  static const std::regex planner(R"(src/plan/(\w+/)?\w+\.(cpp|hpp|cu))"), comment(R"(//[^\n]*)");
  Complaints found;
  for (const auto& [path, text] : files) {
    if (!std::regex_match(path, planner) || path.ends_with("_test.cpp")) continue;
    const std::string code = std::regex_replace(text, comment, "");
    for (const std::string& name : format_names(files)) {
      if (name == "csr") continue;
      const bool in_text =
          code.find('"' + name + '"') != std::string::npos || code.find('"' + name + ' ') != std::string::npos;
      if (in_text) found.push_back(fmt::format("{} names {}", path, name));
    }
  }
  return found;
}

// What rules rest on: their own files, and of the formats, the planner and what lies between them and the core all that
// these include, a header together with the source file of its name.
std::set<std::string> files_of_rules(const Files& files) {
  static const std::regex rules(
      R"((src/plan/(candidates|explain|first_look|ranking|predict/(building|model)|costs/costs)|src/cost/\w+|src/formats/(\w+/)+\w+_(plan|rules|choice|choice_cpu|estimates))\.[ch]pp)"),
      shared(R"((formats|plan|cost|layout|codec)/.*)");
  std::set<std::string> found;
  std::vector<std::string> next;
  for (const auto& [path, text] : files)
    if (std::regex_match(path, rules)) next.push_back(path);
  while (!next.empty()) {
    const std::string path = next.back();
    next.pop_back();
    if (!files.contains(path) || path.ends_with("_test.cpp") || !found.insert(path).second) continue;
    if (path.ends_with(".hpp")) next.push_back(path.substr(0, path.size() - 3) + "cpp");
    for (const Include& include : includes_of(files.at(path)))
      if (std::regex_match(include.target, shared)) next.push_back("src/" + include.target);
  }
  return found;
}

// What plans cost follows from facts and a description of the machine: nothing of this process or host is asked.
Complaints hidden_inputs(const Files& files) {
  static const std::regex hidden(R"(\b(gathers_pay|isa\(\)|threads\(\)|this_machine\(|share_for_a_thread\(\)|getenv))");
  Complaints found;
  std::smatch hit;
  for (const std::string& path : files_of_rules(files))
    if (std::regex_search(files.at(path), hit, hidden)) found.push_back(fmt::format("{} asks {}", path, hit.str()));
  return found;
}

// The planner asks a format through its line in the registry and its rules, and includes nothing of its folder.
Complaints included_formats(const Files& files) {
  static const std::regex planner(R"(src/plan/.*)"), of_format(R"(formats/(\w+)/.*)");
  Complaints found;
  std::smatch hit;
  for (const auto& [path, text] : files) {
    if (!std::regex_match(path, planner) || path.ends_with("_test.cpp")) continue;
    for (const Include& include : includes_of(text))
      if (std::regex_match(include.target, hit, of_format) && hit[1] != "csr")
        found.push_back(fmt::format("{} includes {}", path, include.target));
  }
  return found;
}

// Layouts of weave share what lies above their folders, and nothing of each other.
Complaints tangled_layouts(const Files& files) {
  static const std::regex layout(R"((?:src/)?formats/weave/(\w+)/[^/]+)");
  Complaints found;
  std::smatch from, to;
  for (const auto& [path, text] : files) {
    if (!std::regex_match(path, from, layout) || path.ends_with("_test.cpp")) continue;
    for (const Include& include : includes_of(text))
      if (std::regex_match(include.target, to, layout) && from[1] != to[1])
        found.push_back(fmt::format("{} includes {}", path, include.target));
  }
  return found;
}

TEST(Formats, every_format_folder_holds_its_header_builder_and_both_kernels) {
  EXPECT_TRUE(all().contains("src/formats/csr/csr.hpp")) << "no formats were found at all";
  EXPECT_TRUE(silent(incomplete_formats(all())));
}

TEST(Formats, complains_about_a_format_without_a_gpu_kernel) {
  EXPECT_EQ(incomplete_formats({{"src/formats/ell/ell.hpp", ""},
                                {"src/formats/ell/ell.cpp", ""},
                                {"src/formats/ell/ell_cpu.cpp", ""},
                                {"src/formats/registry.cpp", ""}}),
            Complaints{"missing: src/formats/ell/ell_gpu.cu"});
}

TEST(Formats, rules_ask_nothing_but_facts_and_the_description_of_a_machine) {
  const std::set<std::string> rules = files_of_rules(all());
  for (const char* path :
       {"src/plan/predict/model.cpp", "src/formats/weave/weave_choice.cpp", "src/formats/weave/sums/sums.cpp",
        "src/formats/weave/tiles/tiles.hpp", "src/formats/csr_ell/csr_ell_rules.cpp", "src/layout/ell_and_rest.cpp"})
    EXPECT_TRUE(rules.contains(path)) << path;
  EXPECT_TRUE(silent(hidden_inputs(all())));
}

TEST(Formats, complains_about_rules_that_ask_this_host) {
  for (const char* line : {"return isa() == Isa::avx512;", "if (gathers_pay.of_8)", "this_machine(device).units"})
    for (const char* file : {"src/plan/predict/model.cpp", "src/cost/row_counts.cpp", "src/formats/csr/csr_plan.cpp",
                             "src/formats/weave/weave_choice.cpp", "src/formats/weave/rows/rows_plan.cpp",
                             "src/formats/csr_ell/csr_ell_rules.cpp"})
      EXPECT_EQ(hidden_inputs({{file, line}}).size(), 1u) << line;
  EXPECT_EQ(hidden_inputs({{"src/formats/a/a_plan.cpp", "#include \"formats/a/a.hpp\"\n"},
                           {"src/formats/a/a.hpp", "#include \"layout/b.hpp\"\n"},
                           {"src/layout/b.hpp", ""},
                           {"src/layout/b.cpp", "isa()"}}),
            Complaints{"src/layout/b.cpp asks isa()"});
  EXPECT_TRUE(silent(hidden_inputs({{"src/formats/csr/csr_plan.cpp", "target.isa == Isa::avx512"},
                                    {"src/formats/csr/csr_cpu.cpp", "isa()"},
                                    {"src/plan/choose.cpp", "this_machine(device)"}})));
}

TEST(Formats, the_planner_includes_none_but_csr) {
  EXPECT_TRUE(all().contains("src/plan/choose.cpp")) << "the planner is elsewhere";
  EXPECT_TRUE(silent(included_formats(all())));
}

TEST(Formats, complains_about_a_planner_that_includes_a_format) {
  const auto complaints = [](const char* line) { return included_formats({{"src/plan/predict/a.hpp", line}}); };
  EXPECT_EQ(complaints("#include \"formats/runs/runs_step_counts.hpp\"\n"),
            Complaints{"src/plan/predict/a.hpp includes formats/runs/runs_step_counts.hpp"});
  EXPECT_TRUE(silent(complaints("#include \"formats/format.hpp\"\n#include \"formats/csr/csr_rules.hpp\"\n")));
}

TEST(Formats, the_planner_names_no_format_but_csr) { EXPECT_TRUE(silent(named_formats(all()))); }

TEST(Formats, complains_about_a_planner_that_names_a_format) {
  const auto complaints = [](const char* line) {
    return named_formats(
        {{"src/formats/ell/ell.hpp", ""}, {"src/formats/csr/csr.hpp", ""}, {"src/plan/choose.cpp", line}});
  };
  EXPECT_EQ(complaints("if (plan.format == \"ell\")"), Complaints{"src/plan/choose.cpp names ell"});
  EXPECT_EQ(complaints("Plan::parse(\"ell block=128\")").size(), 1u);
  EXPECT_TRUE(silent(complaints("plan.format == \"csr\"  // not \"ell\"")));
}

TEST(Formats, no_layout_of_weave_includes_another) {
  EXPECT_TRUE(all().contains("src/formats/weave/rows/rows.hpp")) << "the layouts are elsewhere";
  EXPECT_TRUE(silent(tangled_layouts(all())));
}

TEST(Formats, complains_about_a_layout_of_weave_that_includes_another) {
  const auto complaints = [](const char* line) { return tangled_layouts({{"src/formats/weave/rows/rows.cpp", line}}); };
  EXPECT_EQ(complaints("#include \"formats/weave/tiles/tiles.hpp\"\n"),
            Complaints{"src/formats/weave/rows/rows.cpp includes formats/weave/tiles/tiles.hpp"});
  EXPECT_TRUE(silent(complaints("#include \"formats/weave/rows/rows.hpp\"\n#include \"formats/weave/weave.hpp\"\n")));
}

}  // namespace

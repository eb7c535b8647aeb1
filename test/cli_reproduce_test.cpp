// heddle reproduce: a verdict for every claim, and what it promises to scripts.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/command.hpp"
#include "support/tree.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

// All five papers, once for all tests.
class ReproduceCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new ScratchFolder;
    outcome = new Outcome(heddle_command({"reproduce", "--quick", "--device", "cpu", "--json=" + folder->path("r.json"),
                                          "--markdown", folder->path("r.md"), "--html", folder->path("r.html")}));
    if (exists(folder->path("r.json"))) document = Json::parse(content_of(folder->path("r.json")));
  }
  static void TearDownTestSuite() {
    delete outcome;
    delete folder;
  }
  static const Json* claim(const std::string& id) {
    for (const Json& paper : document["papers"])
      for (const Json& one : paper["claims"])
        if (one["id"] == id) return &one;
    return nullptr;
  }

  static std::set<std::string> ids() {
    std::set<std::string> all;
    for (const Json& paper : document["papers"])
      for (const Json& one : paper["claims"]) all.insert(one["id"]);
    return all;
  }

  static inline ScratchFolder* folder = nullptr;
  static inline Outcome* outcome = nullptr;
  static inline Json document;
};

TEST_F(ReproduceCommand, says_something_about_all_five_papers_and_every_claim) {
  ASSERT_EQ(outcome->exit_code, 0) << outcome->err;
  EXPECT_EQ(document["command"], "reproduce");
  EXPECT_EQ(document["device"]["kind"], "cpu");
  EXPECT_EQ(document["quick"], true);
  std::vector<std::string> names;
  for (const Json& paper : document["papers"]) {
    names.push_back(paper["name"]);
    EXPECT_FALSE(paper["tables"].empty()) << paper["name"];
    EXPECT_TRUE(paper["failures"].empty()) << paper["failures"];
  }
  EXPECT_EQ(names, (std::vector<std::string>{"ellpack_r", "csr_ell", "rgcsr", "ellr_t", "model"}));
  for (const std::string& id : ids()) {
    const Json* one = claim(id);
    for (const char* key : {"claim", "exact", "then", "now", "rule", "basis", "verdict", "reason", "held", "judged"})
      EXPECT_TRUE(one->contains(key)) << key;
  }
  EXPECT_GE(ids().size(), 22u);
  for (const char* struck : {"R6", "R10"}) EXPECT_FALSE(ids().contains(struck)) << "is no claim of a paper";
}

TEST_F(ReproduceCommand, decides_the_exact_claims_everywhere_and_times_only_on_a_gpu) {
  const std::set<std::string> exact{"R1", "R2", "R7", "R13", "R19", "R44", "R48"};
  const std::set<std::string> by_files{"R1", "R2", "R19", "R44",
                                       "R48"};  // which speak of the real matrices, and here are none
  for (const std::string& id : ids()) {
    EXPECT_EQ((*claim(id))["exact"], exact.contains(id)) << id;
    const bool decided = exact.contains(id) && !by_files.contains(id);
    EXPECT_EQ((*claim(id))["verdict"] != "not testable here", decided) << *claim(id);
    EXPECT_EQ((*claim(id))["judged"] > 0, decided) << *claim(id);
  }
  EXPECT_EQ((*claim("R7"))["verdict"], "confirmed");
  EXPECT_EQ((*claim("R7"))["held"], 5);
  EXPECT_EQ((*claim("R7"))["judged"], 5);
  EXPECT_EQ((*claim("R13"))["judged"], 4) << "mean and largest of two quantities";
  EXPECT_NE((*claim("R13"))["now"].get<std::string>().find("padding 1.8 % on average, 5.7 % at most"),
            std::string::npos);
  EXPECT_EQ((*claim("R19"))["now"], "5 of 11 before, 8 after RCM");
  EXPECT_NE((*claim("R7"))["now"].get<std::string>().find("trans4 2196.7 %, sorted 1459.9 %"), std::string::npos);
}

TEST_F(ReproduceCommand, lists_self_checks_apart_and_all_of_them_hold) {
  std::size_t checks = 0;
  for (const Json& paper : document["papers"])
    for (const Json& check : paper["self_checks"]) {
      EXPECT_EQ(check["holds"], true) << check;
      ++checks;
    }
  EXPECT_GE(checks, 3u);
  EXPECT_NE(content_of(folder->path("r-tables.md")).find("7 of 7 rows; at most 6 lanes a row"), std::string::npos);
  EXPECT_EQ(outcome->out.find("self-check fails"), std::string::npos);
}

TEST_F(ReproduceCommand, tells_of_every_matrix_whether_it_is_real_and_keeps_every_timing) {
  EXPECT_GT(document["matrices"].size(), 25u);
  for (const Json& matrix : document["matrices"]) {
    EXPECT_NE(matrix["origin"], "real file");
    EXPECT_FALSE(matrix["source"].get<std::string>().empty());
  }
  EXPECT_GT(document["measurements"].size(), 500u);
  for (const Json& taken : document["measurements"])
    EXPECT_TRUE(taken["status"] != "ok" || taken["seconds"] > 0 || taken["cold_seconds"] > 0 ||
                taken["build_seconds"] > 0)
        << taken;
}

TEST_F(ReproduceCommand, writes_every_claim_and_table_as_markdown_and_html) {
  const std::string markdown = content_of(folder->path("r.md")), html = content_of(folder->path("r.html"));
  const std::string tables = content_of(folder->path("r-tables.md"));
  for (const std::string& id : ids()) {
    EXPECT_NE(markdown.find("| [" + id + "] |"), std::string::npos) << id;
    EXPECT_NE(markdown.find("\n[" + id + "]: r-tables.md#"), std::string::npos) << id;
    EXPECT_NE(tables.find("### " + id + "\n"), std::string::npos) << id;
    EXPECT_NE(html.find("id=\"" + id + "\""), std::string::npos) << id;
  }
  for (const Json& paper : document["papers"])
    for (const Json& table : paper["tables"])
      EXPECT_NE(tables.find("### " + table["title"].get<std::string>()), std::string::npos) << table["title"];
  EXPECT_NE(html.find("<svg"), std::string::npos);
  EXPECT_NE(markdown.find("quick run"), std::string::npos);
  std::size_t pictures = 0;
  for (const Json& paper : document["papers"]) {
    const std::string name = "r-" + paper["name"].get<std::string>() + ".svg";
    if (paper["main_figure"] == "") continue;
    ++pictures;
    EXPECT_NE(markdown.find("](" + name + ")"), std::string::npos) << name;
    EXPECT_NE(content_of(folder->path(name)).find("</svg>"), std::string::npos) << name;
  }
  EXPECT_GE(pictures, 4u) << "paper 5 has its figure where its kernel runs";
}

TEST_F(ReproduceCommand, renders_a_stored_result_exactly_as_when_it_was_measured) {
  const ScratchFolder again;  // where the page and its pictures have the same names
  const Outcome outcome_again =
      heddle_command({"reproduce", "--from", folder->path("r.json"), "--json=" + again.path("r.json"), "--markdown",
                      again.path("r.md"), "--html", again.path("r.html")});
  ASSERT_EQ(outcome_again.exit_code, 0) << outcome_again.err;
  for (const char* name : {"r.json", "r.md", "r-tables.md", "r.html", "r-ellpack_r.svg"})
    EXPECT_EQ(content_of(again.path(name)), content_of(folder->path(name))) << name;
  EXPECT_EQ(outcome_again.out, outcome->out);
}

TEST_F(ReproduceCommand, has_written_the_page_in_the_documentation) {
  const std::string tree = tree::folder(), result = tree + "/bench/results/reproduce-h200.json";
  if (!exists(result)) GTEST_SKIP() << "no result of an H200 is kept";
  const std::string cpu = tree + "/bench/results/reproduce-cpu.json";
  std::vector<std::string> words{"reproduce", "--from", result, "--markdown", folder->path("reproduction.md")};
  if (exists(cpu)) words.insert(words.end(), {"--compare-with", cpu});
  ASSERT_EQ(heddle_command(words).exit_code, 0);
  for (const char* name : {"reproduction.md", "reproduction-tables.md"})
    EXPECT_EQ(content_of(folder->path(name)), content_of(tree + "/docs/" + name))
        << "heddle reproduce --from bench/results/reproduce-h200.json"
        << (exists(cpu) ? " --compare-with bench/results/reproduce-cpu.json" : "")
        << " --markdown docs/reproduction.md";
}

TEST_F(ReproduceCommand, puts_the_words_of_another_device_beside_its_own) {
  const ScratchFolder pages;
  Json other = document;
  for (Json& paper : other["papers"])
    for (Json& one : paper["claims"])
      if (one["id"] == "R7") one["verdict"] = "mixed", one["held"] = 4;
  const Outcome written = heddle_command({"reproduce", "--from", folder->path("r.json"), "--compare-with",
                                          pages.write("other.json", other.dump()), "--markdown", pages.path("p.md")});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  const std::string page = content_of(pages.path("p.md")), tables = content_of(pages.path("p-tables.md"));
  const auto row = [&](const std::string& id) {
    const auto begin = page.find("\n| [" + id + "] |") + 1;
    return page.substr(begin, page.find('\n', begin) - begin);
  };
  EXPECT_TRUE(row("R7").ends_with("| **confirmed** | 5 of 5 numbers | mixed, 4 of 5 |")) << row("R7");
  EXPECT_TRUE(row("R19").ends_with("|  | not testable |")) << row("R19");
  EXPECT_TRUE(row("R12").ends_with("|  |  |")) << "speaks of a GPU's times: " << row("R12");
  EXPECT_NE(page.find("[R7]."), std::string::npos);
  EXPECT_NE(page.find("(p-tables.md#on-the-cpu)"), std::string::npos);
  EXPECT_NE(tables.find("## On the CPU\n"), std::string::npos);
  EXPECT_NE(tables.find("* R7, **mixed**: 4 of 5 numbers"), std::string::npos);
  EXPECT_EQ(content_of(folder->path("r.md")).find("| on the CPU |"), std::string::npos) << "without --compare-with";
}

// The same rules and the same times.
TEST_F(ReproduceCommand, judges_a_stored_result_again) {
  const ScratchFolder again;
  const Outcome judged =
      heddle_command({"reproduce", "--from", folder->path("r.json"), "--judge", "--json=" + again.path("r.json")});
  ASSERT_EQ(judged.exit_code, 0) << judged.err;
  const Json written = Json::parse(content_of(again.path("r.json")));
  ASSERT_EQ(written["papers"].size(), document["papers"].size());
  for (std::size_t i = 0; i < document["papers"].size(); ++i)
    for (const char* part : {"claims", "tables", "figures", "self_checks", "also_measured", "failures"})
      EXPECT_EQ(written["papers"][i][part], document["papers"][i][part]) << part;
  EXPECT_EQ(written["measurements"], document["measurements"]);
  EXPECT_NE(written["notes"][0].get<std::string>().find("their times are not stored"), std::string::npos);
}

// What is stored was judged by the rules of today, but for what has no times.
TEST_F(ReproduceCommand, has_stored_results_that_today_would_judge_alike) {
  for (const char* name : {"reproduce-h200.json", "reproduce-cpu.json"}) {
    const std::string path = tree::folder() + "/bench/results/" + name;
    if (!exists(path)) continue;
    const Json stored = Json::parse(content_of(path));
    std::map<std::string, Json> rules;
    for (const Json& paper : stored["papers"])
      for (const Json& one : paper["claims"]) rules[one["id"]] = one;
    EXPECT_EQ(rules.size(), ids().size());
    for (const std::string& id : ids())
      for (const char* text : {"claim", "then", "rule"})
        EXPECT_EQ(rules[id][text], (*claim(id))[text])
            << id << ": heddle reproduce --from " << path << " --judge --matrices FOLDER --json=" << path;
  }
}

TEST_F(ReproduceCommand, runs_the_kernels_of_a_gpu_on_the_emulator) {
  const Outcome emulated = heddle_command({"reproduce", "ellr-t", "--quick", "--device", "emulator", "--json"});
  ASSERT_EQ(emulated.exit_code, 0) << emulated.err;
  const Json written = emulated.json();
  for (const Json& taken : written["measurements"]) EXPECT_EQ(taken["status"], "ok") << taken;
}

TEST_F(ReproduceCommand, uses_the_files_of_a_folder_and_says_which_are_missing) {
  const ScratchFolder matrices;
  for (const char* name : {"dw2048", "rbsa480"})
    ASSERT_EQ(
        heddle_command({"generate", "stencil2d5", "n=9", "--out", matrices.path(std::string(name) + ".mtx")}).exit_code,
        0);
  matrices.write("qh1484.mtx", "no matrix");
  const Outcome used =
      heddle_command({"reproduce", "ellr-t", "--quick", "--device", "cpu", "--matrices", matrices.path("."), "--json"});
  ASSERT_EQ(used.exit_code, 0) << used.err;
  EXPECT_NE(used.err.find("stand-ins took their place: gemat12, "), std::string::npos) << used.err;
  EXPECT_NE(used.err.find("qh1484.mtx could not be read"), std::string::npos) << used.err;
  const Json written = used.json();
  EXPECT_EQ(written["missing"][0], "gemat12");
  const auto missing = written["missing"].get<std::vector<std::string>>();
  EXPECT_NE(std::find(missing.begin(), missing.end(), "qcd5_4"), missing.end()) << "small in a quick run";
  int real = 0;
  for (const Json& matrix : written["matrices"])
    if (matrix["origin"] == "real file") {
      ++real;
      EXPECT_EQ(matrix["rows"], 81) << matrix;
    }
  EXPECT_EQ(real, 2) << "rbs480a is rbsa480 in the collection";
}

// A lattice and a full matrix are made as they are described: nothing took their place.
TEST_F(ReproduceCommand, tells_stand_ins_from_what_a_description_fixes) {
  const ScratchFolder none;
  const Outcome used = heddle_command(
      {"reproduce", "model", "--within", "0.000001", "--device", "cpu", "--matrices", none.path("."), "--json"});
  ASSERT_EQ(used.exit_code, 0) << used.err;
  EXPECT_NE(used.err.find("but fixed by their description: qcd5_4, dense2"), std::string::npos) << used.err;
  for (const Json& name : used.json()["missing"]) EXPECT_TRUE(name != "dense2" && name != "qcd5_4");
}

TEST_F(ReproduceCommand, refuses_what_it_cannot_do) {
  struct Case {
    std::vector<std::string> words;
    int exit_code;
    const char* said;
  };
  const std::string other = folder->write("other.json", R"({"command": "info"})");
  const std::string text = folder->write("text.json", "no JSON");
  for (const Case& c :
       {Case{{"ellpack"}, 2, "papers: ellpack_r, csr_ell, rgcsr, ellr_t, model"},
        Case{{"--matrices", folder->path("nowhere")}, 2, "nowhere"}, Case{{"model", "--from", other}, 2, "--from"},
        Case{{"--judge"}, 2, "--from"}, Case{{"--corpus-step", "0"}, 2, "--corpus-step"},
        Case{{"--compare-with", folder->path("r.json")}, 2, "--markdown"}, Case{{"--from", other}, 3, "other.json"},
        Case{{"--from", text}, 3, "not JSON"}, Case{{"--from", folder->path("none.json")}, 3, "none.json"}}) {
    std::vector<std::string> words{"reproduce", "--quick", "--device", "cpu"};
    words.insert(words.end(), c.words.begin(), c.words.end());
    const Outcome refused = heddle_command(words);
    EXPECT_EQ(refused.exit_code, c.exit_code) << c.said;
    EXPECT_NE(refused.err.find(c.said), std::string::npos) << refused.err;
  }
}

}  // namespace
}  // namespace heddle::test

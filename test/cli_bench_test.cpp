// heddle bench: what it promises to scripts.
#include <gtest/gtest.h>

#include <set>

#include <heddle/plan.hpp>

#include "support/command.hpp"
#include "support/tree.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

const std::string tiny = "gen:stencil2d5,n=12";

Outcome bench(std::vector<std::string> words) {
  words.insert(words.begin(), {"bench", "--device", "cpu", "--seconds", "0.001"});
  return heddle_command(words);
}

TEST(Bench, gives_every_format_the_chosen_plan_and_every_promised_key) {
  const Outcome outcome = bench({tiny, "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json document = outcome.json();
  EXPECT_EQ(document["command"], "bench");
  for (const char* key : {"read_gbps", "copy_gbps", "launch_us"}) EXPECT_GT(document["machine"][key], 0) << key;
  const Json& made_by = document["provenance"];
  EXPECT_NE(made_by["compiler"].get<std::string>().find('.'), std::string::npos);
  for (const char* key : {"commit", "build", "cuda_toolkit", "driver"}) EXPECT_TRUE(made_by.contains(key)) << key;
  EXPECT_TRUE(made_by["driver"].is_null()) << "of a CPU";
  ASSERT_EQ(document["matrices"].size(), 1u);
  const Json& matrix = document["matrices"][0];
  EXPECT_EQ(matrix["rows"], 144);
  EXPECT_EQ(matrix["cols"], 144);
  EXPECT_EQ(matrix["nnz"], 5 * 144 - 4 * 12);
  const std::string chosen = matrix["chosen"];
  const std::string planned = heddle_command({"plan", tiny, "--device", "cpu", "--json"}).json()["plan"];
  EXPECT_EQ(Plan::parse(chosen).format, Plan::parse(planned).format);
  EXPECT_GT(matrix["chosen_predicted_seconds"], 0);
  std::set<std::string> seen, known;
  int times = 0;
  for (const Json& result : matrix["results"]) {
    for (const char* key : {"plan", "peer", "precision", "seconds", "cold_seconds", "predicted_seconds", "gflops",
                            "bytes", "gbps", "roofline", "build_seconds", "max_error", "status"})
      EXPECT_TRUE(result.contains(key)) << key;
    EXPECT_EQ(result["status"], "ok") << result;
    EXPECT_LE(result["max_error"], 1e-15) << result;
    EXPECT_TRUE(result["cold_seconds"].is_null());
    EXPECT_NE(result["plan"].is_null(), result["peer"].is_null());
    if (!result["peer"].is_null()) continue;
    const std::string plan = result["plan"];
    times += plan == chosen;
    seen.insert(plan.substr(0, plan.find(' ')));
  }
  const Json registry = heddle_command({"formats", "--json"}).json();
  for (const Json& format : registry["formats"]) known.insert(format["name"]);
  EXPECT_TRUE(known.contains("csr"));
  EXPECT_EQ(seen, known);
  EXPECT_EQ(times, 1) << chosen;
}

TEST(Bench, takes_plans_separated_repeated_or_from_a_file) {
  const ScratchFolder folder;
  folder.write("plan.txt", "csr lanes=2\n");
  const Outcome outcome =
      bench({"--formats", "csr lanes=8;coo", "--plan", folder.path("plan.txt"), tiny, "--peers", "none", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json results = outcome.json()["matrices"][0]["results"];
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0]["plan"], "csr lanes=8");
  EXPECT_TRUE(results[1]["plan"].get<std::string>().starts_with("coo"));
  EXPECT_EQ(results[2]["plan"], "csr lanes=2");
  for (const Json& result : results) EXPECT_TRUE(result["peer"].is_null());
}

TEST(Bench, takes_auto_for_the_plan_it_would_choose) {
  const Outcome outcome = bench({"--formats", "auto", tiny, "--peers", "none", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json matrix = outcome.json()["matrices"][0];
  ASSERT_EQ(matrix["results"].size(), 1u);
  EXPECT_EQ(matrix["results"][0]["plan"], matrix["chosen"]);
  EXPECT_GT(matrix["results"][0]["predicted_seconds"], 0);
}

TEST(Bench, lists_the_chosen_plan_once_whatever_it_was_asked_for_by_and_marks_it) {
  const std::string chosen =
      bench({"--formats", "auto", tiny, "--peers", "none", "--json"}).json()["matrices"][0]["chosen"];
  for (const std::string& formats : {chosen + ";auto", "auto;" + chosen}) {
    const Outcome outcome = bench({"--formats", formats, tiny, "--peers", "none", "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Json results = outcome.json()["matrices"][0]["results"];
    ASSERT_EQ(results.size(), 1u) << formats;
    EXPECT_EQ(results[0]["plan"], chosen);
  }
  const std::string table = bench({"--formats", "coo;auto", tiny, "--peers", "none"}).out;
  const std::size_t line = table.find("\n  " + chosen + " ");
  ASSERT_NE(line, std::string::npos) << table;
  EXPECT_NE(table.substr(line + 1, table.find('\n', line + 1) - line).find(" chosen"), std::string::npos) << table;
}

TEST(Bench, times_cold_caches_when_asked) {
  const Outcome outcome =
      bench({tiny, "--formats", "csr", "--peers", "none", "--cold", "--precision", "f32", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json result = outcome.json()["matrices"][0]["results"][0];
  EXPECT_GT(result["cold_seconds"], 0);
  EXPECT_EQ(result["precision"], "f32");
}

// Where products are not queued every time has the call.
TEST(Bench, times_the_call_of_the_host_when_asked) {
  const Outcome asked = bench({tiny, "--formats", "csr", "--calls", "--json"}),
                not_asked = bench({tiny, "--formats", "csr", "--json"});
  ASSERT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_EQ(asked.json()["settings"]["calls"], true);
  for (const Json& result : asked.json()["matrices"][0]["results"])
    EXPECT_EQ(result["call_seconds"], result["seconds"]) << result;
  for (const Json& result : not_asked.json()["matrices"][0]["results"]) EXPECT_TRUE(result["call_seconds"].is_null());
  const std::string table = bench({tiny, "--formats", "csr", "--peers", "none", "--calls"}).out;
  EXPECT_NE(table.find(" call "), std::string::npos) << table;
}

TEST(Bench, a_failing_plan_has_its_error_as_status_and_the_others_run) {
  const Outcome outcome = bench({tiny, "--formats", "csr lanes=3;coo", "--peers", "none", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json results = outcome.json()["matrices"][0]["results"];
  EXPECT_NE(results[0]["status"], "ok");
  EXPECT_TRUE(results[0]["seconds"].is_null());
  EXPECT_EQ(results[1]["status"], "ok");
}

TEST(Bench, goes_on_after_a_matrix_that_cannot_be_read_and_ends_with_its_exit_code) {
  const ScratchFolder folder;
  const std::string broken =
      folder.write("broken.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n");
  const Outcome outcome = bench({broken, tiny, "--formats", "csr", "--peers", "none", "--json"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.err.find("broken.mtx:3"), std::string::npos) << outcome.err;
  const Json matrices = outcome.json()["matrices"];
  ASSERT_EQ(matrices.size(), 2u);
  EXPECT_EQ(matrices[0]["error"]["kind"], "input");
  EXPECT_TRUE(matrices[0]["results"].empty());
  EXPECT_EQ(matrices[1]["results"][0]["status"], "ok");
}

TEST(Bench, refuses_unknown_formats_peers_and_options_before_measuring) {
  EXPECT_EQ(bench({tiny, "--formats", "abacus"}).exit_code, 2);
  EXPECT_EQ(bench({tiny, "--peers", "abacus"}).exit_code, 2);
  EXPECT_EQ(bench({tiny, "--peers", "cusparse:csr_alg1"}).exit_code, 2);  // no peer of the CPU
  EXPECT_EQ(bench({tiny, "--precision", "f16"}).exit_code, 2);
  EXPECT_EQ(bench({tiny, "--seconds", "-1"}).exit_code, 2);
  EXPECT_EQ(bench({}).exit_code, 2);
}

TEST(Bench, writes_one_line_of_values_per_result) {
  const ScratchFolder folder;
  const std::string path = folder.path("out.csv");
  const Outcome outcome = bench({tiny, "--formats", "csr,coo", "--peers", "none", "--csv", path});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string text = content_of(path);
  EXPECT_EQ(lines_in(text), 3) << text;
  EXPECT_TRUE(text.starts_with("matrix,rows,cols,nnz,plan,peer,precision,seconds,")) << text;
  EXPECT_NE(text.find(",144,144,672,csr lanes="), std::string::npos) << text;
  EXPECT_EQ(bench({tiny, "--formats", "csr", "--csv", folder.path("no/such/folder.csv")}).exit_code, 2);
}

TEST(Bench, shows_people_a_table_with_the_fastest_first) {
  const Outcome outcome = bench({tiny, "--formats", "csr lanes=3;csr lanes=4", "--peers", "none"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("roofline"), std::string::npos) << outcome.out;
  EXPECT_LT(outcome.out.find("GFLOP/s"), outcome.out.find("csr lanes="));
  EXPECT_LT(outcome.out.rfind("csr lanes=4"), outcome.out.rfind("csr lanes=3")) << outcome.out;
}

TEST(Bench, ends_a_matrix_with_the_best_peer_against_the_best_plan) {
  const Outcome all = bench({tiny, "--formats", "csr", "--cold"}),
                alone = bench({tiny, "--formats", "csr", "--peers", "none"});
  const bool peers = all.out.find("\n  eigen") != std::string::npos || all.out.find("\n  openmp") != std::string::npos;
  for (const char* line : {"\nwarm: best peer ", "\ncold: best peer "})
    EXPECT_EQ(all.out.find(line) != std::string::npos, peers) << all.out;
  EXPECT_EQ(alone.out.find("best peer"), std::string::npos) << alone.out;
}

Json result_of(const char* kind, const std::string& name, double warm, double cold, const char* status = "ok") {
  Json result{{"plan", nullptr},  {"peer", nullptr}, {"precision", "f32"},
              {"status", status}, {"seconds", warm}, {"cold_seconds", cold}};
  result[kind] = name;
  return result;
}

TEST(PeersTable, takes_the_best_peer_of_each_temperature_and_leaves_out_wrong_results) {
  const std::string python = "/usr/bin/python3";
  if (!exists(python)) GTEST_SKIP() << "there is no " << python;
  const Json easy{
      {"name", "easy"},
      {"chosen", "csr lanes=2"},
      {"results",
       {result_of("plan", "csr lanes=2", 4e-6, 8e-6), result_of("plan", "coo", 2e-6, 9e-6),
        result_of("peer", "cusparse:csr_alg1", 8e-6, 16e-6), result_of("peer", "cusparse:coo_alg1", 9e-6, 12e-6),
        result_of("peer", "cusparse:bsr", 1e-6, 1e-6, "wrong result in row 0")}}};
  const Json hard{
      {"name", "hard"},
      {"chosen", "coo"},
      {"results", {result_of("plan", "coo", 8e-6, 8e-6), result_of("peer", "cusparse:sell32", 4e-6, 6e-6)}}};
  const ScratchFolder folder;
  const std::string run = folder.write("run.json", Json{{"matrices", {easy, hard}}}.dump());
  const Outcome table = run_program({python, "-B", tree::folder() + "/bench/peers_table.py", run});
  ASSERT_EQ(table.exit_code, 0) << table.err;
  for (const char* line :
       {"| easy | f32 | csr_alg1 / coo_alg1 | 8.0 / 12.0 | csr lanes=2 | 4.0 / 8.0 | coo / csr lanes=2 | 2.0 / 8.0 | "
        "2.00 / 1.50 | 4.00 / 1.50 |\n",
        "| hard | f32 | sell32 | 4.0 / 6.0 | coo | 8.0 / 8.0 | coo | 8.0 / 8.0 | 0.50 / 0.75 | 0.50 / 0.75 |\n",
        "* f32, best peer / chosen plan, geometric mean over 2 matrices: warm 1.00 (worst 0.50, hard); cold 1.06 "
        "(worst "
        "0.75, hard)\n"})
    EXPECT_NE(table.out.find(line), std::string::npos) << line << table.out;
}

}  // namespace
}  // namespace heddle::test

// info, formats, devices.
#include <gtest/gtest.h>

#include "support/own_cache.hpp"

namespace heddle::test {
namespace {

//  [ 4 . . . 1 ]
//  [ . . . . . ]
//  [ . 2 . . . ]
//  [ 1 1 1 1 . ]
const char* const small_matrix =
    "%%MatrixMarket matrix coordinate real general\n4 5 7\n1 1 4\n1 5 1\n3 2 2\n4 1 1\n4 2 1\n4 3 1\n4 4 1\n";

nlohmann::json json_of(const std::vector<std::string>& words) {
  const Outcome outcome = heddle_command(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.json();
}

// Big-endian width and height follow the signature and the head of the first chunk.
std::pair<int, int> png_size(const std::string& bytes) {
  const auto number = [&](std::size_t at) {
    int value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value * 256 + static_cast<unsigned char>(bytes[at + i]);
    return value;
  };
  return {number(16), number(20)};
}

TEST(Info, gives_every_promised_key_with_the_facts_of_a_small_matrix) {
  const ScratchFolder folder;
  const auto document = json_of({"info", folder.write("small.mtx", small_matrix), "--json"});
  const auto matrix = document["matrix"];
  EXPECT_EQ(matrix["name"], "small");
  EXPECT_EQ(matrix["rows"], 4);
  EXPECT_EQ(matrix["cols"], 5);
  EXPECT_EQ(matrix["nnz"], 7);
  EXPECT_EQ(matrix["symmetry"], "general");
  EXPECT_EQ(matrix["field"], "real");
  const auto lengths = document["rows_len"];
  EXPECT_EQ(lengths["min"], 0);
  EXPECT_EQ(lengths["max"], 4);
  EXPECT_EQ(lengths["mean"], 1.75);
  EXPECT_EQ(lengths["empty"], 1);
  EXPECT_TRUE(lengths.contains("stddev") && lengths.contains("cv"));
  EXPECT_EQ(document["bandwidth"], 4);
  EXPECT_EQ(document["diagonals"]["count"], 5);
  EXPECT_EQ(document["index_bits"], 8);
  EXPECT_EQ(document["values"]["distinct"], 3);
  EXPECT_EQ(document["values"]["f32_exact"], true);
  EXPECT_TRUE(document["blocks"].is_array());
}

TEST(Info, says_what_slices_columns_and_reads_of_x_are_like) {
  const auto document = json_of({"info", "gen:stencil2d5,n=64", "--json"});
  ASSERT_EQ(document["padding"].size(), 4u);
  EXPECT_EQ(document["padding"][0]["C"], 32);
  EXPECT_GE(document["padding"][0]["stored"], 1);
  EXPECT_EQ(document["columns"]["near16"], 1);
  EXPECT_GT(document["columns"]["mean_run"], 1.5);
  EXPECT_EQ(document["diagonals"]["full"], 5);
  EXPECT_EQ(document["diagonals"]["constant"], 5);
  for (const char* key : {"rows", "entries", "window"}) {
    EXPECT_GT(document["gather"]["f32"][key], 0) << key;
    EXPECT_LE(document["gather"]["f64"][key], 1) << key;
  }
  EXPECT_EQ(document["pattern_hash"].get<std::string>().size(), 16u);
}

TEST(Info, counts_rows_by_length_in_powers_of_two) {
  const ScratchFolder folder;
  const auto bins = json_of({"info", folder.write("small.mtx", small_matrix), "--json"})["rows_len"]["histogram"];
  const std::vector<int> rows{1, 1, 1, 1};  // lengths 0, 1, 2..3, 4..7
  ASSERT_EQ(bins.size(), rows.size());
  for (std::size_t bin = 0; bin < rows.size(); ++bin) EXPECT_EQ(bins[bin]["rows"], rows[bin]) << bin;
  EXPECT_EQ(bins[3]["from"], 4);
  EXPECT_EQ(bins[3]["to"], 7);
}

TEST(Info, draws_each_entry_of_a_small_matrix) {
  const ScratchFolder folder;
  const std::string file = folder.write("small.mtx", small_matrix);
  const Outcome outcome = heddle_command({"info", file}, {.environment = {{"LC_ALL", "C"}}});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  // Four characters wide and two lines tall for each entry.
  const std::string first = "|@@@@            @@@@|", second = "|                    |",
                    third = "|    @@@@            |", fourth = "|@@@@@@@@@@@@@@@@    |";
  std::string expected = "  +--------------------+\n";
  for (const std::string& line : {first, second, third, fourth}) expected += "  " + line + "\n  " + line + "\n";
  EXPECT_NE(outcome.out.find(expected + "  +--------------------+\n"), std::string::npos) << outcome.out;
}

TEST(Info, draws_braille_no_wider_than_the_terminal) {
  const Surroundings around{.environment = {{"LC_ALL", "C.UTF-8"}, {"COLUMNS", "40"}}};
  const Outcome outcome = heddle_command({"info", "gen:dense,rows=500"}, around);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("⣿⣿⣿"), std::string::npos);
  int width = 0;
  for (std::size_t at = outcome.out.find("┌") + 3; outcome.out.compare(at, 3, "─") == 0; at += 3) ++width;
  EXPECT_GT(width, 20);
  EXPECT_LE(width, 36);
}

TEST(Info, describes_matrices_without_rows_or_entries) {
  for (const char* shape : {"0 0 0", "0 5 0", "5 0 0", "5 5 0"}) {
    const ScratchFolder folder;
    const std::string text = std::string("%%MatrixMarket matrix coordinate real general\n") + shape + "\n";
    const std::string file = folder.write("empty.mtx", text);
    EXPECT_EQ(heddle_command({"info", file}).exit_code, 0) << shape;
    EXPECT_EQ(json_of({"info", file, "--json"})["matrix"]["nnz"], 0) << shape;
  }
}

TEST(Info, writes_the_spy_plot_as_png_with_the_aspect_ratio_of_the_matrix) {
  const ScratchFolder folder;
  const std::string file = folder.path("spy.png");
  const Outcome outcome =
      heddle_command({"info", "gen:random,rows=3000,cols=6000,per_row=3", "--spy", file, "--spy-size", "200"});
  if (outcome.exit_code == 5) GTEST_SKIP() << "built without libpng: " << outcome.err;
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string bytes = content_of(file);
  ASSERT_GT(bytes.size(), 60u);
  EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(png_size(bytes), std::pair(200, 100));
}

TEST(Info, enlarges_a_tiny_matrix_in_the_png) {
  const ScratchFolder folder;
  const std::string file = folder.path("spy.png");
  const Outcome outcome = heddle_command({"info", "gen:dense,rows=3", "--spy", file, "--spy-size", "100"});
  if (outcome.exit_code == 5) GTEST_SKIP() << "built without libpng: " << outcome.err;
  EXPECT_EQ(png_size(content_of(file)), std::pair(99, 99));
}

TEST(Info, says_so_when_the_png_cannot_be_written) {
  const Outcome outcome = heddle_command({"info", "gen:dense,rows=3", "--spy", "/no/such/folder/spy.png"});
  if (outcome.exit_code == 5) GTEST_SKIP() << "built without libpng: " << outcome.err;
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
}

TEST(Formats, lists_the_registry_with_its_settings) {
  const auto document = json_of({"formats", "--json"});
  ASSERT_GE(document["formats"].size(), 2u);
  for (const auto& format : document["formats"]) {
    EXPECT_FALSE(format["name"].get<std::string>().empty());
    EXPECT_FALSE(format["summary"].get<std::string>().empty());
    EXPECT_TRUE(format["settings"].is_array());
    EXPECT_FALSE(format.contains("bytes"));
  }
  const std::string text = heddle_command({"formats"}).out;
  EXPECT_NE(text.find("csr"), std::string::npos);
  EXPECT_NE(text.find("coo"), std::string::npos);
}

TEST(Formats, gives_bytes_and_padding_for_a_matrix) {
  const auto document = json_of({"formats", "gen:dense,rows=10", "--json"});
  for (const auto& format : document["formats"]) {
    if (!format["fits"]) continue;
    EXPECT_GE(format["bytes"], 100 * 8) << format;
    EXPECT_GE(format["padding_percent"], 0) << format;
    EXPECT_TRUE(format["predicted_seconds"].is_null() || format["predicted_seconds"] > 0) << format;
    if (format["name"] == "csr") {
      EXPECT_GT(format["predicted_seconds"], 0) << format;
    }
  }
  const auto single = json_of({"formats", "gen:dense,rows=10", "--precision", "f32", "--json"});
  EXPECT_LT(single["formats"][0]["bytes"], document["formats"][0]["bytes"]);
}

TEST(Formats, draws_one_when_asked_to_explain_it) {
  const auto document = json_of({"formats", "--explain", "csr", "--json"});
  ASSERT_EQ(document["formats"].size(), 1u);
  const std::string drawing = document["formats"][0]["drawing"];
  EXPECT_FALSE(drawing.empty());
  EXPECT_NE(heddle_command({"formats", "--explain", "csr"}).out.find(drawing), std::string::npos);
}

TEST(Devices, names_the_cpu_first_and_says_why_there_is_no_gpu) {
  const auto document = json_of({"devices", "--json"});
  EXPECT_EQ(document["devices"].front()["kind"], "cpu");
  EXPECT_EQ(document["devices"].back()["kind"], "emulator");
  EXPECT_GT(document["devices"].front()["memory_bytes"], 0);
  EXPECT_GT(document["threads"], 0);
  const bool has_gpu = document["devices"].size() > 2;
  EXPECT_EQ(document["gpu_absence"].is_null(), has_gpu);
  EXPECT_EQ(heddle_command({"devices"}).out.find("No GPU: ") == std::string::npos, has_gpu);
}

TEST(Devices, are_measured_anew_when_asked_and_remembered_so) {
  const OwnCache cache;
  const double wrong = plant_wrong_figures().read_gbps;
  const auto reads = [](const nlohmann::json& document) { return document["devices"].front()["read_gbps"]; };
  ASSERT_EQ(reads(json_of({"devices", "--json"})), wrong);
  const Outcome measured = heddle_command({"devices", "--measure", "--json"});
  EXPECT_EQ(measured.exit_code, 0);
  EXPECT_NE(measured.err.find("cpu: reads 18.0 TB/s -> "), std::string::npos) << measured.err;
  EXPECT_NE(measured.err.find("Kept in " + cache_folder()), std::string::npos) << measured.err;
  const double right = reads(measured.json());
  EXPECT_GT(right, 0);
  EXPECT_LT(right, wrong / 2);
  EXPECT_EQ(reads(json_of({"devices", "--json"})), right);
  ASSERT_TRUE(kept_figures().has_value());
  EXPECT_EQ(kept_figures()->read_gbps, right);
}

TEST(Devices, are_measured_anew_where_nothing_can_be_kept) {
  const Outcome outcome = heddle_command({"devices", "--measure"},
                                         {.environment = {{"HEDDLE_CACHE", ""}, {"XDG_CACHE_HOME", ""}, {"HOME", ""}}});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find("Nothing is kept"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("CPU work uses "), std::string::npos) << outcome.out;
}

TEST(Devices, measured_anew_say_when_the_cache_folder_cannot_be_written) {
  const Surroundings around{.environment = {{"HEDDLE_CACHE", "/dev/null/heddle"}}};
  const Outcome asked = heddle_command({"devices", "--measure"}, around);
  EXPECT_EQ(asked.exit_code, 5);
  EXPECT_EQ(lines_in(asked.err), 1) << asked.err;
  EXPECT_NE(asked.err.find("/dev/null/heddle: cannot make the cache folder"), std::string::npos) << asked.err;
  const Outcome unasked =
      heddle_command({"devices", "--json"}, around);  // measured without being asked to, it is no failure
  EXPECT_EQ(unasked.exit_code, 0) << unasked.err;
  EXPECT_EQ(unasked.json()["devices"].front()["measured"], true);
}

// A pipe in the place of the figures would wait for a writer for ever.
TEST(Devices, are_measured_anew_with_one_note_where_the_figures_cannot_be_read) {
  const OwnCache cache;
  plant_wrong_figures();
  const std::string path = cache.files().at(0);
  for (const bool pipe : {true, false}) {
    std::filesystem::remove(path);
    if (pipe)
      ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    else
      std::filesystem::create_directory(path);
    for (const bool again : {false, true}) {
      const Outcome outcome = heddle_command({"devices"});
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      EXPECT_EQ(lines_in(outcome.err), again && pipe ? 0 : 1) << outcome.err;
      if (lines_in(outcome.err) > 0) {
        EXPECT_NE(outcome.err.find("measured anew"), std::string::npos) << outcome.err;
      }
    }
  }
}

TEST(Devices, counts_the_threads_asked_for) {
  EXPECT_EQ(json_of({"devices", "--threads", "3", "--json"})["threads"], 3);
}

}  // namespace
}  // namespace heddle::test

// heddle multiply against products computed here, from the entries the file was written from.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "support/command.hpp"

namespace heddle::test {
namespace {

struct Entry {
  int row, col;  // from 1, as in the file
  double value;
};

struct Example {
  std::string name, banner;
  int rows, cols;
  std::vector<Entry> entries;  // as written
  bool mirrored = false;       // the file is symmetric
  double sign = 1;             // of the mirrored entries

  std::string file() const {
    const bool pattern = banner.find("pattern") != std::string::npos;
    std::string text =
        fmt::format("%%MatrixMarket matrix coordinate {}\n{} {} {}\n", banner, rows, cols, entries.size());
    for (const Entry& e : entries) {
      text += fmt::format("{} {}", e.row, e.col);
      text += pattern ? "\n" : fmt::format(" {}\n", e.value);
    }
    return text;
  }
  // y += A x or A^T x
  void add_product(const std::vector<double>& x, std::vector<double>& y, bool transposed, double alpha) const {
    const auto add = [&](int row, int col, double value) {
      transposed ? y[col - 1] += alpha * value * x[row - 1] : y[row - 1] += alpha * value * x[col - 1];
    };
    for (const Entry& e : entries) {
      add(e.row, e.col, e.value);
      if (mirrored && e.row != e.col) add(e.col, e.row, sign * e.value);
    }
  }
};

// Small integers: the products are exact in any order and any precision.
const std::vector<Example> examples{
    {"general", "real general", 4, 4, {{1, 1, 2}, {1, 4, -3}, {3, 2, 5}, {4, 1, 1}, {4, 4, 7}, {1, 1, 4}}},
    {"symmetric", "real symmetric", 4, 4, {{1, 1, 2}, {3, 1, -3}, {4, 2, 5}, {4, 4, 1}}, true},
    {"skew", "integer skew-symmetric", 3, 3, {{2, 1, 4}, {3, 1, -2}}, true, -1},
    {"pattern", "pattern general", 3, 4, {{1, 1, 1}, {1, 2, 1}, {3, 4, 1}}},
    {"wide", "real general", 2, 5, {{1, 5, 3}, {2, 1, -1}, {2, 5, 4}}},
    {"tall", "integer general", 5, 2, {{1, 2, 3}, {5, 1, -6}, {5, 2, 8}}},
};

std::string vector_text(const std::vector<double>& v) {
  std::string text;
  for (const double value : v) text += fmt::format("{}\n", value);
  return text;
}

// What write_vector makes: a banner, comments, the size, one number a line.
std::vector<double> vector_in(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line) && line.starts_with('%')) {
  }
  std::vector<double> values;
  for (double value; in >> value;) values.push_back(value);
  return values;
}

std::vector<double> numbers(int length, int start) {
  std::vector<double> v;
  for (int i = 0; i < length; ++i) v.push_back((start + 3 * i) % 7 - 3);
  return v;
}

std::vector<double> product_by_command(const ScratchFolder& folder, const Example& example,
                                       std::vector<std::string> more) {
  const std::string out = folder.path("result.mtx");
  std::vector<std::string> words{"multiply", folder.write(example.name + ".mtx", example.file()), "--out", out};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = heddle_command(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return vector_in(out);
}

TEST(Multiply, agrees_with_the_entries_of_the_file_for_every_plan_device_and_precision) {
  for (const Example& example : examples)
    for (const char* plan : {"csr", "csr lanes=4", "coo"})
      for (const char* device : {"cpu", "emulator"})
        for (const char* precision : {"f64", "f32"}) {
          SCOPED_TRACE(fmt::format("{} {} {} {}", example.name, plan, device, precision));
          const ScratchFolder folder;
          const auto x = numbers(example.cols, 1);
          std::vector<double> expected(example.rows, 0.0);
          example.add_product(x, expected, false, 1);
          EXPECT_EQ(product_by_command(folder, example,
                                       {"--x", folder.write("x.txt", vector_text(x)), "--plan", plan, "--device",
                                        device, "--precision", precision}),
                    expected);
        }
}

TEST(Multiply, takes_ones_for_x_unless_told_otherwise) {
  for (const Example& example : examples) {
    const ScratchFolder folder;
    std::vector<double> expected(example.rows, 0.0);
    example.add_product(std::vector<double>(example.cols, 1.0), expected, false, 1);
    EXPECT_EQ(product_by_command(folder, example, {}), expected) << example.name;
  }
}

TEST(Multiply, with_transpose_alpha_beta_and_y_gives_all_of_them) {
  for (const Example& example : examples) {
    const ScratchFolder folder;
    const auto x = numbers(example.rows, 2), y = numbers(example.cols, 5);
    std::vector<double> expected;
    for (const double value : y) expected.push_back(-0.5 * value);
    example.add_product(x, expected, true, -2);
    EXPECT_EQ(product_by_command(folder, example,
                                 {"--transpose", "--x", folder.write("x.txt", vector_text(x)), "--y",
                                  folder.write("y.txt", vector_text(y)), "--alpha", "-2", "--beta", "-.5"}),
              expected)
        << example.name;
  }
}

TEST(Multiply, gives_every_promised_key) {
  const Outcome outcome = heddle_command({"multiply", "gen:dense,rows=3,values=ones", "--device", "cpu", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto document = outcome.json();
  EXPECT_EQ(document["command"], "multiply");
  const Outcome planned = heddle_command({"plan", "gen:dense,rows=3,values=ones", "--device", "cpu", "--json"});
  EXPECT_EQ(document["plan"], planned.json()["plan"]);
  EXPECT_GT(document["seconds"], 0);
  EXPECT_EQ(document["checksum"].get<std::string>().size(), 16u);
  EXPECT_NEAR(document["y_norm"], std::sqrt(27.0), 1e-14);
}

TEST(Multiply, has_one_checksum_for_the_same_bits_and_another_for_others) {
  const auto checksum = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"multiply", "gen:stencil2d5,n=20", "--json"});
    return heddle_command(words).json()["checksum"];
  };
  const auto reference = checksum({});
  EXPECT_EQ(checksum({"--threads", "1"}), reference);
  EXPECT_EQ(checksum({"--threads", "5"}), reference);
  EXPECT_NE(checksum({"--alpha", "-1"}), reference);
  EXPECT_NE(checksum({"--precision", "f32"}), reference);
}

TEST(Multiply, writes_null_for_a_norm_that_is_not_finite) {
  const Outcome outcome = heddle_command({"multiply", "gen:dense,rows=3", "--alpha", "inf", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(outcome.json()["y_norm"].is_null());
}

TEST(Multiply, refuses_vectors_of_the_wrong_length) {
  const ScratchFolder folder;
  const std::string two = folder.write("two.txt", "1\n2\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--x", two}, {"--y", two, "--beta", "1"}, {"--x", two, "--transpose"}}) {
    std::vector<std::string> all{"multiply", "gen:dense,rows=3"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = heddle_command(all);
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
    EXPECT_NE(outcome.err.find("has 2 elements, but the matrix has 3"), std::string::npos) << outcome.err;
  }
}

TEST(Multiply, reads_back_what_it_wrote) {
  const ScratchFolder folder;
  const std::string y = folder.path("y.mtx"), again = folder.path("again.mtx");
  ASSERT_EQ(heddle_command({"multiply", "gen:random,rows=50,cols=50,per_row=7", "--out", y}).exit_code, 0);
  ASSERT_EQ(heddle_command({"multiply", "gen:random,rows=50,cols=50,per_row=7", "--alpha", "0", "--beta", "1", "--y", y,
                            "--out", again})
                .exit_code,
            0);
  EXPECT_EQ(content_of(again), content_of(y));
  EXPECT_EQ(vector_in(y).size(), 50u);
}

TEST(Multiply, says_so_when_the_result_cannot_be_written) {
  const Outcome outcome = heddle_command({"multiply", "gen:dense,rows=3", "--out", "/no/such/folder/y.mtx"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
}

TEST(Multiply, prints_the_norm_the_checksum_and_the_first_entries) {
  const Outcome outcome = heddle_command({"multiply", "gen:dense,rows=3,values=ones"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("checksum"), std::string::npos);
  EXPECT_NE(outcome.out.find("y         3 3 3\n"), std::string::npos) << outcome.out;
}

struct Refused {
  const char *plan, *message;
  int exit_code;
};

TEST(Multiply, names_what_is_allowed_where_a_setting_of_the_plan_is_not) {
  for (const auto& [plan, message, exit_code] :
       {Refused{"runs gather=0", "gather = 0 is not possible; allowed: auto, 1 to 1000", 2},
        Refused{"weave layout=rows columns=byte", "columns = byte is not possible; allowed: auto, each, bytes", 2},
        {"weave layout=rows colour=red", "has no setting 'colour'; it has: layout, values,", 2},
        {"weave layout=diagonals values=uniform", "values=uniform is for layout=rows, segments, padded and long", 5},
        {"weave layout=rows values=uniform", "values=uniform: the matrix has more than 1 distinct values", 5}}) {
    const Outcome outcome = heddle_command({"multiply", "gen:stencil2d5,n=5", "--plan", plan});
    EXPECT_EQ(outcome.exit_code, exit_code) << plan;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
  }
}

TEST(Multiply, works_on_matrices_without_rows_columns_or_entries) {
  for (const char* shape : {"0 0 0", "0 5 0", "5 0 0", "5 5 0"}) {
    const ScratchFolder folder;
    const std::string text = std::string("%%MatrixMarket matrix coordinate real general\n") + shape + "\n";
    const Outcome outcome = heddle_command({"multiply", folder.write("empty.mtx", text), "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << shape << outcome.err;
    EXPECT_EQ(outcome.json()["y_norm"], 0) << shape;
  }
}

}  // namespace
}  // namespace heddle::test

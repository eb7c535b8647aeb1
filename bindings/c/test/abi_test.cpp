// What a program that was linked yesterday relies on: the names, and how the structs lie in memory. abi.txt is the
// list; what is in it never changes after a release, new lines are added.
#include <gtest/gtest.h>
#include <heddle.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), pipe.get())) text += part.data();
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

#define SIZE(type) found.push_back("sizeof " #type " " + std::to_string(sizeof(type)))
#define FIELD(type, name)                                                                      \
  found.push_back("offset " #type "." #name " " + std::to_string(offsetof(type, name)) + " " + \
                  std::to_string(sizeof(type{}.name)))

std::vector<std::string> structs() {
  std::vector<std::string> found;
  SIZE(heddle_device);
  FIELD(heddle_device, kind);
  FIELD(heddle_device, ordinal);
  SIZE(heddle_device_allocator);
  FIELD(heddle_device_allocator, size);
  FIELD(heddle_device_allocator, allocate);
  FIELD(heddle_device_allocator, free);
  FIELD(heddle_device_allocator, context);
  FIELD(heddle_device_allocator, stream);
  SIZE(heddle_arrays);
  FIELD(heddle_arrays, size);
  FIELD(heddle_arrays, rows);
  FIELD(heddle_arrays, cols);
  FIELD(heddle_arrays, nnz);
  FIELD(heddle_arrays, layout);
  FIELD(heddle_arrays, value_type);
  FIELD(heddle_arrays, offset_type);
  FIELD(heddle_arrays, index_type);
  FIELD(heddle_arrays, device);
  FIELD(heddle_arrays, ownership);
  FIELD(heddle_arrays, offsets);
  FIELD(heddle_arrays, indices);
  FIELD(heddle_arrays, row_indices);
  FIELD(heddle_arrays, values);
  FIELD(heddle_arrays, index_base);
  FIELD(heddle_arrays, release);
  FIELD(heddle_arrays, context);
  FIELD(heddle_arrays, keep_going);
  FIELD(heddle_arrays, keep_going_context);
  SIZE(heddle_options);
  FIELD(heddle_options, size);
  FIELD(heddle_options, plan);
  FIELD(heddle_options, effort);
  FIELD(heddle_options, products);
  FIELD(heddle_options, device);
  FIELD(heddle_options, transposed);
  FIELD(heddle_options, updates);
  FIELD(heddle_options, right_hand_sides);
  FIELD(heddle_options, no_reorder);
  FIELD(heddle_options, no_cache);
  FIELD(heddle_options, keep_going);
  FIELD(heddle_options, context);
  SIZE(heddle_operator_info);
  FIELD(heddle_operator_info, size);
  FIELD(heddle_operator_info, rows);
  FIELD(heddle_operator_info, cols);
  FIELD(heddle_operator_info, nnz);
  FIELD(heddle_operator_info, values);
  FIELD(heddle_operator_info, bytes);
  FIELD(heddle_operator_info, type);
  FIELD(heddle_operator_info, device);
  FIELD(heddle_operator_info, transposed);
  FIELD(heddle_operator_info, updates);
  FIELD(heddle_operator_info, right_hand_sides);
  SIZE(heddle_vectors);
  FIELD(heddle_vectors, data);
  FIELD(heddle_vectors, element_stride);
  FIELD(heddle_vectors, vector_stride);
  SIZE(heddle_preconditioner_options);
  FIELD(heddle_preconditioner_options, size);
  FIELD(heddle_preconditioner_options, block);
  FIELD(heddle_preconditioner_options, degree);
  FIELD(heddle_preconditioner_options, power);
  FIELD(heddle_preconditioner_options, positive);
  FIELD(heddle_preconditioner_options, strength);
  FIELD(heddle_preconditioner_options, smoothing);
  FIELD(heddle_preconditioner_options, coarsest);
  FIELD(heddle_preconditioner_options, double_cycle);
  FIELD(heddle_preconditioner_options, host_setup);
  FIELD(heddle_preconditioner_options, updates);
  FIELD(heddle_preconditioner_options, near_nullspace_count);
  FIELD(heddle_preconditioner_options, near_nullspace);
  FIELD(heddle_preconditioner_options, keep_going);
  FIELD(heddle_preconditioner_options, context);
  SIZE(heddle_solve_options);
  FIELD(heddle_solve_options, size);
  FIELD(heddle_solve_options, method);
  FIELD(heddle_solve_options, preconditioner);
  FIELD(heddle_solve_options, preconditioner_options);
  FIELD(heddle_solve_options, own);
  FIELD(heddle_solve_options, matrix);
  FIELD(heddle_solve_options, tolerance);
  FIELD(heddle_solve_options, absolute_tolerance);
  FIELD(heddle_solve_options, only_absolute);
  FIELD(heddle_solve_options, restart);
  FIELD(heddle_solve_options, max_iterations);
  FIELD(heddle_solve_options, check_every);
  FIELD(heddle_solve_options, graph);
  FIELD(heddle_solve_options, stream);
  FIELD(heddle_solve_options, keep_going);
  FIELD(heddle_solve_options, progress);
  FIELD(heddle_solve_options, context);
  FIELD(heddle_solve_options, want_iterate);
  FIELD(heddle_solve_options, history_capacity);
  FIELD(heddle_solve_options, history);
  FIELD(heddle_solve_options, take_history);
  SIZE(heddle_report);
  FIELD(heddle_report, size);
  FIELD(heddle_report, verdict);
  FIELD(heddle_report, iterations);
  FIELD(heddle_report, history_length);
  FIELD(heddle_report, residual);
  FIELD(heddle_report, true_residual);
  FIELD(heddle_report, rhs_norm);
  FIELD(heddle_report, setup_seconds);
  FIELD(heddle_report, seconds);
  FIELD(heddle_report, method);
  FIELD(heddle_report, preconditioner);
  FIELD(heddle_report, reason);
  FIELD(heddle_report, loading_seconds);
  FIELD(heddle_report, minres_from);
  FIELD(heddle_report, preconditioner_reason);
  SIZE(heddle_matrix_free);
  FIELD(heddle_matrix_free, size);
  FIELD(heddle_matrix_free, rows);
  FIELD(heddle_matrix_free, type);
  FIELD(heddle_matrix_free, device);
  FIELD(heddle_matrix_free, symmetric);
  FIELD(heddle_matrix_free, positive_definite);
  FIELD(heddle_matrix_free, multiply);
  FIELD(heddle_matrix_free, context);
  return found;
}

// heddle.h without its comments.
const std::string& header() {
  static const std::string code = std::regex_replace(text_of(HEDDLE_C_HEADER), std::regex(R"(/\*[^]*?\*/)"), "");
  return code;
}

// Every match of `pattern` in `text`.
std::vector<std::smatch> matches(const std::string& text, const char* pattern) {
  const std::regex expression(pattern);
  return {std::sregex_iterator(text.begin(), text.end(), expression), std::sregex_iterator()};
}

// "enum HEDDLE_STOPPED 7" for whatever the header numbers.
std::vector<std::string> enumerators() {
  std::vector<std::string> found;
  for (const auto& hit : matches(header(), R"(\b(HEDDLE_\w+) = (\d+))"))
    found.push_back("enum " + hit.str(1) + " " + hit.str(2));
  return found;
}

// "symbol heddle_multiply@@HEDDLE_0" for whatever the library exports.
std::vector<std::string> symbols() {
  std::vector<std::string> found;
  for (const std::string& line : lines_of(output_of("nm -D --defined-only --with-symbol-versions " HEDDLE_C_LIBRARY))) {
    const std::string name = line.substr(line.rfind(' ') + 1);
    if (name.rfind("HEDDLE_", 0) != 0) found.push_back("symbol " + name);  // but for the version itself
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(Abi, names_and_structs_are_those_of_the_list) {
  std::vector<std::string> found = structs();
  const auto names = symbols(), numbers = enumerators();
  ASSERT_FALSE(names.empty()) << "nm shows no symbol of " HEDDLE_C_LIBRARY;
  ASSERT_GT(numbers.size(), 30);
  found.insert(found.end(), names.begin(), names.end());
  found.insert(found.end(), numbers.begin(), numbers.end());
  std::sort(found.begin(), found.end());
  const auto wanted = lines_of(text_of(HEDDLE_ABI_LIST));
  std::vector<std::string> gone, added;
  std::set_difference(wanted.begin(), wanted.end(), found.begin(), found.end(), std::back_inserter(gone));
  std::set_difference(found.begin(), found.end(), wanted.begin(), wanted.end(), std::back_inserter(added));
  for (const auto& line : gone) ADD_FAILURE() << "gone or changed: " << line;
  for (const auto& line : added) ADD_FAILURE() << "not in the list: " << line;
}

// A struct ends with "} heddle_report;", a field with ";", "," or "[".
TEST(Abi, the_list_of_structs_has_every_field_of_the_header) {
  std::string listed;
  for (const std::string& line : structs()) listed += line + "\n";
  const auto all = matches(header(), R"(typedef struct \{([^}]*)\}\s*(\w+);)");
  EXPECT_GE(all.size(), 10);
  for (const auto& one : all) {
    EXPECT_NE(listed.find("sizeof " + one.str(2) + " "), std::string::npos) << one.str(2);
    const std::string body = std::regex_replace(one.str(1), std::regex(R"(\(\*(\w+)\)\([^)]*\))"), "$1");
    const auto fields = matches(body, R"((\w+)(?:\[\d+\])?\s*[,;])");
    EXPECT_GE(fields.size(), 2) << one.str(2);
    for (const auto& field : fields)
      EXPECT_NE(listed.find("offset " + one.str(2) + "." + field.str(1) + " "), std::string::npos)
          << one.str(2) << "." << field.str(1);
  }
}

TEST(Abi, its_number_is_the_same_in_header_library_name_and_symbols) {
  EXPECT_EQ(heddle_abi(), HEDDLE_ABI);
  const std::string number = std::to_string(HEDDLE_ABI);
  EXPECT_NE(output_of("readelf -d " HEDDLE_C_LIBRARY).find("[libheddle.so." + number + "]"), std::string::npos);
  for (const std::string& symbol : symbols()) EXPECT_TRUE(symbol.ends_with("@@HEDDLE_" + number)) << symbol;
}

TEST(Abi, the_library_needs_nothing_but_the_system) {
  const std::string needed = output_of("readelf -d " HEDDLE_C_LIBRARY);
  ASSERT_NE(needed.find("libheddle.so"), std::string::npos);
  EXPECT_NE(needed.find("NODELETE"), std::string::npos);
  EXPECT_EQ(needed.find("STATIC_TLS"), std::string::npos);
  for (const char* library : {"libfmt", "libgomp", "libheddle_cpp"})
    EXPECT_EQ(needed.find(library), std::string::npos) << library;
}

}  // namespace

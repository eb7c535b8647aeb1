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
  SIZE(heddle_vectors);
  SIZE(heddle_arrays);
  FIELD(heddle_arrays, rows);
  FIELD(heddle_arrays, layout);
  FIELD(heddle_arrays, device);
  FIELD(heddle_arrays, ownership);
  FIELD(heddle_arrays, offsets);
  FIELD(heddle_arrays, values);
  FIELD(heddle_arrays, index_base);
  FIELD(heddle_arrays, context);
  SIZE(heddle_device_allocator);
  FIELD(heddle_device_allocator, allocate);
  FIELD(heddle_device_allocator, stream);
  SIZE(heddle_options);
  FIELD(heddle_options, plan);
  FIELD(heddle_options, products);
  FIELD(heddle_options, device);
  FIELD(heddle_options, transposed);
  FIELD(heddle_options, no_cache);
  FIELD(heddle_options, context);
  SIZE(heddle_operator_info);
  FIELD(heddle_operator_info, bytes);
  FIELD(heddle_operator_info, right_hand_sides);
  SIZE(heddle_preconditioner_options);
  FIELD(heddle_preconditioner_options, strength);
  FIELD(heddle_preconditioner_options, coarsest);
  FIELD(heddle_preconditioner_options, double_cycle);
  FIELD(heddle_preconditioner_options, near_nullspace);
  FIELD(heddle_preconditioner_options, keep_going);
  SIZE(heddle_solve_options);
  FIELD(heddle_solve_options, method);
  FIELD(heddle_solve_options, tolerance);
  FIELD(heddle_solve_options, max_iterations);
  FIELD(heddle_solve_options, stream);
  FIELD(heddle_solve_options, progress);
  FIELD(heddle_solve_options, history_capacity);
  SIZE(heddle_matrix_free);
  FIELD(heddle_matrix_free, multiply);
  SIZE(heddle_report);
  FIELD(heddle_report, verdict);
  FIELD(heddle_report, residual);
  FIELD(heddle_report, method);
  FIELD(heddle_report, reason);
  FIELD(heddle_report, minres_from);
  FIELD(heddle_report, preconditioner_reason);
  std::sort(found.begin(), found.end());
  return found;
}

// "symbol heddle_multiply@@HEDDLE_0" for whatever the library exports.
std::vector<std::string> symbols() {
  std::vector<std::string> found;
  for (const std::string& line : lines_of(output_of("nm -D --defined-only --with-symbol-versions " HEDDLE_C_LIBRARY))) {
    const std::string name = line.substr(line.rfind(' ') + 1);
    if (name != "HEDDLE_0@@HEDDLE_0" && name != "HEDDLE_0") found.push_back("symbol " + name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(Abi, names_and_structs_are_those_of_the_list) {
  std::vector<std::string> found = structs();
  const auto names = symbols();
  ASSERT_FALSE(names.empty()) << "nm shows no symbol of " HEDDLE_C_LIBRARY;
  found.insert(found.end(), names.begin(), names.end());
  std::sort(found.begin(), found.end());
  const auto wanted = lines_of(text_of(HEDDLE_ABI_LIST));
  std::vector<std::string> gone, added;
  std::set_difference(wanted.begin(), wanted.end(), found.begin(), found.end(), std::back_inserter(gone));
  std::set_difference(found.begin(), found.end(), wanted.begin(), wanted.end(), std::back_inserter(added));
  for (const auto& line : gone) ADD_FAILURE() << "gone or changed: " << line;
  for (const auto& line : added) ADD_FAILURE() << "not in the list: " << line;
}

TEST(Abi, the_library_needs_nothing_but_the_system) {
  const std::string needed = output_of("readelf -d " HEDDLE_C_LIBRARY);
  ASSERT_NE(needed.find("libheddle.so.0"), std::string::npos);
  EXPECT_NE(needed.find("NODELETE"), std::string::npos);
  EXPECT_EQ(needed.find("STATIC_TLS"), std::string::npos);
  for (const char* library : {"libfmt", "libgomp", "libheddle_cpp"})
    EXPECT_EQ(needed.find(library), std::string::npos) << library;
}

}  // namespace

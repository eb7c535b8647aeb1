// The text of this source tree, for the tests of its rules.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tree {

using Files = std::map<std::string, std::string>;  // path from the root of the tree -> text
using Complaints = std::vector<std::string>;

std::string folder();  // its root
const Files& all();    // what the repository holds, without build folders
std::set<std::string> format_names(const Files& files);

struct Include {
  std::string target;
  bool quoted;
};
std::vector<Include> includes_of(const std::string& text);

// Success when there is nothing to complain about; else a failure that prints every complaint.
testing::AssertionResult silent(const Complaints& found);

}  // namespace tree

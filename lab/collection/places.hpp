// Where in a folder the file of a matrix may lie.
#pragma once

#include <string>
#include <vector>

namespace heddle::collection {

// NAME.hdl, NAME.mtx or NAME.mtx.gz in the folder, or in a folder NAME of it, as archives of the collection unpack.
// Empty where there is none.
std::string file_in(const std::string& folder, const std::string& name);

// Every matrix of a folder by its name, sorted, each once: the files of it, and of each folder NAME in it that of this
// name. (Right-hand sides and coordinates lie in the same folder and have other names.)
std::vector<std::string> names_in(const std::string& folder);

}  // namespace heddle::collection

#include "collection/places.hpp"

#include <filesystem>
#include <set>

namespace heddle::collection {

namespace {

constexpr const char* suffixes[] = {".hdl", ".mtx", ".mtx.gz"};

}  // namespace

std::string file_in(const std::string& folder, const std::string& name) {
  for (const std::string& place : {name, name + "/" + name})
    for (const char* suffix : suffixes) {
      std::string path = folder + "/" + place + suffix;
      if (std::filesystem::is_regular_file(path)) return path;
    }
  return {};
}

std::vector<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().filename();
    if (entry.is_directory() && !file_in(entry.path(), file).empty()) names.insert(file);
    for (const char* suffix : suffixes)
      if (entry.is_regular_file() && file.ends_with(suffix)) names.insert(file.substr(0, file.rfind(suffix)));
  }
  return {names.begin(), names.end()};
}

}  // namespace heddle::collection

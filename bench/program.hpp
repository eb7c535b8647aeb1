// What the programs with a stopwatch of their own share: their command line, and a main that says what went wrong.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include <heddle/device.hpp>
#include <heddle/error.hpp>

namespace heddle {

// Words of a command line. An option ends in '=' where it has a value ("--seconds="), a flag does not ("--cold"); what
// does not begin with "--" is a matrix.
class Words {
 public:
  std::vector<std::string> matrices;

  Words(int argc, char** argv, const std::vector<std::string>& options) {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (!word.starts_with("--")) {
        matrices.push_back(word);
        continue;
      }
      const std::string name = word.substr(0, word.find('=') == word.npos ? word.size() : word.find('=') + 1);
      if (std::find(options.begin(), options.end(), name) == options.end())
        throw Error(ErrorKind::usage, fmt::format("no option {}: there are {}", word, fmt::join(options, " ")));
      given_.push_back({name, word.substr(name.size())});
    }
  }

  bool has(const std::string& name) const { return !all(name).empty(); }
  std::vector<std::string> all(const std::string& name) const {
    std::vector<std::string> values;
    for (const auto& [option, value] : given_)
      if (option == name) values.push_back(value);
    return values;
  }
  double number(const std::string& name, double fallback) const {
    if (!has(name)) return fallback;
    const std::string text = all(name).back();
    double value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size())
      throw Error(ErrorKind::usage, fmt::format("{}{}: a number is needed", name, text));
    return value;
  }
  Device device(Device fallback) const { return has("--device=") ? Device::parse(all("--device=").back()) : fallback; }

 private:
  struct Given {
    std::string option, value;
  };
  std::vector<Given> given_;
};

// The body of main.
template <class F>
int run_program(const char* name, int argc, char** argv, const std::vector<std::string>& options, F run) {
  try {
    run(Words(argc, argv, options));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    return 2;
  }
}

}  // namespace heddle

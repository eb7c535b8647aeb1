// What every command shares: the global options, the way to print results and messages, the JSON document, the device.
//
//                    no --json          --json              --json=FILE
//   results          stdout             -                   stdout
//   JSON document    -                  stdout              FILE, written as a whole or not at all
//   messages, bar    stderr             stderr              stderr        (none with --quiet)
#pragma once

#include <fmt/format.h>

#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include <heddle/device.hpp>
#include <heddle/error.hpp>
#include <heddle/io.hpp>

#include "options/option.hpp"
#include "terminal/terminal.hpp"

namespace heddle {

using Json = nlohmann::ordered_json;

class Session {
 public:
  Session();

  // The words of the command line without --json, --json FILE and --json=FILE, which are taken note of: whether a word
  // after --json is its FILE or the next argument is more than an option parser can decide.
  std::vector<std::string> take_json(const std::vector<std::string>& words);
  enum class Precisions { one, one_or_both };
  void add_global_options(Command command, Precisions precisions = Precisions::one_or_both);
  // A subcommand with the global options; `run` is called by `run_command` once the whole line has been understood.
  // Commands that measure in float and double in one run take --precision both.
  Command add_command(Command root, const std::string& name, const std::string& summary, std::function<void()> run,
                      Precisions precisions = Precisions::one);
  void run_command();

  // The exit code for what was thrown, after reporting it: one line on stderr, and the JSON document if asked for.
  int report(const std::exception& error) noexcept;
  // Reports a failure that does not end the command; the first one gives the exit code in the end.
  void fail_at_end(const Error& error);
  int exit_code() const { return exit_code_; }
  // A help text on stdout; gives the exit code.
  int print_text(const std::string& text);
  void name_command(const std::string& name) { command_ = name; }

  const Device& device() const { return info_.device; }
  const DeviceInfo& device_info() const { return info_; }
  bool single_precision() const { return precision_ == "f32"; }
  const std::string& precision() const { return precision_; }
  bool both_precisions() const { return precision_ == "both"; }  // only where add_command was told so
  const Terminal& terminal() const { return terminal_; }
  bool quiet() const { return quiet_; }

  // Calls f(0.0) or f(0.0f): a generic lambda gets the asked value type as decltype of its argument.
  template <class F>
  void with_precision(F f) const {
    single_precision() ? f(float{}) : f(double{});
  }

  Json& json() { return document_; }  // numbers that are not finite are written as null

  // Results for people.
  template <class... Args>
  void print(fmt::format_string<Args...> text, Args&&... args) {
    if (prints_results()) put_results(fmt::format(text, std::forward<Args>(args)...));
  }
  bool prints_results() const { return !json_ || !json_file_.empty(); }
  // A message for people, one line.
  template <class... Args>
  void note(fmt::format_string<Args...> text, Args&&... args) {
    if (!quiet_) say(fmt::format(text, std::forward<Args>(args)...));
  }
  Progress progress(const std::string& what) const;  // empty where no bar is wanted

 private:
  int report_ours(const Error& error) noexcept;
  void print_error(const Error& error) noexcept;
  void put(const std::string& text);
  void put_results(const std::string& text);
  void say(const std::string& text);
  void begin_document();
  void write_document();
  void finish_output();

  Terminal terminal_;
  bool json_ = false, quiet_ = false;
  std::string json_file_, device_text_ = "auto", precision_ = "f64", command_;
  std::set<std::string> for_both_precisions_;
  int threads_ = 0, exit_code_ = 0;
  int output_error_ = 0;  // errno of the first failure to write results
  std::function<void()> run_;
  DeviceInfo info_;
  Json document_ = Json::object();
};

}  // namespace heddle

#include "session/session.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <heddle/error.hpp>
#include <heddle/version.hpp>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "machine/machine_file.hpp"
#include "session/whole_file.hpp"
#include "terminal/progress.hpp"
#include "terminal/table.hpp"
#include "terminal/text.hpp"

namespace heddle {

Session::Session() : terminal_(Terminal::here()) {}

std::vector<std::string> Session::take_json(const std::vector<std::string>& words) {
  std::vector<std::string> left;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      left.insert(left.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    if (word == "--json") {
      json_ = true;
      const bool named = i + 1 < words.size() && words[i + 1].ends_with(".json") && !words[i + 1].starts_with('-');
      if (named) json_file_ = words[++i];
    } else if (word.starts_with("--json=")) {
      json_ = true;
      json_file_ = word.substr(std::strlen("--json="));
      if (json_file_ == "-") json_file_.clear();
    } else {
      left.push_back(word);
    }
  }
  return left;
}

void Session::add_global_options(Command command, Precisions precisions) {
  const std::string group = "Every command";
  // Taken out of the words before they are parsed (take_json): declared for --help.
  command.flag("--json", json_, "[=FILE] Result as JSON on stdout, or in FILE: --json=FILE, or --json NAME.json")
      .group(group);
  command.option("--device", device_text_, "auto, cpu, gpu, gpu:N or emulator").group(group).shows_default();
  const bool both = precisions == Precisions::one_or_both;
  Check known = one_of({"f64", "f32", "both"});
  known.shown.clear();  // the help says it
  command.option("--precision", precision_, both ? "f64, f32, or both (bench alone)" : "f64 or f32")
      .check(known)
      .group(group)
      .shows_default();
  command.option("--threads", threads_, "CPU threads; 0: every core").check(whole_number_from(0, 1024)).group(group);
  command.flag("--quiet", quiet_, "Results only: no messages, no progress bar").group(group);
}

Command Session::add_command(Command root, const std::string& name, const std::string& summary,
                             std::function<void()> run, Precisions precisions) {
  Command command = root.subcommand(name, summary, [this, name, run = std::move(run)] {
    command_ = name;
    run_ = run;
  });
  add_global_options(command, precisions);
  if (precisions == Precisions::one_or_both) for_both_precisions_.insert(name);
  return command;
}

void Session::run_command() {
  if (both_precisions() && !for_both_precisions_.contains(command_))
    fail(ErrorKind::usage, {"--precision both", "give f64 or f32"}, "heddle {} works in one precision", command_);
  set_threads(threads_);
  if (threads_ > allowed_cores())
    note("{} threads on {} cores: they will wait for each other", threads_, allowed_cores());
  on_machine_note([this](MachineNote kind, const std::string& text) {
    if (kind == MachineNote::trouble || terminal_.progress) note("{}", text);
  });
  info_ = describe(Device::parse(device_text_));
  begin_document();
  run_();
  write_document();
  finish_output();
}

void Session::begin_document() {
  document_["heddle"] = version;
  document_["command"] = command_.empty() ? Json() : Json(command_);
  document_["device"]["kind"] = info_.name.empty() ? device_text_ : to_string(info_.device);
  document_["device"]["name"] = info_.name.empty() ? Json() : Json(info_.name);
}

void Session::write_document() {
  if (!json_) return;
  // A file name need not be UTF-8, a JSON document must be.
  const std::string text = document_.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
  json_file_.empty() ? put(text) : write_whole_file(json_file_, text);
}

int Session::print_text(const std::string& text) {
  put_results(text);
  finish_output();
  return 0;
}

int Session::report(const std::exception& error) noexcept {
  try {
    if (const auto* ours = dynamic_cast<const Error*>(&error)) return report_ours(*ours);
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
      return report_ours(Error(ErrorKind::unavailable, "out of memory"));
    return report_ours(Error(ErrorKind::internal, error.what()));
  } catch (const std::bad_alloc&) {  // not even for these words
    put_on_stderr("heddle: out of memory\n");
    return static_cast<int>(ErrorKind::unavailable);
  }
}

// Called while an exception is handled: nothing here may throw.
void Session::print_error(const Error& error) noexcept {
  std::fflush(stdout);  // results that were printed come first, also where both streams go to one file
  wipe_live_line();
  try {
    put_on_stderr("heddle: " + printable(error.what()) + '\n');
  } catch (const std::bad_alloc&) {
    put_on_stderr("heddle: out of memory\n");
  }
}

void Session::fail_at_end(const Error& error) {
  print_error(error);
  if (exit_code_ == 0) exit_code_ = static_cast<int>(error.kind());
}

int Session::report_ours(const Error& error) noexcept {
  print_error(error);
  try {
    if (json_) {
      document_ = Json::object();
      begin_document();
      document_["error"] = {{"kind", name_of(error.kind())},
                            {"message", error.message()},
                            {"where", error.where()},
                            {"hint", error.hint().empty() ? Json() : Json(error.hint())}};
      write_document();
      finish_output();
    }
  } catch (const std::exception&) {
    // The first failure has been reported and decides the exit code.
  }
  return static_cast<int>(error.kind());
}

Progress Session::progress(const std::string& what) const {
  return quiet_ ? Progress() : progress_bar(terminal_, what);
}

void Session::put(const std::string& text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && output_error_ == 0) output_error_ = errno;
}

void Session::put_results(const std::string& text) {
  put(folded(terminal_, printable(text, terminal_.colour ? Controls::styles : Controls::lines)));
}

void Session::say(const std::string& text) {
  std::fflush(stdout);  // on a terminal both streams end up in one place: keep the order
  wipe_live_line();
  put_on_stderr(printable(text) + '\n');
}

// A closed pipe is no failure: its reader wants no more. (With the usual signal setting the process ends before it gets
// here.) A full disk is one.
void Session::finish_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 && output_error_ == 0) output_error_ = errno;
  if (output_error_ != 0 && output_error_ != EPIPE)
    fail(ErrorKind::unavailable, At{"standard output"}, "cannot be written: {}", std::strerror(output_error_));
}

}  // namespace heddle

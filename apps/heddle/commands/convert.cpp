#include <sys/stat.h>

#include "commands/commands.hpp"
#include "session/load.hpp"
#include "terminal/table.hpp"
#include "terminal/text.hpp"

namespace heddle {

namespace {

struct Options {
  std::string from, to;
};

struct Side {
  std::string path;
  std::int64_t bytes = -1;  // -1: not a file
  double seconds = 0;

  double rate() const { return bytes < 0 ? std::nan("") : static_cast<double>(bytes) / seconds; }
};

Side side(const std::string& path, double seconds) {
  struct stat status {};
  const bool is_file = stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  return {path, is_file ? status.st_size : -1, seconds};
}

Json side_json(const Side& side) {
  return {{"path", side.path},
          {"bytes", side.bytes < 0 ? Json() : Json(side.bytes)},
          {"seconds", side.seconds},
          {"bytes_per_second", side.rate()}};
}

template <class V>
void run(Session& session, const Options& options) {
  check_matrix_suffix(options.to);
  const Loaded<V> matrix = load<V>(session, options.from);
  const double seconds = save(session, options.to, matrix);
  const Side in = side(options.from, matrix.seconds), out = side(options.to, seconds);
  session.json()["matrix"] = matrix_json(matrix);
  session.json()["input"] = side_json(in);
  session.json()["output"] = side_json(out);
  Table table({{"", Align::left}, {"file", Align::left}, {"size"}, {"time"}, {"rate"}});
  for (const auto& [what, which] : {std::pair("read", in), std::pair("wrote", out)})
    table.add({what, which.path, which.bytes < 0 ? "-" : as_bytes(static_cast<double>(which.bytes)),
               as_seconds(which.seconds), as_rate(which.rate())});
  session.print("{}\n\n{}", session.terminal().bold(headline(matrix)), table.text(session.terminal()));
}

}  // namespace

void add_convert(Command root, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = session.add_command(
      root, "convert", "Write a matrix as Matrix Market, packed by gzip, or as .hdl, which loads without parsing",
      [=, &session] { session.with_precision([&](auto zero) { run<decltype(zero)>(session, *options); }); });
  command.option("M", options->from, matrix_help).required();
  command.option("OUT", options->to, "File to write: .mtx, .mtx.gz or .hdl by its suffix").required();
}

}  // namespace heddle

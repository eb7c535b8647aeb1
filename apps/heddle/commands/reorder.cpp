#include <heddle/reorder.hpp>

#include <algorithm>
#include <cmath>

#include "commands/commands.hpp"
#include "core/check.hpp"
#include "core/stopwatch.hpp"
#include "session/load.hpp"
#include "terminal/table.hpp"
#include "terminal/text.hpp"

namespace heddle {

namespace {

struct Options {
  std::string from, by = "rcm", order, out, permutation;
  std::int64_t window = 0;
  bool rows = false;
};

// As `--permutation` writes it. Whether the numbers are an order is checked where it is used.
Permutation read_permutation(const std::string& path) {
  const Buffer<double> numbers = read_vector<double>(path);
  Permutation order{Buffer<Index>(numbers.size())};
  for (std::int64_t i = 0; i < numbers.size(); ++i) {
    const bool whole =
        numbers[i] >= 0 && numbers[i] < static_cast<double>(numbers.size()) && numbers[i] == std::floor(numbers[i]);
    if (!whole)
      fail(ErrorKind::input, {path, "the old number of every new row, from 0, one a line"},
           "place {} has {}, which is no row of {}", i + 1, numbers[i], numbers.size());
    order.new_to_old[i] = static_cast<Index>(numbers[i]);
  }
  return order;
}

Permutation order_of(const PatternView& A, const Options& options) {
  if (!options.order.empty()) return read_permutation(options.order);
  if (options.by == "length") return length_order(A, options.window);
  return options.by == "amd" ? amd_order(A) : rcm_order(A);
}

void write_permutation(const std::string& path, const Permutation& order) {
  Buffer<double> numbers(order.size());
  std::copy(order.new_to_old.begin(), order.new_to_old.end(), numbers.begin());
  write_vector<double>(path, numbers.span());
}

template <class V>
void run(Session& session, const Options& options) {
  const Loaded<V> matrix = load<V>(session, options.from);
  const WallClock clock;
  const Permutation order = order_of(matrix.A.view(), options);
  const double seconds = clock.seconds();
  const std::string by = options.order.empty() ? options.by : options.order;
  const bool rows_only = options.rows || by == "length";
  const Csr<V> B = rows_only ? permute_rows(matrix.A.view(), order) : permute(matrix.A.view(), order, order);
  if (!options.out.empty()) write_matrix(options.out, B, session.progress("writing " + options.out));
  if (!options.permutation.empty()) write_permutation(options.permutation, order);

  const std::int64_t before = bandwidth(matrix.A.view()), after = bandwidth(B.view());
  session.json()["matrix"] = matrix_json(matrix);
  session.json()["by"] = by;
  session.json()["rows_only"] = rows_only;
  session.json()["bandwidth"] = {{"before", before}, {"after", after}};
  session.json()["seconds"] = seconds;
  session.json()["output"] = options.out.empty() ? Json() : Json(options.out);
  session.json()["permutation"] = options.permutation.empty() ? Json() : Json(options.permutation);
  Table table({{"order", Align::left}, {"bandwidth before"}, {"after"}, {"time"}});
  table.add({by, with_commas(before), with_commas(after), as_seconds(seconds)});
  session.print("{}\n\n{}", session.terminal().bold(headline(matrix)), table.text(session.terminal()));
}

}  // namespace

void add_reorder(Command root, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = session.add_command(root, "reorder", "Another order of rows and columns", [=, &session] {
    session.with_precision([&](auto zero) { run<decltype(zero)>(session, *options); });
  });
  command.option("M", options->from, matrix_help).required();
  Option by =
      command
          .option("--by", options->by,
                  "rcm: reverse Cuthill-McKee; amd: approximate minimum degree (both: rows and columns of a square "
                  "matrix); length: rows, the longest first")
          .check(one_of({"rcm", "amd", "length"}))
          .shows_default();
  command
      .option("--order", options->order,
              "Instead of --by: the order in this file, as --permutation writes it (for example of an AMD that "
              "this build does not have)")
      .excludes(by);
  command.flag("--rows", options->rows, "Rows alone; columns, and so x, stay where they are");
  command.option("--window", options->window, "With --by length: sort inside windows of this many rows; 0: all")
      .check(whole_number_from(0));
  command.option("--out", options->out, "File for the reordered matrix: .mtx, .mtx.gz or .hdl");
  command.option("--permutation", options->permutation,
                 "File for the old number of every new row, counted from 0, one a line");
}

}  // namespace heddle

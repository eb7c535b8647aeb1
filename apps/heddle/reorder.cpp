#include <heddle/reorder.hpp>

#include <algorithm>
#include <chrono>

#include "commands.hpp"
#include "load.hpp"
#include "numbers.hpp"
#include "table.hpp"
#include "text.hpp"

namespace heddle {

namespace {

struct Options {
  std::string from, by = "rcm", out, permutation;
  std::int64_t window = 0;
};

Permutation order_of(const PatternView& A, const Options& options) {
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
  const auto begun = std::chrono::steady_clock::now();
  const Permutation order = order_of(matrix.A.view(), options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  const bool rows_only = options.by == "length";
  const Csr<V> B = rows_only ? permute_rows(matrix.A.view(), order) : permute(matrix.A.view(), order, order);
  if (!options.out.empty()) write_matrix(options.out, B, session.progress("writing " + options.out));
  if (!options.permutation.empty()) write_permutation(options.permutation, order);

  const std::int64_t before = bandwidth(matrix.A.view()), after = bandwidth(B.view());
  session.json()["matrix"] = matrix_json(matrix);
  session.json()["by"] = options.by;
  session.json()["bandwidth"] = {{"before", before}, {"after", after}};
  session.json()["seconds"] = seconds;
  session.json()["output"] = options.out.empty() ? Json() : Json(options.out);
  session.json()["permutation"] = options.permutation.empty() ? Json() : Json(options.permutation);
  Table table({{"order", Align::left}, {"bandwidth before"}, {"after"}, {"time"}});
  table.add({options.by, with_commas(before), with_commas(after), as_seconds(seconds)});
  session.print("{}\n\n{}", session.terminal().bold(headline(matrix)), table.text(session.terminal()));
}

}  // namespace

void add_reorder(CLI::App& app, Session& session) {
  auto options = std::make_shared<Options>();
  CLI::App& command = session.add_command(app, "reorder", "Another order of rows and columns", [=, &session] {
    session.with_precision([&](auto zero) { run<decltype(zero)>(session, *options); });
  });
  command.add_option("M", options->from, matrix_help)->required();
  command
      .add_option("--by", options->by,
                  "rcm: reverse Cuthill-McKee; amd: approximate minimum degree (both: rows and columns of a square "
                  "matrix); length: rows, the longest first")
      ->check(CLI::IsMember({"rcm", "amd", "length"}))
      ->capture_default_str();
  command.add_option("--window", options->window, "With --by length: sort inside windows of this many rows; 0: all")
      ->check(whole_number_from(0));
  command.add_option("--out", options->out, "File for the reordered matrix: .mtx, .mtx.gz or .hdl");
  command.add_option("--permutation", options->permutation,
                     "File for the old number of every new row, counted from 0, one a line");
}

}  // namespace heddle

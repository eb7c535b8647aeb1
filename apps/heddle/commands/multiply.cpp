#include <algorithm>

#include <heddle/choose.hpp>

#include "commands/commands.hpp"
#include "core/check.hpp"
#include "products/product.hpp"
#include "session/load.hpp"
#include "terminal/table.hpp"
#include "terminal/text.hpp"

namespace heddle {

namespace {

struct Options {
  std::string matrix, x, y, out, plan = "auto";
  double alpha = 1, beta = 0;
  bool transpose = false;
};

template <class V>
Buffer<V> vector_of_length(const std::string& path, std::int64_t length, const char* name, const char* shape_word) {
  Buffer<V> v = read_vector<V>(path);
  if (v.size() != length)
    fail(ErrorKind::input, At{path, fmt::format("give --{} a vector of length {}", name, length)},
         "the vector has {} elements, but the matrix has {} {}", v.size(), length, shape_word);
  return v;
}

template <class V>
Buffer<V> ones(std::int64_t length) {
  Buffer<V> v(length);
  std::fill(v.begin(), v.end(), V(1));
  return v;
}

template <class V>
void put_result(Session& session, const Operator<V>& op, const TimedProduct<V>& product, const Options& options) {
  Json& document = session.json();
  document["plan"] = to_string(op.plan());
  document["precision"] = session.precision();
  document["transpose"] = options.transpose;
  document["seconds"] = product.seconds;
  document["repeats"] = product.repeats;
  document["checksum"] = checksum<V>(product.y);
  document["y_norm"] = norm<V>(product.y);
  document["out"] = options.out.empty() ? Json() : Json(options.out);
}

template <class V>
void print_result(Session& session, const Operator<V>& op, const TimedProduct<V>& product, const Options& options) {
  const auto flops = 2 * static_cast<double>(op.nnz());
  session.print("  plan      {} on {}\n", to_string(op.plan()), to_string(op.device()));
  session.print("  time      {}, {:.2f} GFLOP/s (median of {})\n", as_seconds(product.seconds),
                flops / product.seconds / 1e9, product.repeats);
  session.print("  |y|       {:.17g}\n", norm<V>(product.y));
  session.print("  checksum  {}\n", checksum<V>(product.y));
  if (!options.out.empty()) return session.print("  wrote     {}\n", options.out);
  constexpr std::int64_t shown = 6;
  std::string entries;
  for (std::int64_t i = 0; i < std::min(shown, product.y.size()); ++i) entries += fmt::format(" {:.6g}", product.y[i]);
  session.print("  y        {}{}\n", entries, product.y.size() > shown ? " ..." : "");
}

template <class V>
void run(Session& session, const Options& options) {
  Plan plan = read_plan(options.plan);
  Loaded<V> matrix = load<V>(session, options.matrix);
  session.json()["matrix"] = matrix_json(matrix);
  session.print("{}\n", session.terminal().bold(headline(matrix)));
  if (options.transpose) matrix.A = transpose(matrix.A.view());
  const auto [rows, cols] = std::pair(matrix.A.rows, matrix.A.cols);
  const char* down = options.transpose ? "columns" : "rows";
  const char* across = options.transpose ? "rows" : "columns";
  const Buffer<V> x = options.x.empty() ? ones<V>(cols) : vector_of_length<V>(options.x, cols, "x", across);
  const Buffer<V> y = options.y.empty() ? Buffer<V>() : vector_of_length<V>(options.y, rows, "y", down);
  if (plan == Plan{"auto", {}})
    plan = choose(matrix.A, analyze(matrix.A, Detail::planning), this_machine(session.device()),
                  {.device = session.device()});
  const Operator<V> op = build(std::move(matrix.A), plan, {.device = session.device()});
  constexpr double budget = 0.2;
  const TimedProduct<V> product =
      timed_product<V>(op, static_cast<V>(options.alpha), x, static_cast<V>(options.beta), y, budget);
  if (!options.out.empty()) write_vector<V>(options.out, product.y.span());
  put_result(session, op, product, options);
  print_result(session, op, product, options);
}

void check_options(Session& session, const Options& options) {
  if (options.beta != 0 && options.y.empty())
    fail(ErrorKind::usage, At{"--beta", "give --y FILE"}, "there is no y to be scaled");
  if (options.beta == 0 && !options.y.empty()) session.note("y is not used: beta is 0");
}

}  // namespace

void add_multiply(Command root, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = session.add_command(root, "multiply", "y = alpha A x + beta y", [=, &session] {
    check_options(session, *options);
    session.with_precision([&](auto zero) { run<decltype(zero)>(session, *options); });
  });
  command.option("M", options->matrix, matrix_help).required();
  command.option("--x", options->x, "Vector file; without it x is all ones");
  command
      .option("--plan", options->plan,
              "Format and settings, e.g. \"csr lanes=8\", or a file of `heddle plan --save`; auto: chosen by the model")
      .shows_default();
  command.option("--alpha", options->alpha, "Factor of A x").check(any_number()).shows_default();
  command.option("--beta", options->beta, "Factor of y: needs --y").check(any_number()).shows_default();
  command.option("--y", options->y, "Vector file: the y that beta scales");
  command.option("--out", options->out,
                 "Write the result to this file: .txt, .csv or .npy by its suffix, else Matrix Market");
  command.flag("--transpose", options->transpose, "y = alpha A^T x + beta y");
}

}  // namespace heddle

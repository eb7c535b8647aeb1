// The tour: every step is one call of the library, and shows what came out.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <heddle/analyze.hpp>
#include <heddle/choose.hpp>
#include <heddle/operator.hpp>
#include <heddle/solve.hpp>

#include "commands/commands.hpp"
#include "commands/demo_ending.hpp"
#include "core/check.hpp"
#include "core/stopwatch.hpp"
#include "io/file_table.hpp"
#include "pictures/histogram.hpp"
#include "pictures/history_plot.hpp"
#include "pictures/spy.hpp"
#include "products/agreement.hpp"
#include "products/product.hpp"
#include "session/load.hpp"
#include "session/whole_file.hpp"
#include "terminal/table.hpp"
#include "terminal/text.hpp"

namespace heddle {

namespace {

struct Options {
  std::string folder = "heddle-demo";
};

// A regular mesh, blocks on a mesh, a circuit with a few giant rows, and links with a long tail.
constexpr const char* sources[] = {"gen:stencil3d7,n=48", "gen:fem,n=14,dof=3", "gen:circuit,rows=60000",
                                   "gen:rmat,scale=14,edges=8"};
// The emulator runs some million lane steps a second: a matrix for it has to be tiny.
constexpr const char* tiny_source = "gen:stencil2d5,n=12";

void make_folder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0777) == 0) return;
  struct stat status {};
  if (errno == EEXIST && stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return;
  const int code = errno;
  fail(io::kind_of_error(code), At{folder, "name another folder with --out DIR"}, "cannot make this folder: {}",
       std::strerror(code));
}

template <class V>
class Demo {
 public:
  Demo(Session& session, std::string folder) : session_(session), folder_(std::move(folder)) {}

  void run() {
    make_folder(folder_);
    const DeviceInfo& here = session_.device_info();
    session_.print("Heddle on {} ({}){}\n", here.name, to_string(here.device),
                   gpu_available() ? "" : "; no GPU: " + gpu_absence());
    generate_matrices();
    write_and_read();
    show_structure(matrices_[2]);
    compare_formats();
    choose_plans();
    multiply_everything();
    solve_systems();
    if (session_.device().kind != Device::Kind::emulator) demo_ending(session_, matrices_[0], folder_);
    session_.print("\nThe files are in {}. Next: heddle info {}/circuit.hdl, heddle bench gen:fem,n=20,dof=3\n",
                   folder_, folder_);
  }

 private:
  void title(const char* text) { session_.print("\n{}\n\n", session_.terminal().bold(text)); }
  void print(const Table& table) { session_.print("{}", table.text(session_.terminal())); }

  void generate_matrices() {
    title("1. Matrices");
    Table table({{"matrix", Align::left}, {"rows"}, {"entries"}, {"mean row"}, {"longest"}, {"time"}});
    for (const char* source : sources) {
      matrices_.push_back(load<V>(session_, source));
      const Loaded<V>& matrix = matrices_.back();
      facts_.push_back(analyze(matrix.A));
      table.add({matrix.facts.name, with_commas(matrix.A.rows), with_commas(matrix.A.nnz()),
                 fmt::format("{:.1f}", facts_.back().rows_len.mean), with_commas(facts_.back().rows_len.max),
                 as_seconds(matrix.seconds)});
    }
    print(table);
  }

  // Through Matrix Market, its gz, and the binary cache; what comes back must be the same, bit for bit.
  void write_and_read() {
    title("2. Files");
    const Csr<V>& A = matrices_[2].A;
    Table table({{"file", Align::left}, {"size"}, {"written in"}, {"read in"}, {"the same", Align::left}});
    session_.json()["files"] = Json::array();
    for (const char* name : {"circuit.mtx", "circuit.mtx.gz", "circuit.hdl"}) {
      const std::string path = folder_ + "/" + name;
      const double writing = seconds_of([&] { write_matrix(path, A, {}, matrices_[2].facts); });
      const Loaded<V> back = load<V>(session_, path);
      check(identical(A, back.A), ErrorKind::internal, "{} does not hold what was written", path);
      struct stat status {};
      check(stat(path.c_str(), &status) == 0, ErrorKind::internal, "{} has vanished", path);
      table.add({path, as_bytes(static_cast<double>(status.st_size)), as_seconds(writing), as_seconds(back.seconds),
                 session_.terminal().good("yes")});
      session_.json()["files"].push_back(
          {{"path", path}, {"bytes", status.st_size}, {"write_seconds", writing}, {"read_seconds", back.seconds}});
    }
    print(table);
  }

  void show_structure(const Loaded<V>& matrix) {
    title("3. Structure");
    const Structure facts = analyze(matrix.A);
    session_.print("{}\n\n{}\n{}", headline(matrix), facts_text(facts),
                   histogram_text(facts.rows_len, session_.terminal()));
    session_.print("\n{}", spy_text(matrices_[1].A.view(), session_.terminal(), 16));
    session_.print("  {}\n", matrices_[1].facts.name);
#ifdef HEDDLE_HAS_PNG
    write_spy_png(folder_ + "/spy.png", matrices_[1].A.view(), 800);
    session_.json()["files"].push_back({{"path", folder_ + "/spy.png"}});
#endif
  }

  void compare_formats() {
    title("4. Formats: bytes for each matrix");
    std::vector<Table::Column> columns{{"matrix", Align::left}};
    for (const FormatInfo& format : formats()) columns.push_back({format.name});
    Table table(columns);
    for (const Loaded<V>& matrix : matrices_) {
      std::vector<std::string> cells{matrix.facts.name};
      for (const FormatInfo& format : formats()) {
        const Footprint needs = footprint(matrix.A.view(), Plan{format.name, {}}, sizeof(V));
        cells.push_back(needs.fits ? as_bytes(static_cast<double>(needs.bytes)) : "does not fit");
      }
      table.add(std::move(cells));
    }
    print(table);
  }

  void choose_plans() {
    title("5. Plans: what the planner would take, and why");
    const Machine& machine = this_machine(session_.device());
    session_.json()["plans"] = Json::array();
    for (std::size_t i = 0; i < matrices_.size(); ++i) {
      const Choice choice = choose(matrices_[i].A, facts_[i], machine, {.device = session_.device()});
      session_.print("  {}: {}\n    {}\n", matrices_[i].facts.name, session_.terminal().bold(to_string(choice.plan)),
                     choice.reason);
      session_.json()["plans"].push_back(
          {{"matrix", matrices_[i].facts.name}, {"plan", to_string(choice.plan)}, {"reason", choice.reason}});
    }
  }

  void multiply_everything() {
    title("6. y = A x, every format, checked row by row");
    Table table({{"matrix", Align::left},
                 {"device", Align::left},
                 {"plan", Align::left},
                 {"time"},
                 {"GFLOP/s"},
                 {"GB/s"},
                 {"error/bound"},
                 {"", Align::left}});
    session_.json()["matrices"] = Json::array();
    const Device device = session_.device();
    for (const Loaded<V>& matrix : matrices_) {
      multiply(matrix, Device::cpu(), table);
      if (device.kind == Device::Kind::gpu) multiply(matrix, device, table);
    }
    if (device.kind == Device::Kind::emulator) multiply(load<V>(session_, tiny_source), device, table);
    print(table);
  }

  void multiply(const Loaded<V>& matrix, Device device, Table& table) {
    Buffer<V> x(matrix.A.cols);
    for (std::int64_t i = 0; i < x.size(); ++i) x[i] = static_cast<V>(1 + static_cast<double>(i % 17) / 16);
    Json results = Json::array();
    for (const FormatInfo& format : formats()) {
      const Plan plan{format.name, {}};
      if (!footprint(matrix.A.view(), plan, sizeof(V)).fits) continue;
      const Operator<V> op = build(matrix.A, plan, {.device = device});
      const TimedProduct<V> product = timed_product<V>(op, V(1), x, V(0), {}, 0.05);
      const Agreement quality = agreement<V>(matrix.A.view(), x, product.y);
      check(quality.holds, ErrorKind::internal, "{}: {} on {} is wrong", matrix.facts.name, to_string(op.plan()),
            to_string(device));
      results.push_back(add_line(table, matrix, op, product.seconds, quality.worst));
    }
    session_.json()["matrices"].push_back({{"matrix", matrix_json(matrix)}, {"results", std::move(results)}});
  }

  Json add_line(Table& table, const Loaded<V>& matrix, const Operator<V>& op, double seconds, double worst) {
    const double gflops = 2 * static_cast<double>(op.nnz()) / seconds / 1e9;
    const auto moved = static_cast<double>(op.bytes() + (op.rows() + op.cols()) * std::int64_t{sizeof(V)});
    const double gbps = moved / seconds / 1e9;
    const std::string device = to_string(op.device()), plan = to_string(op.plan());
    table.add({matrix.facts.name, device, plan, as_seconds(seconds), fmt::format("{:.2f}", gflops),
               fmt::format("{:.2f}", gbps), fmt::format("{:.2f}", worst), session_.terminal().good("ok")});
    return {{"device", device}, {"plan", plan}, {"seconds", seconds},
            {"gflops", gflops}, {"gbps", gbps}, {"error_per_bound", worst}};
  }

  // The mesh is symmetric and positive definite. Four preconditioners, and the residuals of the last one as a picture.
  void solve_systems() {
    title("7. A x = b");
    const Loaded<V>& matrix =
        session_.device().kind == Device::Kind::emulator ? load<V>(session_, tiny_source) : matrices_[0];
    const Operator<V> op = build(matrix.A, {}, {.device = session_.device()});
    Buffer<V> ones(op.cols()), b(op.rows());
    std::fill(ones.begin(), ones.end(), V(1));
    op.multiply(ones, b);
    Table table({{"matrix", Align::left},
                 {"method", Align::left},
                 {"preconditioner", Align::left},
                 {"iterations"},
                 {"time"},
                 {"residual"},
                 {"verdict", Align::left},
                 {"", Align::left}});
    session_.json()["solves"] = Json::array();
    const double tolerance = sizeof(V) == 8 ? 1e-9 : 1e-5;
    Report report;
    for (const char* preconditioner : {"none", "jacobi", "chebyshev", "amg"}) {
      Buffer<V> x(op.rows());
      std::fill(x.begin(), x.end(), V(0));
      report = solve<V>(op, b, x, {.preconditioner = preconditioner, .tolerance = tolerance, .matrix = &matrix.A});
      check(report.converged(), ErrorKind::internal, "{}: {}", matrix.facts.name, report.reason);
      table.add({matrix.facts.name, report.method, report.preconditioner, with_commas(report.iterations),
                 as_seconds(report.seconds), fmt::format("{:.1e}", report.true_residual),
                 session_.terminal().good(name_of(report.status)),
                 residual_line(report.history, tolerance, 24, session_.terminal().unicode)});
      session_.json()["solves"].push_back({{"method", report.method},
                                           {"preconditioner", report.preconditioner},
                                           {"iterations", report.iterations},
                                           {"true_residual", report.true_residual},
                                           {"seconds", report.seconds}});
    }
    print(table);
    write_whole_file(folder_ + "/residuals.svg", history_svg(matrix.facts.name, report, tolerance));
    session_.json()["files"].push_back({{"path", folder_ + "/residuals.svg"}});
  }

  Session& session_;
  std::string folder_;
  std::vector<Loaded<V>> matrices_;
  std::vector<Structure> facts_;
};

}  // namespace

void add_demo(Command root, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = session.add_command(
      root, "demo", "The tour: matrices, files, structure, formats, multiplies, a solve", [=, &session] {
        session.with_precision([&](auto zero) { Demo<decltype(zero)>(session, options->folder).run(); });
      });
  command.option("--out", options->folder, "Folder for its files").shows_default();
}

}  // namespace heddle

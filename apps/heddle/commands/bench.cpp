// heddle bench M...: every format and every peer on the same matrix and vector, in one run.
#include <algorithm>
#include <ctime>
#include <optional>

#include <heddle/formats.hpp>
#include <heddle/machine.hpp>
#include <heddle/version.hpp>

#include "bench/provenance.hpp"
#include "commands/commands.hpp"
#include "records/bench_matrix.hpp"
#include "records/bench_table.hpp"
#include "records/journal.hpp"
#include "report/bench_page.hpp"
#include "session/energy_note.hpp"
#include "session/load.hpp"
#include "session/whole_file.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress.hpp"
#include "terminal/text.hpp"

namespace heddle {

namespace {

struct Options {
  std::vector<std::string> matrices, formats, peers{"all"};
  double seconds = 0.2;
  bool cold = false, calls = false, energy = false;
  std::string csv, html, resume;
};

// "csr lanes=8;coo" and "csr,coo" are two plans each; so is the option given twice.
std::vector<std::string> split(const std::vector<std::string>& texts) {
  std::vector<std::string> words;
  for (const std::string& text : texts)
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find_first_of(",;", at), text.size());
      if (end > at) words.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  return words;
}

std::vector<Plan> wanted_plans(const Options& options) {
  std::vector<Plan> plans;
  if (options.formats.empty())
    for (const FormatInfo& format : formats()) plans.push_back({.format = format.name, .settings = {}});
  for (const std::string& text : split(options.formats)) {
    plans.push_back(read_plan(text));
    if (plans.back().format != "auto")
      find_format(plans.back().format);  // a word that is no format ends the run before it begins
  }
  return plans;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

Json table_json(const std::vector<Machine::Rate>& rates) {
  Json lines = Json::array();
  for (const Machine::Rate& rate : rates) lines.push_back({{"bytes", rate.bytes}, {"giga", rate.giga}});
  return lines;
}

double largest_rate(const std::vector<Machine::Rate>& rates) {
  double largest = 0;
  for (const Machine::Rate& rate : rates) largest = std::max(largest, rate.giga);
  return largest;
}

class Run {
 public:
  Run(Session& given, const Options& asked) : session(given), options(asked) {
    work.plans = wanted_plans(asked);
    work.add_chosen = asked.formats.empty();
    work.peers = bench::select_peers(split(asked.peers), given.device());
    const std::string absence = bench::peer_absence(session.device());
    if (split(asked.peers) == std::vector<std::string>{"all"} && !absence.empty()) session.note("{}", absence);
    for (const std::string& path : {asked.csv, asked.html})
      if (!path.empty()) check_writable(path);
    if (session.both_precisions())
      precisions = {"f64", "f32"};
    else
      precisions = {session.precision()};
  }

  void everything() {
    describe_machine();
    open_journal();
    const Interruptible interruptible;
    bar.emplace(session.terminal(), !session.quiet(),
                work.steps() * static_cast<double>(options.matrices.size() * precisions.size()));
    for (const std::string& source : options.matrices)
      if (Interruptible::signal() == 0) one_matrix(source);
    bar.reset();
    write_results();
  }

 private:
  void describe_machine() {
    const Machine& machine = this_machine(session.device());
    work.settings = {session.device(), options.seconds, options.cold, options.calls, machine.read_gbps};
    if (options.energy) find_energy();
    session.json()["date"] = today();
    session.json()["machine"] = {{"read_gbps", machine.read_gbps},
                                 {"copy_gbps", machine.copy_gbps},
                                 {"launch_us", machine.launch_us},
                                 {"repeat_us", machine.repeat_us},
                                 {"read", table_json(machine.read)},
                                 {"gather", table_json(machine.gather)},
                                 {"cache_read_gbps", largest_rate(machine.read)},
                                 {"cache_bytes", machine.cache_bytes},
                                 {"memory_bytes", machine.memory_bytes},
                                 {"units", machine.units},
                                 {"threads", threads()},
                                 {"fingerprint", machine_fingerprint(session.device_info())}};
    session.json()["peer_versions"] = bench::peer_versions(session.device());
    session.json()["provenance"] = provenance_json();
    session.json()["settings"] = settings_json();
    session.print("{}: reads {:.1f} GB/s, copies {:.1f} GB/s, starts work in {:.1f} us\n", session.device_info().name,
                  machine.read_gbps, machine.copy_gbps, machine.launch_us);
  }

  void find_energy() {
    energy = bench::energy_counter(session.device());
    work.settings.energy = &energy;
    put_energy_source(session, energy);
  }

  Json provenance_json() const {
    const auto known = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
    const bench::Provenance made_by = bench::provenance(session.device());
    return {{"commit", known(made_by.commit)},
            {"build", known(made_by.build)},
            {"compiler", known(made_by.compiler)},
            {"cuda_toolkit", known(made_by.cuda_toolkit)},
            {"driver", known(made_by.driver)}};
  }

  Json settings_json() const {
    Json plans = Json::array();
    for (const Plan& plan : work.plans) plans.push_back(to_string(plan));
    return {{"seconds", options.seconds}, {"cold", options.cold}, {"calls", options.calls},
            {"energy", options.energy},   {"formats", plans},     {"add_chosen", work.add_chosen},
            {"peers", work.peers}};
  }

  void open_journal() {
    if (options.resume.empty()) return;
    const Json run{{"heddle", version},
                   {"build", session.json()["provenance"]["build"]},
                   {"machine", session.json()["machine"]["fingerprint"]},
                   {"device", session.device_info().name},
                   {"threads", threads()},
                   {"settings", settings_json()}};
    journal.emplace(options.resume, run);
    if (journal->usable() > 0)
      session.note("{}: {} measured before, in the same way", options.resume, journal->usable());
    if (journal->foreign() > 0)
      session.note("{}: {} of another machine, version, build or with other settings, left alone", options.resume,
                   journal->foreign());
    if (journal->damaged() > 0) session.note("{}: {} damaged lines passed over", options.resume, journal->damaged());
  }

  // What is wrong with one matrix must not cost the results of the others.
  void one_matrix(const std::string& source) {
    const std::size_t before = records.size();
    try {
      every_precision(source);
    } catch (const Interruptible::Stop&) {
      bar->hide();
      session.note("stopped while reading {}", source);
    } catch (const Error& error) {
      put_failure(source, error, before);
    } catch (const std::bad_alloc&) {
      put_failure(source, Error(ErrorKind::unavailable, "out of memory", source), before);
    }
  }

  void put_failure(const std::string& source, const Error& error, std::size_t before) {
    bar->hide();
    bar->left_out(work.steps() * static_cast<double>(precisions.size() - (records.size() - before)));
    session.fail_at_end(error);
    records.push_back(failed_record_json(source, error));
  }

  // A matrix wanted in both precisions is read once and rounded: a value may differ by one unit in its last place from
  // what reading it as float gives.
  void every_precision(const std::string& source) {
    std::optional<Loaded<double>> twice;
    for (const std::string& precision : precisions) {
      if (Interruptible::signal() != 0) return;
      const bool from_double = session.both_precisions() && precision == "f32";
      const Json identity = matrix_identity(source, from_double ? "f32 rounded from f64" : precision);
      if (const Json* known = journal ? journal->find(identity) : nullptr) {
        take_over(*known);
        continue;
      }
      bar->begin(source + ' ' + precision);
      if (session.both_precisions() && !twice) twice = read<double>(source);
      if (twice && precision == "f64")
        measure(source, identity, *twice);
      else if (twice)
        measure(source, identity, rounded(std::move(*twice)));
      else
        session.with_precision([&](auto zero) { measure(source, identity, read<decltype(zero)>(source)); });
    }
  }

  template <class V>
  Loaded<V> read(const std::string& source) {
    return load<V>(session, source, Interruptible::stop_if_asked);
  }

  static Loaded<float> rounded(Loaded<double> matrix) {
    return {convert<float>(matrix.A.view()), matrix.facts, matrix.seconds};
  }

  void take_over(Json record) {
    put_roofline(record, work.settings.read_gbps);
    record["resumed"] = true;
    bar->left_out(work.steps());
    records.push_back(std::move(record));
  }

  template <class V>
  void measure(const std::string& source, const Json& identity, const Loaded<V>& matrix) {
    const double promised = work.steps();
    double done = 0;
    const BenchRecord record = bench_matrix(source, matrix, work, [&] {
      ++done;
      bar->done();
    });
    bar->left_out(promised - done);  // the chosen plan was among the others
    bar->hide();
    show(record, headline(matrix));
    Json made = record_json(record);
    made["spy"] = spy_json(matrix.A.view(), 72);
    records.push_back(std::move(made));
    if (journal && record.complete) journal->add(identity, records.back());
  }

  void show(const BenchRecord& record, const std::string& title) {
    session.print("\n{}\n", session.terminal().bold(fmt::format("{}, {}", title, record.precision)));
    session.print("{}{}", bench_table(record.results, record.chosen, options.cold, session.terminal()),
                  bench_verdict(record.results, options.cold));
    session.print("chosen: {}, predicted {}\n", record.chosen, as_seconds(record.chosen_predicted_seconds));
    session.print("{}", bench_bound(record.bound, record.results, record.chosen, options.cold));
  }

  void write_results() {
    const int stopped = Interruptible::signal();
    session.json()["interrupted"] = stopped != 0;
    if (!options.csv.empty()) write(options.csv, bench_csv(records));
    if (!options.html.empty()) write(options.html, report::bench_page(page_data()));
    session.json()["matrices"] = Json::array();
    for (Json& record : records) {
      record.erase("spy");
      session.json()["matrices"].push_back(record);
    }
    if (records.size() > 1) session.print("\n{}", bench_summary(records));
    if (stopped == 0) return;
    session.note("stopped by a signal: {} of {} measured{}", records.size(),
                 options.matrices.size() * precisions.size(),
                 options.resume.empty() ? "" : "; the same command goes on from there");
  }

  // A full disk must not cost the other files.
  void write(const std::string& path, const std::string& text) {
    try {
      write_whole_file(path, text);
      session.note("wrote {}", path);
    } catch (const Error& error) {
      session.fail_at_end(error);
    }
  }

  // The document of --json and the spy plots; one picture serves both precisions.
  std::string page_data() const {
    Json data = session.json();
    data["matrices"] = Json::array();
    std::string last;
    for (Json record : records) {
      if (record["source"] == last) record.erase("spy");
      last = record["source"];
      data["matrices"].push_back(std::move(record));
    }
    return data.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  Session& session;
  const Options& options;
  BenchWork work;
  bench::EnergyCounter energy;
  std::vector<std::string> precisions;
  std::optional<Journal> journal;
  std::optional<StepsBar> bar;
  std::vector<Json> records;
};

}  // namespace

void add_bench(Command root, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = session.add_command(
      root, "bench", "Time every format and every peer, with error and roofline",
      [=, &session] { Run(session, *options).everything(); }, Session::Precisions::one_or_both);
  command.option("M", options->matrices, "Matrix files, or gen:KIND,key=value,...").required();
  command
      .option(
          "--formats,--plan", options->formats,
          "Formats, plans or files that hold a plan, e.g. \"auto;csr lanes=8;coo\"; may be repeated; without it every "
          "format and the plan chosen")
      .takes_one_word();
  command
      .option("--peers", options->peers, "all, none, or names of libraries, e.g. eigen, cusparse or cusparse:csr_alg1")
      .takes_one_word()
      .shows_default();
  command.option("--seconds", options->seconds, "Time for each measurement")
      .check(number_from(0, 3600))
      .shows_default();
  command.flag("--cold", options->cold, "Time with evicted caches too");
  command.flag("--calls", options->calls,
               "Time products that are queued one by one too: with the host's call. On a CPU every time has it");
  command.flag("--energy", options->energy,
               "Joules of a product, where the machine counts them: about a second more for each");
  command.option("--html", options->html, "Write a report to this file: one page, charts and tables, no network");
  command.option("--csv", options->csv, "Write the results to this file");
  command.option("--resume", options->resume,
                 "Keep every finished matrix in this file, and do not measure again what it holds of the same "
                 "machine, build and settings");
  command.footer(
      "Ratio: time of the fastest peer / time; above 1 is faster than every peer.\n"
      "Pays after: multiplications after which build and use take less time than with csr.\n"
      "Peers, where they are found: Eigen, a loop with OpenMP, MKL, librsb, GraphBLAS and PETSc on the CPU, every "
      "algorithm of cuSPARSE on "
      "the GPU.\n"
      "A matrix that cannot be read does not end the run; the exit code is then that of the first such failure.\n"
      "Ctrl-C ends the run with what was measured so far (exit code 130); a second one at once.");
}

}  // namespace heddle

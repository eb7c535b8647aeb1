#include <heddle/generate.hpp>

#include <map>
#include <set>

#include "commands/commands.hpp"
#include "core/check.hpp"
#include "core/stopwatch.hpp"
#include "session/load.hpp"
#include "terminal/table.hpp"
#include "terminal/text.hpp"

namespace heddle {

namespace {

struct Options {
  std::vector<std::string> words;           // KIND, and key=value words
  std::map<std::string, std::string> keys;  // given as --key value
  std::string out;
  bool list = false;
};

void list(Session& session) {
  const Terminal& terminal = session.terminal();
  Json entries = Json::array();
  Table table({{"generator", Align::left}, {"keys and defaults", Align::left}, {"", Align::left}});
  for (const GeneratorInfo& generator : generators()) {
    Json keys = Json::array();
    std::string shown;
    for (const GeneratorInfo::Key& key : generator.keys) {
      keys.push_back({{"name", key.name}, {"default", key.fallback}, {"meaning", key.meaning}});
      shown += fmt::format("{}{}={}", shown.empty() ? "" : " ", key.name, key.fallback);
    }
    entries.push_back({{"name", generator.name}, {"summary", generator.summary}, {"keys", std::move(keys)}});
    table.add({terminal.bold(generator.name), shown, generator.summary});
  }
  session.json()["generators"] = std::move(entries);
  session.print(
      "{}\nheddle generate random --rows 1000 --out random.mtx, or gen:random,rows=1000 where a command takes "
      "a matrix.\n",
      table.text(terminal));
}

// "KIND,key=value,...", the text heddle::generate takes; the key=value words may stand before KIND.
std::string generator_text(const Options& options) {
  std::string kind, settings;
  for (const std::string& word : options.words) {
    if (word.find('=') != std::string::npos && word.find(',') == std::string::npos)
      settings += ',' + word;
    else if (kind.empty())
      kind = word.starts_with("gen:") ? word.substr(4) : word;
    else
      fail(ErrorKind::usage, At{word, "give settings as --key VALUE or key=VALUE"}, "there is a kind already: {}",
           kind);
  }
  if (kind.empty()) fail(ErrorKind::usage, At{"generate", "`heddle generate` lists the kinds"}, "no kind was given");
  for (const auto& [key, value] : options.keys)
    if (!value.empty()) settings += fmt::format(",{}={}", key, value);
  return kind + settings;
}

template <class V>
void run(Session& session, const Options& options) {
  const std::string text = generator_text(options);
  if (!options.out.empty()) check_matrix_suffix(options.out);
  Loaded<V> matrix;
  matrix.seconds = seconds_of([&] { matrix.A = generate<V>(text, &matrix.facts); });
  session.json()["matrix"] = matrix_json(matrix);
  session.json()["seconds"] = matrix.seconds;
  session.json()["out"] = options.out.empty() ? Json() : Json(options.out);
  session.print("{}\ngenerated in {}\n", session.terminal().bold(headline(matrix)), as_seconds(matrix.seconds));
  if (options.out.empty()) return session.note("nothing was written: give --out FILE to keep the matrix");
  session.print("wrote {} in {}\n", options.out, as_seconds(save(session, options.out, matrix)));
}

// Every key of every generator becomes an option; the generator itself says which ones it knows. A key whose name is
// taken by another option can still be given as key=value.
void add_key_options(Command command, Options& options) {
  std::map<std::string, std::set<std::string>> kinds;
  for (const GeneratorInfo& generator : generators())
    for (const GeneratorInfo::Key& key : generator.keys) kinds[key.name].insert(generator.name);
  for (const auto& [key, names] : kinds) {
    std::string dashed = key;
    std::replace(dashed.begin(), dashed.end(), '_', '-');
    if (command.has_option("--" + dashed)) continue;
    const std::string flags = dashed == key ? "--" + key : "--" + dashed + ",--" + key;
    const std::string users = names.size() > 4 ? "many" : fmt::format("{}", fmt::join(names, ", "));
    command.option(flags, options.keys[key], "For: " + users).group("Keys of the generators");
  }
}

}  // namespace

void add_generate(Command root, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = session.add_command(root, "generate", "Synthetic matrices by name", [=, &session] {
    const bool nothing_asked = options->words.empty() && options->out.empty();
    if (options->list || nothing_asked) return list(session);
    session.with_precision([&](auto zero) { run<decltype(zero)>(session, *options); });
  });
  command.option("KIND", options->words, "Which one (none: list them), and key=value words");
  command.option("--out", options->out, "File to write: .mtx, .mtx.gz or .hdl by its suffix");
  command.flag("--list", options->list, "List the generators and their keys");
  add_key_options(command, *options);
}

}  // namespace heddle

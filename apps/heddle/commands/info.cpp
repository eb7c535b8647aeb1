#include <heddle/analyze.hpp>

#include "commands/commands.hpp"
#include "pictures/histogram.hpp"
#include "pictures/spy.hpp"
#include "session/load.hpp"

namespace heddle {

namespace {

struct Options {
  std::string matrix, spy;
  int spy_size = 800;
};

// Sectors of x per entry.
Json gather_json(const Gather& g) { return {{"rows", g.rows}, {"entries", g.entries}, {"window", g.window}}; }

void put_facts(Json& document, const Structure& facts) {
  document["rows_len"] = lengths_json(facts.rows_len);
  document["bandwidth"] = facts.bandwidth;
  document["profile"] = facts.profile;
  document["blocks"] = Json::array();
  for (const BlockFill& block : facts.blocks)
    document["blocks"].push_back({{"r", block.r}, {"c", block.c}, {"fill", block.fill}});
  document["blocks_sampled"] = facts.blocks_sampled;
  const Diagonals& d = facts.diagonals;
  document["diagonals"] = {{"count", d.count},       {"occupancy", d.occupancy},   {"full", d.full},
                           {"constant", d.constant}, {"full_share", d.full_share}, {"slice_fill", d.slice_fill}};
  document["padding"] = Json::array();
  for (const SlicePadding& p : facts.padding)
    document["padding"].push_back({{"C", p.C}, {"sigma", p.sigma}, {"stored", p.stored}});
  const Columns& c = facts.columns;
  document["columns"] = {{"mean_run", c.mean_run},   {"delta4", c.delta4},
                         {"delta8", c.delta8},       {"delta16", c.delta16},
                         {"near16", c.near16},       {"slices16", c.slices16},
                         {"tile_rows", c.tile_rows}, {"tile_rows_by_degree", c.tile_rows_by_degree}};
  document["gather"] = {{"f32", gather_json(facts.gather_f32)}, {"f64", gather_json(facts.gather_f64)}};
  document["sampled_entries"] = facts.sampled_entries;
  document["pattern_hash"] = fmt::format("{:016x}", facts.pattern_hash);
  document["index_bits"] = facts.index_bits;
  document["structurally_symmetric"] = facts.structurally_symmetric;
  document["symmetric"] = facts.symmetric;
  document["values"] = {
      {"distinct", facts.distinct_values}, {"distinct_capped", facts.distinct_capped}, {"f32_exact", facts.f32_exact}};
}

template <class V>
void show(Session& session, const Options& options) {
  const Loaded<V> matrix = load<V>(session, options.matrix);
  const Structure facts = analyze(matrix.A);
  session.json()["matrix"] = matrix_json(matrix);
  put_facts(session.json(), facts);
  if (!options.spy.empty()) {
    write_spy_png(options.spy, matrix.A.view(), options.spy_size);
    session.json()["spy"] = options.spy;
  }
  if (!session.prints_results()) return;
  const Terminal& terminal = session.terminal();
  session.print("{}\n\n{}\n", terminal.bold(headline(matrix)), facts_text(facts));
  session.print("{}", histogram_text(facts.rows_len, terminal));
  session.print("\n{}", spy_text(matrix.A.view(), terminal));
  if (!options.spy.empty()) session.print("\nwrote {}\n", options.spy);
}

}  // namespace

void add_info(Command root, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = session.add_command(
      root, "info", "Structure of a matrix: facts, row lengths, spy plot",
      [=, &session] { session.with_precision([&](auto zero) { show<decltype(zero)>(session, *options); }); });
  command.option("M", options->matrix, matrix_help).required();
  command.option("--spy", options->spy, "Write the spy plot as PNG to this file");
  command.option("--spy-size", options->spy_size, "Pixels of its longer side")
      .check(whole_number_from(16, 16384))
      .shows_default();
  command.footer("The words are explained in docs/glossary.md.");
}

}  // namespace heddle

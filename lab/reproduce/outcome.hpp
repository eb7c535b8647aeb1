// What a reproduction found, as plain data: tables and figures like the papers', a verdict for every claim. The command
// prints it, writes it as JSON, reads it back and renders it; nothing is computed after this point.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "report/figure.hpp"

namespace heddle::reproduce {

struct Table {
  std::string title, note;  // note: what to know about the numbers; may be empty
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // as many cells as columns
};

using report::Figure;

// mixed: it holds for some of the matrices (precisions, cases) it speaks of and not for others.
enum class Verdict { confirmed, mixed, refuted, not_testable };
const char* name_of(Verdict verdict) noexcept;  // "confirmed", "mixed", "refuted", "not testable here"
Verdict parse_verdict(const std::string& text);

struct Claim {
  std::string id, statement;  // "R1", what the paper says
  bool exact = false;         // counts, bytes, layouts: the same on every machine
  std::string then, now;      // the paper's numbers, ours
  std::string rule;           // when it counts as confirmed, in words
  std::string basis;          // what the verdict rests on: "4 real files, 17 stand-ins"
  Verdict verdict = Verdict::not_testable;
  std::string reason;  // why it is not testable here; empty otherwise
  // For how many it holds, of how many that were judged, and what they are: "matrices". Without any: 0 of 0.
  std::size_t held = 0, judged = 0;
  std::string unit = {};
  std::vector<std::string> against = {};  // the names of those it does not hold for
  std::string number = {};                // the one that tells most, with its unit; may be empty
};

// What must hold by construction, whatever the machine: our own code against a table, a lattice, a full matrix. It says
// nothing about a paper and counts as no claim.
struct SelfCheck {
  std::string what, now;
  bool holds = false;
};

// What no paper says, but we expected or wanted to know.
struct Extra {
  std::string what, now, basis;
};

// An experiment of the run, by its claims or its name, and the time it took.
struct Part {
  std::string what;
  double seconds = 0;
};

struct Paper {
  std::string name, title, authors;
  std::vector<Claim> claims;
  std::vector<Table> tables;
  std::vector<Figure> figures;
  std::vector<std::string> failures;  // what went wrong and was left out
  double seconds = 0;
  std::vector<SelfCheck> self_checks = {};
  std::vector<Extra> also_measured = {};
  std::string main_figure = {};  // its title; empty: none of them stands for the paper
  std::vector<Part> parts = {};
};

// Where a matrix comes from.
//   real        the paper's own matrix, from its file
//   fixed       its pattern follows from its description alone: a lattice, a full matrix
//   artificial  it stands for no matrix: the paper, or we, made such ones up for the purpose
//   stand_in    made to be like the paper's matrix
enum class Origin { real, fixed, artificial, stand_in };
const char* name_of(Origin origin) noexcept;  // "real file", "fixed construction", "artificial", "stand-in"
Origin parse_origin(const std::string& text);

// A matrix as it was used.
struct Specimen {
  std::string name, source;  // source: a file, or what it was made by
  Origin origin = Origin::stand_in;
  std::int64_t rows = 0, cols = 0, nnz = 0, longest = 0;
  double mean = 0, deviation = 0;  // of the row lengths

  bool real() const { return origin == Origin::real; }
};

// One timing, raw. NaN where it was not measured.
struct Measurement {
  std::string matrix, plan, precision;
  double seconds = 0, cold_seconds = 0, build_seconds = 0;
  std::string status;                                        // "ok", or what went wrong
  double spread = std::numeric_limits<double>::quiet_NaN();  // of the repeats, (90th - 10th percentile) / median
};

struct Outcome {
  std::string version, device_kind, device_name;  // who measured, and on what
  int threads = 0;                                // of the host
  bool quick = false, interrupted = false;
  double seconds_each = 0, seconds = 0;  // for every measurement; of the whole run
  double read_gbps = 0;                  // of the device
  std::vector<Paper> papers;
  std::vector<Specimen> matrices;
  std::vector<Measurement> measurements;
  std::vector<std::string> notes = {};  // what to know about all of it
};

}  // namespace heddle::reproduce

// What a reproduction found, as plain data: tables and figures like the papers', a verdict for every claim. The command
// prints it, writes it as JSON, reads it back and renders it; nothing is computed after this point.
#pragma once

#include <cstdint>
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

enum class Verdict { confirmed, refuted, not_testable };
const char* name_of(Verdict verdict) noexcept;  // "confirmed", "refuted", "not testable here"
Verdict parse_verdict(const std::string& text);

struct Claim {
  std::string id, statement;  // "R1", what the paper says
  bool exact = false;         // counts, bytes, layouts: the same on every machine
  std::string then, now;      // the paper's numbers, ours
  std::string rule;           // when it counts as confirmed, in words
  std::string basis;          // what it rests on: "4 real matrices, 17 stand-ins", "synthetic"
  Verdict verdict = Verdict::not_testable;
  std::string reason;  // why it is not testable here; empty otherwise
};

struct Paper {
  std::string name, title, authors;
  std::vector<Claim> claims;
  std::vector<Table> tables;
  std::vector<Figure> figures;
  std::vector<std::string> failures;  // what went wrong and was left out
  double seconds = 0;
};

// A matrix as it was used.
struct Specimen {
  std::string name, source;  // source: a file, or what the stand-in was made by
  bool real = false;         // the paper's own matrix, not a stand-in
  std::int64_t rows = 0, cols = 0, nnz = 0, longest = 0;
  double mean = 0, deviation = 0;  // of the row lengths
};

// One timing, raw. NaN where it was not measured.
struct Measurement {
  std::string matrix, plan, precision;
  double seconds = 0, cold_seconds = 0, build_seconds = 0;
  std::string status;  // "ok", or what went wrong
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
};

}  // namespace heddle::reproduce

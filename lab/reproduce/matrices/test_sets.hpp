// The papers' matrices: what is printed about them, the names of their files, and what stands in for them.
#pragma once

#include <string>
#include <vector>

#include "reproduce/matrices/stand_ins.hpp"

namespace heddle::reproduce {

// How much a matrix has of the paper's: its row lengths; the kind of its pattern too, so that reading x costs what it
// costs there; everything. What the paper does not name is like itself.
enum class Likeness { lengths, pattern, itself };

struct Subject {
  std::string name;                // as the papers call it
  std::vector<std::string> files;  // names without suffix that its file may have
  std::string full, quick;         // generators of the stand-in; empty: `profile`
  Profile profile = {};
  bool fixed = false;  // its description alone fixes the pattern: a lattice, a full matrix

  Likeness likeness() const { return full.empty() ? Likeness::lengths : Likeness::pattern; }  // of the stand-in
};

const std::vector<Subject>& subjects();
const Subject& subject(const std::string& name);

// Table I of papers 1 and 4: what is printed.
struct TableOneRow {
  const char* name;
  std::int64_t rows, nnz;
  double mean, above_mean, deviation, cv;  // above_mean: longest row less the mean; cv in percent
  double percent_ell;                      // entries in HYB's ELLPACK part
  double gbps, over_mkl;                   // paper 4, GTX 285
};
const std::vector<TableOneRow>& table_one();

// The set of Williams and others in paper 2, and the eleven of them (without Dense, Ship and LP) in paper 5.
struct Williams {
  const char *called, *name;  // "Protein", "pdb1HYS"
};
const std::vector<Williams>& fourteen();
const std::vector<Williams>& eleven();

}  // namespace heddle::reproduce

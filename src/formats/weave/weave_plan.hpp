// What weave_plan.cpp, the rules, needs of the counts of its layouts (weave_plan_layouts.cpp).
#pragma once

#include "cost/workload_parts.hpp"

namespace heddle::weave_counts {

// Whether values are looked at for a shorter form: small matrices keep theirs as they are.
bool coded(const Subject& s, const Plan& plan);
bool may_have_table(const Subject& s, const Plan& plan);
bool is_raw(const Plan& plan);
// Bytes of a value as the plan has it, or in the smallest codec that loses nothing.
double stored_value(const Subject& s, const Plan& plan);
// The same in layouts that store nothing where all values are one, and have tables of 65,536 values too. How many there
// are may be a guess: a wrong one costs time, building counts for itself.
double least_value(const Subject& s, const Plan& plan);
bool is_constant(const Subject& s, const Plan& plan);

double fill_of(const Structure& facts, double size);
// As formats/weave/weave_choice.cpp takes it: the larger block unless a smaller one stores 2 % less.
double best_block(const Structure& facts);
// Of layout=rows.
double rows_of_slice(const Subject& s, const Plan& plan);

// Blocks of rows whose sums fit into shared memory, each of which reads x in sectors.
struct SumsReads {
  double blocks, sectors;

  SumsReads(const Structure& f, int value_bytes);
  double entries_of_sector(double nnz) const { return nnz / (blocks * sectors); }
};

// On a GPU.
Workload workload(const Subject& s, const Plan& plan);

}  // namespace heddle::weave_counts

// What the tests for PETSc share: matrices, and a count of what differed.
#pragma once

#include <petscksp.h>

#include <functional>
#include <initializer_list>
#include <string>

#include "heddle_petsc.h"
#include "petsc_releases.hpp"

namespace heddle::petsc::test {

// Ends the process as PETSc programs do: with a trace on every rank.
void must(PetscErrorCode code);

// Counts checks and complaints; the program fails when there is a complaint, or when nothing was checked.
class Tally {
 public:
  // The text is made only for a complaint. Collective: the same `good` on all ranks.
  void check(bool good, const std::string& what);
  // Events of Heddle that took place on this rank.
  void check_events(std::initializer_list<const char*> names);
  int finish(const char* title) const;

 private:
  int checked_ = 0, wrong_ = 0;
};

// The types that are compared: aij and aijheddle, with the option -on_gpu aijcusparse and aijcusparseheddle.
bool on_gpu();
const char* usual_type();
const char* our_type();
// `main` of a test: PETSc with Heddle around `tests`. With -on_gpu where there is no GPU it says so and is skipped.
int program(int argc, char** argv, const char* title, Tally& tally, void (*tests)());

enum class Shape { symmetric, indefinite, unsymmetric, tall };

// Small integers, so that sums are exact in any order. n rows; ranks may be left without any.
Mat integer_matrix(const char* type, Shape shape, PetscInt n, bool uneven = false);
// Of integers as well, by global position.
Vec integer_vector(Mat A, bool of_rows, int seed);

// Whether MatMult is Heddle's, whatever the name of the type. Collective.
bool multiplied_by_heddle(Mat A);

// Events of this name on this rank so far.
int events(const char* name);

}  // namespace heddle::petsc::test

#include "mat_types.hpp"

#include <string>

namespace heddle::petsc {

namespace {

// Calls `function` with each operation and its place in `of`.
template <class Operations, class Function>
PetscErrorCode for_each(Operations& of, Function&& function) {
  PetscFunctionBegin;
  PetscCall(function(MATOP_MULT, of.mult));
  PetscCall(function(MATOP_MULT_ADD, of.mult_add));
  PetscCall(function(MATOP_MULT_TRANSPOSE, of.mult_transpose));
  PetscCall(function(MATOP_MULT_TRANSPOSE_ADD, of.mult_transpose_add));
  PetscCall(function(MATOP_VIEW, of.view));
  PetscFunctionReturn(PETSC_SUCCESS);
}

using Anything = PetscErrorCode (*)(void);

PetscErrorCode share(Mat A, const std::string& from, const std::string& to) {
  Anything function = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction(as_object(A), from.c_str(), &function));
  if (function) PetscCall(PetscObjectComposeFunction(as_object(A), to.c_str(), function));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode AijOperations::read(Mat A) {
  return for_each(*this, [A](MatOperation operation, auto& place) { return get_operation(A, operation, place); });
}

PetscErrorCode AijOperations::write(Mat A) const {
  return for_each(*this, [A](MatOperation operation, auto place) { return set_operation(A, operation, place); });
}

// PETSc looks for the option with the prefix of the matrix.
PetscErrorCode create_plain(MatType type, Mat* made) {
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, made));
  PetscCall(MatSetOptionsPrefix(*made, "heddle_plain_"));
  PetscCall(MatSetType(*made, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode make_plain(Mat A, MatType plain) {
  PetscErrorCode (*convert)(Mat, MatType, MatReuse, Mat*) = nullptr;
  PetscBool already = PETSC_FALSE;
  MatType type = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(as_object(A), plain, &already));
  if (already) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetType(A, &type));
  const std::string name = std::string("MatConvert_") + type + "_" + plain + "_C";
  PetscCall(PetscObjectQueryFunction(as_object(A), name.c_str(), &convert));
  PetscCall(convert ? convert(A, plain, MAT_INPLACE_MATRIX, &A) : MatConvert(A, plain, MAT_INPLACE_MATRIX, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode share_functions(Mat A, const char* aij, const char* ours) {
  const std::string from = aij, to = ours;
  PetscFunctionBegin;
  for (const char* type :
       {"seqdense",       "mpidense",     "seqbaij",     "mpibaij",   "seqsbaij",  "mpisbaij",   "seqsell",
        "mpisell",        "hypre",        "is",          "elemental", "scalapack", "seqaijperm", "mpiaijperm",
        "seqaijsell",     "mpiaijsell",   "seqaijcrl",   "mpiaijcrl", "seqaijmkl", "mpiaijmkl",  "seqaijcusparse",
        "mpiaijcusparse", "seqaijkokkos", "mpiaijkokkos"})
    PetscCall(share(A, "MatConvert_" + from + "_" + type + "_C", "MatConvert_" + to + "_" + type + "_C"));
  for (const char* other : {"is_", "transpose_"}) {
    const std::string name = std::string("MatProductSetFromOptions_") + other;
    PetscCall(share(A, name + from + "_C", name + to + "_C"));
    PetscCall(share(A, name + from + "_" + from + "_C", name + to + "_" + to + "_C"));
  }
  const std::string product = "MatProductSetFromOptions_";
  for (const char* other : {"seqmaij", "mpimaij", "hypre"})
    PetscCall(PetscObjectComposeFunction(as_object(A), (product + to + "_" + other + "_C").c_str(), set_aij_products));
  for (const char* dense : {"seqdense", "mpidense", "mpidensecuda"})
    PetscCall(PetscObjectComposeFunction(as_object(A), (product + dense + "_" + to + "_C").c_str(), set_aij_products));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode views_facts(PetscViewer viewer, PetscBool* facts, PetscBool* of_all_ranks) {
  PetscBool text = PETSC_FALSE;
  PetscViewerFormat format = PETSC_VIEWER_DEFAULT;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(as_object(viewer), PETSCVIEWERASCII, &text));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  *of_all_ranks = text && format == PETSC_VIEWER_ASCII_INFO_DETAIL ? PETSC_TRUE : PETSC_FALSE;
  *facts = *of_all_ranks || (text && format == PETSC_VIEWER_ASCII_INFO) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace heddle::petsc

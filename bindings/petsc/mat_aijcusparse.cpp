// aijcusparseheddle: an aijcusparse matrix, whose arrays PETSc keeps on a GPU, with products by Heddle. Nothing
// travels: Heddle builds from those arrays and multiplies vectors of type cuda where they lie, on PETSc's stream.
//
// PETSc asks for seqaijcusparse and mpiaijcusparse by name in many places, so the matrix keeps that name, and what
// would lose our operations (MatDuplicate, MatBindToCPU) sets them again.
#include "heddle_petsc.h"
#include "mat_types.hpp"
#include "products.hpp"

namespace heddle::petsc {

#if PetscDefined(HAVE_CUDA)

namespace {

using Duplicate = PetscErrorCode(Mat, MatDuplicateOption, Mat*);

// PETSc's.
AijOperations sequential, parallel;
Duplicate *sequential_duplicate = nullptr, *parallel_duplicate = nullptr;
PetscErrorCode (*sequential_bind_to_cpu)(Mat, PetscBool) = nullptr;

PetscErrorCode take_over(Mat A, PetscBool* taken);

using Sequential = SequentialProducts<sequential>;
using Parallel = ParallelProducts<parallel, take_over>;

PetscErrorCode duplicate(Mat A, MatDuplicateOption option, Mat* made) {
  PetscBool taken = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(sequential_duplicate(A, option, made));
  PetscCall(take_over(*made, &taken));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// PETSc puts its own operations there: AIJ's, or those of aijcusparse again.
PetscErrorCode bind_to_cpu(Mat A, PetscBool bound) {
  PetscBool taken = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(LocalOperator::forget(A));
  PetscCall(sequential_bind_to_cpu(A, bound));
  PetscCall(take_over(A, &taken));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode take_over(Mat A, PetscBool* taken) {
  PetscErrorCode (*mult)(Mat, Vec, Vec) = nullptr;
  PetscBool bound = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(get_operation(A, MATOP_MULT, mult));
  PetscCall(MatBoundToCPU(A, &bound));
  *taken = bound ? PETSC_FALSE : PETSC_TRUE;
  if (mult == Sequential::operations.mult || bound) PetscFunctionReturn(PETSC_SUCCESS);
  if (!sequential.mult) {
    PetscCall(sequential.read(A));
    PetscCall(get_operation(A, MATOP_DUPLICATE, sequential_duplicate));
    PetscCall(get_operation(A, MATOP_BIND_TO_CPU, sequential_bind_to_cpu));
  }
  PetscCall(Sequential::operations.write(A));
  PetscCall(set_operation(A, MATOP_DUPLICATE, duplicate));
  PetscCall(set_operation(A, MATOP_BIND_TO_CPU, bind_to_cpu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Its blocks are taken over before each product.
PetscErrorCode take_over_parallel(Mat A);

PetscErrorCode duplicate_parallel(Mat A, MatDuplicateOption option, Mat* made) {
  PetscFunctionBegin;
  PetscCall(parallel_duplicate(A, option, made));
  PetscCall(take_over_parallel(*made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode take_over_parallel(Mat A) {
  PetscErrorCode (*mult)(Mat, Vec, Vec) = nullptr;
  PetscFunctionBegin;
  PetscCall(get_operation(A, MATOP_MULT, mult));
  if (mult == Parallel::operations.mult) PetscFunctionReturn(PETSC_SUCCESS);
  if (!parallel.mult) {
    PetscCall(parallel.read(A));
    PetscCall(get_operation(A, MATOP_DUPLICATE, parallel_duplicate));
  }
  PetscCall(Parallel::operations.write(A));
  PetscCall(set_operation(A, MATOP_DUPLICATE, duplicate_parallel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// In `made` a matrix of type `cusparse`. Without MatConvert where the matrix is not assembled yet, as PETSc does.
PetscErrorCode make_cusparse(Mat A, MatType cusparse, const char* converter, MatReuse reuse, Mat* made) {
  PetscErrorCode (*convert)(Mat, MatType, MatReuse, Mat*) = nullptr;
  PetscBool already = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(as_object(A), cusparse, &already));
  PetscCall(PetscObjectQueryFunction(as_object(A), converter, &convert));
  if (!already && convert)
    PetscCall(convert(A, cusparse, reuse, made));
  else if (!already || reuse != MAT_INPLACE_MATRIX)
    PetscCall(MatConvert(A, cusparse, reuse, made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode convert_sequential(Mat A, MatType, MatReuse reuse, Mat* made) {
  PetscBool taken = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(make_cusparse(A, MATSEQAIJCUSPARSE, "MatConvert_seqaij_seqaijcusparse_C", reuse, made));
  PetscCall(take_over(*made, &taken));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode convert_parallel(Mat A, MatType, MatReuse reuse, Mat* made) {
  PetscFunctionBegin;
  PetscCall(make_cusparse(A, MATMPIAIJCUSPARSE, "MatConvert_mpiaij_mpiaijcusparse_C", reuse, made));
  PetscCall(take_over_parallel(*made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode create_sequential(Mat A) {
  PetscBool taken = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(MatSetType(A, MATSEQAIJCUSPARSE));
  PetscCall(take_over(A, &taken));
  for (const char* from : {"seqaij", "seqaijcusparse"}) {
    const std::string name = std::string("MatConvert_") + from + "_" MATSEQAIJCUSPARSEHEDDLE "_C";
    PetscCall(PetscObjectComposeFunction(as_object(A), name.c_str(), convert_sequential));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode create_parallel(Mat A) {
  PetscFunctionBegin;
  PetscCall(MatSetType(A, MATMPIAIJCUSPARSE));
  PetscCall(take_over_parallel(A));
  for (const char* from : {"mpiaij", "mpiaijcusparse"}) {
    const std::string name = std::string("MatConvert_") + from + "_" MATMPIAIJCUSPARSEHEDDLE "_C";
    PetscCall(PetscObjectComposeFunction(as_object(A), name.c_str(), convert_parallel));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode register_aijcusparseheddle() {
  PetscFunctionBegin;
  PetscCall(MatRegister(MATSEQAIJCUSPARSEHEDDLE, create_sequential));
  PetscCall(MatRegister(MATMPIAIJCUSPARSEHEDDLE, create_parallel));
  PetscCall(MatRegisterRootName(MATAIJCUSPARSEHEDDLE, MATSEQAIJCUSPARSEHEDDLE, MATMPIAIJCUSPARSEHEDDLE));
  PetscCall(MatSeqAIJRegister(MATSEQAIJCUSPARSEHEDDLE, convert_sequential));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

PetscErrorCode register_aijcusparseheddle() { return PETSC_SUCCESS; }

#endif

}  // namespace heddle::petsc

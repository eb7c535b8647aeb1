// Who multiplies: what Heddle takes from PETSc and gives back, and products with dense matrices.
#include "two_matrices.hpp"

namespace heddle::petsc::test {

namespace {

// The first matrix of the process is one that PETSc has made of another type. What Heddle takes for operations of AIJ is
// not that type's.
void first_of_another_type() {
  must(PetscOptionsSetValue(nullptr, "-mat_seqaij_type", "seqaijperm"));
  Mat ours = integer_matrix(MATHEDDLE, Shape::unsymmetric, 240);
  Vec once = product(ours, Product::mult);
  must(VecDestroy(&once));
  must(PetscOptionsClearValue(nullptr, "-mat_seqaij_type"));
  Two two{integer_matrix(MATAIJ, Shape::unsymmetric, 240), ours};
  compare(two, "a block of type seqaijperm");
  must(MatConvert(two.ours, MATAIJ, MAT_INPLACE_MATRIX, &two.ours));
  compare(two, "a block of type seqaijperm and MatConvert to aij");
  PetscErrorCode (*of_plain)(Mat, Vec, Vec) = nullptr, (*of_ours)(Mat, Vec, Vec) = nullptr;
  must(get_operation(two.aij, MATOP_MULT, of_plain));
  must(get_operation(two.ours, MATOP_MULT, of_ours));
  tally.check(of_plain == of_ours, "MatConvert to aij gives AIJ's own product back");
  destroy(two);
}

// On one process all of it, on several what the diagonal block adds.
void dense_products() {
  Two two = make(Shape::unsymmetric);
  int before = events("HeddleMatMatMult");
  tally.check(same_dense_product(two, DenseProduct::from_right), "MatMatMult as the first product");
  tally.check(events("HeddleMatMatMult") == before + 2, "MatMatMult is Heddle's");
  before = events("HeddleMatMatMult");
  tally.check(same_dense_product(two, DenseProduct::from_right_transposed), "MatTransposeMatMult after it");
  const int expected = PetscGlobalSize == 1 ? 2 : 0;
  tally.check(events("HeddleMatMatMult") == before + expected, "MatTransposeMatMult is Heddle's on one process");
  destroy(two);
}

// A dense matrix times ours. On several processes PETSc transposes both, and multiplies by the transpose of ours.
void dense_products_from_left() {
  for (const Shape shape : {Shape::unsymmetric, Shape::tall})
    for (const bool uneven : {false, true}) {
      Two two = make(shape, uneven);
      tally.check(same_dense_product(two, DenseProduct::from_left), "MatMatMult of a dense matrix with ours");
      must(MatScale(two.aij, 2));
      must(MatScale(two.ours, 2));
      tally.check(same_dense_product(two, DenseProduct::from_left), "MatMatMult of a dense matrix with ours, scaled");
      destroy(two);
    }
}

void compare_triple_product(Mat P, const std::string& name) {
  Two two = make(Shape::unsymmetric), made;
  must(MatPtAP(two.aij, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &made.aij));
  must(MatPtAP(two.ours, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &made.ours));
  must(MatPtAP(two.ours, P, MAT_REUSE_MATRIX, PETSC_DEFAULT, &made.ours));
  compare(made, name);
  destroy(made);
  destroy(two);
}

// Two unknowns a node: hierarchies of multigrid interpolate so.
void products_with_several_unknowns() {
  Mat nodes = integer_matrix(MATAIJ, Shape::tall, 120), P = nullptr;
  must(MatCreateMAIJ(nodes, 2, &P));
  compare_triple_product(P, "MatPtAP with two unknowns a node");
  must(MatDestroy(&P));
  must(MatDestroy(&nodes));
}

void products_with_hypre() {
#if defined(PETSC_HAVE_HYPRE)
  Mat P = integer_matrix(MATAIJ, Shape::tall, 240);
  must(MatConvert(P, MATHYPRE, MAT_INPLACE_MATRIX, &P));
  compare_triple_product(P, "MatPtAP with a matrix of hypre");
  must(MatDestroy(&P));
#endif
}

void run() {
  first_of_another_type();
  dense_products();
  dense_products_from_left();
  products_with_several_unknowns();
  products_with_hypre();
}

}  // namespace

}  // namespace heddle::petsc::test

int main(int argc, char** argv) {
  using namespace heddle::petsc::test;
  return program(argc, argv, "products", tally, run);
}

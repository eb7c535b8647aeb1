// LocalOperator: Heddle's operator of a SeqAIJ matrix, which may be a block of an MPIAIJ one. It is composed with the
// Mat, built at its first use, and follows what happens to the matrix.
//
//   AIJ of the Mat (ptr, col, val) -- pattern changed --> choose a plan, build
//   in host memory or on a GPU     -- values changed  --> update_values
#pragma once

#include <heddle/operator.hpp>
#include <optional>
#include <string>
#include <vector>

#include "aij_arrays.hpp"
#include "settings.hpp"
#include "vector_arrays.hpp"

namespace heddle::petsc {

// Differs when the matrix does. The addresses are those of the arrays: when a Mat takes over the header of another
// one, its counters may repeat.
struct AijState {
  PetscObjectState pattern = -1, values = -1, parent = -1;
  const void *ptr = nullptr, *col = nullptr, *val = nullptr;

  bool same_pattern(const AijState& other) const {
    return pattern == other.pattern && ptr == other.ptr && col == other.col && val == other.val;
  }
  friend bool operator==(const AijState&, const AijState&) = default;
};

enum class BlockRole { whole, diagonal, off_diagonal };

class LocalOperator {
 public:
  using V = PetscScalar;

  // Of the matrix A on its device, up to date with A; made with the options of A when there is none.
  static PetscErrorCode current(Mat A, LocalOperator*& found);
  // The same for a device that a solver wants.
  static PetscErrorCode current_on(Mat A, Device device, LocalOperator*& found);
  // As `current`, with the transposed operator.
  static PetscErrorCode current_transposed(Mat A, LocalOperator*& found);
  // A block of a parallel matrix has the options of that one, whose changes count as its own.
  static PetscErrorCode adopt(Mat block, BlockRole role, const MatSettings& settings, PetscObjectState parent);
  // What `current` made, as it is; null when there is none.
  static PetscErrorCode existing(Mat A, LocalOperator*& found);
  static PetscErrorCode forget(Mat A);

  LocalOperator(MatSettings settings, BlockRole role) : settings_(std::move(settings)), role_(role) {}

  // False where a process has more rows or columns than Heddle counts: then AIJ multiplies.
  bool usable() const { return refusal_.empty(); }
  // y = A x, or y = y + A x; likewise with the transposed matrix.
  void multiply(const VectorArrays& on, bool add);
  void multiply_transposed(const VectorArrays& on, bool add);
  // False also of an operator of listed rows alone.
  bool multiplies_many() const { return usable() && rows_.empty(); }
  // In host memory, by A or its transpose. Columns are stride_x and stride_y apart.
  void multiply_many(bool transposed, const V* X, PetscInt stride_x, V* Y, PetscInt stride_y, PetscInt count);
  const Operator<V>& held() const { return *operator_; }

  Device device() const { return settings_.choose.device; }
  std::string describe() const;

 private:
  static PetscErrorCode current(Mat A, const char* key, std::optional<Device> device, bool transposed,
                                LocalOperator*& found);
  void refresh(const AijArrays& arrays, const AijState& now);
  void update(Operator<V>& op, const AijArrays& arrays) const;
  void refresh_transposed(const AijArrays& arrays);
  void rebuild(const AijArrays& arrays);
  void list_rows(const AijArrays& arrays);
  MatrixView<V> view(const AijArrays& arrays, EntryOrder order) const;
  Operator<V> build_by_plan(const MatrixView<V>& matrix) const;
  std::span<const V> gather(const V* x);
  void scatter_add(V* y);
  double flops() const { return 2.0 * static_cast<double>(nnz_); }

  MatSettings settings_;
  BlockRole role_;
  PetscObjectState parent_ = 0;
  AijState state_, transposed_state_;
  std::size_t row_count_ = 0, col_count_ = 0;
  std::int64_t nnz_ = 0, updates_ = 0;
  std::string refusal_ = "no product yet";
  // Most rows of an off-diagonal block are empty: the operator has the listed ones alone. Empty: it has all of them.
  std::vector<PetscInt> rows_;
  std::vector<PetscInt> listed_ptr_;
  std::vector<V> listed_;
  // They may use the arrays of the Mat: PETSc renews these with a change of state, before the next product.
  std::optional<Operator<V>> operator_, transposed_;
};

}  // namespace heddle::petsc

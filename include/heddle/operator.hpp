// Operator: a matrix stored by a plan on a device, ready to multiply as often as needed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <heddle/arrays.hpp>
#include <heddle/device.hpp>
#include <heddle/export.hpp>
#include <heddle/formats.hpp>
#include <heddle/matrix.hpp>
#include <heddle/plan.hpp>
#include <heddle/progress.hpp>
#include <heddle/vectors.hpp>

namespace HEDDLE_PUBLIC heddle {

// Where vectors lie. `detect` asks the driver, once a vector and product, for operators of a GPU; `device` is memory of
// the operator's device, which is then neither asked for nor checked.
enum class Memory { detect, host, device };

// Const functions may be called by several threads at once; all others want the operator to themselves. The GPU that is
// current to the caller stays so.
//
// After it was moved from, every call but assignment and destruction is an Error(usage).
template <class V>
class Operator {
 public:
  struct Impl;
  explicit Operator(std::unique_ptr<Impl> impl);
  Operator(Operator&&) noexcept;
  Operator& operator=(Operator&&) noexcept;
  ~Operator();

  std::int64_t rows() const;
  std::int64_t cols() const;
  std::int64_t nnz() const;
  Device device() const;
  const Plan& plan() const;    // resolved: no "auto" left
  std::int64_t bytes() const;  // held on the device
  // Multiplications share memory of the operator: on several streams one waits for the other, except inside a CUDA
  // graph, whose order is the caller's business.
  bool takes_turns() const;

  // Values that update_values takes: nnz(), or as many as the arrays it was built from have.
  std::int64_t entries() const;
  // Several lines: the plan, why it was chosen, what was converted, which of the caller's arrays are in use, what is
  // copied between host and device.
  std::string explain() const;

  // y = A x, and y = alpha A x + beta y. x and y are host memory, or memory of the operator's device (then nothing is
  // copied, allocated or waited for: the work is queued on `stream`). They must not overlap. beta = 0 never reads y,
  // alpha = 0 never reads A or x; a row without entries gives beta y. Same bits every time.
  void multiply(std::span<const V> x, std::span<V> y, Stream stream = {}, Memory memory = Memory::detect) const;
  void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y, Stream stream = {},
                Memory memory = Memory::detect) const;
  // The same with cols() elements at x and rows() at y.
  void multiply(const V* x, V* y, Memory memory, Stream stream = {}) const;
  void multiply(V alpha, const V* x, V beta, V* y, Memory memory, Stream stream = {}) const;

  // y = alpha A^T x + beta y; the operator must have been built with BuildOptions::transposed.
  void multiply_transposed(V alpha, std::span<const V> x, V beta, std::span<V> y, Stream stream = {},
                           Memory memory = Memory::detect) const;

  // Y = alpha A X + beta Y for k vectors, with the promises of multiply for each of them. csr and most layouts of weave
  // read the matrix once for up to 16 vectors, other formats once for each (docs/formats.md). Both orders are taken as
  // they are; vectors side by side (by_element) are faster where columns are scattered. Formats that multiply one by
  // one take them only after BuildOptions::right_hand_sides has made room.
  void multiply_many(Vectors<const V> x, Vectors<V> y, Stream stream = {}, Memory memory = Memory::detect) const;
  void multiply_many(V alpha, Vectors<const V> x, V beta, Vectors<V> y, Stream stream = {},
                     Memory memory = Memory::detect) const;
  void multiply_many_transposed(V alpha, Vectors<const V> x, V beta, Vectors<V> y, Stream stream = {},
                                Memory memory = Memory::detect) const;

  // New numbers on the old pattern; the plan stays. Their order is that of the canonical Csr, or of the arrays where
  // the operator was built from a MatrixView: entries of the same place are added up as they were then. The first call
  // makes a map from entries to places (after restoring the matrix, on the host) unless BuildOptions::updates has had
  // it made; from then on new values go straight to their places on the device, read once and written once. `val` is
  // host memory (copied to the device first), or memory of the operator's device: then nothing is copied, allocated or
  // waited for, the work is queued on `stream` like a multiplication. Values that had been stored smaller (values=f32,
  // dictionary, constant and the like) stay raw from the first call on, unless the plan asked for it by name: then
  // every call builds anew.
  void update_values(std::span<const V> val, Stream stream = {}, Memory memory = Memory::detect);

  // The matrix it was built from, bit for bit.
  Csr<V> restore() const;

 private:
  template <class U>
  friend typename Operator<U>::Impl& inside(Operator<U>& op);
  std::unique_ptr<Impl> impl_;
};

struct BuildOptions {
  // Where to store and multiply. Empty: the device of a Choice; for a plan what Device::parse("auto") gives.
  std::optional<Device> device;
  bool transposed = false;  // also store the transpose, for multiply_transposed: twice the memory, same determinism
  bool updates = false;     // values will change: they are stored raw, and update_values is fast from its first call on
  int right_hand_sides = 1;  // multiply_many will get so many: room for one x and y, and for what a format needs
  KeepGoing keep_going = {};
};

// Error(unavailable) when the format does not fit the matrix or the device has no room; Error(input) for arrays that
// do not describe a matrix. The matrix is copied, or taken over when it is given up with std::move.
//
// A matrix whose arrays lie on the device of the options already (Buffer::to, or Buffer::adopt for memory of the
// caller; written completely when build is called) is checked there, and csr and most layouts of weave are built there
// (docs/formats.md): the matrix does not travel. Other formats take a copy through the host. The operator is the same
// as from the same matrix in host memory, bit for bit, and ready on every stream when build returns. Arrays on several
// devices are an Error(usage); a matrix on another device than the options' goes through the host.
template <class V>
HEDDLE_PUBLIC Operator<V> build(const Csr<V>& A, const Plan& plan = {}, const BuildOptions& options = {});
template <class V>
HEDDLE_PUBLIC Operator<V> build(Csr<V>&& A, const Plan& plan = {}, const BuildOptions& options = {});

// From arrays of your own. The plan csr uses them where they lie, as far as their types fit: int64 offsets, int32
// columns, counted from 0, rows sorted, on the device of the operator. All else is converted once, on the way.
// Operator::explain says which is which. With BuildOptions::updates values are always copied.
template <class V>
HEDDLE_PUBLIC Operator<V> build(const MatrixView<V>& A, const Plan& plan = {}, const BuildOptions& options = {});

}  // namespace heddle

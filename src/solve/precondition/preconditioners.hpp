// The preconditioners behind make_preconditioner.
#pragma once

#include <heddle/solve.hpp>

#include "solve/krylov/vectors.hpp"

namespace heddle::solve_method {

template <class V>
std::shared_ptr<Preconditioner<V>> make_jacobi(const CsrView<V>& A, Device device, bool positive);
template <class V>
std::shared_ptr<Preconditioner<V>> make_block_jacobi(const CsrView<V>& A, Device device, int block);
template <class V>
std::shared_ptr<Preconditioner<V>> make_chebyshev(const Operator<V>& A, const CsrView<V>& matrix, int degree);
// On the pattern of a power of the matrix.
template <class V>
std::shared_ptr<Preconditioner<V>> make_fsai(const Operator<V>& A, const CsrView<V>& matrix, int power);
template <class V>
std::shared_ptr<Preconditioner<V>> make_spai(const Operator<V>& A, const CsrView<V>& matrix, int power);
template <class V>
std::shared_ptr<Preconditioner<V>> make_amg(const Operator<V>& A, const Csr<V>& matrix,
                                            const PreconditionerOptions& options);

// As preconditioner_for, of an amg that is set up on the host even for a GPU where PreconditionerOptions wish so.
template <class V>
PreconditionerChoice choose_preconditioner(const Csr<V>& A, const std::string& method, Device device, double tolerance,
                                           bool host_setup);

// The inverses of the diagonal entries. Error(input) with the row where there is none.
template <class V>
Buffer<V> inverse_diagonal(const CsrView<V>& A, bool positive);

// Rows of the largest square block that is nearly full everywhere; 0: there is none.
template <class V>
int nearly_full_block(const CsrView<V>& A);
template <class V>
int nearly_full_block(const Csr<V>& A);  // of a matrix on a device: found there

// In host memory: the same arrays where they lie there, else a copy.
template <class V>
Csr<V> on_host(const Csr<V>& A);

// A trip outside of a solve: it neither reads nor writes a state.
template <class V>
Trips<V> trips_on(Device device);

template <class Body, class V>
void run_trip(const Trips<V>& trips, const Body& body, std::int64_t n, Stream stream) {
  std::get<void (*)(const Body&, const Trip&)>(trips)(body, {n, nullptr, nullptr, nullptr, stream});
}

}  // namespace heddle::solve_method

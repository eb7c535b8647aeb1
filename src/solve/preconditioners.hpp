// The preconditioners behind make_preconditioner, each in the file of its name.
#pragma once

#include <heddle/solve.hpp>

#include "solve/vectors.hpp"

namespace heddle::solve_method {

template <class V>
std::shared_ptr<Preconditioner<V>> make_jacobi(const CsrView<V>& A, Device device, bool positive);
template <class V>
std::shared_ptr<Preconditioner<V>> make_block_jacobi(const CsrView<V>& A, Device device, int block);
template <class V>
std::shared_ptr<Preconditioner<V>> make_chebyshev(const Operator<V>& A, const CsrView<V>& matrix, int degree);

// The inverses of the diagonal entries. Error(input) with the row where there is none.
template <class V>
Buffer<V> inverse_diagonal(const CsrView<V>& A, bool positive);

// A trip outside of a solve: it neither reads nor writes a state.
template <class V>
Trips<V> trips_on(Device device);

template <class Body, class V>
void run_trip(const Trips<V>& trips, const Body& body, std::int64_t n, Stream stream) {
  std::get<void (*)(const Body&, const Trip&)>(trips)(body, {n, nullptr, nullptr, nullptr, stream});
}

}  // namespace heddle::solve_method

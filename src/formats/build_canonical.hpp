// build without a look at arrays in host memory, for those that were found to be canonical already. Arrays on a device
// are read all the same: building asks its questions in that pass.
#pragma once

#include <heddle/operator.hpp>

namespace heddle {

template <class V>
Operator<V> build_canonical(const Csr<V>& A, const Plan& plan, const BuildOptions& options);
template <class V>
Operator<V> build_canonical(Csr<V>&& A, const Plan& plan, const BuildOptions& options);

}  // namespace heddle

// An operator from arrays of the caller's, by whatever builds one from a Csr.
#pragma once

#include <functional>

#include <heddle/operator.hpp>

namespace heddle {

// `build_from` gets a Csr whose buffers may be the view's own arrays: it may keep them, but nothing writes to them.
template <class V>
Operator<V> build_brought(const MatrixView<V>& A, bool updates,
                          const std::function<Operator<V>(Csr<V>&& brought)>& build_from);

}  // namespace heddle

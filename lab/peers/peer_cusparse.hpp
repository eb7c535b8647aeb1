// Every algorithm by which cuSPARSE multiplies a sparse matrix with a vector, each prepared as its manual advises.
// Only a build that found cusparse.h has it; whether the library itself is there shows when it is first asked for.
#pragma once

#include "peers/peers.hpp"

namespace heddle::bench {

struct CusparseTable;

std::vector<std::string> cusparse_names(const CusparseTable& table);  // of the algorithms that it has
std::vector<std::string> cusparse_names();
std::string cusparse_version();  // of the library that was loaded; empty: none
std::string cusparse_absence();  // why there are none of them; empty: the library was loaded

// Error(usage) when there is none of that name. Without a table the library is loaded.
template <class V>
std::unique_ptr<Peer<V>> make_cusparse(const std::string& name, Device device, const CusparseTable* table = nullptr);

}  // namespace heddle::bench

#pragma once

#include "peers/peers.hpp"

namespace heddle::bench {

bool petsc_opens();
// MatMult of PETSc has one core per process of MPI, and here is one process: "petsc:aij_one_thread" (CSR) and
// "petsc:sell_one_thread" (slices of eight rows). Error(unavailable) for floats, which the scalars of PETSc are not.
std::vector<std::string> petsc_names();
std::string petsc_version();  // of the header
template <class V>
std::unique_ptr<Peer<V>> make_petsc(const std::string& name);

}  // namespace heddle::bench

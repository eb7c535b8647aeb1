#include "peers/peers.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/check.hpp"
#include "peers/peer_cusparse.hpp"
#include "peers/peer_eigen.hpp"
#include "peers/peer_graphblas.hpp"
#include "peers/peer_mkl.hpp"
#include "peers/peer_openmp.hpp"
#include "peers/peer_petsc.hpp"
#include "peers/peer_rsb.hpp"

namespace heddle::bench {

namespace {

std::string library_of(const std::string& peer) { return peer.substr(0, peer.find(':')); }

// Why a library that is known on the CPU is not there; empty: it is there, or it is unknown.
std::string cpu_absence(const std::string& library) {
  const auto reason = [](bool built, bool opens) {
    return !built ? "Heddle was built without its header" : opens ? "" : "the library cannot be opened";
  };
#ifdef HEDDLE_HAS_EIGEN
  constexpr bool eigen = true;
#else
  constexpr bool eigen = false;
#endif
#ifdef HEDDLE_HAS_OPENMP
  constexpr bool openmp = true;
#else
  constexpr bool openmp = false;
#endif
#ifdef HEDDLE_HAS_RSB
  if (library == "librsb") return reason(true, rsb_opens());
#endif
#ifdef HEDDLE_HAS_GRAPHBLAS
  if (library == "graphblas") return reason(true, graphblas_opens());
#endif
#ifdef HEDDLE_HAS_PETSC
  if (library == "petsc") return reason(true, petsc_opens());
#endif
  if (library == "eigen") return reason(eigen, true);
  if (library == "openmp") return openmp ? "" : "Heddle was built without OpenMP";
  if (library == "mkl") return mkl_opens() ? "" : "libmkl_rt.so cannot be opened; HEDDLE_MKL may say where it is";
  return library == "librsb" || library == "graphblas" || library == "petsc" ? reason(false, false) : "";
}

std::string cpu_version(const std::string& library) {
#ifdef HEDDLE_HAS_EIGEN
  if (library == "eigen") return eigen_version();
#endif
#ifdef HEDDLE_HAS_RSB
  if (library == "librsb") return rsb_version();
#endif
#ifdef HEDDLE_HAS_GRAPHBLAS
  if (library == "graphblas") return graphblas_version();
#endif
#ifdef HEDDLE_HAS_PETSC
  if (library == "petsc") return petsc_version();
#endif
#ifdef HEDDLE_HAS_OPENMP
  if (library == "openmp") return openmp_version();
#endif
  return library == "mkl" ? mkl_version() : "";
}

[[noreturn]] void refuse(const std::string& word, Device device) {
  if (device.kind == Device::Kind::cpu)
    if (const std::string reason = cpu_absence(word); !reason.empty())
      fail(ErrorKind::unavailable, At{word}, "absent: {}", reason);
  const std::string absence = peer_absence(device);
  if (!absence.empty() && library_of(word) == "cusparse") fail(ErrorKind::unavailable, At{word}, "{}", absence);
  std::vector<std::string> known{"all", "none"};
  for (const std::string& name : peer_names(device)) known.push_back(name);
  fail(ErrorKind::usage, {word, fmt::format("peers on {}: {}", to_string(device), fmt::join(known, ", "))},
       "no such peer");
}

}  // namespace

std::vector<std::string> peer_names(Device device) {
  if (device.kind == Device::Kind::cpu) {
    // The threads of OpenMP wait by spinning, which small matrices and busy machines do not forgive: one thread may
    // win.
    std::vector<std::string> names{"eigen", "eigen:one_thread", "openmp", "librsb", "graphblas",
                                   "mkl",   "mkl:one_thread"};
#ifdef HEDDLE_HAS_PETSC
    for (const std::string& name : petsc_names()) names.push_back(name);
#endif
    std::erase_if(names, [](const std::string& name) { return !cpu_absence(library_of(name)).empty(); });
    return names;
  }
#ifdef HEDDLE_HAS_CUSPARSE
  if (device.kind == Device::Kind::gpu && cusparse_absence().empty()) return cusparse_names();
#endif
  return {};
}

template <class V>
bool multiplies(const std::string& name) {
  return sizeof(V) == 8 || library_of(name) != "petsc";
}

std::string peer_absence(Device device) {
  if (device.kind != Device::Kind::gpu) return {};
#ifdef HEDDLE_HAS_CUSPARSE
  const std::string reason = cusparse_absence();
#else
  const std::string reason = "Heddle was built without its header, as of version 12.6 or later";
#endif
  return reason.empty() ? reason : "cuSPARSE is absent: " + reason;
}

std::map<std::string, std::string> peer_versions(Device device) {
#ifdef HEDDLE_HAS_CUSPARSE
  if (device.kind == Device::Kind::gpu && cusparse_absence().empty()) return {{"cusparse", cusparse_version()}};
#endif
  std::map<std::string, std::string> versions;
  if (device.kind != Device::Kind::cpu) return versions;
  for (const std::string& name : peer_names(device)) {
    const std::string library = library_of(name), version = cpu_version(library);
    if (!version.empty()) versions[library] = version;
  }
  return versions;
}

std::vector<std::string> select_peers(const std::vector<std::string>& words, Device device) {
  const std::vector<std::string> known = peer_names(device);
  if (words == std::vector<std::string>{"all"}) return known;
  if (words == std::vector<std::string>{"none"}) return {};
  std::vector<std::string> selected;
  for (const std::string& word : words) {
    const std::size_t before = selected.size();
    std::copy_if(known.begin(), known.end(), std::back_inserter(selected),
                 [&](const std::string& name) { return name == word || library_of(name) == word; });
    if (selected.size() == before) refuse(word, device);
  }
  return selected;
}

template <class V>
std::unique_ptr<Peer<V>> make_peer(const std::string& name, Device device) {
  const std::vector<std::string> known = peer_names(device);
  if (std::find(known.begin(), known.end(), name) == known.end()) refuse(name, device);
#ifdef HEDDLE_HAS_EIGEN
  if (library_of(name) == "eigen") return make_eigen<V>(name);
#endif
#ifdef HEDDLE_HAS_RSB
  if (name == "librsb") return make_rsb<V>();
#endif
#ifdef HEDDLE_HAS_GRAPHBLAS
  if (name == "graphblas") return make_graphblas<V>();
#endif
#ifdef HEDDLE_HAS_PETSC
  if (library_of(name) == "petsc") return make_petsc<V>(name);
#endif
#ifdef HEDDLE_HAS_OPENMP
  if (name == "openmp") return make_openmp<V>();
#endif
  if (library_of(name) == "mkl") return make_mkl<V>(name);
#ifdef HEDDLE_HAS_CUSPARSE
  return make_cusparse<V>(name, device);
#else
  refuse(name, device);
#endif
}

template bool multiplies<float>(const std::string&);
template bool multiplies<double>(const std::string&);
template std::unique_ptr<Peer<float>> make_peer(const std::string&, Device);
template std::unique_ptr<Peer<double>> make_peer(const std::string&, Device);

}  // namespace heddle::bench

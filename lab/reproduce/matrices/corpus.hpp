// Stand-ins for the 1,598 matrices of paper 3: 1,061 with fewer than 10,000 rows and 537 with more, whose numbers of
// rows and entries spread as its Table 2 says, and between these as those of square matrices of the SuiteSparse
// collection did by 2011. Kinds are ours: blocks of a mesh, bands, circuits with long rows, graphs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <heddle/matrix.hpp>

#include "generate/like.hpp"
#include "reproduce/lab.hpp"

namespace heddle::reproduce {

struct CorpusMatrix {
  int number = 0;  // from 0
  const char* kind = "";
  synthetic::LikeProfile profile;

  std::string name() const;  // "corpus 0017, circuit"
  bool small() const { return profile.rows < 10000; }
};

inline constexpr const char* corpus_source = "seeded corpus";  // of its specimens
inline constexpr int small_of_corpus = 1061, large_of_corpus = 537;

// All of them, the small ones first; always the same. Nothing is made yet.
const std::vector<CorpusMatrix>& stand_in_corpus();
// Every `step`-th of each size: the same spread, in less time.
std::vector<CorpusMatrix> part_of_corpus(int step);
Csr<double> matrix_of(const CorpusMatrix& matrix);

// One of the matrices that are measured in its place, and how it is had.
struct CorpusItem {
  std::string name;
  std::function<const Matrix&(Lab& lab)> get;
};
// Every Settings::corpus_step-th stand-in; in a quick run and on the emulator a few small ones; those of a stored
// result.
std::vector<CorpusItem> corpus_items(const Lab& lab);
std::string corpus_origin(const Lab& lab);

}  // namespace heddle::reproduce

// The five source papers on this machine: their test sets, kernels and parameter sweeps, and a verdict for every claim.
#pragma once

#include "reproduce/lab.hpp"
#include "reproduce/outcome.hpp"

namespace heddle::reproduce {

// ellpack_r, csr_ell, rgcsr, ellr_t, model: in the order the papers are numbered.
std::vector<std::string> paper_names();
// Dashes for underscores are fine. Error(usage) when there is no such paper.
std::string parse_paper(const std::string& word);

// How the reason of a claim begins that is left open because no GPU was there.
inline constexpr const char* of_a_gpu = "speaks of a GPU's ";

// Called before each part with what it is and the share done.
using Reporter = std::function<void(const std::string& what, double share)>;

// Never throws on account of one matrix, format or experiment: what went wrong is in Paper::failures, and the claims it
// concerns stay open. When `settings.stopped` says so, the rest is left open and what there is comes back.
Outcome run(const Settings& settings, const std::vector<std::string>& papers, const Reporter& reporter = {});

// The times of a result, judged by the rules of today on the matrices of `settings.folder` and `settings.corpus`, which
// are made or read again. What has no times in the result stays as it was judged then. Error(input) where a matrix is
// not the one that was measured.
Outcome judge_again(const Outcome& stored, Settings settings, const Reporter& reporter = {});

}  // namespace heddle::reproduce

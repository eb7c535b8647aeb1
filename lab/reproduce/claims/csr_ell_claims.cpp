#include "reproduce/claims/claims.hpp"

namespace heddle::reproduce {

std::vector<ClaimText> csr_ell_claims() {
  return {
      {"R11", timed, Likeness::lengths, 1, "the rules for T, M and L come close to an exhaustive search",
       "close (no number)",
       "at most 1.10 times the best time found (our reading of \"close\") on each of the 14 matrices; the search goes "
       "along T, then M, then L"},
      {"R12", timed, Likeness::lengths, 1, "the hybrid beats the better of CSR (vector) and HYB on average",
       "1.25 on average, up to 1.8 (C1060)", "faster in the geometric mean, for each precision"},
      {"R13", exact, Likeness::lengths, 1, "the hybrid stores little more than the entries",
       "2 % on average, 6 % at most: padding, or the starts and ends of the warps and the space for their sums; the "
       "sentence can be read either way",
       "for each of the two readings the mean rounds to at most 2 % and the largest to at most 6 %"},
      {"R14", timed, Likeness::lengths, 1, "building and copying the hybrid costs about 45 multiplications",
       "45 on average (C1060)",
       "geometric mean over the 14 matrices at most 45, from host memory and where the matrix lies on the GPU already"},
      {"R15", timed, Likeness::lengths, 1, "sorted packing beats one thread per row on the synthetic laws F1, F2, F3",
       "9 of 9", "faster than ELLPACK by a thread a row in each of the nine cases"},
      {"R31", timed, Likeness::lengths, 1, "the gain of sorted packing holds whatever the number of rows",
       "figure 2: better in every case, rows a multiple of 32,768",
       "faster than ELLPACK by a thread a row in each case: three laws, three lengths, 2^15 to 2^20 rows"},
      {"R32", timed, Likeness::lengths, 1, "several warps for a long row help CSR, less as rows become many",
       "better; the benefit shrinks with the number of rows (no numbers)",
       "for each length of row above L: faster with the fewest rows, and by less with the most"},
      {"R33", timed, Likeness::lengths, 10.0 / 14, "the hybrid gains more over HYB than sliced ELLPACK does",
       "on 10 of 14 matrices, though its rival was searched exhaustively",
       "faster than sliced ELLPACK searched over slice, window, lanes and block (its kernel as described, or sell) on "
       "10 of 14 matrices, or as large a share of those that are here"},
      {"R16", timed, Likeness::lengths, 1, "CG that begins with HYB and changes over to the hybrid beats CG with HYB",
       "1.20 on average (C1060, double)",
       "geometric mean of the times to solution above 1.0, over all and over those that do not escape to HYB, with the "
       "hybrid built from host memory and from the GPU's"},
      {"R43", timed, Likeness::lengths, 1, "ELL beats CSR (vector) where rows have fewer than about 256 entries",
       "the reason for T of at most 256; no numbers",
       "by the papers' kernels on each matrix of Table I with N Max / nnz of at most 1.3: ELLPACK faster where the "
       "mean "
       "row has fewer than 256 entries, slower where it has more"},
      {"R39", timed, Likeness::itself, 1, "caching x in the L1 beats the texture cache", "C2050, no numbers",
       "on a GPU whose texture cache and L1 are two"},
  };
}

}  // namespace heddle::reproduce

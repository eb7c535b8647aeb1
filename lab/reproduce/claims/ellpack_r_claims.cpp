#include "reproduce/claims/claims.hpp"

namespace heddle::reproduce {

std::vector<ClaimText> ellpack_r_claims() {
  return {
      {"R1", exact, Likeness::itself, 1, "Table I: rows, entries and row-length statistics of the 21 matrices",
       "21 printed rows",
       "every real file agrees to print precision in rows, entries (one more or less), longest row and standard "
       "deviation; printed rows that contradict themselves are named"},
      {"R2", exact, Likeness::itself, 1, "Table I: the share of the entries that HYB keeps in its ELLPACK part",
       "81.1 % to 100 %", "within 1 point of the print for every real file, by the two-thirds rule"},
      {"R3", timed, Likeness::lengths, 1,
       "ELLPACK-R is faster than ELLPACK on the large matrices whose longest row is well above the mean",
       "clearly better on rma10, pdb1HYS, shipsec1, pwtk; ELLPACK or HYB slightly higher on mc2depi and shipsec1; "
       "small matrices weaker",
       "faster, by the papers' kernels, on each matrix of Table I of 10,000 rows and more with N Max / nnz above 1.3 "
       "(our reading of \"well above\")"},
      {"R4", timed, Likeness::lengths, 1,
       "order of the averages weighted by entries: ELLPACK-R, then HYB, then ELLPACK, then the CRS kernels",
       "ELLPACK-R > HYB > ELLPACK > CRS kernels",
       "each of the three steps of that order by the papers' kernels, over the matrices that all six can store"},
      {"R24", timed, Likeness::lengths, 1, "HYB is poor on small matrices, because it takes several kernels",
       "HYB below the others on the small matrices",
       "slower than the best one-kernel format, by the papers' kernels, on every matrix of Table I below 10,000 rows"},
      {"R34", timed, Likeness::lengths, 1,
       "figure 4 in five sentences: which of CRS, CRS (vector), SpMV4GPU, ELLPACK and HYB are ahead, and where",
       "papers 1 and 4: CRS is poorest; rates grow with the entries; ELLPACK is above CRS and CRS (vector) in general; "
       "HYB is at or below ELLPACK on qcd5_4, mc2depi, cop20k_A, wbp128, consph, wbp256; SpMV4GPU is above CRS "
       "(vector) on most, on which the papers differ",
       "each of the five sentences, by the papers' kernels, for more than half of the matrices or kernels it speaks "
       "of"},
      {"R38", timed, Likeness::lengths, 1, "the GPU's products are at least twice as fast as MKL's (papers 1 and 2)",
       "ELLPACK-R 2 to 13.1 times MKL on one core; the hybrid 2 to 8 times",
       "at least 2 for ELLPACK-R over one core on each matrix of Table I, and for the hybrid over all cores on each of "
       "paper 2's; MKL where it is found, else csr"},
      {"R42", timed, Likeness::lengths, 1,
       "ELLPACK-R \"does not require any preprocessing\", against formats that reorder (papers 1 and 4)", "no numbers",
       "building ellr takes less time than building what sorts rows, both in the same place, on each matrix: sell, "
       "both built on the host and sent, and csr_ell, both built on the host for the host"},
  };
}

}  // namespace heddle::reproduce

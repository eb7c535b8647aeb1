#include "reproduce/claims.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace heddle::reproduce {

namespace {

constexpr bool exact = true, timed = false;

struct Entry {
  const char* id;
  bool exact;
  const char *statement, *then, *rule;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> list{
      {"R1", exact, "rows, entries and row-length statistics of the 21 matrices of paper 1's Table I",
       "21 printed rows",
       "every matrix that is here (a real file, or one its construction fixes) agrees to print precision in rows, "
       "entries (one more or less), longest row and standard deviation; printed rows that contradict themselves are "
       "named"},
      {"R2", exact, "share of the entries that HYB keeps in its ELLPACK part, by the two-thirds rule",
       "81.1 % to 100 %",
       "within 1 point for 6 of 7 of the matrices that are here (a real file, or one its construction fixes)"},
      {"R3", timed, "ELLPACK-R gains over ELLPACK, the more the more padding there is, and nothing without",
       "always, most on rma10, pdb1HYS, shipsec1, pwtk",
       "faster on every case with N Max / nnz above 1.3, more so at the largest padding than at the least, and within "
       "10 % at equal rows"},
      {"R4", timed, "order of the averages weighted by entries: ELLPACK-R, HYB, ELLPACK, then the CSR kernels",
       "ELLPACK-R > HYB > ELLPACK > CRS kernels",
       "the same order of the weighted means over the matrices that all six kernels can store"},
      {"R5", timed, "the best of the twelve ELLR-T beats one lane per row, and 16 or more lanes are never best",
       "ELLR-T* fastest on all 21, T in 1, 2, 4, 8",
       "no matrix of Table I is multiplied faster (by more than 2 %) with 16 or 32 lanes per row"},
      {"R6", timed, "the best T rises with the mean row length", "T = 1 for short rows, more for long ones",
       "over matrices of a million entries and more: rank correlation of mean length and best T at least 0.7, and best "
       "T above 1 wherever the mean is above 32"},
      {"R7", exact, "artificial zeros of row-grouped CSR grow with the group; one long row multiplies them",
       "105, 144, 206, 304 % on average for 32, 64, 128, 256; at 128 trans4 2118.1 %, Raj1 938.2 %, sorted 1452.8 %, "
       "189.3 %",
       "the average grows with the group; on trans4 and Raj1 (real: to print precision; by rows, entries and longest "
       "row alone: sorted within 5 %) the zeros are those printed"},
      {"R8", timed, "groups of 128 or 256 rows beat groups of 32", "avg GFLOP/s 3.19, 4.18, 4.38, 4.37 (float)",
       "mean GFLOP/s over matrices of 10,000 rows and more is highest at 128 or 256, in float and in double"},
      {"R9", timed, "one very long row ruins row-grouped CSR", "trans4 105 times, Raj1 38 times slower than HYB",
       "at least 10 times slower than HYB on a matrix like trans4"},
      {"R10", exact, "T, M and L follow from the mean of the rows below 256 entries; a row gets at most 8 lanes",
       "T 32..256, M 6..32, L = 32 M",
       "the rule gives the table of the specification, and no row of the 14 matrices more than 8 lanes"},
      {"R11", timed, "the rule comes close to an exhaustive search over T, M and L", "close (no number)",
       "at most 1.10 times the best time found on 12 of 14 matrices; the search goes along T, then M, then L"},
      {"R12", timed, "the hybrid beats the better of CSR-vector and HYB", "1.25 on average, up to 1.8 (C1060)",
       "geometric mean at least 1.0 in float and in double"},
      {"R13", exact, "the hybrid stores little more than the entries", "2 % on average, 6 % at most",
       "mean at most 3 %, largest at most 6.5 % over the 14 matrices"},
      {"R14", timed, "building and copying the hybrid costs about 45 multiplications", "45 on average (C1060)",
       "geometric mean over the 14 matrices at most 45 (built on the CPU)"},
      {"R15", timed, "sorted packing beats one thread per row on all nine synthetic cases", "9 of 9",
       "faster than the better of ELLPACK and ELLPACK-R in all nine"},
      {"R16", timed, "CG that begins with HYB and changes over beats CG with HYB", "1.20 on average (C1060, double)",
       "geometric mean of the times to solution above 1.0"},
      {"R17", timed, "reading x takes a tenth to a quarter of the time, more on irregular matrices",
       "3 % to 26 %, 13 % on average (C1060, float)",
       "the mean share over Accelerator, Circuit and Web is above that over the finite-element matrices"},
      {"R18", timed, "D0, D1, D2 fitted on artificial matrices predict the time without x",
       "within 7 % on four matrices", "median error at most 10 % on sizes of at least 4 passes that were not fitted"},
      {"R19", exact, "16 bits hold every column distance of most matrices, of more after RCM", "7 of 11, then 10 of 11",
       "7 and 10 of the eleven real matrices; stand-ins cannot tell, their rows are numbered in another way"},
      {"R20", timed, "16-bit columns gain up to the bytes they save", "16.2 % float, 10.5 % double; bound 33 %, 20 %",
       "matrices that no cache holds: geometric mean from 1.15 to 1.33 in float and from 1.08 to 1.20 in double"},
      {"R21", timed, "streaming the matrix past the L1 gains", "17.7 % float, 13.7 % double (GTX 480)",
       "geometric mean of plain over streamed at least 1.0 in float and in double"},
      {"R22", timed, "RCM makes reading x cheaper on irregular matrices, not on blocked or regular ones",
       "25 % less t_x on 5 of 11; nothing on Protein and QCD",
       "t_x falls by more than 2 % of the whole time on Accelerator, Circuit and Web, and by less on Protein and QCD"},
      {"R23", timed, "caching x pays", "up to 1.81 float, 1.3 double (GTX 280)",
       "geometric mean of x past the L1 over x through it above 1.0 in float and in double"},
      {"R24", timed, "HYB is poor on small matrices: it takes several kernels",
       "HYB below the others under 10,000 rows",
       "slower than the best one-kernel format on most matrices below 10,000 rows, and by 10 % in the geometric mean"},
  };
  return list;
}

}  // namespace

Claim claim(const std::string& id) {
  const auto found =
      std::find_if(entries().begin(), entries().end(), [&](const Entry& entry) { return id == entry.id; });
  check(found != entries().end(), ErrorKind::internal, "no claim {}", id);
  return {.id = id,
          .statement = found->statement,
          .exact = found->exact,
          .then = found->then,
          .now = {},
          .rule = found->rule,
          .basis = {},
          .verdict = Verdict::not_testable,
          .reason = "not run"};
}

std::vector<std::string> claim_ids() {
  std::vector<std::string> ids;
  for (const Entry& entry : entries()) ids.emplace_back(entry.id);
  return ids;
}

}  // namespace heddle::reproduce

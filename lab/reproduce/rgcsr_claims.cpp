#include "reproduce/claims.hpp"

namespace heddle::reproduce {

std::vector<ClaimText> rgcsr_claims() {
  return {
      {"R7", exact, Likeness::lengths, 1,
       "artificial zeros of row-grouped CSR grow with the group; one long row multiplies them, sorted or not",
       "105, 144, 206, 304 % on average for 32, 64, 128, 256; at 128 sorted: trans4 1452.8 %, Raj1 189.3 %",
       "the average grows at each of the three steps; trans4 and Raj1 sorted have the printed zeros (real file: to "
       "print precision, stand-in: within 5 %); the unsorted zeros and those of fd18 and G2_circuit are judged on real "
       "files alone"},
      {"R8", timed, Likeness::lengths, 1, "groups of 128 rows are best, 256 about as good, 32 and 64 worse",
       "avg GFLOP/s 3.19, 4.18, 4.38, 4.37 (float)",
       "mean GFLOP/s over matrices of 10,000 rows and more is highest at 128 or 256, for each precision"},
      {"R9", timed, Likeness::lengths, 1, "one very long row ruins row-grouped CSR: 30 to 100 times slower than HYB",
       "trans4 105 times, Raj1 38 times slower than HYB", "at least 10 times slower than HYB on each of the two"},
      {"R23", timed, Likeness::pattern, 1, "caching x pays", "up to 1.81 float, 1.3 double (GTX 280)",
       "geometric mean of x past the L1 over x through it above 1.0, for each precision, by the paper's kernel"},
  };
}

}  // namespace heddle::reproduce

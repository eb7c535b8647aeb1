#include "reproduce/claims.hpp"

namespace heddle::reproduce {

std::vector<ClaimText> ellr_t_claims() {
  return {
      {"R5", timed, Likeness::lengths, 1, "T of 16 and more threads per row is never the best", "T in 1, 2, 4, 8",
       "no matrix of Table I is multiplied faster (by more than 2 %) with 16 or 32 threads per row"},
  };
}

}  // namespace heddle::reproduce

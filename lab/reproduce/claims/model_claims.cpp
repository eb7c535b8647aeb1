#include "reproduce/claims/claims.hpp"

namespace heddle::reproduce {

std::vector<ClaimText> model_claims() {
  return {
      {"R17", timed, Likeness::pattern, 1,
       "reading x takes 3.4 to 25.7 % of the time, most on Accelerator, Circuit and Web",
       "25.7, 25.4, 24.8 % there; 3.4 to 17.1 % on the other eight; 13 % on average (C1060, float)",
       "the share lies between 3.4 and 25.7 % for each of the eleven matrices, and on Accelerator, Circuit and Web it "
       "is "
       "above that of every other"},
      {"R18", timed, Likeness::lengths, 1, "D0, D1, D2 fitted on artificial matrices describe the time without x",
       "constants in Table 2, no error given",
       "within 10 % (our reading of \"describe\") on each size that was not fitted, of 4 passes and more, and on each "
       "of "
       "the eleven matrices that fills a pass, as all of them did then; caches cold"},
      {"R47", timed, Likeness::lengths, 1, "16-bit columns lower D2, the price of an entry, and not D0 and D1",
       "Table 2: D2 falls by 22.0 and 6.4 % (C1060), 10.9 and 14.0 % (GTX 480)",
       "for each precision D2 falls by more than 2 %, and by more than D0 and D1 do"},
      {"R19", exact, Likeness::itself, 1, "16 bits hold every column distance of most matrices, of more after RCM",
       "7 of 11, then 10 of 11", "7 and 10 of the eleven real matrices"},
      {"R48", exact, Likeness::itself, 8.0 / 11, "RCM lowers the bandwidth of most of the matrices", "of 8 of 11",
       "of 8 of the eleven real matrices, or of as large a share of those that are here"},
      {"R20", timed, Likeness::pattern, 1, "16-bit columns gain up to the bytes they save",
       "16.2 % float, 10.5 % double; bound 25 % and 16.7 % of the data",
       "matrices that no cache holds: faster in the geometric mean, by no more than the bytes saved, for each "
       "precision"},
      {"R21", timed, Likeness::pattern, 1,
       "loading the matrix past the caches and x through the data cache gains over textures",
       "17.7 % float, 13.7 % double (GTX 480)",
       "strategy 3 faster than strategy 1 in the geometric mean, by the paper's kernels, for each precision"},
      {"R22", timed, Likeness::itself, 1,
       "RCM makes reading x cheaper on irregular matrices, not on blocked or regular ones",
       "25 % less t_x on 5 of 11; nothing on Protein and QCD",
       "t_x falls by more than 2 % of the whole time on each of Accelerator, Circuit and Web, and by less on each of "
       "Protein and QCD"},
      {"R26", timed, Likeness::pattern, 1,
       "RCM with 16-bit columns gains over ELLPACK and HYB (C1060), strategy 3 with RCM over strategy 1 (GTX 480)",
       "16 % float, 12.6 % double in t_all over eleven matrices; 19 %, 15 % over ten",
       "faster in the geometric mean for each of the two, in each precision, by the paper's kernels; the first without "
       "stand-ins whose columns 16 bits hold and the paper's not, or the other way round"},
      {"R30", timed, Likeness::pattern, 0.9,
       "the matrix past the caches (strategy 2) beats plain loads (strategy 1) in 20 of 22 cases",
       "the printed table has 18 of 20; speed-ups I, II, III 14.3, 17.7, 19.0 % float, 10.2, 13.7, 15.0 % double",
       "on 18 of 20 matrices and precisions"},
      {"R41", timed, Likeness::pattern, 1, "gains on the C1060 carry over to the GTX 480",
       "best times 52.9 % shorter by ratio in float, 75.6 % in double (Table 7)", "needs both devices"},
  };
}

}  // namespace heddle::reproduce

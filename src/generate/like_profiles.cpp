// Rows, entries and longest rows as papers and collections print them. The longest row of a matrix that only the
// collection's statistics name is a guess.

#include "generate/like.hpp"

namespace heddle::synthetic {

namespace {

constexpr LikeProfile near(const char* name, std::int64_t rows, std::int64_t nnz, std::int64_t longest,
                           LengthProfile lengths) {
  return {name, rows, rows, nnz, longest, Numbering::near, lengths};
}
constexpr LikeProfile made_by(const char* name, std::int64_t rows, std::int64_t nnz, std::int64_t longest,
                              const char* text) {
  LikeProfile profile{name, rows, rows, nnz, longest, Numbering::other};
  profile.text = text;
  return profile;
}
// `deviation` of the row lengths; `ny` = 0: a plate or a shell.
constexpr LikeProfile blocks(const char* name, std::int64_t rows, std::int64_t nnz, std::int64_t longest,
                             double deviation, std::int64_t dof, std::int64_t nx, std::int64_t ny = 0) {
  return {name, rows, rows, nnz, longest, Numbering::blocks, {.deviation = deviation}, dof, nx, ny};
}

constexpr LikeProfile profiles[] = {
    // Table I of ELLPACK-R and ELLR-T
    near("qh1484", 1484, 6110, 13, {.deviation = 1.60}),
    near("dw2048", 2048, 10114, 8, {.deviation = 0.61}),
    near("rbs480a", 480, 17087, 36, {.deviation = 0.49}),
    near("gemat12", 4929, 33111, 44, {.deviation = 3.01}),
    near("dw8192", 8192, 41746, 8, {.deviation = 0.61}),
    near("mhd3200a", 3200, 68026, 33, {.deviation = 5.83}),
    near("e20r4000", 4241, 131556, 62, {.deviation = 15.40}),
    blocks("bcsstk24", 3562, 159910, 57, 11.49, 6, 20),
    {"mac_econ", 206500, 206500, 1273389, 44, Numbering::economics, {.law = LengthLaw::geometric}},
    made_by("qcd5_4", 49152, 1916928, 39, "qcd,l=8"),
    made_by("mc2depi", 525825, 2100225, 4, "epidemiology"),
    blocks("rma10", 46835, 2374001, 145, 27.78, 5, 96),
    {"cop20k_A", 121192, 121192, 2624331, 81, Numbering::scattered, {.law = LengthLaw::mesh, .empty = 0.176}},
    made_by("wbp128", 16384, 3933095, 256, "tomography,n=128"),
    made_by("dense2", 2000, 4000000, 2000, "dense,rows=2000"),
    blocks("cant", 62451, 4007383, 78, 14.06, 3, 9, 9),
    blocks("pdb1HYS", 36417, 4344765, 204, 31.86, 3, 23, 23),
    blocks("consph", 83334, 6010480, 81, 19.08, 3, 30, 30),
    blocks("shipsec1", 140874, 7813404, 102, 11.07, 6, 153),
    blocks("pwtk", 217918, 11634424, 181, 4.74, 6, 190),
    made_by("wbp256", 65536, 31413932, 512, "tomography,n=256"),
    // the set of Williams and others
    {"scircuit", 170998, 170998, 958936, 353, Numbering::wires, {.surplus = 40, .law = LengthLaw::circuit}},
    {"webbase-1M", 1000005, 1000005, 3105536, 4700, Numbering::hosts, {.law = LengthLaw::power}},
    {"rail4284", 4284, 1092610, 11279748, 56181, Numbering::anywhere, {.law = LengthLaw::steep}},
    // row-grouped CSR
    near("fd18", 16428, 63406, 6, {.deviation = 1.2}),
    near("G2_circuit", 150102, 726674, 6, {.deviation = 0.9, .shortest = 2}),
    near("trans4", 116835, 766396, 114190, {.surplus = 16, .law = LengthLaw::circuit}),
    near("Raj1", 263743, 1302464, 40468, {.surplus = 30, .law = LengthLaw::circuit}),
    // symmetric positive definite, more than 100,000 rows, in the collection by 2011
    blocks("cfd2", 123440, 3087898, 30, 4, 1, 50, 50),
    blocks("af_shell3", 504855, 17588875, 45, 4, 5, 226),
    blocks("bmw7st_1", 141347, 7339667, 126, 18, 6, 150),
    blocks("bmwcra_1", 148770, 10644002, 180, 22, 3, 36, 36),
    blocks("hood", 220542, 10768436, 78, 13, 3, 42, 42),
    blocks("ship_003", 121728, 8086034, 144, 14, 6, 142),
    blocks("shipsec5", 179860, 10113118, 126, 12, 6, 173),
    blocks("shipsec8", 114919, 6653399, 126, 12, 6, 138),
    blocks("x104", 108384, 10167624, 204, 34, 6, 26, 26),
    blocks("thermal2", 1228045, 8580313, 11, 0.8, 1, 1108),
    blocks("G3_circuit", 1585478, 7660826, 6, 0.6, 1, 1259),
    blocks("apache2", 715176, 4817870, 8, 0.6, 1, 89, 89),
    blocks("boneS01", 127224, 6715152, 81, 16, 3, 34, 34),
    blocks("msdoor", 415863, 20240935, 78, 13, 3, 51, 51),
    blocks("Dubcova3", 146689, 3636649, 49, 13, 1, 383),
    blocks("BenElechi1", 245874, 13150496, 54, 2.5, 6, 202),
    blocks("parabolic_fem", 525825, 3674625, 7, 0.2, 1, 725),
    blocks("ecology2", 999999, 4995991, 5, 0.1, 1, 1000),
    blocks("tmt_sym", 726713, 5080961, 9, 0.3, 1, 852),
    blocks("2cubes_sphere", 101492, 1647264, 31, 3, 1, 46, 46),
    blocks("thermomech_TC", 102158, 711558, 10, 0.9, 1, 319),
    blocks("thermomech_dM", 204316, 1423116, 10, 0.9, 1, 452),
    blocks("offshore", 259789, 4242673, 31, 3, 1, 63, 63),
};

}  // namespace

std::span<const LikeProfile> like_profiles() { return profiles; }

const LikeProfile& like_profile(const Arguments& given) {
  const std::string& name = given.text_of("name");
  std::vector<std::string> names;
  for (const LikeProfile& profile : profiles) {
    if (profile.name == name) return profile;
    names.emplace_back(profile.name);
  }
  given.reject("name", suggestion(name, names) + "there are " + listed(names));
}

}  // namespace heddle::synthetic

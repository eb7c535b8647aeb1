#include "generate/families.hpp"
#include "generate/random.hpp"

namespace heddle::synthetic {

namespace {

//  Hopping part of the Wilson operator on a periodic lattice of l^4 sites; row = (site, spin, colour), colour fastest.
//  Each coupling of two (site, spin) is a full 3 x 3 colour block (a link).
//
//      6 space neighbours    (1 -+ gamma) couples spin s with s and with one partner     6 * 2 * 3 = 36
//      2 time neighbours     (1 -+ gamma_4) is diagonal with half its entries zero:
//                            spins 0, 1 hop back, spins 2, 3 hop forth                   1 * 1 * 3 =  3
//
//  39 entries in every row (l >= 3; on smaller lattices the two neighbours of a direction are one site).
class Qcd : public Rows {
 public:
  explicit Qcd(std::int64_t side)
      : Rows(12.0 * fourth(side), 12.0 * fourth(side), 12.0 * 39 * fourth(side)), l_(side) {}

  void pattern(std::int64_t row, Row& out) const override {
    // gamma_1 and gamma_2 exchange spins 0-3 and 1-2, gamma_3 exchanges 0-2 and 1-3.
    const std::int64_t spin = row / 3 % 4, site = row / 12;
    const std::int64_t partner[3] = {3 - spin, 3 - spin, (spin + 2) % 4};
    out.col.clear();
    for (int direction = 0; direction < 3; ++direction)
      for (const int step : {-1, 1}) {
        const std::int64_t other = neighbour(site, direction, step);
        couple(other, spin, out);
        couple(other, partner[direction], out);
      }
    couple(neighbour(site, 3, spin < 2 ? -1 : 1), spin, out);
    sort_columns(out.col);
  }

 private:
  static double fourth(std::int64_t l) {
    const double square = static_cast<double>(l) * static_cast<double>(l);
    return square * square;
  }
  std::int64_t neighbour(std::int64_t site, int direction, int step) const {
    std::int64_t stride = 1;
    for (int d = 0; d < direction; ++d) stride *= l_;
    const std::int64_t x = site / stride % l_;
    return site + ((x + step + l_) % l_ - x) * stride;
  }
  static void couple(std::int64_t site, std::int64_t spin, Row& out) {
    for (int colour = 0; colour < 3; ++colour) out.col.push_back(static_cast<Index>((site * 4 + spin) * 3 + colour));
  }

  std::int64_t l_;
};

}  // namespace

Generator qcd_generator() {
  return {"qcd",
          "hopping term on a periodic 4D lattice, 3 x 3 blocks, 39 entries a row (like conf5_4-8x8)",
          false,
          {{"l", "8", "lattice points per side: 12 l^4 rows"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> {
            return std::make_unique<Qcd>(given.integer("l", 0, 65536));
          }};
}

}  // namespace heddle::synthetic

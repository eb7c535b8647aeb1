#include <cmath>
#include <utility>

#include "generate/families.hpp"

namespace heddle::synthetic {

namespace {

// cos and sin of x in [0, pi/4] by their series. The library's own may differ in the last bit between machines.
std::pair<double, double> small_cos_sin(double x) {
  const double square = x * x;
  double cosine = 1, sine = 1;
  for (int k = 20; k >= 2; k -= 2) {
    cosine = 1 - square / (k * (k - 1)) * cosine;
    sine = 1 - square / (k * (k + 1)) * sine;
  }
  return {cosine, x * sine};
}

// Of pi a / n for 0 <= a <= n.
std::pair<double, double> cos_sin(std::int64_t a, std::int64_t n) {
  constexpr double pi = 3.14159265358979323846;
  if (2 * a > n) {
    const auto [c, s] = cos_sin(n - a, n);
    return {-c, s};
  }
  if (4 * a > n) {
    const auto [s, c] = small_cos_sin(pi * static_cast<double>(n - 2 * a) / static_cast<double>(2 * n));
    return {c, s};
  }
  return small_cos_sin(pi * static_cast<double>(a) / static_cast<double>(n));
}

//  Back-projection of parallel rays: row = pixel of an n x n image, columns = n angles x n detector bins.
//
//      \ t \ . \          pixel (x, y) projects to t = x cos + y sin (about the centre) and lies between two bins:
//       \ . \ . \         weights 1 - f and f of the linear interpolation; pixels in the corners of the image miss
//      --+---+---+--      the detector at some angles.
class Tomography : public Rows {
 public:
  explicit Tomography(std::int64_t side)
      : Rows(static_cast<double>(side) * static_cast<double>(side),
             static_cast<double>(side) * static_cast<double>(side),
             1.8 * static_cast<double>(side) * static_cast<double>(side) * static_cast<double>(side)),
        n_(side) {
    for (std::int64_t a = 0; a < side; ++a) angles_.push_back(cos_sin(2 * a + 1, 2 * side));
  }

  void pattern(std::int64_t row, Row& out) const override {
    out.col.clear();
    each_ray(row, [&](std::int64_t column, double) { out.col.push_back(static_cast<Index>(column)); });
  }
  void values(std::int64_t row, Row& out) const override {
    std::size_t k = 0;
    each_ray(row, [&](std::int64_t, double weight) { out.val[k++] = weight; });
  }

 private:
  template <class F>
  void each_ray(std::int64_t pixel, F f) const {
    const double centre = static_cast<double>(n_ - 1) / 2;
    const std::int64_t column = pixel % n_, line = pixel / n_;
    const double x = static_cast<double>(column) - centre, y = static_cast<double>(line) - centre;
    for (std::int64_t a = 0; a < n_; ++a) {
      const auto& [cosine, sine] = angles_[static_cast<std::size_t>(a)];
      const double t = x * cosine + y * sine + centre, low = std::floor(t), share = t - low;
      const std::int64_t bin = static_cast<std::int64_t>(low);
      if (bin >= 0 && bin < n_) f(a * n_ + bin, 1 - share);
      if (share > 0 && bin + 1 >= 0 && bin + 1 < n_) f(a * n_ + bin + 1, share);
    }
  }

  std::int64_t n_;
  Vector<std::pair<double, double>> angles_;
};

}  // namespace

Generator tomography_generator() {
  return {"tomography",
          "back-projection of an n x n image from n angles: about 1.9 n entries a row (like wbp128)",
          true,
          {{"n", "128", "pixels per side, angles, and bins: n^2 rows and columns"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> {
            return std::make_unique<Tomography>(given.integer("n", 0, 46340));
          }};
}

}  // namespace heddle::synthetic

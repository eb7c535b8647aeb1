#include <algorithm>

#include <heddle/io.hpp>

#include "core/check.hpp"
#include "generate/families.hpp"

namespace heddle::synthetic {

namespace {

// Of the graph whose edges are the off-diagonal entries of A or of its transpose: -1 per edge, and on the diagonal the
// number of edges plus shift. Strictly diagonally dominant for shift > 0: SPD.
class Laplacian : public Rows {
 public:
  Laplacian(Csr<double> of, double shift)
      : Rows(static_cast<double>(of.rows), static_cast<double>(of.cols), static_cast<double>(of.nnz())),
        A_(std::move(of)),
        T_(transpose(A_.view())),
        shift_(shift) {
    symmetric = true;
  }

  void pattern(std::int64_t row, Row& out) const override {
    const auto row_of = [row](const Csr<double>& M) {
      return std::pair(M.col.data() + M.ptr[row], M.col.data() + M.ptr[row + 1]);
    };
    const auto [a, a_end] = row_of(A_);
    const auto [t, t_end] = row_of(T_);
    out.col.clear();
    std::set_union(a, a_end, t, t_end, std::back_inserter(out.col));
    const auto place = std::lower_bound(out.col.begin(), out.col.end(), static_cast<Index>(row));
    if (place == out.col.end() || *place != row) out.col.insert(place, static_cast<Index>(row));
  }

  void values(std::int64_t row, Row& out) const override {
    const double edges = static_cast<double>(out.col.size() - 1);
    for (std::size_t k = 0; k < out.col.size(); ++k) out.val[k] = out.col[k] == row ? edges + shift_ : -1.0;
  }

 private:
  Csr<double> A_, T_;
  double shift_;
};

// A generator inside a generator is a call inside a call: the text does not get to choose how deep they go.
void limit_nesting(const Arguments& given, const std::string& text) {
  constexpr int most = 16;
  int found = 0;
  for (std::size_t at = text.find("gen:"); at != std::string::npos; at = text.find("gen:", at + 1)) ++found;
  if (found > most)
    given.reject("of", fmt::format("names {} generators inside each other, at most {} may be", found, most));
}

}  // namespace

Generator laplacian_generator() {
  return {"laplacian",
          "graph Laplacian of another matrix's pattern, plus shift; SPD",
          true,
          {{"of", "", "a matrix file, or gen:KIND,... (then it takes the rest of the text: write it last)"},
           {"shift", "1", "added to the diagonal; must be positive for a definite matrix"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> {
            const std::string& of = given.text_of("of");
            if (of.empty()) given.reject("of", "is missing: of=FILE names the matrix");
            limit_nesting(given, of);
            const double shift = given.real("shift", 0, 1e300);
            Csr<double> A = read_matrix<double>(of);
            if (A.rows != A.cols)
              fail(ErrorKind::input, At{of}, "{} rows and {} columns: a graph needs as many of both", A.rows, A.cols);
            return std::make_unique<Laplacian>(std::move(A), shift);
          }};
}

}  // namespace heddle::synthetic

#include "reproduce/papers/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace heddle::reproduce {

namespace {

class Search {
 public:
  Search(Lab& lab, const Matrix& matrix)
      : lab_(lab), matrix_(matrix), lengths_(matrix.lengths()), rule_(csr_ell_by_rules(matrix.A.view())) {
    std::sort(lengths_.begin(), lengths_.end());
    found_.rule = found_.best = rule_;
    found_.rule_seconds = found_.best_seconds = seconds(rule_);
  }

  Found run() {
    const int step = lab_.quick() ? 160 : 32;
    if (rule_.escape) keep_if_better({.T = rule_.T, .M = rule_.M, .L = rule_.L, .escape = 0});
    along(&CsrEllSettings::T, 8, 512, step);
    along(&CsrEllSettings::M, 4, 320, step / 2);
    along(&CsrEllSettings::L, 4 * 32, 64 * 32, 8 * step);
    return found_;
  }

 private:
  // Settings with the same key store the matrix in the same way: T by the rows below it, M no further than the longest
  // of them, L no further than the longest row.
  std::tuple<std::int64_t, int, int, int> key(const CsrEllSettings& s) const {
    const auto cut = std::lower_bound(lengths_.begin(), lengths_.end(), std::int64_t{s.T});
    const std::int64_t longest_ell = cut == lengths_.begin() ? 0 : *(cut - 1);
    const std::int64_t longest_csr = cut == lengths_.end() ? 0 : lengths_.back();
    return {cut - lengths_.begin(), static_cast<int>(std::min<std::int64_t>(s.M, longest_ell)),
            static_cast<int>(std::min<std::int64_t>(s.L, longest_csr)), s.escape};
  }
  double seconds(const CsrEllSettings& s) {
    ++found_.tried;
    tried_.insert(key(s));
    return lab_.seconds(matrix_, "csr_ell " + to_text(s) + (s.escape ? " escape=yes" : " escape=no"), Precision::f32);
  }
  void along(int CsrEllSettings::*setting, int first, int last, int step) {
    const CsrEllSettings from = found_.best;
    for (int value = first; value <= last; value += step) {
      CsrEllSettings tried = from;
      tried.*setting = value;
      if (!tried_.contains(key(tried))) keep_if_better(tried);
    }
  }
  void keep_if_better(const CsrEllSettings& tried) {
    if (const double time = seconds(tried); time < found_.best_seconds) found_.best_seconds = time, found_.best = tried;
  }

  Lab& lab_;
  const Matrix& matrix_;
  std::vector<std::int64_t> lengths_;  // ascending
  CsrEllSettings rule_;
  std::set<std::tuple<std::int64_t, int, int, int>> tried_;
  Found found_;
};

}  // namespace

Found search_settings(Lab& lab, const Matrix& matrix) { return Search(lab, matrix).run(); }

std::string to_text(const CsrEllSettings& settings) {
  return fmt::format("T={} M={} L={}", settings.T, settings.M, settings.L);
}

}  // namespace heddle::reproduce

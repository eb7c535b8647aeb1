// What was seen of a claim, piece by piece, and the word that follows from it.
#pragma once

#include "reproduce/claims/claims.hpp"
#include "reproduce/lab.hpp"

namespace heddle::reproduce {

struct Ruling {
  Verdict verdict = Verdict::not_testable;
  std::size_t held = 0, judged = 0;
  std::vector<std::string> against;
};

// Times this close are equal. What is said to be faster has to be so by more than a tie; what is said to be no slower
// may be slower by a tie.
inline constexpr double tie = 1.02;
inline bool is_faster(double ratio) { return ratio > tie; }  // the other's time over its own
inline bool is_no_slower(double ratio) { return ratio * tie >= 1; }

class Findings {
 public:
  // unit: what is counted, in the plural: "matrices", "precisions", "steps".
  Findings(ClaimText claim, std::string unit) : claim_(claim), unit_(std::move(unit)) {}

  // It holds for this matrix or not. One that cannot say anything about the claim takes no part.
  void see(const Matrix& matrix, bool holds) { see(matrix, matrix.facts.name, holds); }
  // Likewise where a matrix is judged more than once: "cant, float".
  void see(const Matrix& matrix, const std::string& name, bool holds);
  // It holds for something that is no matrix: a precision, a step of an order, a size.
  void add(const std::string& name, bool holds) { seen_.push_back({name, holds}); }
  // Nothing was measured where `value` is missing.
  void add_above(const std::string& name, double value, double limit);
  void see_above(const Matrix& matrix, double value, double limit);
  // Of the other's time over its own.
  void add_faster(const std::string& name, double ratio) { add_above(name, ratio, tie); }
  void see_faster(const Matrix& matrix, double ratio) { see_above(matrix, ratio, tie); }

  bool fit(const Matrix& matrix) const { return matrix.likeness >= claim_.needs; }
  // Those that can say something; they are what the findings rest on, the others are noted as set aside.
  std::vector<const Matrix*> fit_among(const std::vector<const Matrix*>& matrices);
  // What the findings rest on that is no list of matrices: "8 sizes of 4 to 8 passes".
  void rest_on(const std::string& what) { other_basis_ = what; }

  const char* id() const { return claim_.id; }
  const std::string& unit() const { return unit_; }
  std::string basis() const;
  // confirmed: it holds for the claim's share of them; refuted: for none; mixed: for some. Nothing seen: not testable.
  Ruling ruling() const;

 private:
  struct Finding {
    std::string name;
    bool holds;
  };
  void rests_on(const Matrix& matrix);
  ClaimText claim_;
  std::string unit_, other_basis_;
  std::vector<Finding> seen_;
  std::vector<const Matrix*> used_, set_aside_;
};

}  // namespace heddle::reproduce

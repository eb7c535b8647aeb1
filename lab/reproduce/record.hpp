// What an experiment writes into: the tables, figures and verdicts of its paper.
#pragma once

#include "reproduce/claims/findings.hpp"
#include "reproduce/lab.hpp"
#include "reproduce/numbers.hpp"

namespace heddle::reproduce {

struct Experiment;

class Record {
 public:
  Record(Lab& the_lab, Paper& paper) : lab(the_lab), paper_(paper) {}
  Lab& lab;

  // What is seen of the claim goes in there.
  Findings findings(const std::string& id, const std::string& unit = "matrices") const {
    return {claim_text(id), unit};
  }
  // The word that follows from the findings; without any it stays open. A claim about times is judged on a GPU only;
  // elsewhere `now` is shown all the same. `number`: the one that tells most.
  void judge(const Findings& seen, const std::string& now, const std::string& number = {});
  // There is nothing to judge by.
  void leave_open(const std::string& id, const std::string& reason, const std::string& now = {},
                  const std::string& basis = {});
  // Must hold by construction; counts as no claim.
  void self_check(const std::string& what, bool holds, const std::string& now) {
    paper_.self_checks.push_back({what, now, holds});
  }
  // What no paper says.
  void also_measured(const std::string& what, const std::string& now, const std::string& basis) {
    paper_.also_measured.push_back({what, now, basis});
  }
  void add(Table table) { paper_.tables.push_back(std::move(table)); }
  void add(Figure figure) { paper_.figures.push_back(std::move(figure)); }
  // The one that stands for the paper on a page with a picture for each.
  void add_main(Figure figure) {
    paper_.main_figure = figure.title;
    add(std::move(figure));
  }
  // The matrix, or null when it cannot be had; the reason is then among the failures.
  const Matrix* try_matrix(const std::string& name) { return try_to_get(&Lab::matrix, name); }
  const Matrix* try_whole(const std::string& name) { return try_to_get(&Lab::whole, name); }
  std::vector<const Matrix*> try_matrices(const std::vector<std::string>& names);
  // The claims and tables of an experiment as the stored result has them.
  void keep_as_stored(const Experiment& experiment);
  // Null unless a stored result is judged again and has it.
  const Figure* stored_figure(const std::string& title) const;
  void failed(const std::string& what) { paper_.failures.push_back(what); }

 private:
  Claim& claim_of(const std::string& id);
  const Paper* stored_paper() const;
  const Matrix* try_to_get(const Matrix& (Lab::*get)(const std::string&), const std::string& name);
  Paper& paper_;
};

// One part of a paper: the claims it decides, and the work. Without claims it has a name.
struct Experiment {
  std::vector<std::string> claims;
  void (*run)(Record& record);
  const char* name = "";
  // Of one whose times are not stored: how the titles of its tables, and what it measured besides, begin. When a stored
  // result is judged again it stays as it is.
  std::vector<const char*> kept = {};
};

struct PaperPlan {
  const char *name, *title, *authors;
  std::vector<Experiment> experiments;
};

// GFLOP/s of Table I by format in both precisions, for the first paper.
void rates_in_both_precisions(Record& record);

// One file each.
PaperPlan ellpack_r_paper();
PaperPlan csr_ell_paper();
PaperPlan rgcsr_paper();
PaperPlan ellr_t_paper();
PaperPlan model_paper();

}  // namespace heddle::reproduce

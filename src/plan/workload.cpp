#include "plan/workload.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "formats/format.hpp"
#include "plan/custom_work.hpp"

namespace heddle {

namespace {

// One line per format the model knows. Order decides between equal predictions: simple ones first.
const Family* const families[] = {&csr_family,   &csr_split_family, &csr_ell_family, &sell_family,
                                  &rgcsr_family, &ellr_family,      &ell_family,     &csr_padded_family,
                                  &hyb_family,   &coo_family,       &dia_family,     &ell16_family,
                                  &bell_family,  &weave_family,     &bcsr_family,    &runs_family};

}  // namespace

Target target_of(const Machine& machine) {
  return {machine.kind != Device::Kind::cpu, machine.units, machine.isa, machine.gathers};
}

std::span<const Family* const> model_families() { return families; }

const Family* find_family(const std::string& format) {
  const auto found = std::find_if(std::begin(families), std::end(families),
                                  [&](const Family* family) { return family->format == format; });
  return found == std::end(families) ? find_custom_family(format) : *found;
}

Workload workload(const Family& family, const Subject& subject, const Plan& plan) {
  Workload w = (subject.target.on_gpu ? family.gpu : family.cpu)(subject, plan);
  if (w.alone < 0) w.alone = subject.longest();
  w.fits = w.stored < 1e15 && !too_much_padding(static_cast<std::int64_t>(std::ceil(w.stored)), subject.facts.nnz);
  return w;
}

}  // namespace heddle

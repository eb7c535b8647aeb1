#include "solve/amg/steps.hpp"

#include "core/check.hpp"
#include "simt/where.hpp"

namespace heddle::solve_method {

namespace {
At at_amg() { return {"amg", "use --precond jacobi or none, with --method minres or gmres"}; }
}  // namespace

void fail_diagonal(std::int64_t row, double entry) {
  fail(ErrorKind::input, at_amg(), "the diagonal entry of row {} is {}: amg needs positive ones", row + 1, entry);
}
void fail_energy(double entry) {
  fail(ErrorKind::input, at_amg(),
       "a sum over neighbouring unknowns has the energy {:.3g}: the matrix is not positive definite", entry);
}
void fail_not_finite() { fail(ErrorKind::input, "there is an Inf or NaN in the matrix"); }
void fail_negative_pivot() {
  fail(ErrorKind::input, at_amg(), "a pivot of the coarsest grid is negative: the matrix is not positive definite");
}
void fail_too_long(std::int64_t most) {
  fail(ErrorKind::unavailable, "a grid has rows of more than {} entries: too long for a set-up on the device", most);
}
void fail_too_many(std::int64_t entries) {
  fail(ErrorKind::unavailable, "{} entries are too many to be sorted on the device", entries);
}

std::unique_ptr<Steps> steps_on(Device device) {
  if (device.kind == Device::Kind::cpu) return steps_on_host();
  return on_gpu(device, [&](auto where) { return steps_on(where, device); });
}

}  // namespace heddle::solve_method

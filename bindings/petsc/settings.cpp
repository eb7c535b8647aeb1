#include "settings.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <heddle/device.hpp>
#include <thread>

#include "guarded.hpp"

namespace heddle::petsc {

namespace {

int rank_on_node = 0;

}  // namespace

Device device_of_rank(const std::string& text) {
  Device device = Device::parse(text);
  const bool any = device.kind == Device::Kind::gpu && text.find(':') == std::string::npos;
  if (!any) return device;
  const auto all = devices();
  const auto gpus = std::count_if(all.begin(), all.end(),
                                  [](const DeviceInfo& info) { return info.device.kind == Device::Kind::gpu; });
  if (gpus > 1) device.ordinal = rank_on_node % static_cast<int>(gpus);
  return device;
}

PetscErrorCode share_the_node() {
  MPI_Comm node = MPI_COMM_NULL;
  PetscMPIInt ranks = 1;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PetscCallMPI(MPI_Comm_size(node, &ranks));
  PetscCallMPI(MPI_Comm_rank(node, &rank_on_node));
  PetscCallMPI(MPI_Comm_free(&node));
  if (std::getenv("HEDDLE_THREADS")) PetscFunctionReturn(PETSC_SUCCESS);
  // A rank that is bound to few cores has these to itself or shares them; one that is not bound shares the node.
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  set_threads(std::max(1, std::min(threads(), cores / ranks)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode read_settings(Mat A, MatSettings& settings) {
  std::array<char, 512> plan{}, off_diagonal{}, effort{}, device{};
  PetscReal expected = settings.choose.expected_multiplies;
  PetscInt wanted_threads = threads();
  PetscBool found = PETSC_FALSE;
  const char* prefix = nullptr;
  const MPI_Comm comm = PetscObjectComm(as_object(A));
  PetscFunctionBegin;
  PetscCall(MatGetOptionsPrefix(A, &prefix));
  PetscOptionsBegin(comm, prefix, "Products by Heddle", "Mat");
  PetscCall(PetscOptionsString("-mat_heddle_plan", "format and settings; on several ranks of the diagonal block",
                               nullptr, "chosen", plan.data(), plan.size(), nullptr));
  PetscCall(PetscOptionsString("-mat_heddle_offdiag_plan", "of the off-diagonal block", nullptr, "chosen",
                               off_diagonal.data(), off_diagonal.size(), nullptr));
  PetscCall(PetscOptionsString("-mat_heddle_effort", "model, measure or exhaustive", nullptr, "model", effort.data(),
                               effort.size(), nullptr));
  PetscCall(PetscOptionsReal("-mat_heddle_expected_multiplies", "for how many products to choose; 0: very many",
                             nullptr, expected, &expected, nullptr));
  PetscCall(PetscOptionsString("-mat_heddle_device", "cpu, gpu, gpu:1, emulator or auto", nullptr, "cpu", device.data(),
                               device.size(), nullptr));
  PetscCall(PetscOptionsInt("-mat_heddle_threads", "of this process, for all that Heddle does", nullptr, wanted_threads,
                            &wanted_threads, &found));
  PetscCall(PetscOptionsBool("-mat_heddle_view", "a line for each operator that is built", nullptr, settings.view,
                             &settings.view, nullptr));
  PetscOptionsEnd();
  PetscCall(guarded(comm, [&] {
    settings.plan = plan.data();
    settings.off_diagonal_plan = off_diagonal.data();
    for (const std::string* text : {&settings.plan, &settings.off_diagonal_plan})
      if (!text->empty()) find_format(Plan::parse(*text).format);
    if (effort[0]) settings.choose.effort = parse_effort(effort.data());
    if (device[0]) settings.choose.device = device_of_rank(device.data());
    settings.choose.expected_multiplies = expected;
    if (found) set_threads(static_cast<int>(wanted_threads));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace heddle::petsc

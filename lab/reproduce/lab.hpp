// Where the papers' experiments are done: matrices by name, real or stand-in, each made once; timings, each taken once.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "bench/results.hpp"
#include "machine/timing.hpp"
#include "reproduce/kernels/literal.hpp"
#include "reproduce/kernels/pseudo_x.hpp"
#include "reproduce/matrices/test_sets.hpp"
#include "reproduce/outcome.hpp"

namespace heddle::reproduce {

enum class Precision { f32, f64 };
const char* name_of(Precision precision) noexcept;
inline constexpr Precision both[] = {Precision::f32, Precision::f64};

// Seconds of a plan or of another thing that is timed, on a matrix; "building csr_ell" is the build of a plan.
using PlantedTimes = std::function<double(const std::string& matrix, const std::string& what, Precision precision)>;

struct Settings {
  Device device;
  double seconds = 0.02;            // for every timing
  bool quick = false;               // small matrices, one call each: to see that everything runs
  std::string folder;               // of real matrices; empty: stand-ins only
  std::function<bool()> stopped;    // asked before every timing and experiment; empty: never
  std::string corpus = {};          // a folder of matrices for paper 3's experiments; empty: stand-ins
  int corpus_step = 10;             // of the 1,598 stand-ins of paper 3's corpus every so manieth is taken; 1: all
  PlantedTimes planted = {};        // nothing is timed: the rules judge these, for their tests
  const Outcome* stored = nullptr;  // nothing is timed: the rules judge the times of this one
};

// What planted times go with.
inline constexpr double planted_read_gbps = 100, planted_sheet_gbps = 125;

enum class Caches { warm, cold };
enum class Cores { one, all };
enum class Columns { bits32, bits16 };

// y = A x by a lane per row: all of it, and without reading x.
struct TimeSplit {
  double all = bench::unknown, without_x = bench::unknown;
  double entries =
      1;  // share of the matrix that was multiplied: long rows are cut where padding would exceed threefold
  double x_share() const { return 1 - without_x / all; }
};

struct Matrix {
  Specimen facts;
  Csr<double> A;
  Likeness likeness = Likeness::itself;
  mutable std::optional<Csr<float>> rounded = {};

  template <class V>
  const Csr<V>& as() const;
  std::vector<std::int64_t> lengths() const;
  double padding_of_ellpack() const {  // N Max / nnz
    return static_cast<double>(facts.rows) * static_cast<double>(facts.longest) / static_cast<double>(facts.nnz);
  }
};

class Lab {
 public:
  explicit Lab(Settings settings);
  const Settings& settings() const { return settings_; }
  bool on_gpu() const { return settings_.device.kind == Device::Kind::gpu; }
  bool quick() const { return settings_.quick; }
  bool planted() const { return static_cast<bool>(settings_.planted); }
  bool measures() const { return !planted() && settings_.stored == nullptr; }
  // The papers' own kernels, which the CPU has not.
  bool has_lane_kernel() const { return settings_.device.kind != Device::Kind::cpu || planted(); }
  bool stopped() const { return settings_.stopped && settings_.stopped(); }

  // A matrix of the papers: from a file of its name, else its stand-in. `whole` is of full size even in a quick run:
  // for what is counted, not timed.
  const Matrix& matrix(const std::string& name);
  const Matrix& whole(const std::string& name);
  bool has_file(const std::string& name) const;
  // A large positive definite matrix of the collection: from a file of its name, else one that is like it.
  const Matrix& definite(const std::string& name);
  // The file of that name in the folder of the corpus. Error(input) where it cannot be read.
  const Matrix& in_corpus(const std::string& name);
  // "gen:..." text.
  const Matrix& generated(const std::string& text);
  const Matrix& made(const std::string& name, const std::string& source, const std::function<Csr<double>()>& make);
  // The same matrix in another order or the like: it stays as near to the paper's as it was.
  const Matrix& changed(const Matrix& matrix, const std::string& name, const std::function<Csr<double>()>& make);
  // P A P^T by reverse Cuthill-McKee.
  const Matrix& in_rcm_order(const Matrix& matrix);
  // Gives back the memory of one that will not be asked for again.
  void forget(const Matrix& matrix);

  // Seconds of y = A x by a plan; NaN when it could not be had, for the reason in `measurements`. Cold on a GPU only.
  double seconds(const Matrix& matrix, const std::string& plan, Precision precision, Caches caches = Caches::warm);
  double build_seconds(const Matrix& matrix, const std::string& plan, Precision precision);
  double gflops(const Matrix& matrix, const std::string& plan, Precision precision);
  // The same by one of the papers' own kernels; the CPU has none.
  double seconds(const Matrix& matrix, const Literal& literal, Precision precision, Caches caches = Caches::warm);
  double gflops(const Matrix& matrix, const Literal& literal, Precision precision);
  // MKL where it is found, else csr, on the host, in float. NaN unless the device is a GPU.
  double host_seconds(const Matrix& matrix, Cores cores);
  std::string host_rival(Cores cores) const;  // "MKL on one core", "csr on all cores"
  // Of building for the host's own use, in float.
  double build_seconds_of_host(const Matrix& matrix, const std::string& plan);
  // By a plan on one core of the host.
  double gflops_of_one_core(const Matrix& matrix, const std::string& plan, Precision precision);
  // The same by paper 5's kernel (pseudo_x.hpp), with and without reading x.
  const TimeSplit& split(const Matrix& matrix, Precision precision, Columns columns, Caches caches = Caches::warm);
  // Any other timing: call(stream) on the device, warm or cold. The seconds are kept under these names.
  double timed(const std::string& matrix, const std::string& what, Precision precision, Caches caches,
               const std::function<void(Stream)>& call);

  double read_gbps() const;   // of the device, measured
  double sheet_gbps() const;  // by its data sheet; NaN where it is not known
  // How far times of the same product lie apart.
  std::vector<std::string> notes() const;
  // Matrices that a stored result has measured from their files, which are not here.
  std::vector<std::string> missing_files(const Outcome& stored) const;

  // A call on the device, which is kept nowhere.
  Timing time_call(Caches caches, const std::function<void(Stream)>& call);
  const std::vector<Specimen>& specimens() const { return specimens_; }  // in the order they were asked for
  const std::vector<Measurement>& measurements() const { return measurements_; }

 private:
  const Measurement& measured(const Matrix& matrix, const std::string& plan, Precision precision, Caches caches);
  Measurement& put(const std::string& key, Measurement taken);
  void take_stored_plans(const Matrix& matrix);
  // What the words of a plan come to on this matrix.
  std::string settled(const Matrix& matrix, const std::string& plan, Precision precision);
  const Matrix& keep(const std::string& key, Matrix made);
  const Matrix& of_subject(const std::string& key, const Subject& subject, bool small);

  Settings settings_;
  std::map<std::string, std::unique_ptr<Matrix>> matrices_;
  std::vector<Specimen> specimens_;
  std::vector<Measurement> measurements_;
  std::map<std::string, std::size_t> index_;  // of measurements_
  std::map<std::string, std::string> settled_;
  std::map<std::string, std::vector<const Measurement*>> stored_plans_;  // by matrix, those not asked for yet
  std::vector<double> apart_;  // of equal products, the longer over the shorter
  std::map<std::string, TimeSplit> splits_;
  std::unique_ptr<CacheEviction> eviction_;  // of a CPU, made when it is first wanted
};

// Entries of a row that paper 5's kernel takes: all, or the first K by the two-thirds rule where rows are too unequal
// for ELLPACK.
std::int64_t kept_width(const Matrix& matrix);

// "4 real files, 2 fixed constructions, 15 stand-ins"
std::string basis_of(const std::vector<const Matrix*>& matrices);

}  // namespace heddle::reproduce

// heddle_preconditioner_*: those of the library, and those of the caller.
#include <heddle/foreign.hpp>

#include "guard.hpp"
#include "solve_options.hpp"

using namespace heddle::c;
using heddle::Csr;
using heddle::Operator;
using heddle::Preconditioner;

namespace {

template <class V>
class OwnPreconditioner : public Preconditioner<V> {
 public:
  OwnPreconditioner(heddle_apply function, bool symmetric, bool varies, void (*release)(void*), void* context)
      : apply_(function), symmetric_(symmetric), varies_(varies), release_(release), context_(context) {}
  OwnPreconditioner(const OwnPreconditioner&) = delete;
  ~OwnPreconditioner() override {
    if (release_) release_(context_);
  }
  std::string name() const override { return "own"; }
  void apply(std::span<const V> r, std::span<V> z, heddle::Stream stream) const override {
    if (apply_(context_, r.data(), z.data(), stream.handle) != 0) throw Stopped{};
  }
  bool varies() const override { return varies_; }
  bool symmetric() const override { return symmetric_; }

 private:
  heddle_apply apply_;
  bool symmetric_, varies_;
  void (*release_)(void*);
  void* context_;
};

template <class V>
std::unique_ptr<heddle_preconditioner> handle_of(std::shared_ptr<Preconditioner<V>> made, int64_t rows,
                                                 heddle::Device device, const Origin& origin) {
  return std::make_unique<heddle_preconditioner>(heddle_preconditioner{std::move(made), rows, device, origin});
}

}  // namespace

heddle_status heddle_preconditioner_create(const heddle_operator* op, const heddle_matrix* matrix, const char* name,
                                           const heddle_preconditioner_options* options,
                                           heddle_preconditioner** result) {
  return guard([&] {
    auto& made = needed(result, "result");
    const auto& mine = needed(op, "op");
    const char* word = &needed(name, "name");
    std::visit(
        [&]<class V>(const Operator<V>& A) {
          Csr<V> restored;
          auto M = make_preconditioner(word, A, matrix_or_restored(matrix, A, restored),
                                       preconditioner_options(options, mine.rows));
          if (!M) wrong_usage("\"none\" is no preconditioner", "name");
          made = handle_of(std::move(M), mine.rows, A.device(), mine.origin).release();
        },
        mine.op);
  });
}

heddle_status heddle_preconditioner_create_own(heddle_type type, int64_t rows, heddle_apply apply, int32_t symmetric,
                                               int32_t varies, void (*release)(void*), void* context,
                                               heddle_preconditioner** result) {
  return guard([&] {
    auto& made = needed(result, "result");
    if (!apply) wrong_usage("NULL", "apply");
    if (rows < 0) wrong_usage("a number from 0 on is needed", "rows");
    const auto create = [&]<class V>(V) {
      std::shared_ptr<Preconditioner<V>> M =
          std::make_shared<OwnPreconditioner<V>>(apply, symmetric != 0, varies != 0, release, context);
      made = handle_of(std::move(M), rows, heddle::Device::cpu(), {}).release();
    };
    if (type == HEDDLE_F64)
      create(double{});
    else if (type == HEDDLE_F32)
      create(float{});
    else
      wrong_usage("values are HEDDLE_F64 or HEDDLE_F32", "type");
  });
}

heddle_status heddle_preconditioner_apply(const heddle_preconditioner* preconditioner, const void* r, void* z,
                                          heddle_stream stream) {
  return guard([&] {
    const auto& mine = needed(preconditioner, "preconditioner");
    std::visit(
        [&]<class V>(const std::shared_ptr<Preconditioner<V>>& M) {
          apply_from_anywhere<V>(*M, mine.device, input<V>(r, mine.rows, "r"), output<V>(z, mine.rows, "z"), {stream});
        },
        mine.made);
  });
}

heddle_status heddle_preconditioner_update(heddle_preconditioner* preconditioner, const void* values,
                                           heddle_keep_going keep_going, void* context, int64_t* changed) {
  return guard([&] {
    auto& mine = needed(preconditioner, "preconditioner");
    int64_t found = 0;
    const auto update = [&]<class V>(const std::shared_ptr<Preconditioner<V>>& M) {
      const auto given = input<V>(values, mine.origin.values, "values");
      found = update_from_anywhere<V>(*M, mine.device, mine.origin.map.get(), given);
    };
    heddle::watched(keep_going_of(keep_going, context), "set up", [&] { std::visit(update, mine.made); });
    if (changed) *changed = found;
  });
}

heddle_status heddle_rigid_body_modes(const double* coordinates, int64_t nodes, int32_t dimension, double* modes) {
  return guard([&] {
    if (nodes < 0) wrong_usage("a number from 0 on is needed", "nodes");
    if (dimension != 2 && dimension != 3) wrong_usage("2 or 3 is needed", "dimension");
    if (nodes > 0) need_memory(modes, "modes");
    const auto made = heddle::rigid_body_modes(input<double>(coordinates, nodes * dimension, "coordinates"), dimension);
    std::copy(made.begin(), made.end(), modes);
  });
}

void heddle_preconditioner_destroy(heddle_preconditioner* preconditioner) { delete preconditioner; }

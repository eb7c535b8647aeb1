// heddle_operator_*: stored by a plan, given new values, looked at.
#include "guard.hpp"
#include "operator_options.hpp"

using namespace heddle::c;
using heddle::Buffer;
using heddle::Csr;
using heddle::Operator;
using heddle::Plan;

namespace {

// The best candidate that can be built.
template <class V>
Operator<V> built_from(const Csr<V>& A, const heddle::Choice& choice, const heddle::BuildOptions& options) {
  for (const heddle::Candidate& candidate : choice.candidates) {
    if (!candidate.fits) continue;
    try {
      return build(A, candidate.plan, options);
    } catch (const heddle::Error& e) {
      if (e.kind() != heddle::ErrorKind::unavailable) throw;
    }
  }
  return build(A, choice.plan, options);
}

template <class V>
std::unique_ptr<heddle_operator> operator_of(const Csr<V>& A, const heddle_options& o, const Origin& origin) {
  std::optional<heddle::Choice> choice;
  const heddle::BuildOptions how = build_options(o);
  ask(o, 0, "choosing");
  if (chosen(o)) choice = choose(A, choose_options(o));
  ask(o, 0.5, "building");
  Operator<V> op = choice ? built_from(A, *choice, how) : build(A, Plan::parse(o.plan), how);
  auto made = std::make_unique<heddle_operator>(heddle_operator{std::move(op), origin, std::move(choice)});
  made->rows = A.rows, made->cols = A.cols, made->nnz = A.nnz();
  made->transposed = how.transposed, made->updates = how.updates, made->right_hand_sides = how.right_hand_sides;
  return made;
}

// The values of the csr from those in the caller's order. They make the way through the host.
template <class V>
Buffer<V> in_order(const heddle_operator& op, const void* values, heddle::Device device) {
  const Buffer<heddle::Offset>& places = *op.origin.places;
  const auto given = Buffer<V>::borrow(input<V>(values, places.size()), device);
  const Buffer<V> fetched = device.host_memory() ? Buffer<V>() : given.to(heddle::Device::cpu());
  const V* from = device.host_memory() ? given.data() : fetched.data();
  Buffer<V> sorted(op.nnz);
  std::fill(sorted.begin(), sorted.end(), V(0));
  for (int64_t k = 0; k < places.size(); ++k) sorted[places[k]] += from[k];
  return sorted;
}

}  // namespace

heddle_status heddle_operator_create(const heddle_matrix* matrix, const heddle_options* options,
                                     heddle_operator** result) {
  return guard([&] {
    auto& made = needed(result, "result");
    const auto& from = needed(matrix, "matrix");
    const heddle_options o = taken(options);
    std::visit([&](const auto& A) { made = operator_of(A, o, from.origin).release(); }, from.csr);
  });
}

heddle_status heddle_operator_get_info(const heddle_operator* op, heddle_operator_info* info) {
  return guard([&] {
    auto& result = needed(info, "info");
    const auto& from = needed(op, "op");
    heddle_operator_info mine{};
    mine.rows = from.rows, mine.cols = from.cols, mine.nnz = from.nnz;
    mine.values = from.origin.values;
    mine.type = type_of_handle(from);
    std::visit(
        [&](const auto& A) {
          mine.bytes = A.bytes();
          mine.device = device_of(A.device());
        },
        from.op);
    mine.transposed = from.transposed, mine.updates = from.updates, mine.right_hand_sides = from.right_hand_sides;
    hand_over(mine, &result);
  });
}

heddle_status heddle_operator_plan(const heddle_operator* op, char* text, int64_t capacity, int64_t* length) {
  return guard([&] {
    hand_over(std::visit([](const auto& A) { return to_string(A.plan()); }, needed(op, "op").op), text, capacity,
              length);
  });
}

heddle_status heddle_operator_restore(const heddle_operator* op, heddle_matrix** matrix) {
  return guard([&] {
    auto& result = needed(matrix, "matrix");
    const auto& from = needed(op, "op");
    std::visit([&](const auto& A) { result = new heddle_matrix{A.restore(), from.origin}; }, from.op);
  });
}

heddle_status heddle_operator_update(heddle_operator* op, const void* values, heddle_stream stream) {
  return guard([&] {
    auto& mine = needed(op, "op");
    if (mine.origin.values > 0) need_memory(values, "values");
    std::visit(
        [&]<class V>(Operator<V>& A) {
          if (mine.origin.places) {
            A.update_values(in_order<V>(mine, values, A.device()), {stream});
          } else {
            A.update_values(input<V>(values, mine.nnz), {stream});
          }
        },
        mine.op);
  });
}

void heddle_operator_destroy(heddle_operator* op) { delete op; }

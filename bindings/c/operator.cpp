// heddle_operator_*: stored by a plan, given new values, looked at.
#include "guard.hpp"
#include "operator_options.hpp"

using namespace heddle::c;
using heddle::Csr;
using heddle::Operator;
using heddle::Plan;

namespace {

template <class V>
std::unique_ptr<heddle_operator> operator_of(const Csr<V>& A, const heddle_options& o, const Origin& origin) {
  const heddle::BuildOptions how = build_options(o);
  auto made = handle_of(chosen(o) ? optimize(A, choose_options(o), how) : build(A, Plan::parse(o.plan), how), origin);
  made->transposed = how.transposed, made->updates = how.updates, made->right_hand_sides = how.right_hand_sides;
  return made;
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
    mine.type = type_of(from);
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

heddle_status heddle_operator_restore(const heddle_operator* op, heddle_keep_going keep_going, void* context,
                                      heddle_matrix** matrix) {
  return guard([&] {
    auto& result = needed(matrix, "matrix");
    const auto& from = needed(op, "op");
    heddle::watched(keep_going_of(keep_going, context), "restore", [&] {
      std::visit([&](const auto& A) { result = new heddle_matrix{A.restore(), from.origin, {}}; }, from.op);
    });
  });
}

heddle_status heddle_operator_update_known(heddle_operator* op, heddle_memory memory, const void* values,
                                           heddle_stream stream) {
  return guard([&] {
    auto& mine = needed(op, "op");
    const auto where = memory_of(memory);
    std::visit(
        [&]<class V>(Operator<V>& A) { A.update_values(input<V>(values, A.entries(), "values"), {stream}, where); },
        mine.op);
  });
}

heddle_status heddle_operator_update(heddle_operator* op, const void* values, heddle_stream stream) {
  return heddle_operator_update_known(op, HEDDLE_DETECT, values, stream);
}

void heddle_operator_destroy(heddle_operator* op) { delete op; }

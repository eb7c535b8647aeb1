// heddle_overlapped_*: products by csr until another thread has stored the matrix by a better plan.
#include <heddle/overlapped.hpp>

#include "guard.hpp"
#include "operator_options.hpp"

using namespace heddle::c;
using heddle::Csr;
using heddle::Overlapped;

struct heddle_overlapped {
  std::variant<Overlapped<double>, Overlapped<float>> made;
  Origin origin;
  std::string failure{};  // once it was taken
};

namespace {

heddle::ChooseOptions choosing(const heddle_options& o) {
  if (!chosen(o)) wrong_usage("the plan is chosen by another thread", "plan");
  if (o.transposed || o.updates || o.right_hand_sides)
    wrong_usage("transposed, updates and right_hand_sides are not for it", "options");
  return choose_options(o);
}

template <class V>
std::unique_ptr<heddle_overlapped> overlapped_of(const Csr<V>& A, const Origin& origin,
                                                 const heddle::ChooseOptions& options) {
  return std::make_unique<heddle_overlapped>(heddle_overlapped{Overlapped<V>(A, options), origin});
}

}  // namespace

heddle_status heddle_overlapped_create(const heddle_matrix* matrix, const heddle_options* options,
                                       heddle_overlapped** result) {
  return guard([&] {
    auto& made = needed(result, "result");
    const auto& from = needed(matrix, "matrix");
    const heddle::ChooseOptions how = choosing(taken(options));
    made = std::visit([&](const auto& A) { return overlapped_of(A, from.origin, how); }, from.csr).release();
  });
}

heddle_status heddle_overlapped_multiply(const heddle_overlapped* overlapped, double alpha, const void* x, double beta,
                                         void* y, heddle_stream stream) {
  return guard([&] {
    const auto& mine = needed(overlapped, "overlapped");
    std::visit(
        [&]<class V>(const Overlapped<V>& A) {
          const auto& op = A.now();
          op.multiply(static_cast<V>(alpha), input<V>(x, op.cols(), "x"), static_cast<V>(beta),
                      output<V>(y, op.rows(), "y"), {stream});
        },
        mine.made);
  });
}

heddle_status heddle_overlapped_settled(const heddle_overlapped* overlapped, int32_t* settled) {
  return guard([&] {
    auto& result = needed(settled, "settled");
    result = std::visit([](const auto& A) { return A.settled(); }, needed(overlapped, "overlapped").made) ? 1 : 0;
  });
}

heddle_status heddle_overlapped_plan(const heddle_overlapped* overlapped, char* text, int64_t capacity,
                                     int64_t* length) {
  return guard([&] {
    const auto plan = [](const auto& A) { return to_string(A.now().plan()); };
    hand_over(std::visit(plan, needed(overlapped, "overlapped").made), text, capacity, length);
  });
}

heddle_status heddle_overlapped_take(heddle_overlapped* overlapped, heddle_operator** result, const char** failure) {
  return guard([&] {
    auto& made = needed(result, "result");
    auto& mine = needed(overlapped, "overlapped");
    std::visit(
        [&](auto& A) {
          A.wait();
          mine.failure = A.error();
          made = handle_of(std::move(A).take(), mine.origin).release();
        },
        mine.made);
    if (failure) *failure = mine.failure.c_str();
  });
}

void heddle_overlapped_destroy(heddle_overlapped* overlapped) { delete overlapped; }

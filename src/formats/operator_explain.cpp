// What an operator is, why, and what became of the arrays it was built from.
#include "formats/operator_state.hpp"

namespace heddle {

namespace {

std::string listed(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

template <class Impl>
std::string arrays_of_caller(const Impl& impl) {
  std::string text;
  if (!impl.conversions.empty()) text += fmt::format("converted once: {}\n", listed(impl.conversions, "; "));
  if (impl.lent.empty()) return text + "the caller's arrays: not in use any more\n";
  return text + fmt::format("the caller's arrays in use, not copied: {}\n", listed(impl.lent, ", "));
}

template <class Impl>
std::string updates(const Impl& impl) {
  if (impl.order.identity()) return {};
  const char* sums = impl.order.first.empty() ? "" : ", those of the same place are added up";
  return fmt::format("update_values: {} values in the caller's order{}\n", impl.order.given, sums);
}

std::string transfers(Device device) {
  const std::string there = to_string(device);
  return fmt::format(
      "vectors: on {} used where they are; in host memory copied to {} for each product, which then waits for it\n",
      there, there);
}

}  // namespace

template <class V>
std::string Operator<V>::explain() const {
  const Impl& impl = held(impl_);
  std::string text = fmt::format("{} on {}: {} x {}, {} entries, {} bytes\n", to_string(impl.own.plan),
                                 to_string(impl.device), impl.rows, impl.cols, impl.nnz, bytes());
  if (impl.reason.text) text += fmt::format("chosen: {}\n", impl.reason.text());
  if (impl.transposed.store) text += fmt::format("transpose: {}\n", to_string(impl.transposed.plan));
  if (impl.from_view) text += arrays_of_caller(impl) + updates(impl);
  if (!impl.device.host_memory()) text += transfers(impl.device);
  return text;
}

template std::string Operator<float>::explain() const;
template std::string Operator<double>::explain() const;

}  // namespace heddle

// What is asked of one matrix, each question once, whichever step of a build wants the answer: whether its arrays are a
// matrix, its longest row, and how its values are best stored. Of a matrix on a device, questions are queued; only
// answers wait.
#pragma once

#include <utility>

#include "codec/value_table.hpp"
#include "formats/format.hpp"
#include "simt/csr/device_pattern.hpp"

namespace heddle {

template <class V>
class BuildBoard {
 public:
  explicit BuildBoard(Source<V> source) : source_(source) {}

  const Source<V>& source() const { return source_; }
  const CsrView<V>& matrix() const { return source_.view; }
  Device device() const { return source_.device; }

  // Room for the check is taken when somebody first names it: before the first kernel.
  template <class Where>
  PatternCheck& check(Where where) {
    if (!check_) check_.emplace(where, matrix(), device());
    return *check_;
  }
  // Whether the arrays are a matrix.
  bool heard_check() {
    const DevicePattern found = check_->heard();
    source_.longest = found.longest;
    return found.canonical;
  }

  // Which codec is the smallest. with_check: in one kernel with the check, on the default stream.
  template <class Where>
  void ask_codec(Where where, device::Queue queue, bool with_check = false, bool asks_floats = false) {
    const PatternLook* along = with_check ? &check(where).along() : nullptr;
    codec_ = ask_smallest_codec(where, matrix().val, device(), queue, along, asks_floats);
  }
  bool codec_asked() const { return codec_ != nullptr; }
  // Values told apart before the codec is asked for: what it looks for first then.
  DistinctValues<V>& few_values() {
    if (!few_values_) few_values_.emplace(dictionary_size, device());
    return *few_values_;
  }
  FoundCodec<V> heard_codec(Codecs codecs) {
    const FoundCodec<V> found = std::exchange(codec_, nullptr)(codecs, few_values_ ? &*few_values_ : nullptr);
    few_values_.reset();
    return found;
  }

 private:
  Source<V> source_;
  std::optional<PatternCheck> check_;
  std::optional<DistinctValues<V>> few_values_;
  CodecQuestion<V> codec_;
};

}  // namespace heddle

#include "solve/iterations.hpp"

namespace heddle::solve_method {

template <class V>
Iterations<V>::Iterations(Problem<V>& problem, Method<V>& method, Graph wish)
    : on(problem), method_(method), wish_(wish) {
  const int period = method.period();
  if (period > 0) length_ = iterations_of_graph / period * period;
  allowed_ = recordable();
}

template <class V>
bool Iterations<V>::recordable() const {
  if (on.device().kind != Device::Kind::gpu || wish_ == Graph::off || length_ == 0) return false;
  if (wish_ == Graph::where_faster && on.size() > most_rows_recorded) return false;
  return on.action().recordable() && (on.M == nullptr || on.d != nullptr || on.M->recordable());
}

template <class V>
void Iterations<V>::operator_changed() {
  recording_.reset();
  allowed_ = recordable();
}

template <class V>
void Iterations<V>::queue(std::int64_t done, std::int64_t count) {
  while (count > 0 && !method_.full()) {
    const bool whole = count >= length_ && replays(done) && ready();
    const int queued = whole ? length_ : 1;
    if (whole) {
      recording_->queue(on.stream());
      from_graph_ += length_;
    } else {
      method_.iterate();
      phase_ = length_ > 0 ? (phase_ + 1) % method_.period() : 0;
    }
    done += queued;
    count -= queued;
  }
}

template <class V>
bool Iterations<V>::ready() {
  if (!recording_) record();
  return recording_ && phase_ == recorded_phase_;
}

// Nothing runs. What cannot be recorded, for whatever is thrown, is queued one by one from then on, with all vectors in
// their roles.
template <class V>
void Iterations<V>::record() {
  const Stream usual = on.stream();
  int advanced = 0;
  try {
    recording_.emplace([&](Stream stream) {
      on.set_stream(stream);
      for (; advanced < length_; ++advanced) method_.iterate();
    });
    recorded_phase_ = phase_;
  } catch (...) {
    allowed_ = false;
    for (; advanced < length_; ++advanced) method_.advance();
  }
  on.set_stream(usual);
}

template class Iterations<float>;
template class Iterations<double>;

}  // namespace heddle::solve_method

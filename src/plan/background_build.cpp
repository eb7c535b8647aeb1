#include "plan/background_build.hpp"

#include <exception>
#include <system_error>
#include <utility>

#include "core/check.hpp"
#include "core/cores_left.hpp"
#include "core/stopwatch.hpp"

namespace heddle {

template <class V>
BackgroundBuild<V>::BackgroundBuild(Builder builder) {
  try {
    worker_ = std::thread([this, builder = std::move(builder)] { build(builder); });
  } catch (const std::system_error& error) {
    error_ = error.what();
    over_.store(true, std::memory_order_release);
  }
}

template <class V>
void BackgroundBuild<V>::build(const Builder& builder) {
  const WallClock clock;
  const CoresLeft one(1);  // to the thread that goes on meanwhile
  try {
    made_ = builder();
  } catch (const std::exception& error) {
    error_ = error.what();
  } catch (...) {
    error_ = "the builder has thrown what is no std::exception";
  }
  seconds_ = clock.seconds();
  over_.store(true, std::memory_order_release);
}

template <class V>
void BackgroundBuild<V>::wait() {
  if (worker_.joinable()) worker_.join();
}

template <class V>
void require_same_matrix(const Operator<V>& first, const Operator<V>& better) {
  const bool same = better.rows() == first.rows() && better.cols() == first.cols() && better.nnz() == first.nnz() &&
                    better.device() == first.device();
  check(same, ErrorKind::usage, "the better operator is not of the same matrix on the same device");
}

template void require_same_matrix(const Operator<float>&, const Operator<float>&);
template void require_same_matrix(const Operator<double>&, const Operator<double>&);
template class BackgroundBuild<float>;
template class BackgroundBuild<double>;

}  // namespace heddle

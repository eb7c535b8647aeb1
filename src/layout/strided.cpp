#include "layout/strided.hpp"

#include "core/parallel.hpp"

namespace heddle {

namespace {
constexpr std::int64_t grain = 1 << 16;
}

template <class V>
void copy_strided(OnCpu, const StridedCopy<V>& c, Stream) {
  parallel_ranges(c.size, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) c.to[i * c.to_step] = c.from[i * c.from_step];
  });
}

template <class V>
void scale_many(OnCpu, const UpdateMany<V>& update, std::int64_t rows, Stream) {
  parallel_ranges(rows * update.count, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) scale_element(update, rows, t);
  });
}

template void copy_strided(OnCpu, const StridedCopy<float>&, Stream);
template void copy_strided(OnCpu, const StridedCopy<double>&, Stream);
template void scale_many(OnCpu, const UpdateMany<float>&, std::int64_t, Stream);
template void scale_many(OnCpu, const UpdateMany<double>&, std::int64_t, Stream);

}  // namespace heddle

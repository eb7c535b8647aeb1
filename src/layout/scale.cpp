#include "layout/scale.hpp"

#include "core/parallel.hpp"

namespace heddle {

template <class V>
void scale(OnCpu, const Update<V>& update, std::int64_t rows, Stream) {
  parallel_ranges(rows, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) update.without_entries(row);
  });
}

template void scale(OnCpu, const Update<float>&, std::int64_t, Stream);
template void scale(OnCpu, const Update<double>&, std::int64_t, Stream);

}  // namespace heddle

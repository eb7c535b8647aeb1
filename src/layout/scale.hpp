// y = beta y without reading anything else: what alpha = 0 comes to, and the first step of formats that add to y.
#pragma once

#include "core/update.hpp"
#include "simt/simt.hpp"

namespace heddle {

// Every y[i], i < rows, becomes beta y[i]; beta = 0 gives +0 and never reads y.
template <class V>
void scale(OnCpu, const Update<V>& update, std::int64_t rows, Stream stream = {});
template <class V>
void scale(simt::Emulator, const Update<V>& update, std::int64_t rows, Stream stream);
template <class V>
void scale(simt::Cuda, const Update<V>& update, std::int64_t rows, Stream stream);

}  // namespace heddle

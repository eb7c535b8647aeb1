#include "formats/ellr/ellr.hpp"

#include "core/check.hpp"
#include "formats/ellr/ellr_trials.hpp"
#include "formats/registered.hpp"
#include "layout/sliced_build.hpp"

namespace heddle {

namespace {
constexpr SlicedArrays kept{.start = false, .length = true, .row_of = false};
}

template <class V>
FormatInfo EllrFormat<V>::about() {
  return {.name = "ellr",
          .summary = "ELLPACK-R and ELLR-T: ELLPACK with row lengths, T lanes per row",
          .origin = "papers 1 (T=1) and 4",
          .drawing =
              "  A = [ a0 a1 a2 ]     T = 1   a0 b0 c0 d0 | a1 .. c1 d1 | a2 .. .. ..\n"
              "      [ b0       ]     T = 2   a0 a1 b0 .. c0 c1 d0 d1 | a2 .. .. .. .. .. .. ..\n"
              "      [ c0 c1    ]     length  3 1 2 2\n"
              "      [ d0 d1    ]\n"
              "                       entry k of row r is at  ((k / T) * ld + r) * T + k % T,  ld = rows rounded up to "
              "32\n",
          .settings = {}};
}

// Without a stopwatch T = auto stays; its footprint is that of T = 8, the widest tried.
template <class V>
void EllrFormat<V>::settle(Settings& settings, const PatternView&) {
  if (settings.T == automatic) return;
  if (settings.block == automatic) settings.block = 256;
  check(settings.T < settings.block, ErrorKind::usage, "ellr: T = {} lanes a row need a block of more threads than {}",
        settings.T, settings.block);
}

// On a CPU blocks mean nothing.
template <class V>
std::vector<EllrSettings> EllrFormat<V>::trials(const Settings& settings, Device device) {
  std::vector<Settings> tried;
  if (settings.T != automatic) return tried;
  std::vector<int> blocks(std::begin(tried_blocks), std::end(tried_blocks));
  if (settings.block != automatic) blocks = {settings.block};
  if (device.kind == Device::Kind::cpu) blocks.resize(1);
  for (const int T : tried_lanes)
    for (const int block : blocks)
      if (T < block) tried.push_back({T, block, settings.cache});
  return tried;
}

template <class V>
bool EllrFormat<V>::change_to(const Settings& settings) {
  if (settings.T != part.shape.lanes) return false;
  block = settings.block;
  cache = static_cast<Caching>(settings.cache);
  return true;
}

template <class V>
Footprint EllrFormat<V>::footprint(const PatternView& A, const Settings& settings, int value_bytes) {
  return sliced_footprint(one_slice(A.rows, settings.T == automatic ? 8 : settings.T),
                          stored_lengths(A.rows, {}, RowPieces{A.ptr}), kept,
                          static_cast<int>(sizeof(Index)) + value_bytes);
}

template <class V>
EllrFormat<V> EllrFormat<V>::build(Source<V> source, const Settings& settings) {
  const CsrView<V>& A = source.view;
  return {A.cols, settings.block, static_cast<Caching>(settings.cache),
          build_sliced(A, one_slice(A.rows, settings.T), {}, kept, RowPieces{A.ptr})};
}

template <class V>
Csr<V> EllrFormat<V>::restore() const {
  return restore_sliced(part.view(), cols);
}

template struct EllrFormat<float>;
template struct EllrFormat<double>;

const Format& ellr_format() { return registered<EllrFormat>(); }

}  // namespace heddle

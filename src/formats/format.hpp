// The contract of a format. A folder src/formats/NAME/ holds a template struct that looks like this:
//
//   template <class V> struct NameFormat {
//     using Settings = NameSettings;                    // plain ints with defaults, and fields() for their names
//     static FormatInfo about();                        // name, one-line summary, origin, drawing of the layout
//     static void settle(Settings&, const PatternView&);// replaces every `automatic` by the value for this matrix
//     static void settle_values(Settings&, Source<V>);  // optional: instead of settle, where values count too
//     static Footprint footprint(const PatternView&, const Settings&, int value_bytes);   // exact, without building
//     static Footprint at_most(...);                    // optional: an upper bound, where the footprint takes long;
//                                                       // or the footprint, and what it found is left for build
//     static NameFormat build(Source<V>, const Settings&);       // in host memory
//     static std::optional<NameFormat> build_there(simt::Emulator or simt::Cuda, Source<V> there, const Settings&);
//                                                       // optional, name_build_gpu.cu: from arrays on the device to
//                                                       // arrays on it, the same as build makes, bit by bit. Nothing:
//                                                       // the host shall build, and say what is wrong if anything is
//     static bool settle_there(simt::Emulator or simt::Cuda, Settings&, Source<V> there);  // optional: what
//                                                       // settle_values gives, for arrays on the device; false: the
//                                                       // host shall
//     Csr<V> restore() const;                           // bit for bit what it was built from; host memory
//     template <class Self, class F> static void each_array(Self& self, F f);   // f(self.array) for every Buffer:
//                                                       // moving to a device, counting bytes, ... are written once
//     template <class Self, class F> static void each_scratch(Self& self, F f);   // optional: those of them that only
//                                                       // `multiply` writes and reads
//     void multiply(OnCpu, const Product<V>&) const;            // name_cpu.cpp
//     void multiply(simt::Emulator, const Product<V>&) const;   // name_gpu.cu, compiled by the host compiler
//     void multiply(simt::Cuda, const Product<V>&) const;       // name_gpu.cu, compiled by nvcc
//     static constexpr bool uses_scratch = false;       // true: multiply writes arrays of its own; may also be a
//                                                       // member function uses_scratch() const
//     bool multiply_many(OnCpu or simt::Emulator and simt::Cuda, const ProductMany<V>&) const;   // optional, several
//                                                       // right-hand sides at once: name_many_gpu.cu; false: not this
//                                                       // time, they shall be multiplied one by one
//     void reserve(int count);                          // optional: scratch of multiply_many for so many of them
//   };
//
// and one line in name.cpp:   const Format& name_format() { return registered<NameFormat>(); } (formats/registered.hpp)
//
// Everything that multiplies, lists, tests or documents formats goes through Format and Store below.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <heddle/formats.hpp>
#include <heddle/matrix.hpp>
#include <heddle/plan.hpp>

#include "core/update.hpp"
#include "core/update_many.hpp"
#include "formats/settings.hpp"
#include "layout/scale.hpp"
#include "simt/csr/device_pattern.hpp"
#include "simt/simt.hpp"

namespace heddle {

// What one step of a build found and a later one needs; only the format knows what.
using Found = std::shared_ptr<const void>;

// What `make` gives, left in `found` for whoever asks next.
template <class T, class F>
std::shared_ptr<const T> found_or_made(Found* found, F make) {
  if (found && *found) return std::static_pointer_cast<const T>(*found);
  auto made = std::make_shared<T>(make());
  if (found) *found = made;
  return made;
}
// For the last who asks and may keep it: it was made as one that can be changed.
template <class T, class F>
T take_found(Found* found, F make) {
  const auto made = std::const_pointer_cast<T>(found_or_made<T>(found, make));
  if (found) found->reset();
  return std::move(*made);
}

// The matrix a format is built from. When the caller gave it up, `take` hands over its arrays instead of copying.
template <class V>
struct Source {
  CsrView<V> view;
  Csr<V>* given = nullptr;
  Device device = {};         // where its arrays lie: for the CPU the only one whose memory `build` may read
  std::int64_t longest = -1;  // the most entries of a row; known of matrices on a device
  // Where settling and asking for room may leave what building of the same matrix, there too, would have to find out
  // again. Null: nowhere.
  Found* found = nullptr;
  // Where ask_there may leave what settle_there of the same matrix waits for.
  std::shared_ptr<void>* asked = nullptr;

  // Arrays the format may keep; borrowed ones are copied when the format is placed on its device.
  Csr<V> take() const {
    if (given) return std::move(*given);
    return {view.rows, view.cols, Buffer<Offset>::borrow(view.ptr, device), Buffer<Index>::borrow(view.col, device),
            Buffer<V>::borrow(view.val, device)};
  }
};

// One matrix, in one format, on one device, with the format's type erased.
template <class V>
class Store {
 public:
  virtual ~Store() = default;
  virtual void multiply(const Product<V>& product) const = 0;
  virtual bool multiply_many(const ProductMany<V>& product) const = 0;  // false: the format has nothing for it
  virtual void reserve(int vectors) = 0;                                // scratch for so many, where it needs any
  virtual Csr<V> restore() const = 0;                                   // in host memory
  virtual std::int64_t bytes() const = 0;
  virtual bool keeps(const void* array) const = 0;  // it is one of its arrays
  // Every array of V, on the device: where values are, and what else the format keeps in the type of values. Without
  // those it says are scratch.
  virtual std::vector<std::span<V>> value_arrays() = 0;
  virtual bool takes_turns() const = 0;  // multiplications write arrays of the format: one at a time
};

// A line of the registry.
struct Format {
  FormatInfo info;
  Plan (*resolve)(const Plan&, const PatternView&, int value_bytes);
  Footprint (*footprint)(const Plan& resolved, const PatternView&, int value_bytes);
  // What building asks first: the footprint, or an upper bound where the format has a cheaper one. `found`: as in
  // Source.
  Footprint (*at_most)(const Plan& resolved, const PatternView&, int value_bytes, Found* found);
  std::unique_ptr<Store<float>> (*build_f32)(Source<float>, const Plan& resolved, Device);
  std::unique_ptr<Store<double>> (*build_f64)(Source<double>, const Plan& resolved, Device);
  // What building stores: like resolve, but the values of the matrix may count as well.
  Plan (*settle_f32)(const Plan&, Source<float>);
  Plan (*settle_f64)(const Plan&, Source<double>);
  // The same two from arrays that lie on a device, on that device; nothing when the host has to do it, as it always has
  // to without `builds_there`.
  bool builds_there;
  std::unique_ptr<Store<float>> (*build_there_f32)(Source<float>, const Plan& resolved);
  std::unique_ptr<Store<double>> (*build_there_f64)(Source<double>, const Plan& resolved);
  std::optional<Plan> (*settle_there_f32)(const Plan&, Source<float>);
  std::optional<Plan> (*settle_there_f64)(const Plan&, Source<double>);
  // Queues what settling will ask, before anybody knows whether the arrays, which have the right sizes, are a matrix;
  // and among it the first look at them (simt/csr/device_pattern.hpp).
  void (*ask_there_f32)(const Plan&, Source<float>, const QueueLook&);
  void (*ask_there_f64)(const Plan&, Source<double>, const QueueLook&);
};

// Padding is refused when it is both many times the matrix and large in itself. (An honest small case, such as a
// matrix of 766 thousand entries stored as 17 million to show what one long row does, still runs.)
inline bool too_much_padding(std::int64_t stored, std::int64_t nnz) {
  constexpr std::int64_t times = 10, always_fine = 20'000'000;
  return stored > std::max(times * nnz, always_fine);
}

// Entries from where on a matrix in host memory is sent to the GPU as it is and built there: with fewer the host is
// done in the time of the copies and the first kernels, a fifth of a millisecond.
inline constexpr std::int64_t worth_sending = 10'000;

const std::vector<const Format*>& registry();
const Format& registered_format(const std::string& name);  // Error(usage) when there is none

}  // namespace heddle

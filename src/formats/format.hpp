// The contract of a format. A folder src/formats/NAME/ holds a template struct that looks like this:
//
//   template <class V> struct NameFormat {
//     using Settings = NameSettings;                    // plain ints with defaults, and fields() for their names
//     static FormatInfo about();                        // name, one-line summary, origin, drawing of the layout
//     static void settle(Settings&, const PatternView&);// replaces every `automatic` by the value for this matrix
//     static void settle_on_cpu(Settings&, const PatternView&);  // optional, before settle: what a CPU takes where settle
//                                                       // goes by a GPU
//     using Found = ...;                                // optional: what asking for room finds for build; starts empty
//     static void settle_values(Settings&, Source<V>, Found&);  // with it, optional: instead of settle, where values
//                                                       // count too
//     static Footprint footprint(const PatternView&, const Settings&, int value_bytes);   // exact, without building
//     static Footprint at_most(...);                    // optional: an upper bound, where the footprint takes long; or
//                                                       // the footprint, with a Found& at the end
//     static NameFormat build(Source<V>, const Settings&);      // in host memory; with a Found that it may take apart
//     static std::optional<NameFormat> build_there(simt::Emulator or simt::Cuda, Source<V> there, const Settings&);
//                                                       // optional, name_build_gpu.cu: from arrays on the device to
//                                                       // arrays on it, the same as build makes, bit by bit. Nothing:
//                                                       // the host shall build, and say what is wrong if anything is
//     static bool settle_there(simt::Emulator or simt::Cuda, Settings&, Source<V> there);  // with it: what settle gives
//     template <class Where> using BuilderThere = ...;  // instead of these two: a Builder of its own, which asks before
//                                                       // the arrays are known to be a matrix (formats/build_board.hpp)
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
#include "simt/simt.hpp"

namespace heddle {

// The matrix a format is built from. When the caller gave it up, `take` hands over its arrays instead of copying.
template <class V>
struct Source {
  CsrView<V> view;
  Csr<V>* given = nullptr;
  Device device = {};         // where its arrays lie: for the CPU the only one whose memory `build` may read
  std::int64_t longest = -1;  // the most entries of a row; known of matrices on a device

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

// One operator in the making. What a step finds is a member, for the next; the destructor waits for what was queued.
template <class V>
class Builder {
 public:
  virtual ~Builder() = default;
  // Of unchecked arrays on a device: queues the check, and beside it what settling will ask. Reads stay
  // inside the arrays, and room is taken before the first kernel.
  virtual void begin() = 0;
  // They are a matrix: open settings get values. False: the builder of the host shall.
  virtual bool settle(bool values_will_change) = 0;
  virtual Plan plan() const = 0;  // settled: to build it again elsewhere gives the same bytes
  // Of a settled plan. Null: the builder of the host shall, and say what is wrong.
  virtual std::unique_ptr<Store<V>> finish() = 0;
};

template <class V>
class BuildBoard;  // formats/build_board.hpp
template <class V>
using MakeBuilder = std::unique_ptr<Builder<V>> (*)(BuildBoard<V>& of_matrix, const Plan&, Device);

// A line of the registry.
struct Format {
  FormatInfo info;
  Plan (*resolve)(const Plan&, const PatternView&, int value_bytes);  // by the pattern alone
  Footprint (*footprint)(const Plan& resolved, const PatternView&, int value_bytes);
  // The footprint, or an upper bound where the format has a cheaper one.
  Footprint (*at_most)(const Plan& resolved, const PatternView&, int value_bytes);
  // For a matrix in host memory; or, of a format that builds there, on the device where it is multiplied.
  MakeBuilder<float> builder_f32;
  MakeBuilder<double> builder_f64;
  bool builds_there;

  template <class V>
  std::unique_ptr<Builder<V>> builder(BuildBoard<V>& of_matrix, const Plan& plan, Device device) const {
    if constexpr (std::is_same_v<V, float>)
      return builder_f32(of_matrix, plan, device);
    else
      return builder_f64(of_matrix, plan, device);
  }
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

// The caller's integers and values (heddle/arrays.hpp) on a device.
#pragma once

#include <heddle/arrays.hpp>

#include "layout/scale.hpp"
#include "simt/simt.hpp"

namespace heddle {

// Counted from 0, in our types; -1 where they do not hold the number.
template <class To>
void convert_numbers(simt::Emulator, const Integers& from, int base, To* to);
template <class To>
void convert_numbers(simt::Cuda, const Integers& from, int base, To* to);

// to_stored_order where map and values lie on the device; queued.
template <class V>
void order_values(OnCpu, const EntryMap& map, const V* given, V* stored, Stream stream);
template <class V>
void order_values(simt::Emulator, const EntryMap& map, const V* given, V* stored, Stream stream);
template <class V>
void order_values(simt::Cuda, const EntryMap& map, const V* given, V* stored, Stream stream);

}  // namespace heddle

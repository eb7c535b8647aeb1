// Values that lie on a device are counted, coded and put into tables as the host does it.
#include "codec/value_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "codec/value_codec.hpp"
#include "simt/emulator.hpp"

namespace heddle::test {
namespace {

const Device emulator = Device::emulator();
using limits_of_double = std::numeric_limits<double>;

template <class V>
std::vector<V> sorted_by_bits(std::vector<V> values) {
  std::sort(values.begin(), values.end(), [](V a, V b) { return value_bits(a) < value_bits(b); });
  return values;
}
template <class V>
bool same_bits(V a, V b) {
  return value_bits(a) == value_bits(b);
}

// `distinct` values, each of them several times, all over.
template <class V>
std::vector<V> some_values(std::int64_t distinct, std::int64_t size) {
  std::vector<V> all;
  for (std::int64_t k = 0; k < size; ++k)
    all.push_back(static_cast<V>(0.1) * static_cast<V>((k * 7919 + k / distinct) % distinct));
  return all;
}

template <class V>
void expect_table(const std::vector<V>& all, std::int64_t most, std::int64_t places) {
  std::vector<V> wanted = sorted_by_bits(all);
  wanted.erase(std::unique(wanted.begin(), wanted.end(), same_bits<V>), wanted.end());
  DistinctValues<V> distinct(most, emulator);
  distinct.ask(simt::Emulator{}, all);
  ASSERT_EQ(distinct.count(), std::ssize(wanted));
  const ValueTable<V> made = distinct.table(simt::Emulator{}, places);
  const Buffer<V>& table = made.table;
  ASSERT_EQ(table.size(), places);
  wanted.resize(static_cast<std::size_t>(places), wanted.back());
  EXPECT_TRUE(std::equal(table.begin(), table.end(), wanted.begin(), same_bits<V>));
  for (const V value : all) EXPECT_TRUE(same_bits(table[made.finder().find(value)], value));
}

template <class V>
void expect_tables() {
  for (const std::int64_t distinct : {1, 2, 100, 256}) {
    const std::vector<V> all = some_values<V>(distinct, 5000);
    expect_table<V>(all, dictionary_size, dictionary_size);
    expect_table<V>(all, 8192, dictionary16_size);
  }
  for (const std::int64_t distinct : {257, 1024, 1025, 3000})
    expect_table<V>(some_values<V>(distinct, 20000), 4096, dictionary16_size);
  // Some that the first threads do not come across.
  std::vector<V> rare = some_values<V>(7, 100000);
  for (std::size_t k = 1; k < 500; k += 2) rare[k * 199] = static_cast<V>(k % 128 + 100);
  expect_table<V>(rare, dictionary_size, dictionary_size);
}

TEST(ValueTable, holds_all_values_by_their_bits) {
  expect_tables<float>();
  simt::emulator::set_order(simt::emulator::Order::reverse);
  expect_tables<double>();
  simt::emulator::set_order(simt::emulator::Order::forward);
}

TEST(ValueTable, tells_zeros_and_what_is_no_number_apart) {
  using limits = limits_of_double;
  const std::vector<double> odd{0.0, -0.0, limits::quiet_NaN(), -limits::quiet_NaN(), limits::infinity(), 5e-324, 0.0};
  expect_table<double>(odd, dictionary_size, dictionary_size);
  expect_table<double>({-0.0, 1}, dictionary_size, dictionary_size);
  expect_table<double>({0.0}, dictionary_size, dictionary_size);
  std::vector<double> late(70000, 1.0);
  late[69999] = 0.0;
  expect_table<double>(late, dictionary_size, dictionary_size);
}

// Values that differ in sign and exponent alone, or in the last bits, lie apart.
template <class V>
std::size_t slots_of(const std::vector<V>& values) {
  std::set<std::uint32_t> slots;
  for (const V value : values) slots.insert(value_slot(value_bits(value), 4 * dictionary_size));
  return slots.size();
}
TEST(ValueTable, finds_values_in_slots_of_their_own) {
  std::vector<double> powers, neighbours;
  std::vector<float> short_powers;
  for (int k = 0; k < 120; ++k) {
    powers.insert(powers.end(), {std::ldexp(1.0, k), -std::ldexp(1.0, k)});
    short_powers.insert(short_powers.end(), {std::ldexp(1.0F, k), -std::ldexp(1.0F, k)});
    neighbours.insert(neighbours.end(), {1 + k * limits_of_double::epsilon(), -1 - k * limits_of_double::epsilon()});
  }
  EXPECT_GT(slots_of(powers), 180u);
  EXPECT_GT(slots_of(short_powers), 180u);
  EXPECT_GT(slots_of(neighbours), 180u);
}

// Also where the first threads find few.
TEST(ValueTable, ends_where_values_are_too_many) {
  for (const std::int64_t distinct : {257, 300, 5000}) {
    std::vector<double> all = some_values<double>(distinct, 9000);
    for (const bool late : {false, true}) {
      if (late) all.insert(all.begin(), 60000, 1.0);
      DistinctValues<double> values(dictionary_size, emulator);
      values.ask(simt::Emulator{}, all);
      EXPECT_GT(values.count(), dictionary_size) << distinct;
    }
  }
}

TEST(ValueTable, of_nothing_is_of_zeros) {
  DistinctValues<double> none(dictionary_size, emulator);
  none.ask(simt::Emulator{}, {});
  EXPECT_EQ(none.count(), 0);
  const ValueTable<double> made = none.table(simt::Emulator{}, dictionary_size);
  EXPECT_TRUE(std::all_of(made.table.begin(), made.table.end(), [](double v) { return same_bits(v, 0.0); }));
}

// The same whatever was asked before it is known which codecs there are.
template <class V>
FoundCodec<V> codec_there(const std::vector<V>& all, Codecs codecs, bool asks_few, bool asks_floats) {
  const simt::Emulator where;
  DistinctValues<V> few(dictionary_size, emulator);
  if (asks_few) few.begin(where, all);
  const auto question = ask_smallest_codec<V>(where, all, emulator, {}, nullptr, asks_floats);
  if (asks_few) few.finish(where, all);
  return question(codecs, asks_few ? &few : nullptr);
}

template <class V>
void expect_codec(const std::vector<V>& all, Codecs codecs) {
  for (const bool asks_few : {false, true})
    for (const bool asks_floats : {false, true}) {
      const FoundCodec<V> found = codec_there(all, codecs, asks_few, asks_floats);
      EXPECT_EQ(found.codec, smallest_codec<V>(all, codecs)) << codecs.all << codecs.tables << asks_few << asks_floats;
      EXPECT_EQ(found.table != nullptr, found.codec == ValueCodec::dictionary ||
                                            found.codec == ValueCodec::dictionary16 ||
                                            found.codec == ValueCodec::uniform);
    }
  const FoundCodec<V> there = codec_there(all, codecs, false, false);
  const std::int64_t size = std::ssize(all);
  const auto known = make_value_store<V>(simt::Emulator{}, {all, there}, there.codec, size, emulator),
             found = make_value_store<V>(simt::Emulator{}, {all, {}}, there.codec, size, emulator);
  const ValueStore<V> here = make_value_store<V>(all, there.codec, size);
  ASSERT_TRUE(known && found);
  for (const ValueStore<V>& store : {std::cref(*known), std::cref(*found)}) {
    EXPECT_EQ(store.codec, here.codec);
    ASSERT_EQ(store.table.size(), here.table.size());
    EXPECT_TRUE(std::equal(store.table.begin(), store.table.end(), here.table.begin(), same_bits<V>));
    EXPECT_EQ(store.raw.size() + store.f32.size() + store.code.size() + store.code16.size(),
              here.raw.size() + here.f32.size() + here.code.size() + here.code16.size());
  }
}

TEST(ValueTable, is_what_the_smallest_codec_asks_for) {
  for (const Codecs codecs : {Codecs{false, true}, {true, true}, {true, false}, {false, false}}) {
    for (const std::int64_t distinct : {1, 2, 250, 5000, 20000}) {
      SCOPED_TRACE(distinct);
      expect_codec(some_values<float>(distinct, 40000), codecs);
      expect_codec(some_values<double>(distinct, 40000), codecs);
    }
    std::vector<double> whole(30000);
    for (std::size_t k = 0; k < whole.size(); ++k) whole[k] = static_cast<double>(k);
    expect_codec(whole, codecs);  // as floats
  }
}

TEST(ValueTable, is_not_taken_for_another_codec) {
  const std::vector<double> all = some_values<double>(5, 100);
  const auto table = std::make_shared<ValueTable<double>>();
  table->table = Buffer<double>(dictionary_size, emulator);
  EXPECT_FALSE(make_value_store<double>(simt::Emulator{}, {all, {ValueCodec::dictionary, table}},
                                        ValueCodec::dictionary16, 100, emulator));
  EXPECT_FALSE(make_value_store<double>(simt::Emulator{}, {all, {}}, ValueCodec::uniform, 100, emulator));
  EXPECT_FALSE(make_value_store<double>(simt::Emulator{}, {some_values<double>(300, 1000), {}}, ValueCodec::dictionary,
                                        100, emulator));
}

}  // namespace
}  // namespace heddle::test

// A format's settings as data: one list of fields serves parsing, printing, checking, --help and the docs.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <heddle/formats.hpp>
#include <heddle/plan.hpp>

namespace heddle {

inline constexpr int automatic = -1;  // printed and parsed as "auto"

// A setting that a plan may leave open. As a number where plans are read and written.
template <class T>
class Open {
 public:
  Open() = default;
  Open(T value) : number_(static_cast<int>(value)) {}
  bool named() const { return number_ != automatic; }
  operator T() const { return static_cast<T>(number_); }
  T value_or(T other) const { return named() ? T(*this) : other; }
  void fill(T value) {
    if (!named()) *this = value;
  }
  int* number() { return &number_; }

 private:
  int number_ = automatic;
};

// A list without memory of its own: every build makes the fields of its format twice, and those of weave took
// 2.3 us each time instead of 0.5.
template <class T, std::size_t most>
class FewOf {
 public:
  FewOf() = default;
  FewOf(std::initializer_list<T> items) : FewOf(items.begin(), items.end()) {}
  FewOf(T item) : FewOf({item}) {}
  FewOf(const std::vector<std::string>& items) : FewOf(items.begin(), items.end()) {}  // whose elements outlive this

  void add(T item) {
    if (count_ == most) throw std::length_error("a setting has more values than FewOf has room for");
    item_[count_++] = item;
  }
  const T* begin() const { return item_; }
  const T* end() const { return item_ + count_; }
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }

 private:
  template <class It>
  FewOf(It first, It last) : count_(static_cast<std::size_t>(last - first)) {
    if (count_ > most) throw std::length_error("a setting has more values than FewOf has room for");
    std::copy(first, last, item_);
  }

  T item_[most] = {};
  std::size_t count_ = 0;
};

struct Field {
  const char* name;
  FewOf<int*, 8> value;  // each of them is set; the first one is written
  const char* meaning;
  FewOf<int, 8> numbers = {};  // every number allowed; empty: any from low to high
  int low = 0, high = 0;
  FewOf<std::string_view, 12> words = {};  // the value is an index into these
  bool may_be_automatic = false;
  bool used = true;  // false: without meaning with the other settings, and left out when a plan is written
};

std::string text_of(const Field& field, int value);
SettingInfo describe(const Field& field);

// Sets the fields a plan names. Error(usage) for an unknown key or a value that is not allowed, naming what is.
void read_settings(std::vector<Field> fields, const Plan& plan);
Plan write_settings(const std::vector<Field>& fields, const std::string& format);

}  // namespace heddle

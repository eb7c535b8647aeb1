// The text "KIND,key=value,..." taken apart. Numbers may be written 4000000, 4e6, 4M, 2.5k (k, M, G = 10^3, 10^6,
// 10^9); a default may name another key ("cols" falls back to "rows").
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <heddle/generate.hpp>

namespace heddle::synthetic {

class Arguments {
 public:
  // Error(usage) for a key that is not among `known`, one given twice, or a piece that is not key=value.
  Arguments(std::string_view text, const std::vector<GeneratorInfo::Key>& known);

  // Error(usage) names the key, the bad value and what it may be.
  std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high) const;
  double real(std::string_view key, double low, double high) const;
  std::string word(std::string_view key, std::initializer_list<std::string_view> allowed) const;
  const std::string& text_of(std::string_view key) const;
  std::uint64_t seed() const;

  // An error about the value of one key.
  [[noreturn]] void reject(std::string_view key, const std::string& why) const;

 private:
  struct Value {
    std::string key, text;
    bool given = false;
  };
  // The value of a key, or of the key that its default names.
  const Value& value_of(std::string_view key) const;
  void take(std::string_view piece, const std::vector<GeneratorInfo::Key>& known);

  std::string where_;
  std::vector<Value> values_;
};

// "KIND" of "KIND,key=value,...".
std::string_view kind_of(std::string_view text);

// "did you mean 'rows'? " when a known word is that close, else nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);
std::string listed(const std::vector<std::string>& words);

}  // namespace heddle::synthetic

// Synthetic matrices by name: "stencil3d7,n=100", "rmat,scale=20,seed=3", ... Same text, same bits, on every machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <heddle/export.hpp>
#include <heddle/io.hpp>
#include <heddle/matrix.hpp>

namespace HEDDLE_PUBLIC heddle {

struct GeneratorInfo {
  struct Key {
    std::string name, fallback, meaning;  // fallback: the default value as text
  };
  std::string name, summary;
  std::vector<Key> keys;
};

// Every generator, in the order of the documentation.
const std::vector<GeneratorInfo>& generators();

// "KIND,key=value,..." (without the "gen:" prefix). Error(usage) names an unknown kind or key and lists the known ones.
template <class V = double>
HEDDLE_PUBLIC Csr<V> generate(std::string_view text, FileFacts* facts = nullptr);
template <NoValue V>
Csr<V> generate(std::string_view, FileFacts* = nullptr) {
  static_assert(!NoValue<V>, "values are float or double");
}

}  // namespace heddle

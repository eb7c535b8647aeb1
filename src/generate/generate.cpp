#include <heddle/generate.hpp>

#include <new>

#include "core/check.hpp"
#include "generate/generator.hpp"

namespace heddle {

namespace synthetic {

std::vector<Key> all_keys(const Generator& generator) {
  std::vector<Key> keys = generator.keys;
  keys.push_back({"seed", "1", "another seed, another matrix of the same kind"});
  if (generator.natural)
    keys.push_back({"values", "natural", "natural: those of the kind; random, ones, integer as elsewhere"});
  else
    keys.push_back({"values", "random", "random: +-[0.5, 1.5); ones; integer: -8..8 without 0, exact in any order"});
  return keys;
}

const Generator& find_generator(std::string_view text) {
  const std::string_view kind = kind_of(text);
  std::vector<std::string> names;
  for (const Generator& generator : registry()) {
    if (generator.name == kind) return generator;
    names.push_back(generator.name);
  }
  fail(ErrorKind::usage, {fmt::format("gen:{}", text), suggestion(kind, names) + "known: " + listed(names)},
       "there is no generator '{}'", kind);
}

}  // namespace synthetic

namespace {

using namespace synthetic;

ValueLaw value_law(const Generator& generator, const Arguments& given) {
  using Kind = ValueLaw::Kind;
  const std::string word = generator.natural ? given.word("values", {"natural", "random", "ones", "integer"})
                                             : given.word("values", {"random", "ones", "integer"});
  const Kind kind = word == "natural"  ? Kind::natural
                    : word == "ones"   ? Kind::ones
                    : word == "random" ? Kind::random
                                       : Kind::integer;
  return {kind, given.seed()};
}

const char* field_of(ValueLaw::Kind kind) {
  if (kind == ValueLaw::Kind::ones) return "pattern";
  return kind == ValueLaw::Kind::integer ? "integer" : "real";
}

}  // namespace

const std::vector<GeneratorInfo>& generators() {
  static const std::vector<GeneratorInfo> all = [] {
    std::vector<GeneratorInfo> made;
    for (const Generator& generator : registry())
      made.push_back({generator.name, generator.summary, all_keys(generator)});
    return made;
  }();
  return all;
}

template <class V>
Csr<V> generate(std::string_view text, FileFacts* facts) try {
  const Generator& generator = find_generator(text);
  const Arguments given(text, all_keys(generator));
  const ValueLaw law = value_law(generator, given);
  const std::unique_ptr<Rows> source = generator.make(given);
  if (facts != nullptr) *facts = {std::string(text), field_of(law.kind), source->symmetric ? "symmetric" : "general"};
  return assemble<V>(*source, law);
} catch (const std::bad_alloc&) {
  fail(ErrorKind::unavailable, {fmt::format("gen:{}", text), "ask for fewer rows or entries"}, "out of memory");
}

template Csr<float> generate(std::string_view, FileFacts*);
template Csr<double> generate(std::string_view, FileFacts*);

}  // namespace heddle

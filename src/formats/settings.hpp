// A format's settings as data: one list of fields serves parsing, printing, checking, --help and the docs.
#pragma once

#include <string>
#include <vector>

#include <heddle/formats.hpp>
#include <heddle/plan.hpp>

namespace heddle {

inline constexpr int automatic = -1;  // printed and parsed as "auto"

struct Field {
  const char* name;
  int* value;
  const char* meaning;
  std::vector<int> numbers = {};  // every number allowed; empty: any from low to high
  int low = 0, high = 0;
  std::vector<std::string> words = {};  // the value is an index into these
  bool may_be_automatic = false;
  bool used = true;  // false: without meaning beside the other settings, and left out when a plan is written
};

std::string text_of(const Field& field, int value);
SettingInfo describe(const Field& field);

// Sets the fields a plan names. Error(usage) for an unknown key or a value that is not allowed, naming what is.
void read_settings(std::vector<Field> fields, const Plan& plan);
Plan write_settings(const std::vector<Field>& fields, const std::string& format);

}  // namespace heddle

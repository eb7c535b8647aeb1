// Measured times of candidates, remembered by pattern, device and version. What is damaged, of another version or of
// another matrix is ignored; and a remembered plan is checked like any other, so the worst a file can do is cost time.
#pragma once

#include <string>

#include <heddle/choose.hpp>

namespace heddle {

struct ChoiceKey {
  std::uint64_t pattern_hash = 0;
  std::string device;  // its name
  int units = 0;
  int value_bytes = 8;
  Effort effort = Effort::measure;
  std::string selector = "model";
};

// Puts the remembered times into the candidates they belong to; false when nothing (usable) is remembered.
bool read_choice(const ChoiceKey& key, std::vector<Candidate>& candidates);
void write_choice(const ChoiceKey& key, const std::vector<Candidate>& candidates) noexcept;

std::string choice_file_name(const ChoiceKey& key);

}  // namespace heddle

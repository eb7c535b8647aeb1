// The file in the cache folder that holds the figures of a machine, and the folder itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <heddle/machine.hpp>

namespace heddle {

// Several lines of "key value ..."; parse gives back what print was given, and nothing for any other text.
std::string print_machine(const Machine& machine);
std::optional<Machine> parse_machine(std::string_view text);

// Nothing when there is no file, or a damaged one, or one of another version, device or number of units.
std::optional<Machine> read_machine(Device::Kind kind, const std::string& name, int units);
void write_machine(const Machine& machine);

// Small text files of the cache folder, written as a whole or not at all: nothing is done where there is no such
// folder, Error(unavailable) where it cannot be made or written. The last line is a checksum of the others.
std::optional<std::string> read_cache_file(const std::string& name);
void write_cache_file(const std::string& name, std::string_view text);

}  // namespace heddle

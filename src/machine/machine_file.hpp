// The file in the cache folder that holds the figures of a machine, and the folder itself.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <heddle/machine.hpp>

namespace heddle {

// Several lines of "key value ..."; parse gives back what print was given, and nothing for any other text.
std::string print_machine(const Machine& machine);
std::optional<Machine> parse_machine(std::string_view text);

// Nothing when there is no file, or a damaged one, or one of another version, device or number of units. `trouble` then
// says why a file that is there cannot be used; it stays empty where there is none, or one of another version.
std::optional<Machine> read_machine(Device::Kind kind, const std::string& name, int units,
                                    std::string* trouble = nullptr);
void write_machine(const Machine& machine);

// Small text files of the cache folder, written as a whole or not at all: nothing is done where there is no such
// folder, Error where it cannot be made or written. The last line is a checksum of the others. What stands in the place
// of such a file without being one (a pipe, a device, a folder, gigabytes) is neither waited for nor read.
std::optional<std::string> read_cache_file(const std::string& name, std::string* trouble = nullptr);
void write_cache_file(const std::string& name, std::string_view text);

// What a program may want to say about the figures: that they are measured now, which takes a second or two; that those
// that were kept cannot be used, or new ones cannot be kept. Set before the first question about a machine.
enum class MachineNote { measuring, trouble };
void on_machine_note(std::function<void(MachineNote, const std::string&)> say);

}  // namespace heddle

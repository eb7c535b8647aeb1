#include "machine/machine_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>

#include <heddle/version.hpp>

#include "core/check.hpp"
#include "io/atomic_file.hpp"
#include "io/block_hash.hpp"
#include "machine/machine_measure.hpp"

namespace heddle {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

void make_folder(const std::string& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code)
    fail(ErrorKind::unavailable, {folder, "set HEDDLE_CACHE to a folder that can be written"},
         "cannot make the cache folder: {}", code.message());
}

std::uint64_t checksum(std::string_view text) { return io::hash_bytes({text.data(), text.size()}); }

std::string checksum_line(std::string_view text) { return fmt::format("checksum {:016x}\n", checksum(text)); }

// A name is data: only letters and digits of it become part of a file's name.
std::string file_name(Device::Kind kind, const std::string& name, int units) {
  return fmt::format("machine-{}-{:016x}-{}.txt", to_string(Device{kind, 0}), checksum(name), units);
}

// A file in which something was measured in another way is as good as none.
std::string title() {
  constexpr int revision = 4;
  return fmt::format("heddle machine {}, figures {}", version, revision);
}

std::string print_rates(const char* key, const std::vector<Machine::Rate>& rates) {
  std::string line = key;
  for (const auto& rate : rates) line += fmt::format(" {} {}", rate.bytes, rate.giga);
  return line + '\n';
}

std::vector<Machine::Rate> parse_rates(std::istringstream& words) {
  std::vector<Machine::Rate> rates;
  for (Machine::Rate rate; words >> rate.bytes >> rate.giga;) rates.push_back(rate);
  return rates;
}

// Why the text of a file cannot be had; "" where there is no file, null where it could be read.
const char* read_small_file(const std::string& path, std::string& text) {
  constexpr off_t most = 1 << 20;
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return errno == ENOENT || errno == ENOTDIR ? "" : std::strerror(errno);
  struct stat about {};
  const char* why = ::fstat(file, &about) != 0 ? std::strerror(errno)
                    : !S_ISREG(about.st_mode)  ? "not a plain file"
                    : about.st_size > most     ? "far too large"
                                               : nullptr;
  if (why == nullptr) {
    text.resize(static_cast<std::size_t>(about.st_size));
    const ssize_t got = ::pread(file, text.data(), text.size(), 0);
    if (got < 0) why = std::strerror(errno);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  }
  ::close(file);
  return why;
}

bool sensible(const Machine& m) {
  const auto good = [](const std::vector<Machine::Rate>& rates) {
    for (std::size_t i = 0; i < rates.size(); ++i)
      if (!(rates[i].giga > 0) || (i > 0 && rates[i].bytes <= rates[i - 1].bytes)) return false;
    return !rates.empty();
  };
  const bool of_cpu = good(m.core_read) && m.wake_us > 0 && m.wake_all_us > 0 && m.entry_ns > 0 && m.entry_all_ns > 0;
  return (m.kind != Device::Kind::cpu || of_cpu) && m.units > 0 && m.read_gbps > 0 && m.copy_gbps > 0 &&
         m.launch_us > 0 && m.repeat_us > 0 && good(m.read) && good(m.gather);
}

void set_field(Machine& m, const std::string& key, std::istringstream& words) {
  std::string word;
  if (key == "kind" && words >> word) m.kind = Device::parse(word).kind;
  if (key == "name") std::getline(words >> std::ws, m.name);
  if (key == "units") words >> m.units;
  if (key == "cache_bytes") words >> m.cache_bytes;
  if (key == "memory_bytes") words >> m.memory_bytes;
  if (key == "read_gbps") words >> m.read_gbps;
  if (key == "copy_gbps") words >> m.copy_gbps;
  if (key == "launch_us") words >> m.launch_us;
  if (key == "repeat_us") words >> m.repeat_us;
  if (key == "upload_gbps") words >> m.upload_gbps;
  if (key == "read") m.read = parse_rates(words);
  if (key == "gather") m.gather = parse_rates(words);
  if (key == "core_read") m.core_read = parse_rates(words);
  if (key == "wake_us") words >> m.wake_us;
  if (key == "wake_all_us") words >> m.wake_all_us;
  if (key == "entry_ns") words >> m.entry_ns;
  if (key == "entry_all_ns") words >> m.entry_all_ns;
}

}  // namespace

std::string cache_folder() {
  if (std::string own = environment("HEDDLE_CACHE"); !own.empty()) return own;
  if (const std::string base = environment("XDG_CACHE_HOME"); !base.empty()) return base + "/heddle";
  if (const std::string home = environment("HOME"); !home.empty()) return home + "/.cache/heddle";
  return {};
}

std::optional<std::string> read_cache_file(const std::string& name, std::string* trouble) {
  const std::string folder = cache_folder();
  if (folder.empty()) return {};
  const std::string path = folder + "/" + name;
  std::string text;
  const char* why = read_small_file(path, text);
  const auto last = text.rfind("checksum ");
  const bool whole =
      last != std::string::npos && text.substr(last) == checksum_line(std::string_view(text).substr(0, last));
  if (why == nullptr && !whole) why = "damaged";
  if (why != nullptr) {
    if (trouble != nullptr && *why != '\0') *trouble = fmt::format("{}: {}", path, why);
    return {};
  }
  text.resize(last);
  return text;
}

void write_cache_file(const std::string& name, std::string_view text) {
  const std::string folder = cache_folder();
  if (folder.empty()) return;
  make_folder(folder);
  const std::string path = folder + "/" + name;
  struct stat about {};
  // A pipe or a device, or a link to one, gives way: written to, it would keep nothing, or wait for a reader.
  if (::stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) ::unlink(path.c_str());
  io::AtomicFile file(path);
  const std::string whole = std::string(text) + checksum_line(text);
  file.write(whole);
  file.commit();
}

std::string print_machine(const Machine& m) {
  std::string text = fmt::format("{}\nkind {}\nname {}\nunits {}\ncache_bytes {}\nmemory_bytes {}\n", title(),
                                 to_string(Device{m.kind, 0}), m.name, m.units, m.cache_bytes, m.memory_bytes);
  text += fmt::format("read_gbps {}\ncopy_gbps {}\nlaunch_us {}\nrepeat_us {}\nupload_gbps {}\n", m.read_gbps,
                      m.copy_gbps, m.launch_us, m.repeat_us, m.upload_gbps);
  text += print_rates("read", m.read) + print_rates("gather", m.gather);
  if (m.kind != Device::Kind::cpu) return text;
  return text + print_rates("core_read", m.core_read) +
         fmt::format("wake_us {}\nwake_all_us {}\nentry_ns {}\nentry_all_ns {}\n", m.wake_us, m.wake_all_us, m.entry_ns,
                     m.entry_all_ns);
}

std::optional<Machine> parse_machine(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string line;
  if (!std::getline(lines, line) || line != title()) return {};
  Machine machine;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    words.imbue(std::locale::classic());
    std::string key;
    words >> key;
    try {
      set_field(machine, key, words);
    } catch (const Error&) {  // a kind that names no device
      return {};
    }
  }
  machine.measured = true;
  if (!sensible(machine)) return {};
  return machine;
}

std::optional<Machine> read_machine(Device::Kind kind, const std::string& name, int units, std::string* trouble) {
  const std::string file = file_name(kind, name, units);
  const auto text = read_cache_file(file, trouble);
  if (!text) return {};
  auto machine = parse_machine(*text);
  if (machine && machine->kind == kind && machine->name == name && machine->units == units) {
    name_instructions(*machine);
    return machine;
  }
  const bool of_this_version = text->starts_with(title() + '\n');
  if (trouble != nullptr && of_this_version)
    *trouble = fmt::format("{}/{}: holds no figures of this machine", cache_folder(), file);
  return {};
}

void write_machine(const Machine& machine) {
  write_cache_file(file_name(machine.kind, machine.name, machine.units), print_machine(machine));
}

}  // namespace heddle

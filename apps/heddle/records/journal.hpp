// The file of `heddle bench --resume`: one line of JSON for every matrix measured, appended and flushed as soon as it
// is known. A run takes from it what it would measure in the same way, and nothing else:
//
//   {"format": "heddle bench results", "run": {...}, "identity": {...}, "matrix": {...}}
//                                       |             |                 what the document of the run shows
//                                       |             which matrix, in which precision
//                                       version, build, machine and settings: equal, or the line is left alone
#pragma once

#include <map>
#include <string>

#include "session/session.hpp"

namespace heddle {

class Journal {
 public:
  // Opens or makes the file and locks it against another run. A last line that was cut short is removed, lines that
  // cannot be read are passed over. Error(usage) for a file that is anything else.
  Journal(std::string path, Json run);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  const Json* find(const Json& identity) const;  // the matrix of an equal run; null: to be measured
  void add(const Json& identity, const Json& matrix);

  int usable() const { return static_cast<int>(matrices_.size()); }
  int foreign() const { return foreign_; }  // lines of other machines, versions, builds or settings
  int damaged() const { return damaged_; }

 private:
  std::string read_all() const;
  void take(const std::string& text);
  [[noreturn]] void give_up(const char* doing) const;

  std::string path_;
  Json run_;
  int descriptor_ = -1, foreign_ = 0, damaged_ = 0;
  std::map<std::string, Json> matrices_;  // by the text of their identity
};

// What tells this machine from others without giving its name away: a hash of host name and device.
std::string machine_fingerprint(const DeviceInfo& info);

// Source, size and time of last change of the files behind it; null for what can be read only once (a pipe).
Json matrix_identity(const std::string& source, const std::string& precision);

}  // namespace heddle

// heddle fetch NAME...: matrices of the SuiteSparse collection, downloaded, unpacked and compared with what the index
// says of them.
#include "collection/fetch.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "collection/places.hpp"
#include "commands/commands.hpp"
#include "reproduce/matrices/test_sets.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/text.hpp"

namespace heddle {

namespace {

using collection::Entry;
using collection::Fetched;

struct Options {
  std::vector<std::string> names;
  std::string folder = "matrices", server = collection::usual_server;
  bool list = false;
};

struct Wanted {
  std::vector<const Entry*> entries;  // each once, in the order they were asked for
  std::vector<std::string> absent;    // of the papers' matrices: not in the collection

  void add(const Entry* entry) {
    if (std::find(entries.begin(), entries.end(), entry) == entries.end()) entries.push_back(entry);
  }
};

void add_papers(Wanted& wanted) {
  for (const reproduce::Subject& subject : reproduce::subjects()) {
    const Entry* found = nullptr;
    for (const std::string& name : subject.files)
      if (found == nullptr) found = collection::find(name);
    if (found != nullptr)
      wanted.add(found);
    else
      wanted.absent.push_back(subject.name);
  }
}

Wanted wanted_by(const std::vector<std::string>& names) {
  Wanted wanted;
  for (const std::string& name : names) {
    if (name == "papers")
      add_papers(wanted);
    else if (name == "corpus")
      for (const Entry* entry : collection::corpus()) wanted.add(entry);
    else if (name == "spd")
      for (const Entry* entry : collection::large_definite()) wanted.add(entry);
    else
      wanted.add(&collection::entry(name));
  }
  return wanted;
}

Json entry_json(const Entry& entry) {
  return {{"name", entry.name}, {"group", entry.group},     {"rows", entry.rows},        {"cols", entry.cols},
          {"nnz", entry.nnz},   {"complex", entry.complex}, {"definite", entry.definite}};
}

std::string facts_of(const Entry& entry) {
  return fmt::format("{:<32} {}, {} entries{}", entry.label(), as_shape(entry.rows, entry.cols), with_commas(entry.nnz),
                     entry.complex ? ", complex" : "");
}

void list(Session& session, const Wanted& wanted) {
  std::int64_t nnz = 0;
  for (const Entry* entry : wanted.entries) {
    session.json()["matrices"].push_back(entry_json(*entry));
    session.print("{}\n", facts_of(*entry));
    nnz += entry->nnz;
  }
  session.print("{} matrices, {} entries\n", with_commas(static_cast<std::int64_t>(wanted.entries.size())),
                with_commas(nnz));
}

// There already, or as an archive: what needs no network comes first.
bool is_here(const std::string& folder, const Entry& entry) {
  const std::string name(entry.name);
  return !collection::file_in(folder, name).empty() || std::filesystem::exists(folder + "/" + name + ".tar.gz");
}

class Fetching {
 public:
  Fetching(Session& session, const Options& options) : session_(session), options_(options) {}

  // A matrix that is not as it should be costs itself alone; a server that cannot be reached ends the command.
  void one(const Entry& entry, std::size_t number, std::size_t of) {
    Json& document = session_.json()["matrices"].emplace_back(entry_json(entry));
    try {
      const Fetched fetched = collection::fetch(entry, settings(entry, number, of));
      document["status"] = fetched.was_there ? "there" : "fetched";
      document["path"] = fetched.path;
      document["bytes"] = fetched.bytes;
      document["seconds"] = fetched.seconds;
      session_.print("{}: {}\n", facts_of(entry), said(fetched));
      ++good_;
    } catch (const Error& error) {
      document["status"] = error.what();
      if (error.kind() != ErrorKind::input) throw;
      session_.fail_at_end(error);
    }
  }
  std::size_t good() const { return good_; }

 private:
  collection::FetchOptions settings(const Entry& entry, std::size_t number, std::size_t of) const {
    collection::FetchOptions settings{.folder = options_.folder, .server = options_.server};
    const Progress bar = session_.progress(fmt::format("{} of {}: {}", number, of, entry.label()));
    settings.download.progress = [bar](double share) {
      Interruptible::stop_if_asked();
      if (bar) bar(share);
    };
    return settings;
  }

  std::string said(const Fetched& fetched) const {
    if (fetched.was_there) return "there already, " + fetched.path;
    const std::string received =
        fetched.bytes > 0 ? as_bytes(static_cast<double>(fetched.bytes)) + " received" : "unpacked";
    return fmt::format("{} in {}, {}", received, as_seconds(fetched.seconds), fetched.path);
  }

  Session& session_;
  const Options& options_;
  std::size_t good_ = 0;
};

void fetch(Session& session, const Options& options) {
  Wanted wanted = wanted_by(options.names);
  session.json()["absent"] = wanted.absent;
  session.json()["matrices"] = Json::array();
  if (!wanted.absent.empty()) session.note("not in the collection: {}", fmt::join(wanted.absent, ", "));
  if (options.list) return list(session, wanted);
  session.json()["folder"] = options.folder;
  std::stable_partition(wanted.entries.begin(), wanted.entries.end(),
                        [&](const Entry* entry) { return is_here(options.folder, *entry); });
  const Interruptible until_asked;
  Fetching fetching(session, options);
  try {
    for (std::size_t k = 0; k < wanted.entries.size(); ++k)
      fetching.one(*wanted.entries[k], k + 1, wanted.entries.size());
  } catch (const Interruptible::Stop&) {
    session.note("stopped; the same command goes on from here");
  }
  session.print("{} of {} matrices are in {}\n", fetching.good(), wanted.entries.size(), options.folder);
}

}  // namespace

void add_fetch(Command root, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = session.add_command(root, "fetch", "Download matrices of the SuiteSparse collection",
                                        [=, &session] { fetch(session, *options); });
  command
      .option("NAME", options->names,
              "cant, Williams/cant, ...; papers: those of the five papers; corpus: 1,598 square ones like paper 3's; "
              "spd: the large positive definite ones")
      .required();
  command.option("--into", options->folder, "Folder to put them into").shows_default();
  command.option("--server", options->server, "Where GROUP/NAME.tar.gz is").shows_default();
  command.flag("--list", options->list, "Show what would be fetched");
  command.footer(
      "A download that was cut goes on where it ended. Every matrix is read once, and its rows, columns and entries "
      "are\n"
      "compared with the built-in index. Archives NAME.tar.gz that lie in the folder are taken instead of downloads.");
}

}  // namespace heddle

#include "reproduce/lab.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/ranges.h>

#include <heddle/generate.hpp>
#include <heddle/io.hpp>
#include <heddle/reorder.hpp>

#include "collection/market_file.hpp"
#include "collection/places.hpp"
#include "core/check.hpp"
#include "layout/sliced_build.hpp"
#include "reproduce/numbers.hpp"

namespace heddle::reproduce {

namespace {

constexpr std::int64_t quick_entries = 12000;  // of a stand-in by profile

Specimen facts_of(const std::string& name, const std::string& source, Origin origin, const PatternView& A) {
  Specimen facts{name, source, origin, A.rows, A.cols, A.nnz(), 0, 0, 0};
  double squares = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    facts.longest = std::max(facts.longest, A.length(row));
    squares += static_cast<double>(A.length(row)) * static_cast<double>(A.length(row));
  }
  if (A.rows == 0) return facts;
  facts.mean = static_cast<double>(A.nnz()) / static_cast<double>(A.rows);
  facts.deviation = std::sqrt(std::max(0.0, squares / static_cast<double>(A.rows) - facts.mean * facts.mean));
  return facts;
}

std::string file_of(const std::string& folder, const Subject& subject) {
  if (folder.empty()) return {};
  for (const std::string& name : subject.files)
    if (std::string path = collection::file_in(folder, name); !path.empty()) return path;
  return {};
}

std::string describe(const Profile& profile) {
  return fmt::format("row lengths: {} rows, {} entries, longest {}{}", grouped(profile.rows), grouped(profile.nnz),
                     grouped(profile.longest),
                     profile.surplus > 0 ? ", one giant row" : ", deviation " + fixed(profile.deviation, 2));
}

}  // namespace

template <>
const Csr<double>& Matrix::as<double>() const {
  return A;
}
template <>
const Csr<float>& Matrix::as<float>() const {
  if (!rounded) rounded = convert<float>(A.view());
  return *rounded;
}

std::vector<std::int64_t> Matrix::lengths() const {
  std::vector<std::int64_t> list;
  for (std::int64_t row = 0; row < A.rows; ++row) list.push_back(A.ptr[row + 1] - A.ptr[row]);
  return list;
}

// A result is judged again on the matrices it was measured on.
void check_is_stored(const Outcome& stored, const Specimen& made) {
  bool known = false;
  for (const Specimen& one : stored.matrices) {
    if (one.name != made.name) continue;
    known = true;
    if (one.origin == made.origin && one.rows == made.rows && one.nnz == made.nnz && one.longest == made.longest)
      return;
  }
  check(!known, ErrorKind::input,
        "the stored times of {} are of another matrix than the one that is made here ({}, {})", made.name,
        name_of(made.origin), made.source);
}

const Matrix& Lab::keep(const std::string& key, Matrix made) {
  if (settings_.stored) check_is_stored(*settings_.stored, made.facts);
  auto& place = matrices_[key];
  place = std::make_unique<Matrix>(std::move(made));
  specimens_.push_back(place->facts);
  return *place;
}

void Lab::forget(const Matrix& matrix) {
  std::erase_if(matrices_, [&](const auto& known) { return known.second.get() == &matrix; });
}

const Matrix& Lab::of_subject(const std::string& key, const Subject& subject, bool small) {
  if (const auto known = matrices_.find(key); known != matrices_.end()) return *known->second;
  std::string unread;  // why a file of that name was left alone
  if (const std::string path = file_of(settings_.folder, subject); !path.empty()) {
    const std::string name = std::filesystem::path(path).filename().string();
    try {
      collection::MarketFile file = collection::read_market_file(path);
      const std::string source = name + (file.complex ? ", the real parts of its complex values" : "");
      return keep(key, {facts_of(subject.name, source, Origin::real, file.A.view()), std::move(file.A)});
    } catch (const Error& error) {
      unread = fmt::format("; {} could not be read: {}", name, error.message());
    }
  }
  if (subject.full.empty()) {
    const Profile profile = small ? shrunk(subject.profile, quick_entries) : subject.profile;
    Csr<double> A = matrix_of(profile);
    return keep(key, {facts_of(subject.name, describe(profile) + unread, Origin::stand_in, A.view()), std::move(A),
                      subject.likeness()});
  }
  const std::string& text = small ? subject.quick : subject.full;
  Csr<double> A = generate(text);
  const Origin origin = subject.fixed && !small ? Origin::fixed : Origin::stand_in;
  return keep(key,
              {facts_of(subject.name, "gen:" + text + unread, origin, A.view()), std::move(A), subject.likeness()});
}

const Matrix& Lab::in_corpus(const std::string& name) {
  const std::string key = "corpus|" + name;
  if (const auto known = matrices_.find(key); known != matrices_.end()) return *known->second;
  const std::string path = collection::file_in(settings_.corpus, name);
  collection::MarketFile file = collection::read_market_file(path);
  check(file.A.rows == file.A.cols, ErrorKind::input, "{} is not square", path);
  const std::string source =
      std::filesystem::path(path).filename().string() + (file.complex ? ", the real parts of its complex values" : "");
  return keep(key, {facts_of(name, source, Origin::real, file.A.view()), std::move(file.A)});
}

bool Lab::has_file(const std::string& name) const { return !file_of(settings_.folder, subject(name)).empty(); }

const Matrix& Lab::matrix(const std::string& name) { return of_subject(name, subject(name), quick()); }

const Matrix& Lab::whole(const std::string& name) {
  return quick() ? of_subject(name + " (whole)", subject(name), false) : matrix(name);
}

const Matrix& Lab::made(const std::string& name, const std::string& source, const std::function<Csr<double>()>& make) {
  if (const auto known = matrices_.find(name); known != matrices_.end()) return *known->second;
  Csr<double> A = make();
  return keep(name, {facts_of(name, source, Origin::artificial, A.view()), std::move(A)});
}

std::vector<std::string> Lab::missing_files(const Outcome& stored) const {
  std::vector<std::string> missing;
  for (const Specimen& one : stored.matrices)
    for (const Subject& subject : subjects())
      if (one.name == subject.name && one.real() && !has_file(one.name)) missing.push_back(one.name);
  return missing;
}

const Matrix& Lab::definite(const std::string& name) {
  return of_subject("definite|" + name, {.name = name, .files = {name}, .full = "like,name=" + name, .quick = {}},
                    false);
}

// Of one that is timed alone a stored result has all that is asked for.
const Matrix& Lab::generated(const std::string& text) {
  if (settings_.stored)
    for (const Specimen& one : settings_.stored->matrices)
      if (one.name == text && !matrices_.contains(text)) return keep(text, {one, {}});
  return made(text, "gen:" + text, [&] { return generate(text); });
}

const Matrix& Lab::changed(const Matrix& matrix, const std::string& name, const std::function<Csr<double>()>& make) {
  const std::string key = fmt::format("{}, {} rows", name, matrix.facts.rows);
  if (const auto known = matrices_.find(key); known != matrices_.end()) return *known->second;
  Csr<double> A = make();
  return keep(key, {facts_of(name, matrix.facts.source, matrix.facts.origin, A.view()), std::move(A), matrix.likeness});
}

const Matrix& Lab::in_rcm_order(const Matrix& matrix) {
  return changed(matrix, matrix.facts.name + " in RCM order", [&] {
    const Permutation order = rcm_order(matrix.A.view());
    return permute(matrix.A.view(), order, order);
  });
}

std::string basis_of(const std::vector<const Matrix*>& matrices) {
  struct Kind {
    Origin origin;
    const char *one, *many;
  };
  std::vector<std::string> parts;
  for (const Kind& kind :
       {Kind{Origin::real, "real file", "real files"}, Kind{Origin::fixed, "fixed construction", "fixed constructions"},
        Kind{Origin::artificial, "artificial matrix", "artificial matrices"},
        Kind{Origin::stand_in, "stand-in", "stand-ins"}}) {
    const auto count = std::count_if(matrices.begin(), matrices.end(),
                                     [&](const Matrix* matrix) { return matrix->facts.origin == kind.origin; });
    if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? kind.one : kind.many));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace heddle::reproduce

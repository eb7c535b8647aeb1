#include <algorithm>

#include "generate/families.hpp"
#include "generate/random.hpp"

namespace heddle::synthetic {

namespace {

// Rows whose length follows a law and whose columns are any distinct ones.
class FreeRows : public Rows {
 public:
  FreeRows(std::int64_t m, std::int64_t n, double mean, std::uint64_t seed)
      : Rows(static_cast<double>(m), static_cast<double>(n),
             static_cast<double>(m) * std::min(mean, static_cast<double>(n))),
        seed_(seed) {
    counted = true;
  }

  virtual std::int64_t wanted_length(std::int64_t row) const = 0;

  std::int64_t length(std::int64_t row) const override { return std::min(cols, wanted_length(row)); }
  void pattern(std::int64_t row, Row& out) const override {
    Draws draws(mix(seed_ + 1), row);
    distinct_columns(draws, length(row), cols, out.col);
  }

 protected:
  std::uint64_t seed_;
};

// Every length from per_row (1 - spread) to per_row (1 + spread) equally likely; two neighbouring rows together have
// twice per_row, so that the mean is exact.
class Random : public FreeRows {
 public:
  Random(const Arguments& given, double spread)
      : FreeRows(given.integer("rows", 0, max_dimension), given.integer("cols", 0, max_dimension),
                 static_cast<double>(given.integer("per_row", 0, max_dimension)), given.seed()),
        per_row_(given.integer("per_row", 0, max_dimension)),
        slack_(static_cast<std::int64_t>(static_cast<double>(per_row_) * spread)) {}

  std::int64_t wanted_length(std::int64_t row) const override {
    const std::int64_t more = below(hash(seed_, row / 2), 2 * slack_ + 1) - slack_;
    return row % 2 == 0 ? per_row_ + more : per_row_ - more;
  }

 private:
  std::int64_t per_row_, slack_;
};

// The row-length laws of the synthetic set of Matam and Kothapalli (2011), given by the share of rows in the first and
// in the last quarter of [1, max]; and a few others.
class Lengths : public FreeRows {
 public:
  Lengths(const Arguments& given)
      : FreeRows(given.integer("rows", 0, max_dimension), given.integer("cols", 0, max_dimension), 1, given.seed()),
        max_(given.integer("max", 1, max_dimension)),
        law_(given.word("law", {"F1", "F2", "F3", "uniform", "constant", "power", "ascending", "descending"})) {}

  std::int64_t wanted_length(std::int64_t row) const override {
    Draws draws(seed_, row);
    if (law_ == "F1") return by_quarters(draws, 0.60, 0.10);
    if (law_ == "F2") return by_quarters(draws, 0.38, 0.32);
    if (law_ == "F3") return by_quarters(draws, 0.15, 0.55);
    if (law_ == "uniform") return 1 + draws.below(max_);
    if (law_ == "ascending") return 1 + row * max_ / rows;
    if (law_ == "descending") return 1 + (rows - 1 - row) * max_ / rows;
    if (law_ == "power") return power_law(draws);
    return max_;
  }

 private:
  std::int64_t by_quarters(Draws& draws, double first, double last) const {
    const std::int64_t quarter = std::max<std::int64_t>(1, max_ / 4);
    const double u = draws.unit();
    if (u < first) return 1 + draws.below(quarter);
    if (u < first + last || max_ <= 2 * quarter) return max_ - draws.below(quarter);
    return quarter + 1 + draws.below(max_ - 2 * quarter);
  }
  // P(length >= x) = x^(-4/3), cut off at max.
  std::int64_t power_law(Draws& draws) const {
    const double length = 1 / sixteenth_power(1 - draws.unit(), 12);
    return length < static_cast<double>(max_) ? static_cast<std::int64_t>(length) : max_;
  }

  std::int64_t max_;
  std::string law_;
};

// Half of the empty rows come as whole runs of 64, the others one by one; entries half near the diagonal, half
// anywhere.
class Empty : public Rows {
 public:
  Empty(const Arguments& given)
      : Rows(static_cast<double>(given.integer("rows", 0, max_dimension)),
             static_cast<double>(given.integer("rows", 0, max_dimension)), expected_entries(given)),
        share_(given.real("share", 0, 1)),
        per_row_(given.integer("per_row", 1, max_dimension)),
        seed_(given.seed()) {}

  void pattern(std::int64_t row, Row& out) const override {
    out.col.clear();
    const double in_runs = share_ / 2, alone = in_runs / (1 - in_runs);
    if (chance(hash(mix(seed_ + 1), row / 64), in_runs)) return;
    Draws draws(seed_, row);
    if (draws.chance(alone)) return;
    const std::int64_t count = std::min(cols, 1 + draws.below(2 * per_row_ - 1));
    const std::int64_t reach = std::min<std::int64_t>(cols, 1024 + 4 * count);
    const std::int64_t first = std::clamp<std::int64_t>(row - reach / 2, 0, cols - reach);
    for (std::int64_t k = 0; k < count; ++k)
      out.col.push_back(static_cast<Index>(k % 2 == 0 ? first + draws.below(reach) : draws.below(cols)));
    sort_columns(out.col);
  }

 private:
  static double expected_entries(const Arguments& given) {
    const double rows = static_cast<double>(given.integer("rows", 0, max_dimension));
    const double length = static_cast<double>(given.integer("per_row", 1, max_dimension));
    return rows * (1 - given.real("share", 0, 1)) * std::min(rows, length);
  }

  double share_;
  std::int64_t per_row_;
  std::uint64_t seed_;
};

// Most rows empty, each by itself; the others short, inside a band around the diagonal but for a share of far entries.
//
//   . . . . . . .        far: any column
//   . x x . x . .   o
//   . . . . . . .        each row has shortest to longest entries, every length equally likely
//   . . . x x x .
class SparseRows : public Rows {
 public:
  SparseRows(const Arguments& given)
      : Rows(static_cast<double>(given.integer("rows", 0, max_dimension)),
             static_cast<double>(given.integer("cols", 0, max_dimension)), expected_entries(given)),
        empty_(given.real("empty", 0, 1)),
        shortest_(given.integer("shortest", 1, max_dimension)),
        longest_(given.integer("longest", 1, max_dimension)),
        band_(given.integer("band", 0, max_dimension)),
        far_(given.real("far", 0, 1)),
        seed_(given.seed()) {
    if (shortest_ > longest_) given.reject("shortest", "must be no more than longest");
    counted = true;
  }

  std::int64_t length(std::int64_t row) const override {
    Draws draws(mix(seed_ + 1), row);
    if (draws.chance(empty_)) return 0;
    return std::min(cols, shortest_ + draws.below(longest_ - shortest_ + 1));
  }

  void pattern(std::int64_t row, Row& out) const override {
    Draws draws(seed_, row);
    const std::int64_t count = length(row);
    if (count > cols / 4) return distinct_columns(draws, count, cols, out.col);
    std::int64_t near = 0;
    for (std::int64_t k = 0; k < count; ++k) near += !draws.chance(far_);
    const std::int64_t window = std::min(cols, 2 * band_ + 1);
    const std::int64_t middle = std::min(row, cols - 1);
    const std::int64_t first = std::clamp<std::int64_t>(middle - band_, 0, cols - window);
    distinct_columns(draws, std::min(near, window), window, out.col);
    for (Index& column : out.col) column = static_cast<Index>(column + first);
    // At most a quarter of the columns is taken: a far one is new with a probability of 3/4 or more.
    while (static_cast<std::int64_t>(out.col.size()) < count) {
      for (std::int64_t k = static_cast<std::int64_t>(out.col.size()); k < count; ++k)
        out.col.push_back(static_cast<Index>(draws.below(cols)));
      sort_columns(out.col);
    }
  }

 private:
  static double expected_entries(const Arguments& given) {
    const auto number = [&](const char* key) { return static_cast<double>(given.integer(key, 0, max_dimension)); };
    const double length = std::min(number("cols"), (number("shortest") + number("longest")) / 2);
    return number("rows") * (1 - given.real("empty", 0, 1)) * length;
  }

  double empty_;
  std::int64_t shortest_, longest_, band_;
  double far_;
  std::uint64_t seed_;
};

// mac_econ's shape: 1 + two geometric numbers, cut at 44: mean 6.2, cv 0.7; entries near the diagonal, at the same
// place of another period (row + k rows/44), or anywhere.
class Economics : public Rows {
 public:
  Economics(std::int64_t n, std::uint64_t seed)
      : Rows(static_cast<double>(n), static_cast<double>(n), static_cast<double>(n)), seed_(seed) {}

  void pattern(std::int64_t row, Row& out) const override {
    constexpr std::int64_t longest = 44, periods = 44;
    constexpr double one_more = 0.725;  // a geometric number of mean 2.6
    Draws draws(seed_, row);
    std::int64_t count = 1;
    for (int part = 0; part < 2; ++part)
      while (draws.chance(one_more)) ++count;
    out.col.assign(1, static_cast<Index>(row));
    for (std::int64_t k = 1; k < std::min(count, longest); ++k) {
      const double kind = draws.unit();
      const std::int64_t step = kind < 0.5   ? draws.below(200) - 100
                                : kind < 0.8 ? cols / periods * draws.below(periods)
                                             : draws.below(cols);
      out.col.push_back(static_cast<Index>((row + step % cols + cols) % cols));
    }
    sort_columns(out.col);
  }

 private:
  std::uint64_t seed_;
};

}  // namespace

Generator random_generator() {
  return {"random",
          "per_row distinct random columns in every row",
          false,
          {{"rows", "1M", "rows"}, {"cols", "rows", "columns"}, {"per_row", "16", "entries a row, at most cols"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> { return std::make_unique<Random>(given, 0); }};
}

Generator lp_generator() {
  return {"lp",
          "few very long rows with random columns (like rail4284)",
          false,
          {{"rows", "4284", "rows"},
           {"cols", "1092610", "columns"},
           {"per_row", "2633", "mean row length; single rows have 50 % to 150 % of it"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> { return std::make_unique<Random>(given, 0.5); }};
}

Generator lengths_generator() {
  return {"lengths",
          "random columns, row lengths by a law",
          false,
          {{"rows", "32768", "rows"},
           {"cols", "rows", "columns"},
           {"max", "64", "the longest row"},
           {"law", "F1",
            "F1, F2, F3: 60/10, 38/32, 15/55 % of the rows in the first/last quarter of 1..max; uniform, constant, "
            "power, ascending, descending"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> { return std::make_unique<Lengths>(given); }};
}

Generator empty_generator() {
  return {"empty",
          "many empty rows, alone and in runs",
          false,
          {{"rows", "2M", "rows and columns"},
           {"share", "0.5", "share of empty rows"},
           {"per_row", "4", "mean length of the others"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> { return std::make_unique<Empty>(given); }};
}

Generator sparse_rows_generator() {
  return {"sparse_rows",
          "most rows empty, the others short, in a band but for some entries",
          false,
          {{"rows", "2M", "rows"},
           {"cols", "rows", "columns"},
           {"empty", "0.8", "share of empty rows"},
           {"shortest", "4", "entries of the shortest of the others"},
           {"longest", "16", "entries of the longest of them"},
           {"band", "2000", "near entries have |row - column| <= band"},
           {"far", "0.05", "share of entries that may be in any column"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> { return std::make_unique<SparseRows>(given); }};
}

Generator economics_generator() {
  return {"economics",
          "short uneven rows, semi-random columns (like mac_econ)",
          false,
          {{"rows", "206500", "rows and columns"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> {
            return std::make_unique<Economics>(given.integer("rows", 0, max_dimension), given.seed());
          }};
}

}  // namespace heddle::synthetic

#include "formats/weave/weave.hpp"  // Snapshots: tests that begin with takes_ or gives_.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <heddle/generate.hpp>
#include <heddle/operator.hpp>

#include "support/every_shape.hpp"
#include "support/exact.hpp"

namespace heddle::test {
namespace {

std::string layout_of(const char* matrix) {
  return setting(resolve(generate<double>(matrix).view(), Plan::parse("weave")), "layout");
}

TEST(Weave, takes_the_layout_the_structure_asks_for) {
  EXPECT_EQ(layout_of("stencil2d5,n=300"), "diagonals");
  EXPECT_EQ(layout_of("stencil3d7,n=41"), "diagonals");
  EXPECT_EQ(layout_of("stencil3d7,n=40"), "padded");  // columns in 16 bits
  EXPECT_EQ(layout_of("fem,n=14,dof=3"), "blocks");
  EXPECT_EQ(layout_of("circuit,rows=60000"), "segments");
  EXPECT_EQ(layout_of("stencil2d5,n=32"), "padded");
  EXPECT_EQ(layout_of("dense,rows=300"), "padded");
  EXPECT_EQ(layout_of("random,rows=20000,per_row=20"), "padded");             // rows of one length, in the L2,
  EXPECT_NE(layout_of("random,rows=70000,cols=70000,per_row=20"), "padded");  // but for columns beyond 16 bits,
  EXPECT_NE(layout_of("lengths,rows=20000"), "padded");                       // and of many lengths
  EXPECT_EQ(layout_of("dense,rows=700"), "long");
  EXPECT_EQ(layout_of("tomography"), "long");
  EXPECT_EQ(layout_of("random,rows=200000,cols=200000,per_row=16"), "sums");  // no two columns together,
  EXPECT_EQ(layout_of("economics,rows=360000"), "segments");                  // and some that are
  EXPECT_EQ(layout_of("rmat,scale=17,edges=18"), "segments");                 // too few for columns by degree
}

TEST(Weave, settings_depend_on_the_size_of_a_value) {
  const Csr<float> A = generate<float>("dense,rows=20");
  const auto width = [&](int value_bytes) {
    return std::stoi(setting(resolve(A.view(), Plan::parse("weave layout=tiles"), value_bytes), "width"));
  };
  EXPECT_GT(width(4), 3 * width(8) / 2);
  EXPECT_EQ(setting(build(A, Plan::parse("weave layout=tiles")).plan(), "width"), std::to_string(width(4)));
}

TEST(Weave, takes_another_layout_on_a_cpu) {
  const auto plan_on = [](const char* matrix, Device device) {
    return build(generate<double>(matrix), Plan::parse("weave"), {device}).plan();
  };
  const auto on_cpu = [&](const char* matrix) { return setting(plan_on(matrix, Device::cpu()), "layout"); };
  EXPECT_EQ(on_cpu("stencil2d5,n=32"), "diagonals");
  EXPECT_EQ(setting(plan_on("stencil2d5,n=32", Device::emulator()), "layout"), "padded");
  EXPECT_EQ(on_cpu("dense,rows=300"), "blocks");
  EXPECT_EQ(on_cpu("random,rows=5000,cols=5000,per_row=20"), "rows");
  EXPECT_EQ(setting(plan_on("random,rows=5000,cols=5000,per_row=20", Device::cpu()), "lanes"), "1");
  EXPECT_EQ(on_cpu("arrow,rows=5000"), "segments");  // one row is all columns
  const Csr<double> grid = generate<double>("stencil2d5,n=32");
  EXPECT_EQ(setting(build(grid, Plan::parse("weave layout=padded"), {Device::cpu()}).plan(), "layout"), "padded");
  expect_exact(generate<double>("arrow,rows=700"), "weave");
}

TEST(Weave, names_only_the_settings_its_layout_has) {
  const Plan plan = resolve(generate<double>("stencil2d5,n=300").view(), Plan::parse("weave"));
  EXPECT_EQ(to_string(plan), "weave layout=diagonals values=auto per_lane=1 keep=matrix");
  EXPECT_EQ(to_string(resolve(generate<double>("dense,rows=20").view(), Plan::parse("weave layout=long team=64"))),
            "weave layout=long values=auto team=64 columns=runs groups=1");
  EXPECT_EQ(Plan::parse(to_string(plan)), plan);
}

TEST(Weave, stores_doubles_that_fit_as_floats) {
  Csr<double> A = with_lengths(std::vector<std::int64_t>(1200, 220), 1200, 1);  // large enough to be worth a codec
  for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = static_cast<double>(k % 300);  // more than a table holds
  for (const char* layout : {"rows", "segments", "padded", "long", "blocks", "diagonals"}) {
    const std::string plan = std::string("weave layout=") + layout;
    expect_exact(A, plan + " values=f32");
    const std::string values = setting(build(A, Plan::parse(plan)).plan(), "values");
    EXPECT_EQ(values, layout == std::string("padded") ? "raw" : "f32") << layout;  // those want a million entries
    expect_exact(A, plan);
  }
  ASSERT_GE(A.nnz(), 1 << 18);
  A.val[17] = 0.1;  // not a float
  EXPECT_EQ(setting(build(A, Plan::parse("weave layout=blocks")).plan(), "values"), "raw");
  EXPECT_THROW((void)build(A, Plan::parse("weave layout=rows values=f32")), Error);
}

TEST(Weave, stores_few_distinct_values_in_a_table) {
  const Csr<double> A = with_lengths(std::vector<std::int64_t>(400, 7), 400, 2);
  for (const char* layout : {"rows", "segments", "padded", "long", "blocks", "diagonals"}) {
    expect_exact(A, std::string("weave values=dictionary layout=") + layout);
    expect_exact(convert<float>(A.view()), std::string("weave values=dictionary layout=") + layout);
  }
  Csr<double> B = A;
  for (std::int64_t k = 0; k < B.nnz(); ++k) B.val[k] = static_cast<double>(k);
  EXPECT_THROW((void)build(B, Plan::parse("weave layout=rows values=dictionary")), Error);
}

TEST(Weave, stores_thousands_of_distinct_values_in_a_table) {
  Csr<double> A = with_lengths({0, 3, 400, 7, 1, 0, 900, 64, 5, 17}, 3000, 2);
  for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = static_cast<double>(k % 1000) - 500;
  for (const char* layout : layouts_with_all_codecs) {
    const std::string plan = std::string("weave values=dictionary16 layout=") + layout;
    expect_exact(A, plan);
    expect_exact(convert<float>(A.view()), plan);
    expect_same_of_many(A, plan);
  }
  EXPECT_THROW((void)build(A, Plan::parse("weave layout=blocks values=dictionary16")), Error);
}

TEST(Weave, counts_distinct_values_up_to_what_a_table_holds) {
  Csr<double> A = with_lengths(std::vector<std::int64_t>(331, 200), 300, 2);
  for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = 0.1 * static_cast<double>(k % 65536);
  const auto full = build(A, Plan::parse("weave layout=rows values=dictionary16"));
  EXPECT_TRUE(identical(full.restore(), A));
  EXPECT_EQ(full.bytes(), footprint(A.view(), full.plan()).bytes);
  A.val[65537] = -1;
  EXPECT_THROW((void)build(A, Plan::parse("weave layout=rows values=dictionary16")), Error);
}

template <class V>
std::string codec_of(const Csr<V>& A, const char* plan) {
  return setting(build(A, Plan::parse(plan)).plan(), "values");
}

// Of a matrix that a GPU's L2 holds nobody counts bytes, and segments of floats have too much else to do.
TEST(Weave, takes_a_table_where_it_saves_many_bytes) {
  for (const std::int64_t rows : {1900, 2100, 3400}) {
    Csr<double> A = with_lengths(std::vector<std::int64_t>(static_cast<std::size_t>(rows), 2000), 2000, 1);
    for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = 0.1 * static_cast<double>(k % 250);
    EXPECT_EQ(codec_of(A, "weave layout=rows"), rows < 2000 ? "raw" : "dictionary");
    EXPECT_EQ(codec_of(A, "weave layout=segments"), rows < 2000 ? "raw" : "dictionary");
    EXPECT_EQ(codec_of(convert<float>(A.view()), "weave layout=rows"), rows < 3333 ? "raw" : "dictionary");
    EXPECT_EQ(codec_of(convert<float>(A.view()), "weave layout=segments"), "raw");
    std::fill(A.val.begin(), A.val.end(), 0.1);
    EXPECT_EQ(codec_of(A, "weave layout=segments"), "uniform");
  }
}

// Fetches from a table beyond the L1 cost more than they save, and so do those that save two bytes only.
TEST(Weave, takes_a_large_table_for_doubles_where_the_cache_holds_it) {
  Csr<double> A = with_lengths(std::vector<std::int64_t>(2100, 2000), 2000, 1);
  for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = 0.1 * static_cast<double>(k % 8192);
  EXPECT_EQ(codec_of(A, "weave layout=rows"), "dictionary16");
  EXPECT_EQ(codec_of(A, "weave layout=tiles"), "raw");
  EXPECT_EQ(codec_of(convert<float>(A.view()), "weave layout=rows"), "raw");
  A.val[9000] = -1;
  EXPECT_EQ(codec_of(A, "weave layout=rows"), "raw");
}

TEST(Weave, stores_no_values_where_all_are_one) {
  Csr<double> A = with_lengths({0, 3, 400, 7, 1, 0, 900, 64, 5, 17}, 3000, 2);
  std::fill(A.val.begin(), A.val.end(), -3.0);
  for (const char* layout : layouts_with_all_codecs) {
    const std::string plan = std::string("weave layout=") + layout, uniform = plan + " values=uniform";
    expect_exact(A, uniform);
    expect_exact(convert<float>(A.view()), uniform);
    expect_same_of_many(A, uniform);
    const auto op = build(A, Plan::parse(uniform)), raw = build(A, Plan::parse(plan));
    EXPECT_EQ(op.bytes(), footprint(A.view(), op.plan()).bytes);
    EXPECT_EQ(raw.bytes() - op.bytes(), 8 * (footprint(A.view(), op.plan()).stored - 1)) << plan;
  }
  EXPECT_THROW((void)build(A, Plan::parse("weave layout=sums values=uniform")), Error);
  A.val[5] = 1;
  EXPECT_THROW((void)build(A, Plan::parse("weave layout=rows values=uniform")), Error);
}

TEST(Weave, takes_no_values_for_a_graph_and_all_of_them_when_they_change) {
  Csr<double> A = with_lengths(std::vector<std::int64_t>(1200, 220), 1200, 1);
  std::fill(A.val.begin(), A.val.end(), 1.0);
  auto op = build(A, Plan::parse("weave layout=segments"));
  EXPECT_EQ(setting(op.plan(), "values"), "uniform");
  std::iota(A.val.begin(), A.val.end(), 1.5);
  op.update_values(A.val);
  EXPECT_EQ(setting(op.plan(), "values"), "raw");
  EXPECT_TRUE(identical(op.restore(), A));
}

TEST(Weave, stores_one_value_for_a_diagonal_of_a_slice) {
  const Csr<double> A = generate<double>("stencil2d5,n=240,coefficients=constant");
  const auto op = build(A, Plan::parse("weave layout=diagonals"));
  EXPECT_EQ(setting(op.plan(), "values"), "constant");
  EXPECT_LT(op.bytes(), A.nnz());
  expect_exact(A, "weave layout=diagonals");
  Csr<double> B = A;
  B.val[100] += 0.1;
  EXPECT_EQ(setting(build(B, Plan::parse("weave layout=diagonals")).plan(), "values"), "raw");
  EXPECT_THROW((void)build(B, Plan::parse("weave layout=diagonals values=constant")), Error);
  EXPECT_THROW((void)build(A, Plan::parse("weave layout=rows values=constant")), Error);
}

// More diagonals than are under way at once, fewer, boundaries inside a slice and a last slice that is not full.
TEST(Weave, gives_a_lane_one_row_or_four_with_the_same_bits) {
  const auto product = [](const Csr<double>& A, const std::string& settings) {
    std::vector<double> x(static_cast<std::size_t>(A.cols)), y(static_cast<std::size_t>(A.rows), 3);
    Dice dice(9);
    for (double& e : x) e = dice.real();
    build(A, Plan::parse("weave layout=diagonals " + settings), {Device::emulator()}).multiply(2, x, -1, y);
    return y;
  };
  for (const char* matrix : {"stencil2d5,n=19", "stencil2d9,nx=40,ny=7", "stencil3d27,n=6"})
    for (const std::string codec : {"values=raw", "values=f32", "values=dictionary", "values=constant"}) {
      const Csr<double> A = generate<double>(matrix);
      EXPECT_EQ(product(A, codec + " per_lane=1"), product(A, codec + " per_lane=4")) << matrix << ' ' << codec;
    }
  EXPECT_EQ(setting(resolve(generate<double>("stencil2d5,n=600").view(), Plan::parse("weave")), "per_lane"), "4");
}

TEST(Weave, changes_the_codec_with_the_values_and_nothing_else) {
  const Csr<double> A = generate<double>("stencil2d5,n=240,coefficients=constant");
  auto op = build(A, Plan::parse("weave layout=diagonals"));
  std::vector<double> values(static_cast<std::size_t>(A.nnz()));
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = 1.0 / static_cast<double>(k + 1);
  op.update_values(values);
  EXPECT_EQ(setting(op.plan(), "values"), "raw");
  EXPECT_EQ(setting(op.plan(), "layout"), "diagonals");
  const Csr<double> back = op.restore();
  EXPECT_TRUE(std::equal(values.begin(), values.end(), back.val.begin()));
}

TEST(Weave, writes_equal_patterns_of_a_grid_once) {
  const Csr<double> A = generate<double>("stencil2d5,n=512,coefficients=varying");
  const auto made = weave::Diagonals<double>::build(A.view(), {.per_lane = 4});
  EXPECT_EQ(made.slices.size(), 512 * 512 / 128);
  EXPECT_LT(made.pattern.size(), 100);  // of 10,000 diagonals
  EXPECT_LT(made.masks.size(), 10);
}

// A thread a row reads the mask at the place of the diagonal, everybody else by its number.
TEST(Weave, has_masks_of_small_diagonals_beside_their_patterns) {
  const Csr<double> A = generate<double>("stencil2d9,n=40,coefficients=varying");
  const weave::DiagonalsSettings once{.per_lane = 4}, beside{.per_lane = 1};
  const auto few = weave::Diagonals<double>::build(A.view(), once);
  const auto all = weave::Diagonals<double>::build(A.view(), beside);
  ASSERT_EQ(all.masks.size(), all.pattern.size() + 1);
  EXPECT_LT(few.masks.size(), all.masks.size());
  for (std::int64_t i = 0; i < all.pattern.size(); ++i) {
    EXPECT_EQ(all.masks[i + 1], few.masks[few.pattern[i].mask]);
    EXPECT_EQ(all.masks[i + 1], all.masks[all.pattern[i].mask]);
  }
}

// Blocks of B x B, in some of `places` places far apart.
Csr<double> in_places(int places, Index B) {
  constexpr Index far = 50'000, rows = 40;
  std::vector<Entry> entries;
  for (Index row = 0; row < rows; ++row)
    for (Index place = 0; place < places; ++place)
      for (Index e = 0; e < B * B && (row + place) % 7 != 0; ++e)
        entries.push_back({row * B + e / B, (20 + place * far + 7 * row) * B + e % B, 1.0 + place + e});
  return from_entries(rows * B, 5 * far * B, entries);
}

Index row_of_entry(const Csr<double>& A, Offset k) {
  Index row = 0;
  while (A.ptr[row + 1] <= k) ++row;
  return row;
}

// Columns in one place need one window, in up to four they fit 16 bits, in five they do not.
TEST(Weave, has_columns_in_one_window_or_four_and_wide_ones_where_those_do_not_do) {
  for (const int places : {1, 2, 3, 4, 5}) {
    const Csr<double> A = in_places(places, 1);
    const auto planned = plan_columns(A.view(), {1, 1}, 1);
    EXPECT_EQ(planned.slices[0].wide, places == 5);
    EXPECT_EQ(planned.slices[0].wide == 0 && planned.slices[0].windows.only_first(), places == 1);
    for (const char* shape : {"lanes=1 per_lane=1", "lanes=2 per_lane=2", "lanes=1 per_lane=4", "lanes=4"})
      for (const char* how : {" sort=1 keep=matrix", " sort=1024 keep=matrix", " sort=1024 keep=nothing"}) {
        expect_exact(A, std::string("weave layout=rows ") + shape + how);
        expect_exact(convert<float>(A.view()), std::string("weave layout=rows ") + shape + how);
      }
    for (const Index B : {1, 2, 3, 4, 5})
      for (const char* plan : {"weave layout=blocks", "weave layout=blocks lanes=4 sort=1024 keep=nothing",
                               "weave layout=blocks values=dictionary"})
        expect_exact(in_places(places, B), plan);
  }
}

// Places without an entry have the first code of a table: the value of least bits, here one that is no number.
TEST(Weave, keeps_what_is_no_number_out_of_rows_that_do_not_have_it) {
  Csr<double> A = in_places(3, 2);
  for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = -A.val[k];
  A.val[0] = std::numeric_limits<double>::quiet_NaN();
  const Index first = row_of_entry(A, 0);
  for (const char* layout :
       {"blocks block=2 lanes=1", "blocks block=2 lanes=4 sort=1024", "blocks block=3", "blocks block=5",
        "rows lanes=1 per_lane=1 keep=matrix", "rows lanes=2 per_lane=4", "segments", "long", "padded"}) {
    std::vector<double> x(static_cast<std::size_t>(A.cols), 1), y(static_cast<std::size_t>(A.rows));
    build(A, Plan::parse(std::string("weave values=dictionary layout=") + layout), {Device::emulator()}).multiply(x, y);
    for (std::size_t row = 0; row < y.size(); ++row)
      EXPECT_EQ(std::isnan(y[row]), static_cast<Index>(row) == first) << layout << " row " << row;
  }
}

// Every step in at most four places of 64 columns: 8 bits do. A slice that has one column elsewhere stays in 16.
TEST(Weave, stores_columns_in_bytes_where_every_step_allows_it) {
  std::vector<Entry> entries;
  for (Index row = 0; row < 300; ++row)
    for (Index place = 0; place < 9; ++place)
      if ((row + place) % 7 != 0) entries.push_back({row, place * 1000 + row, 1.0 + place});
  const Csr<double> fits = from_entries(300, 70'000, entries);
  for (Index row = 0; row < 12; ++row) entries.push_back({row, 20'000 + 100 * row, 3});
  const Csr<double> mixed = from_entries(300, 70'000, entries);
  const auto slices_in_bytes = [](const Csr<double>& A) {
    std::int64_t count = 0;
    for (const ColumnSlice& slice : plan_columns(A.view(), {1, 2}, 1, true).slices)
      count += slice.wide == ColumnSlice::in_bytes;
    return count;
  };
  EXPECT_EQ(slices_in_bytes(fits), 5);
  EXPECT_EQ(slices_in_bytes(mixed), 4);
  for (const Csr<double>& A : {fits, mixed})
    for (const char* shape : {"lanes=1 per_lane=4", "lanes=1 per_lane=2", "lanes=4 per_lane=2 sort=1024"})
      for (const char* values : {"raw", "f32", "dictionary", "dictionary16"}) {
        const std::string plan = std::string("weave layout=rows columns=bytes ") + shape + " values=" + values;
        expect_exact(A, plan);
        const auto op = build(A, Plan::parse(plan));
        EXPECT_EQ(op.bytes(), footprint(A.view(), op.plan()).bytes);
      }
  expect_exact(convert<float>(mixed.view()), "weave layout=rows columns=bytes lanes=2 per_lane=4");
  expect_same_of_many(mixed, "weave layout=rows columns=bytes lanes=2 per_lane=2");
  EXPECT_LT(build(fits, Plan::parse("weave layout=rows lanes=1 per_lane=4 columns=bytes")).bytes(),
            build(fits, Plan::parse("weave layout=rows lanes=1 per_lane=4 columns=each")).bytes() - 3 * fits.nnz() / 4);
}

TEST(ColumnWindows, know_their_last_column) {
  const auto fit = [](std::vector<std::int64_t> columns) {
    ColumnWindows found;
    return WindowFinder::find(
        [&](auto f) {
          for (const std::int64_t c : columns) f(c);
        },
        found);
  };
  EXPECT_TRUE(fit({0, 16383, 16384, 32767, 32768, 49151, 49152, 65534}));
  EXPECT_FALSE(fit({0, 16383, 16384, 32767, 32768, 49151, 49152, 65535}));  // its code would say "no entry"
  EXPECT_TRUE(fit({65535}));
  EXPECT_TRUE(fit({}));
}

TEST(Weave, needs_no_masks_when_all_blocks_are_full) {
  const Csr<double> A = generate<double>("fem,n=6,dof=3");
  const auto made = weave::Blocks<double>::build(A.view(), {.block = 3, .lanes = 2, .sort = 1});
  EXPECT_TRUE(made.masks.empty());
  const Csr<double> B = from_entries(4, 4, {{0, 0, 1}, {3, 3, 2}});
  EXPECT_FALSE(weave::Blocks<double>::build(B.view(), {.block = 3, .lanes = 1, .sort = 1}).masks.empty());
}

TEST(Weave, padded_rows_have_columns_in_16_bits_where_those_hold_them) {
  using enum weave::PaddedColumns;
  const auto columns_of = [](const Csr<double>& A) {
    for (const char* shape : {"", " lanes=2 per_lane=1"}) expect_exact(A, std::string("weave layout=padded") + shape);
    return weave::Padded<double>::build(A.view(), {.lanes = 1, .per_lane = 1}).shape.columns;
  };
  EXPECT_EQ(columns_of(from_entries(2, 65535, {{0, 65534, 1}, {1, 0, 2}})), narrow);
  EXPECT_EQ(columns_of(from_entries(40000, 65536, {{0, 0, 1}, {0, 32767, 2}, {32767, 0, 3}, {39999, 65535, 4}})),
            relative);
  EXPECT_EQ(columns_of(from_entries(2, 65536, {{0, 32768, 1}})), wide);
  EXPECT_EQ(columns_of(from_entries(40000, 65536, {{32768, 0, 1}, {39999, 65535, 4}})), wide);
}

template <class V>
void expect_same_bits_of_rows(const Csr<V>& A) {
  std::vector<V> x(static_cast<std::size_t>(A.cols));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 / (V(1) + static_cast<V>(i % 97));
  const auto product = [&](const std::string& keep) {
    std::vector<V> y(static_cast<std::size_t>(A.rows), 7);
    build(A, Plan::parse("weave layout=rows lanes=1 per_lane=1 sort=1 keep=" + keep), {Device::emulator()})
        .multiply(2, x, -1, y);
    return y;
  };
  EXPECT_EQ(product("matrix"), product("nothing")) << A.nnz() << " of " << A.cols;
  expect_exact(A, "weave layout=rows lanes=1 per_lane=1 sort=1 keep=matrix");
}

// Of few slices that the L1 keeps, up to eight steps are under way at once, twelve of floats; else four.
TEST(Weave, rows_of_any_number_of_steps_have_the_same_bits_however_many_are_under_way) {
  for (int longest = 0; longest <= 20; ++longest)
    for (const std::int64_t cols : {90, 1'000'000}) {  // in the second columns are wide
      const Csr<double> A = with_lengths({longest, 1, 0, longest / 2, longest}, cols, 3);
      expect_same_bits_of_rows(A);
      expect_same_bits_of_rows(convert<float>(A.view()));
    }
}

TEST(Weave, gives_a_row_fewer_lanes_where_all_of_its_steps_are_under_way_at_once) {
  using weave::RowsTeam;
  const auto lanes = [](std::int64_t rows, double mean, bool in_cache) {
    return RowsTeam::of(rows, mean, in_cache, 0, 0).lanes;
  };
  EXPECT_EQ(lanes(60'000, 6, false), 4);
  EXPECT_EQ(lanes(60'000, 6, true), 1);
  EXPECT_EQ(lanes(60'000, 7, true), 2);  // seven steps: only where two lanes would be too many warps
  EXPECT_EQ(lanes(70'000, 7, true), 1);
  EXPECT_EQ(lanes(5'000, 7, true), 4);      // as warps are few
  EXPECT_EQ(lanes(60'000, 200, true), 32);  // a fifth of a row for each, as in a large matrix
  EXPECT_EQ(RowsTeam::of(60'000, 6, true, 8, 2).lanes, 8);
  EXPECT_EQ(RowsTeam::of(60'000, 6, true, 8, 2).slice_rows(), 8);
  EXPECT_EQ(RowsTeam::of(70'000, 30, true, 0, 0).per_lane, 2);
  EXPECT_EQ(RowsTeam::of(120'000, 30, true, 0, 0).per_lane, 4);  // warps enough
}

// Up to twelve have a kernel each, of raw values and few rows. Places without an entry have the first code of a table:
// the value of least bits, here one that is no number.
TEST(Weave, padded_rows_of_any_number_of_steps) {
  for (int longest = 0; longest <= 15; ++longest)
    for (const std::int64_t cols : {90, 100'000}) {
      Csr<double> A = with_lengths({longest, 1, 0, longest / 2, longest}, cols, 3);
      expect_exact(A, "weave layout=padded lanes=1 per_lane=1 values=raw");
      expect_exact(A, "weave layout=padded lanes=1 per_lane=1 values=dictionary");
      if (longest < 2) continue;
      for (double& value : A.val) value = -1 - std::abs(value);
      A.val[0] = std::numeric_limits<double>::quiet_NaN();
      std::vector<double> x(static_cast<std::size_t>(cols), 1), y(5);
      build(A, Plan::parse("weave layout=padded lanes=1 per_lane=1 values=dictionary"), {Device::emulator()})
          .multiply(x, y);
      for (std::size_t row = 0; row < y.size(); ++row) EXPECT_EQ(std::isnan(y[row]), row == 0) << longest;
    }
}

TEST(Weave, gives_a_row_of_diagonals_a_thread_longer_where_it_has_many) {
  const auto per_lane = [](const std::string& matrix) {
    return setting(resolve(generate<float>(matrix).view(), Plan::parse("weave layout=diagonals")), "per_lane");
  };
  EXPECT_EQ(per_lane("band,rows=190000,width=3"), "1");
  EXPECT_EQ(per_lane("band,rows=210000,width=3"), "4");
  EXPECT_EQ(per_lane("band,rows=210000,width=12"), "1");
}

TEST(Weave, gives_a_padded_row_fewer_lanes_the_more_rows_there_are) {
  using weave::PaddedTeam;
  EXPECT_EQ(PaddedTeam::of(10'000, 9, 0).lanes, 4);
  EXPECT_EQ(PaddedTeam::of(40'000, 9, 0).lanes, 2);
  EXPECT_EQ(PaddedTeam::of(40'000, 8, 0).lanes, 1);
  EXPECT_EQ(PaddedTeam::of(50'000, 9, 0).lanes, 1);
  EXPECT_EQ(PaddedTeam::of(50'000, 13, 0).lanes, 2);  // twelve steps at once
  EXPECT_EQ(PaddedTeam::of(50'000, 13, 0).per_lane, 1);
  EXPECT_EQ(PaddedTeam::of(1'000, 40, 0).per_lane, 4);  // one step
  EXPECT_EQ(PaddedTeam::of(300, 300, 0).per_lane, 1);   // ten
  EXPECT_EQ(PaddedTeam::of(400, 400, 0).per_lane, 4);   // thirteen
  EXPECT_EQ(PaddedTeam::of(29'000, 39, 0).lanes, 4);
  EXPECT_EQ(PaddedTeam::of(60'000, 40, 0).lanes, 4);
  EXPECT_EQ(PaddedTeam::of(60'000, 40, 0).per_lane, 1);
}

}  // namespace
}  // namespace heddle::test

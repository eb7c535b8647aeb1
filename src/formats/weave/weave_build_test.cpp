// What kernels build from a matrix on the device is what the host builds from one in its memory: every array, every
// bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include <heddle/io.hpp>

#include "formats/registered.hpp"
#include "formats/weave/diagonals/diagonals_found.hpp"
#include "formats/weave/weave.hpp"
#include "simt/emulator.hpp"
#include "simt/primitives/scan.hpp"
#include "support/builders.hpp"
#include "support/valued.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

using namespace weave;

// All bits of an array that mean something: not the gaps that alignment leaves in a struct.
template <class T>
std::string bits_of(const Buffer<T>& array) {
  return {reinterpret_cast<const char*>(array.data()), array.bytes()};
}
std::string bits_of(const Buffer<ColumnSlice>& slices) {
  std::string bits;
  for (const ColumnSlice& s : slices) {
    const std::int64_t numbers[] = {s.first,           s.columns,         s.width,           s.wide,
                                    s.windows.base[0], s.windows.base[1], s.windows.base[2], s.windows.base[3]};
    bits.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
  }
  return bits;
}

std::string bits_of(const Buffer<LongRow>& rows) {
  std::string bits;
  for (const LongRow& r : rows) {
    const Index numbers[] = {r.row, r.first, r.count, r.first_piece, r.arrived};
    bits.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
  }
  return bits;
}

template <class Layout>
std::vector<std::string> arrays_of(const Layout& layout) {
  std::vector<std::string> arrays;
  Layout::each_array(layout, [&](const auto& array) { arrays.push_back(bits_of(array)); });
  return arrays;
}

template <class Layout, class Settings = typename Layout::Settings>
Settings settings_of(const std::string& text, const PatternView& A, int value_bytes) {
  WeaveSettings all = settings_from<WeaveFormat>(Plan::parse("weave " + text));
  choose_weave(all, A, value_bytes);
  Settings settings;
  with_layout<double>(all, [&]<class Its>(auto, const Its& its) {
    if constexpr (std::is_same_v<Settings, Its>) settings = its;
  });
  return settings;
}

// Scratch holds anything.
template <class Layout>
void clear_scratch(Layout& layout) {
  const auto clear = []<class T>(Buffer<T>& array) { std::fill(array.begin(), array.end(), T(0)); };
  if constexpr (requires { Layout::each_scratch(layout, clear); }) Layout::each_scratch(layout, clear);
}

// In few words: printed in full, arrays that differ are hundreds of megabytes.
void expect_equal_bytes(const std::vector<std::string>& here, const std::vector<std::string>& there) {
  ASSERT_EQ(here.size(), there.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    const auto differs = std::mismatch(here[i].begin(), here[i].end(), there[i].begin(), there[i].end()).first;
    EXPECT_TRUE(here[i] == there[i]) << "array " << i << " of " << here.size() << " has " << here[i].size()
                                     << " bytes, there " << there[i].size() << "; they differ from byte "
                                     << differs - here[i].begin() << " on";
  }
}

// known: what whoever builds there knows already.
template <template <class> class Layout, class V, class... Known>
void expect_same_arrays(const Csr<V>& A, const std::string& text, const Known&... known) {
  const auto settings = settings_of<Layout<V>>(text, A.view(), sizeof(V));
  if (!Layout<V>::footprint(A.view(), settings, sizeof(V)).fits) return;
  auto there = Layout<V>::build_there(simt::Emulator{}, A.view(), settings, Device::emulator(), known...);
  ASSERT_TRUE(there);
  auto here = Layout<V>::build(A.view(), settings);
  clear_scratch(here);
  clear_scratch(*there);
  expect_equal_bytes(arrays_of(here), arrays_of(*there));
  Layout<V>::each_array(*there,
                        [](const auto& array) { EXPECT_TRUE(array.empty() || array.device() == Device::emulator()); });
}

// Of the zoo, what differs for those who build: empty rows and columns, rows that end a slice or begin one, blocks with
// holes, columns far apart, giant rows; and more rows than a tile of a scan has.
std::vector<Specimen> few() {
  return chosen({"5x0", "first_last_middle_rows_empty", "lengths_0_to_129", "power_law", "blocks_with_holes"});
}
std::vector<Specimen> many(bool giant_rows) {
  std::vector<Specimen> all = zoo(Zoo::small);
  for (Specimen& specimen : chosen({"rows_33", "rows_129", "rows_1025", "far_columns"}))
    all.push_back(std::move(specimen));
  for (Specimen& specimen : chosen({"two_giant_rows_touching"}))
    if (giant_rows) all.push_back(std::move(specimen));
  all.push_back({"rows_5000", read_matrix("gen:band,rows=5000,width=1")});
  return all;
}

// Layouts that also have the value codecs beyond f32 and dictionary.
template <template <class> class Layout>
void expect_same_with_all_codecs(const std::string& plan) {
  for (const Specimen& specimen : few()) {
    SCOPED_TRACE(specimen.name + ", " + plan);
    expect_same_arrays<Layout>(with_many_values(specimen.A), plan + " values=dictionary16");
    expect_same_arrays<Layout>(with_one_value(specimen.A), plan + " values=uniform");
  }
  expect_same_arrays<Layout>(convert<float>(with_many_values(read_matrix("gen:band,rows=300,width=9")).view()),
                             plan + " values=dictionary16");
}

// The first plan sees all there is and every codec; the others what differs by their settings.
template <template <class> class Layout>
void expect_same_everywhere(const std::vector<std::string>& plans, bool giant_rows = true) {
  for (const Specimen& specimen : few()) {
    SCOPED_TRACE(specimen.name);
    expect_same_arrays<Layout>(convert<float>(specimen.A.view()), plans[0]);
    expect_same_arrays<Layout>(with_float_values(specimen.A), plans[0] + " values=f32");
    expect_same_arrays<Layout>(with_few_values(specimen.A), plans[0] + " values=dictionary");
  }
  simt::emulator::set_order(simt::emulator::Order::reverse);
  for (const std::string& plan : plans)
    for (const Specimen& specimen : plan == plans[0] ? many(giant_rows) : few()) {
      SCOPED_TRACE(specimen.name + ", " + plan);
      expect_same_arrays<Layout>(specimen.A, plan);
    }
  simt::emulator::set_order(simt::emulator::Order::forward);
}

TEST(WeaveBuild, rows) {
  expect_same_everywhere<Rows>({"layout=rows", "layout=rows lanes=1 per_lane=4", "layout=rows lanes=4 per_lane=2",
                                "layout=rows lanes=32 per_lane=1", "layout=rows lanes=2 per_lane=1 sort=1024"});
  expect_same_with_all_codecs<Rows>("layout=rows lanes=4 per_lane=2");
  for (const char* matrix : {"gen:fem,n=5,dof=3", "gen:stencil2d9,n=37", "gen:road,rows=3000"})
    for (const char* plan :
         {"layout=rows lanes=1 per_lane=4 columns=bytes", "layout=rows lanes=4 per_lane=2 columns=bytes sort=1024"}) {
      expect_same_arrays<Rows>(read_matrix(matrix), plan);
      expect_same_arrays<Rows>(convert<float>(read_matrix(matrix).view()), plan);
    }
}

// More slices than the host knows the places of, and as many: by a scan, and by parts.
TEST(WeaveBuild, rows_of_many_slices) {
  const std::int64_t of_part = device::scan_threads, most = SlicePlaces::most_parts * of_part;
  for (const std::int64_t rows : {most, most + 1})
    expect_same_arrays<Rows>(read_matrix("gen:band,width=1,rows=" + std::to_string(rows)),
                             "layout=rows lanes=1 per_lane=1 sort=1");
}

TEST(WeaveBuild, blocks) {
  expect_same_everywhere<Blocks>({"layout=blocks block=2 lanes=1", "layout=blocks block=3",
                                  "layout=blocks block=4 lanes=8", "layout=blocks block=5 lanes=2",
                                  "layout=blocks block=3 lanes=4 sort=1024"});
}

TEST(WeaveBuild, full_blocks_of_rows_that_shared_memory_holds_or_not) {
  std::vector<Entry> entries;
  for (Index row = 0; row < 128; ++row)
    for (Index col = 0; col < (row / 2 % 3 == 0 && row < 64 ? 80 : 4); ++col)
      entries.push_back({row, col, 0.5 * static_cast<double>(row + col)});
  expect_same_arrays<Blocks>(from_entries(128, 80, entries), "layout=blocks block=2 lanes=1");
}

// All blocks full; one entry beside its block, so that only columns tell; rows behind the last block that are empty.
TEST(WeaveBuild, full_blocks) {
  const Csr<double> full = read_matrix("gen:fem,n=4,dof=3");
  Csr<double> beside = full, behind = full;
  const std::vector<const Csr<double>*> all{&full, &beside, &behind};
  const Offset last = beside.ptr[8] - 1;
  beside.col[last] = static_cast<Index>(beside.cols - 1);
  behind.rows += 2;
  behind.ptr = Buffer<Offset>(behind.rows + 1);
  for (std::int64_t row = 0; row <= behind.rows; ++row) behind.ptr[row] = full.ptr[std::min(row, full.rows)];
  for (const Csr<double>* A : all) {
    const bool is_full = A != &beside;
    EXPECT_EQ(block_pattern(A->view(), 3).full, is_full);
    EXPECT_EQ(block_pattern(simt::Emulator{}, A->view(), 3, Device::emulator()).full, is_full);
    for (const char* plan :
         {"layout=blocks block=3 lanes=1", "layout=blocks block=3 lanes=2", "layout=blocks block=3 lanes=4 sort=1024"})
      expect_same_arrays<Blocks>(*A, plan);
    expect_same_arrays<Blocks>(with_few_values(*A), "layout=blocks block=3 lanes=1 values=dictionary");
  }
}

std::optional<BlocksKnown> known(std::uint32_t full) { return BlocksKnown{{full}, nullptr}; }

// Whoever knows that blocks are full does not look; whoever knows that they are not, or not of this size, does not try.
TEST(WeaveBuild, full_blocks_that_somebody_has_found) {
  const Csr<double> full = read_matrix("gen:fem,n=5,dof=6"), holes = read_matrix("gen:fem,n=4,dof=7");
  for (const char* plan : {"layout=blocks block=3 lanes=1", "layout=blocks block=3 lanes=4",
                           "layout=blocks block=3 lanes=2 sort=1024", "layout=blocks block=3 lanes=16 values=f32"}) {
    const Csr<double> A = with_float_values(full);
    for (const std::uint32_t bits : {1u << 3 | 1u << 2, 1u << 2, 0u}) expect_same_arrays<Blocks>(A, plan, known(bits));
    expect_same_arrays<Blocks>(convert<float>(A.view()), plan, known(1u << 3));
    expect_same_arrays<Blocks>(with_float_values(holes), plan, known(0));
  }
}

// What is known when the slices of full blocks were planned together with the question which are full.
std::optional<BlocksKnown> planned(const Csr<double>& A, const PlannedBlocks::Lanes& lanes) {
  const BlockSizes sizes = possible_full_blocks(A.view());
  auto plan = plan_full_blocks(simt::Emulator{}, A.view(), sizes, lanes, Device::emulator());
  FullBlocksQuestion question;
  question.ask(simt::Emulator{}, A.view(), sizes, Device::emulator(), false, plan->holes());
  plan->queue();
  return BlocksKnown{question.heard(), std::move(plan)};
}

// The largest size is planned, for so many lanes; others are planned when they are built.
TEST(WeaveBuild, full_blocks_that_were_planned_before_they_were_found) {
  const PlannedBlocks::Lanes lanes{{0, 0, 8, 4, 2, 4}};
  for (const char* matrix :
       {"gen:fem,n=5,dof=6", "gen:fem,n=6,dof=4", "gen:fem,n=9,dof=2", "gen:fem,n=6,dof=3", "gen:fem,n=5,dof=5"})
    for (const char* plan : {"layout=blocks block=2 lanes=8", "layout=blocks block=3 lanes=4",
                             "layout=blocks block=4 lanes=2", "layout=blocks block=5 lanes=4",
                             "layout=blocks block=2 lanes=1", "layout=blocks block=3 lanes=4 sort=1024"}) {
      SCOPED_TRACE(testing::Message() << matrix << ", " << plan);
      const Csr<double> A = read_matrix(matrix);
      expect_same_arrays<Blocks>(A, plan, planned(A, lanes));
    }
  const Csr<double> A = read_matrix("gen:fem,n=5,dof=6");  // 2 and 3 are full
  const auto both = planned(A, lanes);
  EXPECT_FALSE(both->planned->heard(both->full, 2, 8));
  EXPECT_FALSE(both->planned->heard(both->full, 3, 2));
  const auto heard = both->planned->heard(both->full, 3, 4);
  ASSERT_TRUE(heard);
  const SlicedColumns here = plan_columns(block_pattern(A.view(), 3).view(), {4, 1}, 1);
  EXPECT_EQ(heard->columns.slices.size(), here.slices.size());
  EXPECT_EQ(heard->columns.steps, here.steps);
  EXPECT_EQ(heard->code_count, code_count(here));
}

// Nothing outside the arrays is read, whatever they say, and nobody asks what came of it.
TEST(WeaveBuild, full_blocks_of_arrays_that_are_no_matrix_are_not_planned) {
  const Csr<double> A = read_matrix("gen:fem,n=6,dof=4");
  for (const std::int64_t wrong : {std::int64_t{-9}, A.nnz() + 9, std::int64_t{1} << 40})
    for (const std::int64_t at : {std::int64_t{0}, std::int64_t{1}, std::int64_t{200}, A.rows}) {
      Csr<double> broken = A;
      broken.ptr[at] = wrong;
      EXPECT_EQ(planned(broken, {{0, 0, 8, 4, 2}})->full.bits, 0u) << wrong << " at " << at;
    }
  const BlockSizes size{1u << 2};
  const Csr<double> many = read_matrix("gen:band,rows=200000,width=1");  // more slices than travel with a kernel
  EXPECT_FALSE(plan_full_blocks(simt::Emulator{}, many.view(), size, {{0, 0, 1, 1, 1}}, Device::emulator()));
}

// The band has more patterns than the host is asked to number. (A row of 7,000 entries has as many
// diagonals: many steps for the emulator.) An arrow has a slice with more diagonals than slices have room for.
TEST(WeaveBuild, diagonals) {
  expect_same_everywhere<weave::Diagonals>({"layout=diagonals"}, false);
  for (const char* matrix : {"gen:stencil3d7,n=13,coefficients=varying", "gen:stencil2d9,n=61",
                             "gen:band,rows=9000,width=5", "gen:arrow,rows=400"})
    expect_same_arrays<weave::Diagonals>(read_matrix(matrix), "layout=diagonals");
}

TEST(WeaveBuild, diagonals_of_one_value_each) {
  for (const char* matrix : {"gen:stencil2d5,n=37", "gen:stencil3d7,n=11"}) {
    const Csr<double> A = read_matrix(matrix);
    expect_same_arrays<weave::Diagonals>(A, "layout=diagonals values=constant");
    expect_same_arrays<weave::Diagonals>(convert<float>(A.view()), "layout=diagonals values=constant");
    EXPECT_TRUE(find_diagonals(simt::Emulator{}, A.view(), true, Device::emulator())->constant);
    Csr<double> B = A;
    B.val[B.nnz() / 2] += 1;
    EXPECT_FALSE(find_diagonals(simt::Emulator{}, B.view(), true, Device::emulator())->constant);
    const auto constant = settings_of<weave::Diagonals<double>>("layout=diagonals values=constant", B.view(), 8);
    EXPECT_FALSE(weave::Diagonals<double>::build_there(simt::Emulator{}, B.view(), constant, Device::emulator()));
  }
}

TEST(WeaveBuild, diagonals_from_what_settling_has_found) {
  for (const char* matrix : {"gen:stencil3d7,n=41", "gen:stencil3d7,n=41,coefficients=varying"}) {
    const Csr<double> A = read_matrix(matrix);
    const Making<double> making({A.view(), nullptr, Device::emulator(), 7}, "weave");
    ASSERT_TRUE(making.builder->settle(false));
    const auto made = making.builder->finish();
    ASSERT_TRUE(made);
    const Csr<double> back = made->restore();
    EXPECT_TRUE(std::equal(back.ptr.begin(), back.ptr.end(), A.ptr.begin(), A.ptr.end()));
    EXPECT_TRUE(std::equal(back.col.begin(), back.col.end(), A.col.begin(), A.col.end()));
    EXPECT_TRUE(std::equal(back.val.begin(), back.val.end(), A.val.begin(), A.val.end()));
  }
}

TEST(WeaveBuild, padded) {
  expect_same_everywhere<Padded>({"layout=padded", "layout=padded lanes=2 per_lane=1", "layout=padded lanes=32"});
  expect_same_with_all_codecs<Padded>("layout=padded");
  for (const char* matrix : {"gen:band,rows=66000,width=2", "gen:random,rows=300,cols=70000,per_row=3"})
    expect_same_arrays<Padded>(read_matrix(matrix), "layout=padded");
}

TEST(WeaveBuild, long_rows) {
  expect_same_everywhere<Long>({"layout=long columns=each", "layout=long team=256", "layout=long team=64 columns=quads",
                                "layout=long team=32 columns=runs"});
  for (const std::string columns : {"quads", "runs"})
    for (const std::string values : {"raw", "dictionary", "uniform"})
      expect_same_arrays<Long>(with_one_value(read_matrix("gen:dense,rows=260")),
                               "layout=long team=32 columns=" + columns + " values=" + values);
  expect_same_with_all_codecs<Long>("layout=long team=32");
}

// Rows that a block of threads cuts in several rounds: runs that end at any place, and one that is the whole row.
TEST(WeaveBuild, quads_of_very_long_rows) {
  const Csr<double> A = with_lengths({3000, 0, 1, 2500, 3500}, 3500, 8);
  expect_same_arrays<Long>(A, "layout=long team=64 columns=quads");
}

// Several chunks of rows, in a matrix small enough for teams and in one that is not; rows in pieces, empty rows
// between.
Csr<double> of_many_lengths(std::int64_t rows, std::int64_t mean) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t row = 0; row < rows; ++row)
    lengths.push_back(row % 1000 == 7   ? 30 * mean
                      : row % 4001 == 3 ? 5000
                      : row % 5 == 0    ? 0
                                        : row * 7919 % (2 * mean));
  Csr<double> A{rows, 6000, Buffer<Offset>(rows + 1), {}, {}};
  A.ptr[0] = 0;
  for (std::int64_t row = 0; row < rows; ++row) A.ptr[row + 1] = A.ptr[row] + lengths[static_cast<std::size_t>(row)];
  A.col = Buffer<Index>(A.ptr[rows]);
  A.val = Buffer<double>(A.ptr[rows]);
  for (std::int64_t row = 0; row < rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) A.col[k] = static_cast<Index>(row % 100 + k - A.ptr[row]);
  for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = 0.1 * static_cast<double>(k);
  return A;
}

TEST(WeaveBuild, segments) {
  expect_same_everywhere<Segments>({"layout=segments", "layout=segments per_lane=8"});
  expect_same_with_all_codecs<Segments>("layout=segments");
  expect_same_arrays<Segments>(of_many_lengths(9000, 10), "layout=segments");
  expect_same_arrays<Segments>(of_many_lengths(17500, 150), "layout=segments");
  expect_same_arrays<Segments>(read_matrix("gen:band,rows=101000,width=21"), "layout=segments");  // large, no long row
  for (const TileSizes sizes : {TileSizes{128}, TileSizes{256}, TileSizes{256, 128}})             // counted before
    for (const char* plan : {"layout=segments per_lane=8", "layout=segments per_lane=4"}) {
      const Csr<double> A = of_many_lengths(9000, 10);
      expect_same_arrays<Segments>(A, plan, count_segments(simt::Emulator{}, A.view(), sizes, Device::emulator()));
    }
}

TEST(WeaveBuild, tiles) {
  expect_same_everywhere<Tiles>({"layout=tiles", "layout=tiles order=degree width=64",
                                 "layout=tiles order=natural width=32 per_lane=8",
                                 "layout=tiles order=degree width=1000 per_lane=8"});
  expect_same_arrays<Tiles>(read_matrix("gen:rmat,scale=11,edges=16"), "layout=tiles order=degree width=1000");
  // More tiles than a digit of the sort has.
  for (const char* plan : {"layout=tiles order=natural width=32", "layout=tiles order=degree width=32"})
    expect_same_arrays<Tiles>(read_matrix("gen:random,rows=2000,cols=20000,per_row=5"), plan);
}

// As many partials as one thread adds up, and one more.
TEST(WeaveBuild, tiles_of_rows_with_many_partials) {
  std::vector<Entry> entries;
  for (Index tile = 0; tile < few_partials + 1; ++tile) {
    if (tile < few_partials) entries.push_back({1, tile * 32 + 5, 1.5});
    entries.push_back({3, tile * 32 + 5, 2.5});
  }
  const Csr<double> A = from_entries(5, 32 * (few_partials + 1), entries);
  expect_same_arrays<Tiles>(A, "layout=tiles order=natural width=32");
  const auto settings = settings_of<Tiles<double>>("layout=tiles order=natural width=32", A.view(), 8);
  EXPECT_EQ(Tiles<double>::build(A.view(), settings).long_rows.size(), 1);
}

TEST(WeaveBuild, sums) {
  expect_same_everywhere<Sums>({"layout=sums", "layout=sums kb=1 threads=64 groups=1", "layout=sums kb=2 groups=3"});
}

TEST(WeaveBuild, sums_of_many_warps) {
  expect_same_arrays<Sums>(read_matrix("gen:band,rows=9000,width=3"), "layout=sums kb=1");
}

// Warps whose entries the sort cuts in pieces, each of more than a block orders at a time.
TEST(WeaveBuild, sums_of_rows_of_very_different_lengths) {
  std::vector<std::int64_t> lengths(1500, 1);
  std::fill_n(lengths.begin(), 700, 26);
  expect_same_arrays<Sums>(with_lengths(lengths, 5000, 3), "layout=sums kb=6 threads=64");
}

// More rows and entries of a warp than a word names together.
TEST(WeaveBuild, sums_of_a_warp_with_many_rows_and_entries) {
  expect_same_arrays<Sums>(convert<float>(read_matrix("gen:band,rows=53248,width=4").view()),
                           "layout=sums kb=208 threads=64 groups=1");
}

// Every fourth entry says how many a column has.
TEST(WeaveBuild, tiles_by_degree_of_many_entries) {
  const Csr<float> A = convert<float>(read_matrix("gen:rmat,scale=15,edges=12").view());
  ASSERT_GE(A.nnz(), 1 << 18);
  expect_same_arrays<Tiles>(A, "layout=tiles order=degree width=4096");
}

// More entries of a warp than shared memory sorts at once: in parts by the upper bits of their columns, or, where one
// part has nearly all of them, through global memory.
TEST(WeaveBuild, sums_of_a_warp_with_more_entries_than_shared_memory_holds) {
  const char* plan = "layout=sums kb=208 threads=64 groups=1";
  expect_same_arrays<Sums>(convert<float>(read_matrix("gen:random,rows=3000,cols=5000,per_row=40").view()), plan);
  Csr<float> in_few_columns = convert<float>(read_matrix("gen:random,rows=3000,cols=64,per_row=40").view());
  in_few_columns.cols = 1 << 20;
  expect_same_arrays<Sums>(in_few_columns, plan);
}

// Few rows: most entries wait, as many as may.
TEST(WeaveBuild, sums_of_rows_that_are_in_each_others_way) {
  expect_same_arrays<Sums>(with_lengths(std::vector<std::int64_t>(5, 700), 2000, 3), "layout=sums");
  expect_same_arrays<Sums>(with_lengths({900, 3, 0, 1, 40}, 1000, 3), "layout=sums");
  const Csr<double> A = with_lengths({9000, 3, 0, 1, 40}, 9000, 3);
  const auto settings = settings_of<Sums<double>>("layout=sums", A.view(), 8);
  EXPECT_FALSE(Sums<double>::footprint(A.view(), settings, 8).fits);
  EXPECT_FALSE(Sums<double>::build_there(simt::Emulator{}, A.view(), settings, Device::emulator()));
}

}  // namespace
}  // namespace heddle::test

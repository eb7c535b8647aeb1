// What single generators promise about the shape of their matrices.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>

namespace heddle {
namespace {

struct Shape {
  std::int64_t min = 0, max = 0, empty = 0;
  double mean = 0, cv = 0;
};

template <class V>
Shape shape_of(const Csr<V>& A) {
  Shape shape{A.rows > 0 ? A.ptr[1] - A.ptr[0] : 0};
  shape.mean = static_cast<double>(A.nnz()) / static_cast<double>(A.rows);
  double squares = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    const std::int64_t length = A.ptr[row + 1] - A.ptr[row];
    shape.min = std::min(shape.min, length);
    shape.max = std::max(shape.max, length);
    shape.empty += length == 0;
    squares += (static_cast<double>(length) - shape.mean) * (static_cast<double>(length) - shape.mean);
  }
  shape.cv = std::sqrt(squares / static_cast<double>(A.rows)) / shape.mean;
  return shape;
}

template <class V>
std::int64_t bandwidth(const Csr<V>& A) {
  std::int64_t most = 0;
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) most = std::max(most, std::abs(A.col[k] - row));
  return most;
}

std::vector<std::int64_t> column_lengths(const Csr<float>& A) {
  std::vector<std::int64_t> length(static_cast<std::size_t>(A.cols));
  for (const Index c : A.col) ++length[static_cast<std::size_t>(c)];
  return length;
}

double share_of_rows(const Csr<float>& A, std::int64_t low, std::int64_t high) {
  std::int64_t found = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    const std::int64_t length = A.ptr[row + 1] - A.ptr[row];
    found += length >= low && length <= high;
  }
  return static_cast<double>(found) / static_cast<double>(A.rows);
}

template <class V>
double at(const Csr<V>& A, std::int64_t row, std::int64_t column) {
  const auto end = A.col.begin() + A.ptr[row + 1];
  const auto found = std::lower_bound(A.col.begin() + A.ptr[row], end, column);
  return found != end && *found == column ? A.val[found - A.col.begin()] : 0.0;
}

TEST(Stencil, has_the_classical_number_of_entries) {
  const auto nnz = [](const char* text) { return generate<float>(text).nnz(); };
  EXPECT_EQ(nnz("stencil2d5,n=10"), 5 * 100 - 4 * 10);
  EXPECT_EQ(nnz("stencil2d9,n=10"), 28 * 28);
  EXPECT_EQ(nnz("stencil3d7,n=10"), 7 * 1000 - 6 * 100);
  EXPECT_EQ(nnz("stencil3d27,n=10"), 28 * 28 * 28);
  EXPECT_EQ(nnz("stencil3d27,nx=4,ny=1,nz=2"), 10 * 1 * 4);
}

TEST(Stencil, interior_row_of_five_points_is_4_and_minus_1) {
  const Csr<double> A = generate<double>("stencil2d5,nx=4,ny=3");
  const std::int64_t row = 5;  // x = 1, y = 1
  ASSERT_EQ(A.ptr[row + 1] - A.ptr[row], 5);
  const Index expected[] = {1, 4, 5, 6, 9};
  for (int k = 0; k < 5; ++k) {
    EXPECT_EQ(A.col[A.ptr[row] + k], expected[k]);
    EXPECT_EQ(A.val[A.ptr[row] + k], k == 2 ? 4.0 : -1.0);
  }
}

TEST(Stencil, varying_coefficients_vary_and_corner_rows_keep_the_boundary_on_the_diagonal) {
  const Csr<double> A = generate<double>("stencil3d7,n=6,coefficients=varying");
  EXPECT_GT(std::set<double>(A.val.begin(), A.val.end()).size(), 700u);  // 216 + 540 different ones, at most
  EXPECT_GT(at(A, 0, 0), -(at(A, 0, 1) + at(A, 0, 6) + at(A, 0, 36)) + 1.5);
}

TEST(Fem, is_made_of_full_blocks_with_the_degree_of_the_mesh) {
  const Csr<float> A = generate<float>("fem,n=5,dof=3");
  EXPECT_EQ(A.rows, 375);
  EXPECT_EQ(A.nnz(), 13 * 13 * 13 * 9);
  const Csr<float> shell = generate<float>("fem,nx=6,ny=5,nz=1,dof=6,irregular=0.3");
  for (std::int64_t k = 0; k < shell.nnz(); k += 6) {
    EXPECT_EQ(shell.col[k] % 6, 0);
    EXPECT_EQ(shell.col[k + 5], shell.col[k] + 5);
  }
}

TEST(Fem, irregular_meshes_lose_and_gain_couplings) {
  const Csr<float> A = generate<float>("fem,n=12,dof=1,irregular=0.2");
  const Shape shape = shape_of(A);
  EXPECT_GT(shape.max, 27 - 3);
  EXPECT_LT(shape.min, 7);
  EXPECT_NEAR(shape.mean, (34. / 12 * 34. / 12 * 34. / 12 - 1) * 0.8 + 1 + 5 * 0.2, 0.3);
  EXPECT_EQ(bandwidth(A), 2 * 144);
}

TEST(Qcd, of_eight_is_the_lattice_of_the_papers) {
  const Csr<float> A = generate<float>("qcd,l=8");
  EXPECT_EQ(A.rows, 49152);
  EXPECT_EQ(A.cols, 49152);
  const Shape shape = shape_of(A);
  EXPECT_EQ(shape.min, 39);
  EXPECT_EQ(shape.max, 39);
  for (const std::int64_t length : column_lengths(A)) ASSERT_EQ(length, 39);
}

TEST(Qcd, couples_colours_in_3x3_blocks) {
  const Csr<float> A = generate<float>("qcd,l=3");
  for (std::int64_t row = 0; row < A.rows; row += 3)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
      EXPECT_EQ(A.col[k], A.col[k + 39]);
      EXPECT_EQ(A.col[k], A.col[k + 78]);
      EXPECT_EQ(A.col[k] % 3, (k - A.ptr[row]) % 3);
    }
}

TEST(Band, keeps_inside_its_width_and_to_its_fill) {
  const Csr<float> A = generate<float>("band,rows=5k,width=20,fill=0.3");
  EXPECT_EQ(bandwidth(A), 20);
  EXPECT_NEAR(shape_of(A).mean, 1 + 40 * 0.3, 0.2);
  EXPECT_EQ(generate<float>("band,rows=100,width=0").nnz(), 100);
  EXPECT_EQ(generate<float>("band,rows=100,width=1,fill=1").nnz(), 298);
  EXPECT_EQ(generate<float>("band,rows=30,width=99,fill=1").nnz(), 900);
}

TEST(RandomRows, have_exactly_the_wanted_length) {
  const Shape shape = shape_of(generate<float>("random,rows=2000,cols=300,per_row=16"));
  EXPECT_EQ(shape.min, 16);
  EXPECT_EQ(shape.max, 16);
  EXPECT_EQ(generate<float>("random,rows=10,cols=4,per_row=16").nnz(), 40);
}

TEST(Rmat, loses_few_edges_and_grows_hubs_in_rows_and_columns) {
  const Csr<float> A = generate<float>("rmat,scale=14,edges=16");
  EXPECT_EQ(A.rows, 16384);
  EXPECT_LT(A.nnz(), 16 * 16384);
  EXPECT_GT(A.nnz(), 13 * 16384);
  const Shape shape = shape_of(A);
  const auto columns = column_lengths(A);
  EXPECT_GT(shape.max, 1000);
  EXPECT_GT(*std::max_element(columns.begin(), columns.end()), 1000);
  EXPECT_GT(shape.empty, 1000);
}

TEST(Rmat, follows_the_probabilities_of_its_quadrants) {
  const Csr<float> A = generate<float>("rmat,scale=13,edges=4,a=0.4,b=0.1,c=0.2");
  double quadrant[4] = {};
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) ++quadrant[(row >= 4096) * 2 + (A.col[k] >= 4096)];
  const double wanted[4] = {0.4, 0.1, 0.2, 0.3};
  for (int q = 0; q < 4; ++q) EXPECT_NEAR(quadrant[q] / static_cast<double>(A.nnz()), wanted[q], 0.015) << q;
}

TEST(Rmat, with_everything_in_one_quadrant_is_one_entry) {
  EXPECT_EQ(generate<float>("rmat,scale=6,edges=3,a=1,b=0,c=0").nnz(), 1);
  const Csr<float> corner = generate<float>("rmat,scale=6,edges=3,a=0,b=0,c=0");
  ASSERT_EQ(corner.nnz(), 1);
  EXPECT_EQ(corner.col[0], 63);
}

TEST(Circuit, has_short_rows_and_the_asked_number_of_giants) {
  const Csr<float> A = generate<float>("circuit,rows=50k,giants=3,giant_share=0.1");
  const auto columns = column_lengths(A);
  std::int64_t giant_rows = 0, giant_columns = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) giant_rows += A.ptr[row + 1] - A.ptr[row] >= 5000;
  for (const std::int64_t length : columns) giant_columns += length >= 5000;
  EXPECT_EQ(giant_rows, 3);
  EXPECT_EQ(giant_columns, 3);
  EXPECT_GT(share_of_rows(A, 1, 12), 0.99);
  EXPECT_NEAR(shape_of(generate<float>("circuit,rows=50k,giants=0")).mean, 5.5, 0.3);
  EXPECT_LT(shape_of(generate<float>("circuit,rows=50k,giants=0")).max, 700);
}

TEST(Circuit, has_a_symmetric_pattern) {
  const Csr<float> A = generate<float>("circuit,rows=20k,giants=2,values=ones");
  EXPECT_TRUE(identical(A, transpose(A.view())));
}

TEST(Web, has_power_law_rows_and_columns_and_empty_rows) {
  const Csr<float> A = generate<float>("web,rows=100k");
  const Shape shape = shape_of(A);
  const auto columns = column_lengths(A);
  EXPECT_NEAR(shape.mean, 3.1, 0.3);
  EXPECT_GT(shape.max, 1000);
  EXPECT_LE(shape.max, 4700);
  EXPECT_NEAR(static_cast<double>(shape.empty), 6000, 400);
  EXPECT_GT(*std::max_element(columns.begin(), columns.end()), 3000);
  EXPECT_NEAR(share_of_rows(A, 1, 1), 0.94 * (1 - 0.397), 0.03);  // 2^(-4/3) = 0.397 have at least two
}

TEST(Road, is_short_and_local) {
  const Csr<float> A = generate<float>("road,rows=100k");
  const Shape shape = shape_of(A);
  EXPECT_NEAR(shape.mean, 2.5, 0.05);
  EXPECT_EQ(shape.max, 4);
  std::int64_t near = 0;
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) near += std::abs(A.col[k] - row) <= 32;
  EXPECT_GT(near, A.nnz() * 95 / 100);
}

TEST(Lp, has_the_size_of_rail4284_by_default) {
  const Csr<float> A = generate<float>("lp");
  EXPECT_EQ(A.rows, 4284);
  EXPECT_EQ(A.cols, 1092610);
  EXPECT_EQ(A.nnz(), 4284 * 2633);
  const Shape shape = shape_of(A);
  EXPECT_GE(shape.min, 1317);
  EXPECT_LE(shape.max, 3949);
}

TEST(Arrow, has_three_times_its_rows_less_two) {
  for (const std::int64_t n : {1, 2, 77}) {
    EXPECT_EQ(generate<float>("arrow,rows=" + std::to_string(n)).nnz(), 3 * n - 2);
    EXPECT_EQ(generate<float>("arrow,tip=last,rows=" + std::to_string(n)).nnz(), 3 * n - 2);
  }
  const Csr<float> last = generate<float>("arrow,rows=5,tip=last");
  EXPECT_EQ(last.ptr[5] - last.ptr[4], 5);
  EXPECT_EQ(last.ptr[1] - last.ptr[0], 2);
}

TEST(Lengths, put_the_stated_shares_into_the_first_and_last_quarter) {
  const struct {
    const char* law;
    double first, last;
  } laws[] = {{"F1", 0.60, 0.10}, {"F2", 0.38, 0.32}, {"F3", 0.15, 0.55}};
  for (const auto& [law, first, last] : laws)
    for (const int max : {64, 96, 128}) {
      const Csr<float> A = generate<float>(std::string("lengths,law=") + law + ",max=" + std::to_string(max));
      EXPECT_EQ(A.rows, 32768);
      EXPECT_NEAR(share_of_rows(A, 1, max / 4), first, 0.01) << law;
      EXPECT_NEAR(share_of_rows(A, max * 3 / 4 + 1, max), last, 0.01) << law;
      EXPECT_EQ(share_of_rows(A, 1, max), 1.0) << law;
    }
}

TEST(Lengths, know_the_plain_laws) {
  const auto shape = [](const std::string& law) {
    return shape_of(generate<float>("lengths,rows=4096,max=32,law=" + law));
  };
  EXPECT_EQ(shape("constant").min, 32);
  EXPECT_NEAR(shape("uniform").mean, 16.5, 0.5);
  EXPECT_NEAR(shape("power").mean, 2.7, 0.3);
  EXPECT_EQ(shape("power").max, 32);
  const Csr<float> up = generate<float>("lengths,rows=64,max=32,law=ascending");
  const Csr<float> down = generate<float>("lengths,rows=64,max=32,law=descending");
  for (std::int64_t row = 0; row < 64; ++row) {
    EXPECT_EQ(up.ptr[row + 1] - up.ptr[row], 1 + row / 2);
    EXPECT_EQ(down.ptr[row + 1] - down.ptr[row], 1 + (63 - row) / 2);
  }
}

TEST(Tomography, of_128_resembles_wbp128) {
  const Csr<double> A = generate<double>("tomography,n=128");
  EXPECT_EQ(A.rows, 16384);
  EXPECT_EQ(A.cols, 16384);
  const Shape shape = shape_of(A);
  EXPECT_NEAR(shape.mean, 240, 2);
  EXPECT_EQ(shape.max, 256);
  EXPECT_NEAR(shape.cv, 0.14, 0.01);
}

TEST(Tomography, weights_of_a_pixel_that_no_ray_misses_sum_to_the_number_of_angles) {
  const Csr<double> A = generate<double>("tomography,n=32");
  const std::int64_t middle = 16 * 32 + 16;
  double sum = 0;
  for (Offset k = A.ptr[middle]; k < A.ptr[middle + 1]; ++k) sum += A.val[k];
  EXPECT_NEAR(sum, 32, 1e-12);
}

TEST(Mesh, resembles_cop20k_A) {
  const Csr<float> A = generate<float>("mesh");
  EXPECT_EQ(A.rows, 121192);
  const Shape shape = shape_of(A);
  EXPECT_NEAR(shape.mean, 21.65, 0.5);
  EXPECT_NEAR(shape.cv, 0.65, 0.05);
  EXPECT_NEAR(static_cast<double>(shape.empty), 21349, 500);
  EXPECT_GT(bandwidth(A), 110000);
}

TEST(Economics, resembles_mac_econ) {
  const Shape shape = shape_of(generate<float>("economics"));
  EXPECT_NEAR(shape.mean, 6.17, 0.15);
  EXPECT_NEAR(shape.cv, 0.70, 0.04);
  EXPECT_LE(shape.max, 44);
  EXPECT_GE(shape.min, 1);
}

TEST(Epidemiology, has_four_entries_a_row_and_no_diagonal) {
  const Csr<float> A = generate<float>("epidemiology");
  EXPECT_EQ(A.rows, 525825);
  EXPECT_EQ(A.nnz(), 4 * 525825 - 2 * (513 + 1025));
  EXPECT_EQ(at(A, 1000, 1000), 0.0);
}

TEST(Empty, leaves_the_stated_share_of_rows_empty_alone_and_in_runs) {
  const Csr<float> A = generate<float>("empty,rows=64k,share=0.5,per_row=4");
  const Shape shape = shape_of(A);
  EXPECT_NEAR(static_cast<double>(shape.empty) / 64000, 0.5, 0.02);
  EXPECT_NEAR(shape.mean, 2, 0.1);
  std::int64_t runs = 0;
  for (std::int64_t row = 0; row < A.rows; row += 64) runs += A.ptr[row + 64] == A.ptr[row];
  EXPECT_NEAR(static_cast<double>(runs) / 1000, 0.25, 0.04);
  EXPECT_EQ(generate<float>("empty,rows=1000,share=1").nnz(), 0);
}

TEST(SparseRows, has_the_stated_empty_rows_lengths_and_far_entries) {
  const Csr<float> A = generate<float>("sparse_rows,rows=200k,empty=0.7,shortest=3,longest=9,band=500,far=0.1");
  const Shape shape = shape_of(A);
  EXPECT_NEAR(static_cast<double>(shape.empty) / 200000, 0.7, 0.01);
  EXPECT_NEAR(shape.mean, 0.3 * 6, 0.03);
  EXPECT_EQ(shape.max, 9);
  std::int64_t far = 0, shortest = A.cols;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    if (A.ptr[row + 1] > A.ptr[row]) shortest = std::min(shortest, A.ptr[row + 1] - A.ptr[row]);
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) far += std::abs(A.col[k] - row) > 1000;
  }
  EXPECT_EQ(shortest, 3);
  EXPECT_NEAR(static_cast<double>(far) / static_cast<double>(A.nnz()), 0.1, 0.01);
}

TEST(SparseRows, takes_rows_as_long_as_the_matrix_is_wide_and_a_band_of_one) {
  EXPECT_EQ(generate<float>("sparse_rows,rows=50,empty=0,shortest=50,longest=50,band=0,far=0").nnz(), 2500);
  const Csr<float> diagonal = generate<float>("sparse_rows,rows=50,empty=0,shortest=1,longest=1,band=0,far=0");
  for (std::int64_t row = 0; row < 50; ++row) EXPECT_EQ(diagonal.col[row], row);
  EXPECT_EQ(generate<float>("sparse_rows,rows=500,cols=0").nnz(), 0);
}

TEST(Laplacian, of_a_file_symmetrises_its_pattern_and_ignores_its_values) {
  const auto path = std::filesystem::temp_directory_path() / "heddle_generate_laplacian_test.mtx";
  std::ofstream(path) << "%%MatrixMarket matrix coordinate real general\n4 4 4\n1 1 9\n1 2 5\n3 2 7\n2 3 1\n";
  FileFacts facts;
  const Csr<double> L = generate<double>("laplacian,of=" + path.string() + ",shift=0.25", &facts);
  std::filesystem::remove(path);
  EXPECT_EQ(facts.symmetry, "symmetric");
  const double expected[4][4] = {{1.25, -1, 0, 0}, {-1, 2.25, -1, 0}, {0, -1, 1.25, 0}, {0, 0, 0, 0.25}};
  EXPECT_EQ(L.nnz(), 8);
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column) EXPECT_EQ(at(L, row, column), expected[row][column]);
}

TEST(Laplacian, of_a_missing_file_is_an_input_error) {
  try {
    generate<double>("laplacian,of=no_such_file.mtx");
    FAIL() << "read a file that is not there";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
  }
}

}  // namespace
}  // namespace heddle

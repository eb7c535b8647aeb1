// What every generator promises, checked on one small matrix of each.
#include <heddle/generate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include <heddle/device.hpp>

#include "generate/random.hpp"

namespace heddle {
namespace {

struct Sample {
  const char* text;
  std::uint64_t golden;  // of the double matrix: the same number on every machine
};

// `laplacian` last in its text: of=gen:... takes the rest.
const Sample samples[] = {
    {"stencil2d5,n=9", 0x4b9e0db6b95d8231},
    {"stencil2d9,nx=7,ny=5,coefficients=varying", 0xae4fd815594958d6},
    {"stencil3d7,n=5", 0xff84d471bf44891d},
    {"stencil3d27,n=4,coefficients=varying", 0xe82a0f6296ac7d30},
    {"fem,n=4,dof=2,irregular=0.2", 0x3072e5a0311ac478},
    {"elasticity,nx=3,ny=2,nz=2", 0x043a92d31ee7a405},
    {"qcd,l=3", 0x6ffafad2f1795d2e},
    {"band,rows=200,width=9,fill=0.4", 0xdc579ca2269bf563},
    {"random,rows=100,cols=80,per_row=7", 0x581356bd1f888864},
    {"random,rows=100,cols=80,per_row=40", 0x62e54b1e085eb49a},
    {"rmat,scale=9,edges=8", 0x0e9e1ba0441a1904},
    {"circuit,rows=3000", 0x863b79cb129f7d76},
    {"web,rows=5000", 0xc8cfbc3dc4271fee},
    {"road,rows=4000", 0x90f31291b28ec88b},
    {"lp,rows=20,cols=5000,per_row=300", 0x786614e4dc600a54},
    {"dense,rows=20,cols=13", 0xfbb52583bc1c6d4b},
    {"arrow,rows=50", 0x0ceb055338fcff19},
    {"lengths,rows=500,max=32,law=F2", 0xbf2136c30beda628},
    {"lengths,rows=500,max=32,law=power", 0x1bcf324df1786e60},
    {"tomography,n=16", 0xb154056070732fd9},
    {"mesh,rows=1000", 0x93d77a514099901a},
    {"economics,rows=1000", 0xab37b4d836b00e77},
    {"epidemiology,nx=9,ny=7", 0x2b980f1544e06139},
    {"empty,rows=1000", 0xf7a1b02b4b951dae},
    {"sparse_rows,rows=3000,band=40", 0x797bdfc199a3b497},
    {"like,name=gemat12", 0x552fe073655c3f58},
    {"like,name=bcsstk24", 0x9137d99e1c3ac7db},
    {"laplacian,shift=0.5,of=gen:rmat,scale=6", 0x793aee88d3fff22a},
};

std::uint64_t checksum(const Csr<double>& A) {
  std::uint64_t sum = 0;
  const auto add = [&](std::uint64_t word) { sum = synthetic::mix(sum * 3 + word + 1); };
  add(static_cast<std::uint64_t>(A.rows));
  add(static_cast<std::uint64_t>(A.cols));
  for (const Offset p : A.ptr) add(static_cast<std::uint64_t>(p));
  for (const Index c : A.col) add(static_cast<std::uint64_t>(c));
  for (const double v : A.val) add(std::bit_cast<std::uint64_t>(v));
  return sum;
}

// `key=value` put before the keys that are there already.
std::string with(const std::string& text, const std::string& setting) {
  const std::size_t comma = std::min(text.find(','), text.size());
  return text.substr(0, comma) + "," + setting + text.substr(comma);
}

class EveryGenerator : public testing::TestWithParam<Sample> {
 protected:
  std::string text = GetParam().text;
};

TEST_P(EveryGenerator, gives_a_canonical_matrix) {
  const Csr<double> A = generate<double>(text);
  EXPECT_GT(A.nnz(), 0);
  EXPECT_EQ(A.val.size(), A.nnz());
  const auto found = violations(A.view(), Require::canonical);
  EXPECT_TRUE(found.empty()) << found.front();
}

TEST_P(EveryGenerator, gives_the_bits_known_from_other_machines) {
  const std::uint64_t sum = checksum(generate<double>(text));
  EXPECT_EQ(sum, GetParam().golden);
}

TEST_P(EveryGenerator, does_not_depend_on_the_number_of_threads) {
  set_threads(1);
  const Csr<double> alone = generate<double>(text);
  for (const int count : {2, 5}) {
    set_threads(count);
    EXPECT_TRUE(identical(alone, generate<double>(text))) << count << " threads";
  }
}

TEST_P(EveryGenerator, follows_the_seed) {
  const Csr<double> one = generate<double>(with(text, "values=random,seed=1"));
  EXPECT_TRUE(identical(one, generate<double>(with(text, "values=random"))));
  EXPECT_FALSE(identical(one, generate<double>(with(text, "values=random,seed=2"))));
}

TEST_P(EveryGenerator, rounds_the_same_matrix_to_float) {
  const Csr<double> A = generate<double>(text);
  EXPECT_TRUE(identical(generate<float>(text), convert<float>(A.view())));
}

TEST_P(EveryGenerator, gives_small_integers_and_ones_on_the_same_pattern) {
  FileFacts facts;
  const Csr<double> A = generate<double>(text);
  const Csr<double> whole = generate<double>(with(text, "values=integer"), &facts);
  EXPECT_EQ(facts.field, "integer");
  for (const double v : whole.val) ASSERT_TRUE(v == static_cast<int>(v) && v != 0 && v >= -8 && v <= 8) << v;
  const Csr<double> ones = generate<double>(with(text, "values=ones"), &facts);
  EXPECT_EQ(facts.field, "pattern");
  for (const double v : ones.val) ASSERT_EQ(v, 1.0);
  EXPECT_TRUE(std::equal(A.col.begin(), A.col.end(), whole.col.begin(), whole.col.end()));
  EXPECT_TRUE(std::equal(A.col.begin(), A.col.end(), ones.col.begin(), ones.col.end()));
}

TEST_P(EveryGenerator, gives_random_values_of_moderate_size_and_both_signs) {
  const Csr<double> A = generate<double>(with(text, "values=random"));
  int negative = 0;
  for (const double v : A.val) {
    ASSERT_TRUE(std::abs(v) >= 0.5 && std::abs(v) < 1.5) << v;
    negative += v < 0;
  }
  EXPECT_GT(negative, A.nnz() / 4);
  EXPECT_LT(negative, A.nnz() * 3 / 4);
}

TEST_P(EveryGenerator, says_symmetric_only_when_it_is_to_the_last_bit) {
  for (const char* values : {"", "values=random", "values=integer"}) {
    FileFacts facts;
    const std::string full = *values ? with(text, values) : text;
    const Csr<double> A = generate<double>(full, &facts);
    EXPECT_EQ(facts.name, full);
    if (facts.symmetry == "symmetric")
      EXPECT_TRUE(identical(A, transpose(A.view()))) << values;
    else
      EXPECT_EQ(facts.symmetry, "general");
  }
}

std::string name_of(const testing::TestParamInfo<Sample>& sample) {
  const std::string text = sample.param.text;
  return text.substr(0, text.find(',')) + "_" + std::to_string(sample.index);
}

INSTANTIATE_TEST_SUITE_P(Generate, EveryGenerator, testing::ValuesIn(samples), name_of);

TEST(Generate, has_a_sample_of_every_generator_here) {
  for (const GeneratorInfo& info : generators()) {
    const auto of_this_kind = [&](const Sample& s) {
      return std::string(s.text).substr(0, info.name.size()) == info.name;
    };
    EXPECT_TRUE(std::any_of(std::begin(samples), std::end(samples), of_this_kind)) << info.name;
  }
}

TEST(Generate, takes_empty_and_tiny_sizes) {
  for (const char* size : {"0", "1", "2", "3"})
    for (const GeneratorInfo& info : generators()) {
      if (info.name == "laplacian" || info.name == "like" || (info.name == "elasticity" && *size == '0')) continue;
      std::string text = info.name;
      for (const auto& key : info.keys)
        if (key.name == "n" || key.name == "rows" || key.name == "nx" || key.name == "ny" || key.name == "nz" ||
            key.name == "l" || key.name == "cols" || key.name == "scale")
          text += "," + key.name + "=" + size;
      if (info.name == "rmat") text += ",edges=0.5";
      const Csr<double> A = generate<double>(text);
      EXPECT_TRUE(violations(A.view(), Require::canonical).empty()) << text;
      EXPECT_EQ(A.rows == 0, *size == '0' && info.name != "rmat") << text;
    }
}

TEST(Generate, gives_rectangular_matrices_without_rows_or_columns) {
  const Csr<double> wide = generate<double>("random,rows=0,cols=5"), tall = generate<double>("dense,rows=5,cols=0");
  EXPECT_EQ(wide.rows, 0);
  EXPECT_EQ(wide.cols, 5);
  EXPECT_EQ(tall.rows, 5);
  EXPECT_EQ(tall.nnz(), 0);
}

}  // namespace
}  // namespace heddle

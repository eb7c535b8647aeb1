#include <gtest/gtest.h>

#include <limits>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>

#include "generate/arguments.hpp"

namespace heddle {
namespace {

using synthetic::Arguments;

const std::vector<GeneratorInfo::Key> keys{{"rows", "100", ""}, {"cols", "rows", ""}, {"fill", "0.5", ""},
                                           {"law", "F1", ""},   {"of", "", ""},       {"seed", "1", ""}};

Error error_of(std::string_view text) {
  try {
    generate<double>(text);
  } catch (const Error& error) {
    return error;
  }
  return {ErrorKind::internal, "no error"};
}

std::int64_t rows_in(const std::string& value) {
  return Arguments("kind,rows=" + value, keys).integer("rows", 0, max_dimension);
}

TEST(GeneratorText, takes_whole_numbers_in_every_common_spelling) {
  EXPECT_EQ(rows_in("4000000"), 4000000);
  EXPECT_EQ(rows_in("4e6"), 4000000);
  EXPECT_EQ(rows_in("4M"), 4000000);
  EXPECT_EQ(rows_in("4m"), 4000000);
  EXPECT_EQ(rows_in("2.5k"), 2500);
  EXPECT_EQ(rows_in("2K"), 2000);
  EXPECT_EQ(rows_in("1G"), 1000000000);
  EXPECT_EQ(rows_in("0"), 0);
}

TEST(GeneratorText, refuses_what_is_not_a_whole_number_in_range) {
  for (const char* value : {"", "x", "1.5", "-1", "1e-3", "4MM", "4 ", " 4", "3G", "1e99", "nan", "inf", "0x10", "k"})
    EXPECT_THROW(rows_in(value), Error) << value;
}

TEST(GeneratorText, takes_reals_and_checks_their_range) {
  EXPECT_EQ(Arguments("kind,fill=0.25", keys).real("fill", 0, 1), 0.25);
  EXPECT_EQ(Arguments("kind,fill=1e-3", keys).real("fill", 0, 1), 1e-3);
  for (const char* value : {"1.01", "-0.1", "nan", "half", ""})
    EXPECT_THROW(Arguments(std::string("kind,fill=") + value, keys).real("fill", 0, 1), Error) << value;
}

TEST(GeneratorText, default_may_name_another_key) {
  EXPECT_EQ(Arguments("kind,rows=7", keys).integer("cols", 0, 10), 7);
  EXPECT_EQ(Arguments("kind,rows=7,cols=3", keys).integer("cols", 0, 10), 3);
  EXPECT_EQ(Arguments("kind", keys).integer("rows", 0, 100), 100);
}

TEST(GeneratorText, seed_uses_all_64_bits) {
  EXPECT_EQ(Arguments("kind,seed=18446744073709551615", keys).seed(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_THROW(Arguments("kind,seed=-1", keys).seed(), Error);
}

TEST(GeneratorText, generated_matrix_inside_takes_the_rest_of_the_text) {
  const Arguments given("kind,rows=3,of=gen:road,rows=5", keys);
  EXPECT_EQ(given.text_of("of"), "gen:road,rows=5");
  EXPECT_EQ(given.integer("rows", 0, 10), 3);
  const Arguments file("kind,of=a.mtx,rows=4", keys);
  EXPECT_EQ(file.text_of("of"), "a.mtx");
  EXPECT_EQ(file.integer("rows", 0, 10), 4);
}

TEST(GeneratorText, unknown_kind_is_a_usage_error_with_the_nearest_and_all_names) {
  const Error error = error_of("stencil2d6,n=4");
  EXPECT_EQ(error.kind(), ErrorKind::usage);
  EXPECT_EQ(error.where(), "gen:stencil2d6,n=4");
  EXPECT_NE(error.hint().find("did you mean 'stencil2d5'?"), std::string::npos) << error.what();
  EXPECT_NE(error.hint().find("tomography"), std::string::npos) << error.what();
  EXPECT_EQ(error_of("").kind(), ErrorKind::usage);
  EXPECT_EQ(error_of("quite_another_thing").hint().find("did you mean"), std::string::npos);
}

TEST(GeneratorText, unknown_key_is_a_usage_error_with_the_nearest_and_all_keys) {
  const Error error = error_of("random,row=4");
  EXPECT_EQ(error.kind(), ErrorKind::usage);
  EXPECT_NE(error.hint().find("did you mean 'rows'?"), std::string::npos) << error.what();
  EXPECT_NE(error.hint().find("per_row"), std::string::npos) << error.what();
}

TEST(GeneratorText, malformed_or_repeated_pieces_are_usage_errors) {
  for (const char* text : {"random,",
                           "random,rows",
                           "random,=4",
                           "random,rows=4,,cols=4",
                           "random,rows=4,rows=5",
                           "random,rows=",
                           "random,rows=four",
                           "random,values=other",
                           "lengths,law=F4",
                           "arrow,tip=middle",
                           "stencil2d5,coefficients=wild",
                           "stencil2d5,nz=3",
                           "lengths,max=0",
                           "random,seed=x",
                           "dense,values=natural",
                           "rmat,scale=31",
                           "rmat,scale=4,edges=17",
                           "rmat,a=0.6,b=0.3,c=0.2",
                           "elasticity,nx=0",
                           "elasticity,nu=0.5",
                           "laplacian",
                           "laplacian,shift=-1,of=gen:road,rows=9"})
    EXPECT_EQ(error_of(text).kind(), ErrorKind::usage) << text << ": " << error_of(text).what();
}

TEST(GeneratorText, more_rows_than_the_largest_dimension_are_a_usage_error) {
  for (const char* text : {"stencil3d7,n=1291", "stencil2d5,n=2G", "qcd,l=200", "fem,n=1000,dof=3", "random,rows=3G"})
    EXPECT_EQ(error_of(text).kind(), ErrorKind::usage) << text << ": " << error_of(text).what();
}

TEST(GeneratorText, more_entries_than_memory_holds_are_refused_before_work_begins) {
  for (const char* text : {"dense,rows=2G", "random,rows=2G,per_row=1k", "stencil3d27,n=1290", "tomography,n=46340",
                           "band,rows=2G,width=1M,fill=1", "lp,rows=1G,cols=1G,per_row=1M", "rmat,scale=30,edges=1M",
                           "empty,rows=2M,per_row=1M", "sparse_rows,rows=2G,longest=1M"})
    EXPECT_EQ(error_of(text).kind(), ErrorKind::unavailable) << text << ": " << error_of(text).what();
}

// Seven thousand of them would need a stack frame each.
TEST(GeneratorText, generators_inside_generators_are_limited) {
  const auto nested = [](int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += "laplacian,of=gen:";
    return text + "stencil2d5,n=3";
  };
  EXPECT_EQ(generate<double>(nested(15)).rows, 9);
  EXPECT_EQ(error_of(nested(17)).kind(), ErrorKind::usage);
  const Error error = error_of(nested(7000));
  EXPECT_EQ(error.kind(), ErrorKind::usage);
  EXPECT_LT(std::string(error.what()).size(), 500u) << error.what();
}

TEST(GeneratorText, an_error_names_the_key_that_was_given) {
  EXPECT_NE(std::string(error_of("stencil2d5,n=abc").what()).find(" n=abc"), std::string::npos)
      << error_of("stencil2d5,n=abc").what();
}

TEST(GeneratorText, laplacian_of_a_rectangular_matrix_is_an_input_error) {
  EXPECT_EQ(error_of("laplacian,of=gen:dense,rows=3,cols=4").kind(), ErrorKind::input);
}

TEST(GeneratorList, names_are_those_of_the_documentation) {
  std::vector<std::string> names;
  for (const GeneratorInfo& info : generators()) names.push_back(info.name);
  const std::vector<std::string> documented{"stencil2d5",   "stencil2d9", "stencil3d7",  "stencil3d27", "fem",
                                            "elasticity",   "qcd",        "band",        "random",      "rmat",
                                            "circuit",      "web",        "road",        "lp",          "dense",
                                            "arrow",        "lengths",    "tomography",  "mesh",        "economics",
                                            "epidemiology", "empty",      "sparse_rows", "like",        "laplacian"};
  EXPECT_EQ(names, documented);
}

TEST(GeneratorList, every_key_has_a_meaning_and_every_generator_a_seed_and_values) {
  for (const GeneratorInfo& info : generators()) {
    EXPECT_FALSE(info.summary.empty()) << info.name;
    ASSERT_GE(info.keys.size(), 2u);
    EXPECT_EQ(info.keys[info.keys.size() - 2].name, "seed") << info.name;
    EXPECT_EQ(info.keys.back().name, "values") << info.name;
    for (const auto& key : info.keys) EXPECT_FALSE(key.meaning.empty()) << info.name << " " << key.name;
  }
}

}  // namespace
}  // namespace heddle

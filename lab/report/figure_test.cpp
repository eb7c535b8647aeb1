// The charts: axes people can read, a mark for every number, and nothing that breaks the page.
#include "report/figure.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <regex>

namespace heddle::report {
namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

Figure two_by_three() {
  return {.title = "gains",
          .y_label = "gain",
          .categories = {"a", "b", "c"},
          .series = {{"then", {}, {1, 2, 3}}, {"now", {}, {2, std::nan(""), 4}}}};
}

TEST(Figure, has_ticks_of_1_2_or_5_times_a_power_of_ten_around_the_data) {
  struct Case {
    double low, high;
    std::vector<double> ticks;
  };
  for (const Case& c : {Case{0, 10, {0, 2, 4, 6, 8, 10}}, Case{0, 1.9, {0, 0.5, 1, 1.5, 2}},
                        Case{-3, 8, {-5, 0, 5, 10}}, Case{5, 5, {5, 6, 7, 8, 9, 10}}}) {
    const Axis axis = make_axis(c.low, c.high, false);
    ASSERT_EQ(axis.ticks.size(), c.ticks.size()) << c.low << " to " << c.high;
    for (std::size_t i = 0; i < c.ticks.size(); ++i) EXPECT_NEAR(axis.ticks[i], c.ticks[i], 1e-12);
    EXPECT_LE(axis.low, c.low);
    EXPECT_GE(axis.high, c.high);
  }
}

TEST(Figure, has_powers_of_ten_on_a_long_logarithmic_axis_and_more_on_a_short_one) {
  EXPECT_EQ(make_axis(3, 2000, true).ticks, (std::vector<double>{1, 10, 100, 1000, 10000}));
  EXPECT_EQ(make_axis(1, 10, true).ticks, (std::vector<double>{1, 2, 5, 10}));
  EXPECT_DOUBLE_EQ(make_axis(1, 100, true).place(10), 0.5);
}

TEST(Figure, draws_a_bar_for_every_number_and_none_for_a_missing_one) {
  const std::string svg = to_svg(two_by_three());
  EXPECT_EQ(count(svg, "class=\"mark\""), 5u);
  EXPECT_NE(svg.find("then"), std::string::npos) << "the legend";
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(Figure, draws_bars_as_long_as_their_numbers) {
  const std::string svg = to_svg({.categories = {"a", "b"}, .series = {{"only", {}, {1, 4}}}});
  const std::regex bar(R"re(class="mark"[^>]*height="([0-9.]+)")re");
  std::vector<double> heights;
  for (std::sregex_iterator hit(svg.begin(), svg.end(), bar), none; hit != none; ++hit)
    heights.push_back(std::stod((*hit)[1]));
  ASSERT_EQ(heights.size(), 2u);
  EXPECT_NEAR(heights[1] / heights[0], 4, 0.01);
}

TEST(Figure, draws_a_point_for_every_pair) {
  const std::string svg = to_svg({.x_label = "x",
                                  .kind = Figure::Kind::lines,
                                  .series = {{"line", {1, 10, 100}, {5, std::nan(""), 7}}},
                                  .logarithmic_x = true,
                                  .reference = 6});
  EXPECT_EQ(count(svg, "<circle"), 2u);
  EXPECT_EQ(count(svg, "stroke-dasharray"), 1u);
}

TEST(Figure, keeps_names_from_outside_out_of_the_markup) {
  Figure figure = two_by_three();
  figure.title = figure.categories[0] = figure.series[0].name = "<script>\"&";
  const std::string svg = to_svg(figure);
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;"), std::string::npos);
}

TEST(Figure, survives_having_nothing_to_show) {
  EXPECT_NE(to_svg({}).find("</svg>"), std::string::npos);
  EXPECT_NE(to_svg({.kind = Figure::Kind::lines, .series = {{"none", {}, {}}}, .logarithmic_y = true}).find("</svg>"),
            std::string::npos);
}

TEST(Figure, as_a_file_has_its_own_colours_and_room_for_its_title) {
  const std::string file = to_svg_file(two_by_three()), inside = to_svg(two_by_three());
  double high = 0, high_inside = 0;
  std::sscanf(file.c_str(), "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 -24 720 %lf\"", &high);
  std::sscanf(inside.c_str(), "<svg viewBox=\"0 0 720 %lf\"", &high_inside);
  EXPECT_GT(high_inside, 100);
  EXPECT_EQ(high, high_inside + 24) << file.substr(0, 80);
  EXPECT_NE(file.find("--ours: #"), std::string::npos);
  EXPECT_NE(file.find("y=\"-8.0\""), std::string::npos) << "the title stands above the drawing";
}

}  // namespace
}  // namespace heddle::report

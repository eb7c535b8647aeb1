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

// The numbers that a pattern finds: its first group.
std::vector<double> numbers(const std::string& svg, const char* pattern) {
  const std::regex wanted(pattern);
  std::vector<double> found;
  for (std::sregex_iterator hit(svg.begin(), svg.end(), wanted), none; hit != none; ++hit)
    found.push_back(std::stod((*hit)[1]));
  return found;
}

Figure with_lines(std::size_t count) {
  Figure figure{.kind = Figure::Kind::lines};
  for (std::size_t s = 0; s < count; ++s) figure.series.push_back({"a law, up to 128", {1, 2}, {1, 2}});
  return figure;
}

TEST(Figure, breaks_a_long_legend_and_draws_below_it) {
  const std::string svg = to_svg(with_lines(9));
  const auto left = numbers(svg, R"re(<text x="([0-9.]+)"[^>]*>a law)re");
  const auto down = numbers(svg, R"re(<text x="[0-9.]+" y="([0-9.]+)"[^>]*>a law)re");
  ASSERT_EQ(left.size(), 9u);
  for (const double x : left) EXPECT_LE(x + 16 * 7, 520) << "cut at the right";
  EXPECT_GT(down.back(), down.front());
  for (const double y : numbers(svg, R"re(class="grid"[^>]*y1="([0-9.]+)")re")) EXPECT_GT(y, down.back());
}

TEST(Figure, draws_no_two_lines_alike) {
  EXPECT_EQ(count(to_svg(with_lines(6)), "stroke-dasharray"), 0u);
  EXPECT_EQ(count(to_svg(with_lines(9)), "stroke-dasharray"), 6u) << "three lines, and their places in the legend";
}

TEST(Figure, has_room_for_the_slanted_names_of_its_first_bars) {
  Figure figure{.series = {{"only", {}, {1, 1, 1, 1, 1, 1, 1, 1}}}};
  for (const char* name : {"a name of thirty-two characters", "b", "c", "d", "e", "f", "g", "h"})
    figure.categories.emplace_back(name);
  const auto at = numbers(to_svg(figure), R"re(<text x="([0-9.]+)"[^>]*rotate\(-40)re");
  ASSERT_EQ(at.size(), 8u);
  EXPECT_GT(at[0], 32 * 7 * 0.766);
}

TEST(Figure, slants_names_that_would_touch) {
  Figure figure = two_by_three();
  EXPECT_EQ(count(to_svg(figure), "rotate(-40"), 0u);
  figure.categories[1] = "a name that is longer than a third";
  EXPECT_EQ(count(to_svg(figure), "rotate(-40"), 3u);
}

TEST(Figure, has_letters_of_eleven_pixels_where_it_is_400_wide) {
  const std::string file = to_svg_file(two_by_three());
  EXPECT_GE(numbers(file, R"re(font: ([0-9.]+)px)re").at(0) * 400 /
                numbers(file, R"re(viewBox="0 [-0-9.]+ ([0-9]+))re").at(0),
            11);
}

TEST(Figure, slants_many_names_so_steeply_that_they_do_not_touch) {
  constexpr double letters = 15, degree = 3.14159265 / 180;
  for (const std::size_t bars : {8u, 14u, 21u}) {
    Figure figure{.series = {{"only", {}, std::vector<double>(bars, 1)}}};
    for (std::size_t bar = 0; bar < bars; ++bar) figure.categories.emplace_back("a matrix");
    const std::string svg = to_svg(figure);
    const auto at = numbers(svg, R"re(rotate\(-[0-9]+ ([0-9.]+))re");
    ASSERT_EQ(at.size(), bars + 1) << "and the label of the axis";
    EXPECT_GE((at[2] - at[1]) * std::sin(degree * numbers(svg, R"re(end" transform="rotate\(-([0-9]+))re").at(0)),
              letters)
        << bars;
  }
}

TEST(Figure, writes_large_numbers_shortly) {
  const std::string svg = to_svg({.kind = Figure::Kind::lines, .series = {{"", {0, 1048576}, {1, 25000}}}});
  EXPECT_NE(svg.find(">1 M<"), std::string::npos);
  EXPECT_NE(svg.find(">20 k<"), std::string::npos);
  EXPECT_TRUE(numbers(svg, R"re(>([0-9.]+)e\+)re").empty()) << "a tick";
}

TEST(Figure, as_a_file_has_its_own_colours_light_and_dark_and_room_for_its_title) {
  Figure figure = two_by_three();
  const std::string file = to_svg_file(figure), inside = to_svg(figure);
  double high = 0, high_inside = 0;
  std::sscanf(file.c_str(), "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 -32 520 %lf\"", &high);
  std::sscanf(inside.c_str(), "<svg class=\"figure\" viewBox=\"0 0 520 %lf\"", &high_inside);
  EXPECT_GT(high_inside, 100);
  EXPECT_EQ(high, high_inside + 32) << file.substr(0, 80);
  EXPECT_EQ(count(file, "--ours: #"), 2u);
  EXPECT_NE(file.find("prefers-color-scheme: dark"), std::string::npos);
  EXPECT_NE(file.find("y=\"-14.0\""), std::string::npos) << "the title stands above the drawing";
  figure.title = "Means weighted by entries over four real files, two fixed constructions and fifteen stand-ins";
  EXPECT_EQ(count(to_svg_file(figure), "class=\"title\""), 2u);
}

}  // namespace
}  // namespace heddle::report

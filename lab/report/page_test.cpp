#include "report/page.hpp"

#include <gtest/gtest.h>

#include <string>

namespace heddle::report {
namespace {

int times(const std::string& text, const std::string& word) {
  int found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(Page, holds_title_body_and_script) {
  const std::string html = page("A title", "<p>the body</p>", "const answer = 42;");
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(times(html, "<title>A title</title>"), 1);
  EXPECT_EQ(times(html, "<h1>A title</h1>"), 1);
  EXPECT_EQ(times(html, "<p>the body</p>"), 1);
  EXPECT_EQ(times(html, "const answer = 42;"), 1);
  EXPECT_EQ(html.find("{{"), std::string::npos);
}

TEST(Page, refers_to_nothing_outside_itself) {
  const std::string html = page("t", "b", "s");
  for (const char* reference : {"http://", "https://", "src=", "@import", "url("})
    EXPECT_EQ(html.find(reference), std::string::npos) << reference;
}

TEST(Page, shows_a_hostile_title_as_text) {
  const std::string html = page("<script>alert('x')</script>\"&", "");
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;"), std::string::npos);
}

TEST(Page, does_not_search_what_it_was_given_for_its_own_placeholders) {
  const std::string html = page("{{script}}", "{{style}}", "SCRIPT");
  EXPECT_EQ(times(html, "SCRIPT"), 1);
  EXPECT_EQ(times(html, "{{style}}"), 1);
}

TEST(Page, json_cannot_end_the_script_it_stands_in) {
  EXPECT_EQ(embeddable(R"({"name":"</script><!--"})"), R"({"name":"\u003c/script>\u003c!--"})");
}

}  // namespace
}  // namespace heddle::report

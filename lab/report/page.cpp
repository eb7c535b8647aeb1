#include "report/page.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "report/assets.hpp"

namespace heddle::report {

namespace {

// Each {{name}} of the template once and in one pass: what is put in is never searched for names.
std::string filled(std::string_view form, const std::vector<std::pair<std::string_view, std::string_view>>& fields) {
  std::string made;
  for (std::size_t at = 0; at < form.size();) {
    const std::size_t open = std::min(form.find("{{", at), form.size());
    made += form.substr(at, open - at);
    if (open == form.size()) break;
    const std::size_t close = form.find("}}", open);
    for (const auto& [name, text] : fields)
      if (form.substr(open + 2, close - open - 2) == name) made += text;
    at = close + 2;
  }
  return made;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) switch (c) {
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '&': safe += "&amp;"; break;
      case '"': safe += "&quot;"; break;
      case '\'': safe += "&#39;"; break;
      default: safe += c;
    }
  return safe;
}

// "<" occurs only inside the strings of a JSON document, where the escape means the same.
std::string embeddable(std::string_view json) {
  std::string safe;
  for (const char c : json) c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

std::string page(std::string_view title, std::string_view body, std::string_view script) {
  return filled(
      page_html,
      {{"title", escaped(title)}, {"style", page_css}, {"body", body}, {"theme", page_js}, {"script", script}});
}

}  // namespace heddle::report

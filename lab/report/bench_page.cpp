#include "report/bench_page.hpp"

#include "report/assets.hpp"
#include "report/page.hpp"

namespace heddle::report {

std::string bench_page(std::string_view json) {
  const auto text = [](std::string_view file) { return std::string(file); };
  const std::string data = "<script type=\"application/json\" id=\"data\">" + embeddable(json) + "</script>\n";
  const std::string body = "<style>\n" + text(bench_css) + "</style>\n" + text(bench_html) + data;
  return page("Heddle benchmark", body, text(svg_js) + text(bench_data_js) + text(bench_charts_js) + text(bench_js));
}

}  // namespace heddle::report

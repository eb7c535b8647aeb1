// A page of HTML that needs nothing but itself: styles and scripts inside, no network, dark and light, fit for a phone
// and for paper. What the pages of `heddle bench` and `heddle reproduce` have in common.
#pragma once

#include <string>
#include <string_view>

namespace heddle::report {

// Text as it may stand in HTML, between tags or in a quoted attribute.
std::string escaped(std::string_view text);

// JSON as it may stand in a <script>: nothing in it can end the element.
std::string embeddable(std::string_view json);

// `title` is text. `body` is HTML and `script` JavaScript: whatever they got from outside has passed the two above.
// Classes with a style: .scroll around a wide table, td.number, .figures around several <figure>, .controls (not
// printed), .soft .good .bad; colours of SVG: var(--ink --soft --line --grid --ours --chosen --peer --other).
std::string page(std::string_view title, std::string_view body, std::string_view script = {});

}  // namespace heddle::report

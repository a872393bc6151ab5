// The look of report.html, light, dark and on paper, and the little script that sorts and filters tables.
#pragma once

namespace plusmax::reports {

const char* page_style();
const char* page_script();  // the page is complete without it

}  // namespace plusmax::reports

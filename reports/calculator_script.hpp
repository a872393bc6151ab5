// What moves the calculator of report.html.
#pragma once

namespace plusmax::reports {

const char* calculator_script();  // its figures stand for one example without it

}  // namespace plusmax::reports

// Times as shares of a ceiling measured in the same run.
#include "reports/html.hpp"
#include "reports/numbers.hpp"
#include "reports/section.hpp"

#include <fmt/format.h>

namespace plusmax::reports::sections {
namespace {

std::string html(const Page& page) {
  if (page.data.bench.empty()) return "";
  Table out({{"case"}, {"variant"}, {"median us", true}, {"p10 us", true}, {"p90 us", true}, {"cold us", true}, {"GB/s", true}, {"right behind"}, {"ceiling"},
             {"ceiling us", true}, {"share", true}, {"workspace B", true}, {"results"}}, "sortable");
  const auto real = [](double v) { return Table::Cell{brief(v, 4), v, ""}; };
  for (const properties::BenchResult& b : page.data.bench) {
    const bool refused = is_refused(b);
    const double rate = b.bytes / b.median_us / 1e3;
    const Table::Cell none = {"", 0, ""};
    out.row({{code(b.case_line)}, {code(b.variant)}, real(b.median_us), real(b.p10_us), real(b.p90_us), b.cold_median_us > 0 ? real(b.cold_median_us) : none,
             {brief(rate, 4), rate, ""}, {escaped(b.load)}, {escaped(b.ceiling)}, real(b.ceiling_us), {percent(b.share), b.share, refused ? "bad" : ""},
             b.workspace_bytes > 0 ? Table::Cell{grouped(b.workspace_bytes), static_cast<double>(b.workspace_bytes), ""} : none,
             {b.verified ? escaped(b.note.empty() ? "verified" : b.note) : "<span class=\"bad\">" + escaped(b.note.empty() ? "not verified" : b.note) + "</span>"}});
  }
  return out.html();
}

}  // namespace
extern const Section bench;
const Section bench = {"bench", "Times", html};
}  // namespace plusmax::reports::sections

// Times as shares of a ceiling measured in the same run.
#include "reports/html.hpp"
#include "reports/numbers.hpp"
#include "reports/section.hpp"

#include <fmt/format.h>

namespace plusmax::reports::sections {
namespace {

// Of those that were measured beside their products.
std::string errors(const Page& page) {
  Table out({{"case"}, {"variant"}, {"result"}, {"judged", true}, {"error / bound", true}, {"rms relative error", true}, {"rms relative bound", true}, {"of"}}, "sortable");
  const auto real = [](double v) { return Table::Cell{brief(v), v, ""}; };
  bool any = false;
  for (const properties::BenchResult& b : page.data.bench)
    for (const properties::BenchError& e : b.errors) {
      any = true;
      out.row({{code(b.case_line)}, {code(b.variant)}, {escaped(e.result)}, {grouped(e.judged), static_cast<double>(e.judged), ""}, real(e.worst_ratio), real(e.rms), real(e.rms_bound), {escaped(b.sample)}});
    }
  return any ? out.html() : "";
}

std::string html(const Page& page) {
  if (page.data.bench.empty()) return "";
  Table out({{"case"}, {"variant"}, {"median us", true}, {"p10 us", true}, {"p90 us", true}, {"cold us", true}, {"GB/s", true}, {"right behind"}, {"ceiling"},
             {"ceiling us", true}, {"share", true}, {"time over it", true}, {"rested us", true}, {"rested", true}, {"workspace B", true}, {"taken B", true}, {"results"}}, "sortable");
  const auto real = [](double v) { return Table::Cell{brief(v, 4), v, ""}; };
  const auto positive = [&](double v) { return v > 0 ? real(v) : Table::Cell{"", 0, ""}; };
  const auto bytes = [](std::uint64_t count) { return count > 0 ? Table::Cell{grouped(count), static_cast<double>(count), ""} : Table::Cell{"", 0, ""}; };
  for (const properties::BenchResult& b : page.data.bench) {
    const bool refused = is_refused(b);
    const double rate = b.bytes / b.median_us / 1e3;
    out.row({{code(b.case_line)}, {code(b.variant)}, real(b.median_us), real(b.p10_us), real(b.p90_us), positive(b.cold_median_us),
             {brief(rate, 4), rate, ""}, {escaped(b.load)}, {escaped(b.ceiling)}, real(b.ceiling_us), {percent(b.share), b.share, refused ? "bad" : ""},
             positive(b.ratio), positive(b.rested_us), positive(b.rested_ratio), bytes(b.workspace_bytes), bytes(b.taken_bytes),
             {b.verified ? escaped(b.note.empty() ? "verified" : b.note) : "<span class=\"bad\">" + escaped(b.note.empty() ? "not verified" : b.note) + "</span>"}});
  }
  return out.html() + errors(page);
}

}  // namespace
extern const Section bench;
const Section bench = {"bench", "Times", html};
}  // namespace plusmax::reports::sections

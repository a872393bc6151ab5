#include "reports/html.hpp"
#include "reports/page_style.hpp"
#include "reports/report.hpp"
#include "reports/section.hpp"

#include <fmt/format.h>

namespace plusmax::reports {

std::string report_html(const RunData& data, const Summary& summary) {
  const Page page{data, summary};
  std::string contents, body;
  for (const Section* section : sections::all()) {
    const std::string html = section->html(page);
    if (html.empty()) continue;
    const bool titled = *section->title != '\0';
    if (titled) contents += fmt::format("<a href=\"#{}\">{}</a> ", section->id, escaped(section->title));
    body += fmt::format("<section id=\"{}\">\n", section->id);
    if (titled) body += fmt::format("<h2>{}</h2>\n", escaped(section->title));
    body += html + "</section>\n";
    if (!titled) body += "<!--contents-->\n";
  }
  if (const std::size_t at = body.find("<!--contents-->"); at != std::string::npos)
    body.replace(at, 15, "<nav>" + contents + "</nav>");
  return fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                     "<title>plusmax {}: {}</title>\n<style>{}</style></head>\n<body>\n{}<script>{}</script>\n</body></html>\n",
                     escaped(data.info.verb), verdict(summary), page_style(), body, page_script());
}

}  // namespace plusmax::reports

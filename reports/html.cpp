#include "reports/html.hpp"

#include "reports/numbers.hpp"

#include <fmt/format.h>

namespace plusmax::reports {

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

// A name stays in one piece; a case line may break.
std::string code(std::string_view text) {
  const bool name = text.size() < 32 && text.find(' ') == std::string_view::npos;
  return (name ? "<code class=\"name\">" : "<code>") + escaped(text) + "</code>";
}

std::string tag(std::string_view name, std::string_view classes, std::string_view html) {
  if (classes.empty()) return fmt::format("<{0}>{1}</{0}>", name, html);
  return fmt::format("<{0} class=\"{2}\">{1}</{0}>", name, html, classes);
}

Table::Table(std::vector<Column> columns, std::string_view classes) : columns_(std::move(columns)) {
  head_ = fmt::format("<div class=\"scroll\"><table class=\"{}\"><thead><tr>", classes);
  for (const Column& column : columns_)
    head_ += fmt::format("<th scope=\"col\"{}>{}</th>", column.numeric ? " class=\"n\"" : "", escaped(column.title));
  head_ += "</tr></thead><tbody>\n";
}

void Table::row(const std::vector<Cell>& cells, std::string_view classes) {
  ++rows_;
  body_ += classes.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", classes);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool numeric = i < columns_.size() && columns_[i].numeric;
    std::string all = cells[i].classes;
    if (numeric) all += all.empty() ? "n" : " n";
    body_ += "<td";
    if (!all.empty()) body_ += fmt::format(" class=\"{}\"", all);
    if (numeric) body_ += fmt::format(" data-v=\"{}\"", decimal(cells[i].value));
    body_ += ">" + cells[i].html + "</td>";
  }
  body_ += "</tr>\n";
}

std::string Table::html() const { return head_ + body_ + "</tbody></table></div>\n"; }

}  // namespace plusmax::reports

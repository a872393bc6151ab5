// Which check kills which planted mistake.
#include "reports/html.hpp"
#include "reports/numbers.hpp"
#include "reports/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace plusmax::reports::sections {
namespace {

using properties::MutantResult;

using Mutants = std::vector<const MutantResult*>;

std::vector<std::string> columns_of(const std::string& op, const RunData& data, const Mutants& mutants) {
  std::vector<std::string> columns;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
  };
  for (const CheckInfo& check : data.checks)
    if (check.op == op) add(check.name);
  for (const MutantResult* m : mutants) {
    add(m->killed_by);
    for (const std::string& check : m->kills) add(check);
  }
  return columns;
}

std::string margin_text(const MutantResult& m) { return m.has_margin ? "×" + brief(m.margin) : "structural"; }

std::string cell(const MutantResult& m, const std::string& check) {
  const bool kills = std::find(m.kills.begin(), m.kills.end(), check) != m.kills.end();
  if (m.killed_by == check)
    return m.killed ? fmt::format("<td class=\"named\" title=\"killed by the check it names\">{}</td>", margin_text(m))
                    : "<td class=\"survived\" title=\"the check it names did not kill it\">survived</td>";
  return kills ? "<td class=\"kill\" title=\"also killed by this check\">✓</td>" : "<td></td>";
}

std::string story(const MutantResult& m) {
  std::string text = fmt::format("<details><summary>{}: {}</summary><p>{}</p>", code(m.name), escaped(m.why), escaped(m.detail));
  if (!m.case_line.empty()) text += fmt::format("<p>{} {} {}</p>", escaped(m.variant), escaped(m.dtype), code(m.case_line));
  for (const std::string& source : m.sources) text += "<p class=\"soft\">" + escaped(source) + "</p>";
  return text + "</details>\n";
}

std::string matrix(const std::string& op, const RunData& data, const Mutants& mutants) {
  const std::vector<std::string> columns = columns_of(op, data, mutants);
  std::string text = "<h3>" + code(op) + "</h3>\n";
  text += "<div class=\"scroll\"><table class=\"matrix\"><thead><tr><th>mutant</th>";
  for (const std::string& check : columns) text += "<th>" + escaped(check) + "</th>";
  text += "</tr></thead><tbody>\n";
  for (const MutantResult* m : mutants) {
    text += "<tr><td>" + code(m->name) + "</td>";
    for (const std::string& check : columns) text += cell(*m, check);
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string html(const Page& page) {
  if (page.data.mutants.empty()) return "";
  std::map<std::string, Mutants> by_op;
  for (const MutantResult& m : page.data.mutants) by_op[m.op].push_back(&m);
  std::string text = "<p class=\"soft\">Each row is a mistake that people make, planted into the kernels. The dark cell is the check that must kill it, with the "
                     "largest error / bound that it saw (structural: killed by a check that has no margin); ✓ marks other checks that kill it too.</p>\n";
  for (const auto& [op, mutants] : by_op) text += matrix(op, page.data, mutants);
  text += "<h3>Why people make them</h3>\n";
  for (const MutantResult& m : page.data.mutants) text += story(m);
  return text;
}

}  // namespace
extern const Section kill_matrix;
const Section kill_matrix = {"kill_matrix", "Mutants", html};
}  // namespace plusmax::reports::sections

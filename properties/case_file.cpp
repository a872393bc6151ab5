#include "properties/case_file.hpp"

#include "properties/operation.hpp"
#include "properties/suggest.hpp"
#include "properties/text.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

namespace plusmax::properties {
namespace {

Case runnable_case(std::string_view line) {
  Case of = parse_case(line);
  operation_named(of.op);
  return of;
}

void parse_outcome(CaseRow& row, std::string_view text) {
  const std::string_view all = text;
  if (const std::string_view word = text.substr(0, text.find_first_of(" \t")); word == "refused" || word == "later") {
    row.kind = word == "later" ? CaseRow::Kind::later : CaseRow::Kind::refused;
    row.reason = trim(text.substr(word.size()));
    if (row.reason.empty()) throw UsageError(in_quotes(all) + ": say why, as in: later needs a second device");
    return;
  }
  const auto demand = [&](bool understood) {
    if (!understood) throw UsageError(in_quotes(all) + ": write = [ANSWERS], gpu, refused REASON or later REASON");
  };
  demand(text.empty() || text == "gpu" || text.starts_with('='));
  row.of = runnable_case(row.text);
  if (text.starts_with('=')) {
    text.remove_prefix(1);
    const Operation& operation = operation_named(row.of.op);
    row.answers = parse_answers(text, row.of, operation.results(row.of), operation.main_result);
    if (row.answers.results.empty())
      throw UsageError(in_quotes(all) +
                       ": write the answers as = [1.5, -inf], those of other results by their names: mean=1.5");
  }
  row.gpu = text == "gpu";
  demand(row.gpu || text.empty());
}

CaseRow parse_row(std::string_view line) {
  CaseRow row;
  if (line.find('|') == line.npos) {
    row.text = trim(line);
    row.of = runnable_case(row.text);
    return row;
  }
  row.id = take_until(line, '|');
  if (row.id.empty() || row.id.find_first_of(" \t") != std::string::npos)
    throw UsageError("id " + in_quotes(row.id) + ": write one word before the first '|'");
  row.text = take_until(line, '|');
  const std::string_view outcome = take_until(line, '|');
  row.note = trim(line);
  parse_outcome(row, outcome);
  return row;
}

}  // namespace

std::vector<CaseRow> parse_case_file(std::string_view name, std::string_view text) {
  std::vector<CaseRow> rows;
  std::set<std::string> ids;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = take_until(text, '\n');
    if (line.empty() || line.starts_with('#')) continue;
    try {
      CaseRow row = parse_row(line);
      if (!row.id.empty() && !ids.insert(row.id).second)
        throw UsageError("id " + row.id + " is given twice: use another");
      row.file = name;
      row.line = number;
      rows.push_back(std::move(row));
    } catch (const UsageError& error) {
      throw UsageError(std::string(name) + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  return rows;
}

std::vector<CaseRow> read_case_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open() || file.bad() || (text.str().empty() && errno != 0))
    throw UsageError("cannot read case file " + path + ": " + std::strerror(errno ? errno : EIO) +
                     ": give a readable file");
  return parse_case_file(path, text.str());
}

std::vector<CaseRow> built_in_cases(std::string_view name) {
  std::vector<std::string> names;
  for (const CaseText& file : built_in_case_texts()) {
    if (name == file.name) return parse_case_file(std::string(name) + ".cases", file.text);
    names.push_back(file.name);
  }
  throw UsageError("no built-in cases " + in_quotes(name) + suggestion(name, names));
}

std::string report_of(std::string_view id) {
  while (!id.empty() && id.back() >= 'a' && id.back() <= 'z') id.remove_suffix(1);
  return std::string(id);
}

}  // namespace plusmax::properties

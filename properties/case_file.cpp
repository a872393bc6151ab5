#include "properties/case_file.hpp"

#include "properties/number.hpp"
#include "properties/operation.hpp"
#include "properties/suggest.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

namespace plusmax::properties {
namespace {

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// The text before `separator`, which is removed with it; all of it if there is none.
std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view head = rest.substr(0, end);
  rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
  return trim(head);
}

PrintedValue parse_printed(std::string_view text) {
  const auto value = parse_number(text);
  if (!value)
    throw UsageError("answer " + in_quotes(text) + ": write a number, ROW: NUMBER, or ... at the end of the list");
  PrintedValue out{*value, 0};
  const std::size_t point = text.find('.');
  const bool hexadecimal = text.find_first_of("xX") != text.npos;  // such a number is what it says, to the last bit
  if (point == text.npos || hexadecimal) return out;
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  const std::int64_t shown = static_cast<std::int64_t>(mark - point - 1);
  const std::string_view power = mark == text.size() ? "0" : text.substr(mark + 1);
  const std::int64_t exponent = parse_integer(power.starts_with('+') ? power.substr(1) : power).value_or(0);
  out.half_unit = parse_number("5e" + std::to_string(exponent - shown - 1)).value_or(0);
  return out;
}

Expected parse_expected(std::string_view list, std::int64_t rows) {
  Expected out;
  for (std::string_view rest = list; !trim(rest).empty();) {
    std::string_view item = take_until(rest, ',');
    if (out.repeats) throw UsageError("answers: '...' is not at the end of the list: move it there");
    if (item == "...") {
      out.repeats = true;
      continue;
    }
    const std::size_t colon = item.find(':');
    if (colon == item.npos) {
      out.list.push_back(parse_printed(item));
      continue;
    }
    const auto row = parse_integer(trim(item.substr(0, colon)));
    if (!row || *row < 0 || *row >= rows)
      throw UsageError("answer " + in_quotes(item) + ": the case has rows 0 to " + std::to_string(rows - 1));
    if (std::any_of(out.exceptions.begin(), out.exceptions.end(),
                    [&](const auto& other) { return other.first == *row; }))
      throw UsageError("answer " + in_quotes(item) + ": row " + std::to_string(*row) + " has an answer already: keep one");
    out.exceptions.emplace_back(*row, parse_printed(trim(item.substr(colon + 1))));
  }
  const auto given = static_cast<std::int64_t>(out.list.size());
  if (out.repeats ? given == 0 || given > rows : given != rows)
    throw UsageError(std::to_string(given) + " answers for " + std::to_string(rows) +
                     " rows: give one a row, or end the list with '...' to repeat it");
  return out;
}

Case runnable_case(std::string_view line) {
  Case of = parse_case(line);
  operation_named(of.op);
  return of;
}

void parse_outcome(CaseRow& row, std::string_view text) {
  const std::string_view all = text;
  std::string_view answers;
  if (text.starts_with('=')) {
    text = trim(text.substr(1));
    const std::size_t end = text.find(']');
    if (!text.starts_with('[') || end == text.npos)
      throw UsageError(in_quotes(all) + ": write the answers as = [1.5, -inf]");
    answers = text.substr(1, end - 1);
    text = trim(text.substr(end + 1));
    row.expected.repeats = true;  // to tell "= []" from no answers; replaced below
  } else if (const std::string_view word = text.substr(0, text.find_first_of(" \t"));
             word == "refused" || word == "later") {
    row.kind = word == "later" ? CaseRow::Kind::later : CaseRow::Kind::refused;
    row.reason = trim(text.substr(word.size()));
    if (row.reason.empty()) throw UsageError(in_quotes(all) + ": say why, as in: later needs a second device");
    return;
  }
  row.gpu = text == "gpu";
  if (!row.gpu && !text.empty())
    throw UsageError(in_quotes(all) + ": write = [ANSWERS], gpu, refused REASON or later REASON");
  row.of = runnable_case(row.text);
  if (row.expected.repeats) row.expected = parse_expected(answers, row.of.rows);
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

std::optional<PrintedValue> Expected::at(std::int64_t row) const {
  for (const auto& [index, value] : exceptions)
    if (index == row) return value;
  if (list.empty()) return std::nullopt;
  const auto index = static_cast<std::size_t>(row);
  if (!repeats && index >= list.size()) return std::nullopt;
  return list[index % list.size()];
}

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

bool expected_matches(const CaseRow& row, std::int64_t index, double got, double bound) {
  const auto want = row.expected.at(index);
  if (!want) return true;
  if (std::isnan(want->value)) return std::isnan(got);
  if (std::isinf(want->value)) return got == want->value;
  return std::fabs(got - want->value) <= want->half_unit + bound;  // false for a NaN
}

}  // namespace plusmax::properties

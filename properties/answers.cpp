#include "properties/answers.hpp"

#include "properties/number.hpp"
#include "properties/suggest.hpp"
#include "properties/text.hpp"

#include <algorithm>
#include <cmath>

namespace plusmax::properties {
namespace {

PrintedValue parse_printed(std::string_view text) {
  const auto value = parse_number(text);
  if (!value)
    throw UsageError("answer " + in_quotes(text) + ": write a number, INDEX: NUMBER, or ... at the end of the list");
  PrintedValue out{*value, 0, *value == 0 && text.starts_with('+')};
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

// What a list is over: "row", "column".
struct Axis {
  const char* name;
  std::int64_t size;
};

// `list` without its brackets; `read` makes an answer of an item.
template <class T, class Read>
PrintedList<T> parse_list(std::string_view list, const Axis& axis, Read read) {
  PrintedList<T> out;
  for (std::string_view rest = list; !trim(rest).empty();) {
    const std::string_view item = take_item(rest);
    if (out.repeats) throw UsageError("answers: '...' is not at the end of the list: move it there");
    if (item == "...") {
      out.repeats = true;
      continue;
    }
    const std::size_t colon = item.find(':');
    if (colon == item.npos || item.starts_with('[')) {
      out.values.push_back(read(item));
      continue;
    }
    const auto index = parse_integer(trim(item.substr(0, colon)));
    if (!index || *index < 0 || *index >= axis.size)
      throw UsageError("answer " + in_quotes(item) + ": the case has " + axis.name + "s 0 to " +
                       std::to_string(axis.size - 1));
    if (std::any_of(out.apart.begin(), out.apart.end(), [&](const auto& other) { return other.first == *index; }))
      throw UsageError("answer " + in_quotes(item) + ": " + axis.name + " " + std::to_string(*index) +
                       " has an answer already: keep one");
    out.apart.emplace_back(*index, read(trim(item.substr(colon + 1))));
  }
  const auto given = static_cast<std::int64_t>(out.values.size());
  if (out.repeats ? given == 0 || given > axis.size : given != axis.size)
    throw UsageError(std::to_string(given) + " answers for " + std::to_string(axis.size) + " " + axis.name +
                     "s: give one a " + axis.name + ", or end the list with '...' to repeat it");
  return out;
}

PrintedList<PrintedValue> only(const PrintedValue& value) { return {{value}, false, {}}; }

// "[1, 2]" -> "1, 2"
std::string_view inside(std::string_view bracket) { return bracket.substr(1, bracket.size() - 2); }
bool is_bracket(std::string_view text) { return text.starts_with('[') && end_of_bracket(text) == text.size(); }

std::int64_t rows_of(const ResultName& of, const Case& c) { return of.rows < 0 ? c.rows : of.rows; }
std::int64_t columns_of(const ResultName& of, const Case& c) { return of.cols < 0 ? c.cols : of.cols; }

PrintedResult parse_result(const ResultName& of, std::string_view text, const Case& c) {
  const auto refuse = [&](const std::string& instead) {
    throw UsageError("answer " + in_quotes(of.name + "=" + std::string(text)) + ": write " + instead);
  };
  PrintedResult out{of, {}};
  const Axis rows{"row", rows_of(of, c)}, columns{"column", columns_of(of, c)};
  if (of.per == Per::call) {
    if (text.starts_with('[')) refuse("one number, as in " + of.name + "=1.5: the whole call has one");
    out.rows.values = {only(parse_printed(text))};
    return out;
  }
  if (!is_bracket(text))
    refuse("one a row, as in " + of.name + (of.per == Per::row ? "=[1.5, -inf]" : "=[[1.5, -1.5]]"));
  if (of.per == Per::row) {
    out.rows =
        parse_list<PrintedList<PrintedValue>>(inside(text), rows, [](auto item) { return only(parse_printed(item)); });
    return out;
  }
  out.rows = parse_list<PrintedList<PrintedValue>>(inside(text), rows, [&](std::string_view item) {
    if (!is_bracket(item)) refuse("a list a row, one a column, as in " + of.name + "=[[1.5, -1.5]]");
    return parse_list<PrintedValue>(inside(item), columns, parse_printed);
  });
  return out;
}

const ResultName& named(std::string_view name, const std::vector<ResultName>& results) {
  std::vector<std::string> known;
  for (const ResultName& result : results) {
    if (result.name == name) return result;
    known.push_back(result.name);
  }
  throw UsageError("answer " + in_quotes(name) + " is no result of this case line" + suggestion(name, known));
}

}  // namespace

bool matches(const PrintedValue& want, double got, double bound) {
  if (std::isnan(want.value)) return std::isnan(got);
  if (std::isinf(want.value)) return got == want.value;
  if (want.value == 0 && want.half_unit == 0) return got == 0 && !(want.to_the_bit && std::signbit(got));
  return std::fabs(got - want.value) <= want.half_unit + bound;  // false for a NaN
}

bool Answers::empty() const {
  return std::all_of(results.begin(), results.end(), [](const PrintedResult& result) {
    return result.rows.values.empty() && result.rows.apart.empty();
  });
}

bool Answers::has(Per per) const {
  return std::any_of(results.begin(), results.end(), [&](const PrintedResult& result) { return result.of.per == per; });
}

InspectLimits Answers::extent(const Case& c) const {
  InspectLimits most;
  for (const PrintedResult& result : results) {
    if (result.of.per != Per::call) most.rows = std::max(most.rows, rows_of(result.of, c));
    if (result.of.per == Per::element) most.cols = std::max(most.cols, columns_of(result.of, c));
  }
  return most;
}

std::optional<PrintedValue> Answers::at(std::string_view result, std::int64_t row) const {
  const std::size_t bracket = result.find('[');
  const bool element = bracket != result.npos;
  const std::int64_t column =
      element ? parse_integer(result.substr(bracket + 1, result.size() - bracket - 2)).value_or(-1) : 0;
  for (const PrintedResult& each : results) {
    if (each.of.name != result.substr(0, bracket) || (each.of.per == Per::element) != element) continue;
    const auto* columns = each.rows.at(row);
    const PrintedValue* value = columns ? columns->at(column) : nullptr;
    return value ? std::optional(*value) : std::nullopt;
  }
  return std::nullopt;
}

Answers parse_answers(std::string_view& text, const Case& of, const std::vector<ResultName>& results,
                      std::string_view main) {
  Answers out;
  for (text = trim(text); !text.empty(); text = trim(text)) {
    const bool unnamed = text.starts_with('[');
    const std::size_t equals = text.find('=');
    if (unnamed ? !out.results.empty() : equals == text.npos || text.find_first_of(" \t[") < equals) break;
    const ResultName& result = named(unnamed ? main : text.substr(0, equals), results);
    if (!unnamed) text.remove_prefix(equals + 1);
    const std::size_t end = text.starts_with('[') ? end_of_bracket(text) : text.find_first_of(" \t");
    if (text.starts_with('[') && end == text.npos)
      throw UsageError("answer " + in_quotes(text) + ": write the closing ']'");
    if (std::any_of(out.results.begin(), out.results.end(),
                    [&](const auto& other) { return other.of.name == result.name; }))
      throw UsageError("answer " + in_quotes(result.name) + " is given twice: keep one");
    out.results.push_back(parse_result(result, text.substr(0, end), of));
    text = end == text.npos ? std::string_view() : text.substr(end);
  }
  return out;
}

}  // namespace plusmax::properties

#include "properties/case.hpp"

#include "properties/case_lists.hpp"
#include "properties/fill.hpp"
#include "properties/number.hpp"
#include "properties/operation.hpp"
#include "properties/suggest.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace plusmax::properties {
namespace {

const std::vector<std::string> kKeys = {"rows",  "cols", "stride", "col_stride", "out_stride",
                                        "phase", "fill", "seed",   "set",        "data"};

// One line, all blanks alike: what follows may quote any part of it in a message.
std::string clean(std::string_view line) {
  std::string out(line);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto c = static_cast<unsigned char>(out[i]);
    if (std::isspace(c)) {
      out[i] = ' ';
    } else if (std::iscntrl(c)) {
      throw UsageError("byte " + std::to_string(c) + " at position " + std::to_string(i) +
                       " of the case line: write plain text");
    }
  }
  return out;
}

// At blanks outside brackets, so that data may hold some.
std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  int depth = 0;
  std::size_t begin = line.npos;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '[') ++depth;
    if (line[i] == ']') --depth;
    const bool blank = std::isspace(static_cast<unsigned char>(line[i])) && depth <= 0;
    if (!blank && begin == line.npos) begin = i;
    if (blank && begin != line.npos) {
      words.push_back(line.substr(begin, i - begin));
      begin = line.npos;
    }
  }
  if (begin != line.npos) words.push_back(line.substr(begin));
  return words;
}

struct KeyValues {
  std::vector<std::pair<std::string, std::string_view>> pairs;

  std::optional<std::string_view> take(std::string_view key) {
    for (auto it = pairs.begin(); it != pairs.end(); ++it)
      if (it->first == key) {
        const std::string_view value = it->second;
        pairs.erase(it);
        return value;
      }
    return std::nullopt;
  }
  std::optional<std::int64_t> take_integer(std::string_view key) {
    const auto text = take(key);
    if (!text) return std::nullopt;
    const auto value = parse_integer(*text);
    if (!value)
      throw UsageError(std::string(key) + "=" + in_quotes(*text) + ": write a whole number such as 4099 or 2^31");
    return value;
  }
};

KeyValues split_pairs(const std::vector<std::string_view>& words) {
  KeyValues out;
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (equals == 0 || equals == words[i].npos)
      throw UsageError("cannot read " + in_quotes(words[i]) + ": after the dtype write KEY=VALUE");
    std::string key(words[i].substr(0, equals));
    if (std::any_of(out.pairs.begin(), out.pairs.end(), [&](const auto& pair) { return pair.first == key; }))
      throw UsageError("key " + in_quotes(key) + " is given twice: keep one");
    out.pairs.emplace_back(std::move(key), words[i].substr(equals + 1));
  }
  return out;
}

void parse_op_and_dtype(Case& out, const std::vector<std::string_view>& words) {
  if (words.empty()) throw UsageError("empty case line: write OP DTYPE rows=R cols=C");
  out.op = words[0];
  grammar_of(out.op);
  const std::string name(words.size() > 1 ? words[1] : std::string_view());
  const auto dtype = reference::dtype_from(name);
  if (!dtype)
    throw UsageError((name.empty() ? "the dtype is missing" : "unknown dtype " + in_quotes(name)) +
                     ": use f32, f16, bf16 or f64");
  out.dtype = *dtype;
}

void parse_shape(Case& out, KeyValues& given) {
  if (const auto text = given.take("data")) {
    out.data = parse_data(*text);
    for (const char* other : {"fill", "set"})
      if (const auto value = given.take(other))
        throw UsageError("data together with " + std::string(other) + "=" + in_quotes(*value) + ": use one of them");
    out.rows = static_cast<std::int64_t>(out.data.size());
    out.cols = out.data.empty() ? 0 : static_cast<std::int64_t>(out.data[0].size());
    const std::int64_t rows = given.take_integer("rows").value_or(out.rows);
    const std::int64_t cols = given.take_integer("cols").value_or(out.cols);
    if (rows != out.rows || (cols != out.cols && rows > 0))
      throw UsageError("data: " + std::to_string(out.rows) + " rows of " + std::to_string(out.cols) +
                       " values, but rows=" + std::to_string(rows) + " cols=" + std::to_string(cols) +
                       ": make them equal, or leave rows and cols out");
    out.cols = cols;
  } else {
    const auto rows = given.take_integer("rows"), cols = given.take_integer("cols");
    if (!rows || !cols)
      throw UsageError(std::string(rows ? "cols" : "rows") + " is missing: write rows=R cols=C, or data=[[...]]");
    out.rows = *rows;
    out.cols = *cols;
  }
  out.col_stride = given.take_integer("col_stride").value_or(1);
  const auto stride = given.take_integer("stride");
  if (stride) {
    out.row_stride = *stride;
  } else if (__builtin_mul_overflow(out.cols, out.col_stride, &out.row_stride)) {
    out.row_stride = kLargestSize + 1;  // for validate() to refuse
  }
  out.lse_stride = given.take_integer("out_stride").value_or(1);
  out.phase = given.take_integer("phase").value_or(0);
}

std::vector<std::string> option_keys(const Case& c) {
  const Operation& operation = grammar_of(c.op);
  if (!operation.keys) return {};
  return {operation.keys().begin(), operation.keys().end()};
}

void parse_parameters(Case& out, KeyValues& given, const Fill& fill) {
  std::vector<std::string> known = out.data.empty() ? kKeys : std::vector<std::string>(kKeys.begin(), kKeys.end() - 2);
  if (out.data.empty())
    for (const FillParameter& parameter : fill.parameters) known.push_back(parameter.name);
  for (const auto& [key, text] : given.pairs) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      for (const Fill* other : fills::all())
        for (const FillParameter& parameter : other->parameters)
          if (out.data.empty() && key == parameter.name && nearest_word(key, known).empty()) {
            std::vector<std::string> own(known.begin() + static_cast<std::ptrdiff_t>(kKeys.size()), known.end());
            throw UsageError("fill " + out.fill + " has no parameter '" + key +
                             "': " + (own.empty() ? "it has none" : "use " + listed(own)) + ", or another fill");
          }
      for (std::string& option : option_keys(out)) known.push_back(std::move(option));
      throw UsageError("unknown key " + in_quotes(key) + suggestion(key, known));
    }
    const auto value = parse_number(text);
    if (!value) throw UsageError(key + "=" + in_quotes(text) + ": write a number");
    set_parameter(out, key, *value);
  }
}

}  // namespace

Case parse_case(std::string_view line) {
  const std::string text = clean(line);
  const std::vector<std::string_view> words = split_words(text);
  Case out;
  parse_op_and_dtype(out, words);
  KeyValues given = split_pairs(words);
  parse_shape(out, given);
  if (const auto name = given.take("fill")) out.fill = *name;
  const Fill& fill = fill_named(out.fill);
  if (const auto given_seed = given.take("seed")) {
    const auto seed = parse_unsigned(*given_seed);
    if (!seed) throw UsageError("seed=" + in_quotes(*given_seed) + ": write a whole number from 0 to 2^64-1");
    out.seed = *seed;
  }
  if (const auto set = given.take("set")) out.set = parse_set(*set);
  for (const std::string& key : option_keys(out))
    if (const auto value = given.take(key)) out.options.emplace_back(key, *value);
  parse_parameters(out, given, fill);
  validate(out);
  if (const Operation& operation = grammar_of(out.op); operation.canonical) out.options = operation.canonical(out);
  return out;
}

std::string to_line(const Case& c) {
  std::string out =
      c.op + " " + reference::name_of(c.dtype) + " rows=" + std::to_string(c.rows) + " cols=" + std::to_string(c.cols);
  const auto add = [&](const char* key, std::int64_t value, std::int64_t initial) {
    if (value != initial) out += std::string(" ") + key + "=" + std::to_string(value);
  };
  std::int64_t packed = 0;
  if (__builtin_mul_overflow(c.cols, c.col_stride, &packed)) packed = -1;  // no valid case; printed whole
  add("stride", c.row_stride, packed);
  add("col_stride", c.col_stride, 1);
  add("out_stride", c.lse_stride, 1);
  add("phase", c.phase, 0);
  if (c.data.empty()) {
    if (c.fill != Case{}.fill) out += " fill=" + c.fill;
    for (const auto& [name, value] : c.parameters) out += " " + name + "=" + number_text(value);
  }
  if (c.seed != 0) out += " seed=" + std::to_string(c.seed);
  if (!c.set.empty()) out += " set=" + set_text(c.set);
  if (!c.data.empty()) out += " data=" + data_text(c.data);
  for (const auto& [key, value] : c.options) out += " " + key + "=" + value;
  return out;
}

bool Patch::operator==(const Patch& other) const {
  return row == other.row && col == other.col && number_text(value) == number_text(other.value);
}

bool Case::operator==(const Case& other) const { return to_line(*this) == to_line(other); }

}  // namespace plusmax::properties

#include "properties/case_lists.hpp"

#include "properties/number.hpp"
#include "properties/suggest.hpp"

#include <algorithm>
#include <cctype>

namespace plusmax::properties {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool accept(char c) {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("expected '") + c + "'");
  }
  double number() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ']' && text_[at_] != '[' &&
           !std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
    const auto value = parse_number(text_.substr(begin, at_ - begin));
    if (!value) {
      at_ = begin;
      fail("expected a number");
    }
    return *value;
  }
  void end() {
    if (at_ != text_.size()) fail("expected the end");
  }

 private:
  [[noreturn]] void fail(const std::string& what) {
    const std::string rest = at_ < text_.size() ? "before '" + std::string(text_.substr(at_, 20)) + "'" : "at its end";
    throw UsageError("data: " + what + " " + rest + ": write data=[[1,2],[3,4]], one bracket a row");
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

Patch parse_patch(std::string_view item) {
  const std::size_t colon = item.find(':'), equals = item.find('=');
  if (colon != item.npos && equals != item.npos && colon < equals) {
    const auto row = parse_integer(item.substr(0, colon));
    const auto col = parse_integer(item.substr(colon + 1, equals - colon - 1));
    const auto value = parse_number(item.substr(equals + 1));
    if (row && col && value) return {*row, *col, *value};
  }
  throw UsageError("set: cannot read " + in_quotes(item) + ": write set=ROW:COL=VALUE,ROW:COL=VALUE");
}

}  // namespace

std::vector<std::vector<double>> parse_data(std::string_view text) {
  Scanner in(text);
  std::vector<std::vector<double>> rows;
  in.expect('[');
  if (!in.accept(']')) {
    do {
      std::vector<double>& row = rows.emplace_back();
      in.expect('[');
      if (in.accept(']')) continue;
      do row.push_back(in.number());
      while (in.accept(','));
      in.expect(']');
    } while (in.accept(','));
    in.expect(']');
  }
  in.end();
  for (std::size_t r = 1; r < rows.size(); ++r)
    if (rows[r].size() != rows[0].size())
      throw UsageError("data: row " + std::to_string(r) + " has " + std::to_string(rows[r].size()) +
                       " values, row 0 has " + std::to_string(rows[0].size()) + ": give every row the same number");
  return rows;
}

std::string data_text(const std::vector<std::vector<double>>& rows) {
  std::string out = "[";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    out += r > 0 ? ",[" : "[";
    for (std::size_t c = 0; c < rows[r].size(); ++c) out += (c > 0 ? "," : "") + number_text(rows[r][c]);
    out += "]";
  }
  return out + "]";
}

std::vector<Patch> parse_set(std::string_view text) {
  std::vector<Patch> patches;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    patches.push_back(parse_patch(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return patches;
}

std::string set_text(const std::vector<Patch>& patches) {
  std::string out;
  for (const Patch& patch : patches)
    out += (out.empty() ? "" : ",") + std::to_string(patch.row) + ":" + std::to_string(patch.col) + "=" +
           number_text(patch.value);
  return out;
}

}  // namespace plusmax::properties

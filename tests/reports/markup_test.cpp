#include "tests/reports/markup.hpp"

#include <regex>
#include <vector>

namespace plusmax::reports::testing {
namespace {

std::string near(const std::string& text, std::size_t at) { return " near '" + text.substr(at, 60) + "'"; }

bool good_entity(const std::string& text, std::size_t at) {
  static const std::regex entity("&(amp|lt|gt|quot|#[0-9]+);");
  std::smatch match;
  const std::string rest = text.substr(at, 10);
  return std::regex_search(rest, match, entity) && match.position() == 0;
}

bool good_tag(const std::string& inside) {
  static const std::regex tag(R"re([a-zA-Z][a-zA-Z0-9]*(\s+[a-zA-Z][-a-zA-Z0-9]*="[^"<]*")*\s*/?)re");
  return std::regex_match(inside, tag);
}

}  // namespace

std::string markup_error(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '&' && !good_entity(text, at)) return "bare &" + near(text, at);
    if (text[at] == '>') return "bare >" + near(text, at);
    if (text[at] != '<') continue;
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return "tag without end" + near(text, at);
    const std::string inside = text.substr(at + 1, end - at - 1);
    const std::size_t begin = at;
    at = end;
    if (inside[0] == '!' || inside[0] == '?') continue;
    if (inside[0] == '/') {
      if (open.empty() || open.back() != inside.substr(1)) return "unexpected end" + near(text, begin);
      open.pop_back();
      continue;
    }
    if (!good_tag(inside)) return "bad tag" + near(text, begin);
    const std::string name = inside.substr(0, inside.find_first_of(" /\n"));
    if (inside.back() == '/') continue;
    open.push_back(name);
    if (name == "script" || name == "style") at = text.find("</" + name + ">", at) - 1;
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

}  // namespace plusmax::reports::testing

#include "tests/reports/browser/browser.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace plusmax::reports::testing {
namespace {

std::string read(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace

Browser::Browser(std::string chromium, std::string directory) : chromium_(std::move(chromium)), directory_(std::move(directory)) {
  std::filesystem::remove_all(directory_);
  std::filesystem::create_directories(directory_);
}

std::string Browser::output_of(const std::string& command) {
  const std::string out = directory_ + "/out", err = directory_ + "/err";
  if (std::system(fmt::format("{} > '{}' 2> '{}'", command, out, err).c_str()) != 0) {
    std::printf("FAILED: %s\n%s\n", command.c_str(), read(err).c_str());
    std::exit(1);
  }
  return read(out);
}

std::string Browser::dom(const std::string& page, const std::string& fragment) {
  const std::string path = directory_ + "/report.html";
  std::ofstream(path, std::ios::binary) << page;
  // Root has no sandbox to build; no name resolves.
  const std::string html = output_of(fmt::format("'{}' --headless --disable-gpu --no-first-run {} --user-data-dir='{}/profile' --host-resolver-rules='MAP * ~NOTFOUND' "
                                                 "--enable-logging=stderr --virtual-time-budget=2000 --dump-dom 'file://{}{}'",
                                                 chromium_, ::geteuid() == 0 ? "--no-sandbox" : "", directory_, path, fragment));
  const std::string log = read(directory_ + "/err");
  for (std::size_t at = 0; (at = log.find("CONSOLE", at)) != std::string::npos;) {
    const std::size_t end = log.find('\n', at);
    complaints_ += log.substr(at, end - at) + "; ";
    at = end == std::string::npos ? log.size() : end;
  }
  return html;
}

std::string text_of(const std::string& html, const std::string& id) {
  const std::size_t at = html.find("id=\"" + id + "\"");
  if (at == std::string::npos) return "no element " + id;
  const std::size_t begin = html.find('>', at) + 1;
  std::string text = html.substr(begin, html.find('<', begin) - begin);
  for (std::size_t i = 0; (i = text.find("&amp;", i)) != std::string::npos; ++i) text.replace(i, 5, "&");
  return text;
}

}  // namespace plusmax::reports::testing

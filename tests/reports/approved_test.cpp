#include "tests/reports/approved.hpp"

#include "tests/catch.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace plusmax::reports::testing {

void check_approved(const std::string& name, const std::string& text) {
  const std::string path = PLUSMAX_SOURCE_DIR "/tests/reports/approved/" + name;
  if (std::getenv("PLUSMAX_APPROVE") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    WARN("approved " << path);
  }
  std::ifstream stream(path, std::ios::binary);
  const std::string approved{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  INFO(path << " (PLUSMAX_APPROVE=1 accepts the new text)");
  CHECK(text == approved);
}

}  // namespace plusmax::reports::testing

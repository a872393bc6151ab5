// A headless Chromium without a network.
#pragma once

#include <string>

namespace plusmax::reports::testing {

class Browser {
 public:
  Browser(std::string chromium, std::string directory);  // keeps its files there
  // The page as it is after its scripts, opened with a fragment such as "#a=1". Ends the program if the browser fails.
  std::string dom(const std::string& page, const std::string& fragment);
  // Of a shell command that must succeed.
  std::string output_of(const std::string& command);
  const std::string& complaints() const { return complaints_; }  // uncaught errors of scripts

 private:
  std::string chromium_, directory_, complaints_;
};

// Of the element with that id, up to the first tag in it.
std::string text_of(const std::string& html, const std::string& id);

}  // namespace plusmax::reports::testing

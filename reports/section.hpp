// A section of report.html: reports/sections/NN_NAME.cpp defines `extern const Section NAME`; NN is its place.
#pragma once

#include "reports/run_data.hpp"
#include "reports/summary.hpp"

#include <span>
#include <string>

namespace plusmax::reports {

struct Page {
  const RunData& data;
  const Summary& summary;
};

struct Section {
  const char* id;     // fragment of its link
  const char* title;  // empty: no heading, no entry in the contents
  std::string (*html)(const Page& page);  // empty: nothing to say, left out
};

namespace sections {
std::span<const Section* const> all();
}

}  // namespace plusmax::reports

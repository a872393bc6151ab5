// The files of a report, each a pure function of the run's data.
#pragma once

#include "reports/run_data.hpp"
#include "reports/summary.hpp"

#include <filesystem>
#include <string>

namespace plusmax::reports {

std::string report_json(const RunData& data, const Summary& summary);
std::string junit_xml(const RunData& data, const Summary& summary);
std::string summary_markdown(const RunData& data, const Summary& summary);  // at most 60 lines
std::string report_html(const RunData& data, const Summary& summary);      // one self-contained file, at most 2 MB

// run.json, report.json, junit.xml, summary.md and report.html. Tries all of them, then throws the first FileError.
void write_report(const std::filesystem::path& directory, const RunData& data);

}  // namespace plusmax::reports

#include "reports/report.hpp"

#include "reports/files.hpp"
#include "reports/to_json.hpp"

#include <exception>

namespace plusmax::reports {
namespace {

Json summary_json(const Summary& s) {
  using properties::Outcome;
  Json cases;
  cases["run"] = s.run;
  cases["passed"] = s.count(Outcome::passed);
  cases["failed"] = s.count(Outcome::failed);
  cases["skipped"] = s.count(Outcome::skipped);
  cases["untrusted"] = s.count(Outcome::untrusted);
  cases["crashed"] = s.count(Outcome::crashed);
  cases["timeout"] = s.count(Outcome::timeout);
  Json json;
  json["verdict"] = verdict(s);
  json["sentence"] = verdict_sentence(s);
  json["exit_code"] = static_cast<int>(exit_code(s));
  json["cases"] = cases;
  put_exact(json, "worst_ratio", s.worst_ratio);
  if (s.separation) put_exact(json, "separation", *s.separation);
  else json["separation"] = nullptr;
  json["mutants"] = {{"total", s.mutants}, {"killed", s.killed}};
  json["bench"] = {{"measured", s.bench}, {"refused", s.bench_refused}};
  json["compared"] = s.compared;
  json["logits"] = s.logits;
  json["escalations"] = s.escalations;
  json["uncertified"] = s.uncertified;
  return json;
}

}  // namespace

std::string report_json(const RunData& data, const Summary& summary) {
  // Entries one to a line: large reports stay readable by line tools, and small ones by people.
  const auto list = [](const auto& entries) {
    std::string text = "[";
    for (const auto& entry : entries) text += (text.size() > 1 ? ",\n  " : "\n  ") + dump(json_of(entry));
    return text + (entries.empty() ? "]" : "\n ]");
  };
  std::string text = "{\n \"schemaVersion\": " + std::to_string(kSchemaVersion);
  text += ",\n \"meta\": " + dump(json_of(data.info));
  if (!data.unrecorded.empty()) text += ",\n \"unrecorded\": " + dump(Json(data.unrecorded));
  text += ",\n \"summary\": " + dump(summary_json(summary));
  text += ",\n \"notes\": " + dump(Json(data.notes));
  text += ",\n \"checks\": " + list(data.checks);
  text += ",\n \"cases\": " + list(data.records);
  text += ",\n \"mutants\": " + list(data.mutants);
  text += ",\n \"bench\": " + list(data.bench);
  return text + "\n}\n";
}

void write_report(const std::filesystem::path& directory, const RunData& data) {
  const Summary summary = summarize(data);
  std::exception_ptr first;
  const auto attempt = [&](const char* name, const std::string& content) {
    try {
      write_file(directory / name, content);
    } catch (const FileError&) {
      if (!first) first = std::current_exception();
    }
  };
  attempt("run.json", run_json(data));
  attempt("summary.md", summary_markdown(data, summary));
  attempt("report.html", report_html(data, summary));
  attempt("junit.xml", junit_xml(data, summary));
  attempt("report.json", report_json(data, summary));
  if (first) std::rethrow_exception(first);
}

}  // namespace plusmax::reports

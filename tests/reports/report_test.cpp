#include "reports/report.hpp"

#include "reports/files.hpp"
#include "reports/json.hpp"
#include "reports/section.hpp"
#include "tests/catch.hpp"
#include "tests/reports/approved.hpp"
#include "tests/reports/markup.hpp"
#include "tests/reports/sample.hpp"

#include <algorithm>
#include <cmath>
#include <set>

using namespace plusmax::reports;
using plusmax::properties::Record;

namespace {

std::string html_of(const RunData& data) { return report_html(data, summarize(data)); }

std::string section_of(const RunData& data, const std::string& id) {
  const Summary summary = summarize(data);
  for (const Section* section : sections::all())
    if (section->id == id) return section->html({data, summary});
  FAIL("no section " << id);
  return "";
}

}  // namespace

TEST_CASE("report.html is well-formed, and so is junit.xml", "[reports][html]") {
  for (const RunData& data : {testing::good_run(), testing::bad_run(), RunData{}}) {
    CHECK(testing::markup_error(html_of(data)) == "");
    CHECK(testing::markup_error(junit_xml(data, summarize(data))) == "");
  }
}

TEST_CASE("the check of markup finds what is wrong", "[reports][html]") {
  CHECK(testing::markup_error("<p>a</p>") == "");
  CHECK(testing::markup_error("<p>a</b>") != "");
  CHECK(testing::markup_error("<p>a") != "");
  CHECK(testing::markup_error("<p>a & b</p>") != "");
  CHECK(testing::markup_error("<p class=\"a>b</p>") != "");
}

TEST_CASE("report.html needs nothing but itself", "[reports][html]") {
  const std::string html = html_of(testing::bad_run());
  for (const char* outside : {"http:", "https:", "src=", "@import", "url(", "<link", "<iframe"})
    CHECK(html.find(outside) == std::string::npos);
}

TEST_CASE("links within the page lead somewhere", "[reports][html]") {
  const RunData data = testing::bad_run();
  const std::string html = html_of(data);
  for (std::size_t at = 0; (at = html.find("href=\"#", at)) != std::string::npos;) {
    at += 7;
    const std::string id = html.substr(at, html.find('"', at) - at);
    INFO(id);
    CHECK(html.find("id=\"" + id + "\"") != std::string::npos);
  }
}

TEST_CASE("what a kernel said cannot become markup", "[reports][html]") {
  RunData data = testing::bad_run();
  data.records[1].reason = "</pre><script>alert(1)</script>";
  data.records[1].case_line = "<b>\"'&";
  CHECK(testing::markup_error(html_of(data)) == "");
  CHECK(html_of(data).find("<script>alert") == std::string::npos);
}

TEST_CASE("50000 records make no more than 2 MB", "[reports][html]") {
  RunData data = testing::bad_run();
  for (int i = 0; i < 50'000; ++i) {
    Record r = i % 2 == 0 ? testing::passed_record() : testing::failed_record();
    r.cols = 1 + i * 7 % 131'072;
    r.variant = "variant_" + std::to_string(i % 4);
    r.case_line += " seed=" + std::to_string(i);
    r.reason = i % 5 == 0 ? "other words " + std::string(1 + static_cast<std::size_t>(i % 90), 'x') : r.reason;
    if (i % 5 == 0) r.outcome = plusmax::properties::Outcome::skipped;
    r.accuracy = {{"loss", std::pow(10.0, -1 - i % 30), 0.5 * (i % 97) / 97, 1e3 * (1 + i % 7)}};
    data.records.push_back(r);
  }
  CHECK(html_of(data).size() <= 2'000'000);
}

TEST_CASE("summary.md has at most 60 lines, whatever happened", "[reports][markdown]") {
  RunData data = testing::bad_run();
  for (int i = 0; i < 500; ++i) {
    Record r = testing::failed_record();
    r.variant = "v" + std::to_string(i);
    data.records.push_back(r);
    data.mutants.push_back(testing::survived_mutant());
    data.bench.push_back(testing::bench_result());
  }
  const std::string text = summary_markdown(data, summarize(data));
  CHECK(std::count(text.begin(), text.end(), '\n') <= 60);
}

TEST_CASE("junit.xml has an error wherever the verdict is not PASSED", "[reports][junit]") {
  const auto xml = [](const RunData& data) { return junit_xml(data, summarize(data)); };
  const auto has = [](const std::string& text, const char* words) { return text.find(words) != std::string::npos; };
  const RunData good = testing::good_run();
  CHECK_FALSE(has(xml(good), "<error"));
  RunData data = good;
  data.info.interrupted = true;
  CHECK(has(xml(data), "name=\"the run is whole\"><error message=\"interrupted"));
  data = good, data.unrecorded = "cannot write <this>";
  CHECK(has(xml(data), "<error message=\"not everything was recorded: cannot write &lt;this&gt;\""));
  data = good, data.mutants[0].margin = 2;
  CHECK(has(xml(data), "name=\"separation is at least 10\"><error message=\"separation is 8\""));
  data = good, data.records[0].uncertified = 2;
  CHECK(has(xml(data), "name=\"every comparison is decided\"><error message=\"2 undecided"));
  data = good, data.bench[0].share = 1.5;
  CHECK(has(xml(data), "<error message=\"refused: 150.0 % of the ceiling"));
  data = good, data.bench[0].verified = false;
  CHECK(has(xml(data), "<error message=\"refused: not verified"));
  CHECK(has(xml({}), "<error message=\"nothing was selected\""));
  data = {}, data.records = {testing::passed_record()}, data.records[0].outcome = plusmax::properties::Outcome::skipped;
  CHECK(has(xml(data), "<error message=\"everything was skipped\""));
}

TEST_CASE("report.json parses and counts what the summary counts", "[reports][json]") {
  const RunData data = testing::bad_run();
  const Json json = Json::parse(report_json(data, summarize(data)));
  CHECK(json.at("schemaVersion") == kSchemaVersion);
  CHECK(json.at("cases").size() == data.records.size());
  const Json& counts = json.at("summary").at("cases");
  CHECK(counts.at("run") == 5);
  for (const char* outcome : {"passed", "failed", "skipped", "untrusted", "crashed", "timeout"}) CHECK(counts.at(outcome) == 1);
  CHECK(json.at("summary").at("mutants").at("killed") == 1);
  CHECK(json.at("meta").at("seed") == 42);
}

TEST_CASE("report files are as approved", "[reports][approved]") {
  const RunData good = testing::good_run(), bad = testing::bad_run();
  testing::check_approved("summary_good.md", summary_markdown(good, summarize(good)));
  testing::check_approved("summary_bad.md", summary_markdown(bad, summarize(bad)));
  testing::check_approved("junit_bad.xml", junit_xml(bad, summarize(bad)));
  testing::check_approved("report_good.json", report_json(good, summarize(good)));
  testing::check_approved("overview_good.html", section_of(good, "overview"));
  testing::check_approved("failures_bad.html", section_of(bad, "failures"));
  testing::check_approved("kill_matrix_bad.html", section_of(bad, "kill_matrix"));
  testing::check_approved("ulp_histogram_good.html", section_of(good, "ulp_histogram"));
  const std::string calculator = section_of(good, "calculator");
  testing::check_approved("calculator.html", calculator.substr(0, calculator.find("<script>")));
}

TEST_CASE("ulp histogram: a count lands in its own bin, tails in the last ones", "[reports][html]") {
  RunData data = testing::good_run();
  data.records[0].ulp_histogram = {{-40, 2}, {0, 5}, {3, 1}};
  const std::string html = section_of(data, "ulp_histogram");
  CHECK(html.find("below by 64 ulp or more: 2 of 8") != std::string::npos);
  CHECK(html.find("|error| &lt; 1/4 ulp: 5 of 8") != std::string::npos);
  CHECK(html.find("above by 1 to 2 ulp: 1 of 8") != std::string::npos);
  CHECK(html.find("above by 2 to 4 ulp: 0 of 8") != std::string::npos);
  CHECK(html.find("-12.5 % more above than below") != std::string::npos);
}

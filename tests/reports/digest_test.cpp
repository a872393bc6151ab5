#include "reports/digest.hpp"

#include "reports/section.hpp"
#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

using namespace plusmax::reports;
using plusmax::properties::Outcome;
using plusmax::properties::Record;

namespace {

std::vector<Record> many_records() {
  std::vector<Record> records;
  for (int i = 0; i < 20'000; ++i) {
    Record r = testing::passed_record();
    r.variant = i % 3 == 0 ? "one" : "two";
    r.check = i % 7 == 0 ? "repeat" : "oracle";
    r.cols = 1 + i * 37 % 5'000;
    r.case_line = "line " + std::to_string(i);
    r.worst_ratio = static_cast<double>(i * 7'919 % 10'007) / 20'000;
    r.ulp_histogram = {{i % 5 - 2, 1 + static_cast<std::uint64_t>(i % 3)}};
    r.compared = 2, r.logits = 10, r.escalations = i % 11 == 0 ? 1 : 0, r.seconds = 0.25;
    if (i % 5'000 == 17) r.outcome = Outcome::failed, r.worst_ratio = 3;
    records.push_back(r);
  }
  return records;
}

std::string section_of(const RunData& data, const std::string& id) {
  const Summary summary = summarize(data);
  for (const Section* section : sections::all())
    if (section->id == id) return section->html({data, summary});
  FAIL("no section " << id);
  return "";
}

}  // namespace

TEST_CASE("a digest has every figure of the records that it stands for", "[reports][digest]") {
  RunData all, short_one;
  all.records = many_records();
  Digest digest;
  for (const Record& r : all.records)
    if (digest.keeps(r)) short_one.records.push_back(r);
  for (Record& sum : digest.take()) short_one.records.push_back(std::move(sum));
  CHECK(digest.summed() == 0);
  CHECK(digest.take().empty());
  CHECK(short_one.records.size() * 4 < all.records.size());
  const Summary a = summarize(all), b = summarize(short_one);
  CHECK(b.outcomes == a.outcomes);
  CHECK(b.run == a.run);
  CHECK(b.compared == a.compared);
  CHECK(b.logits == a.logits);
  CHECK(b.escalations == a.escalations);
  CHECK(b.worst_ratio == a.worst_ratio);
  CHECK(exit_code(b) == exit_code(a));
  for (const char* id : {"failures", "error_against_cols", "ulp_histogram", "variants", "checks", "worst_cases"}) {
    INFO(id);
    CHECK(section_of(short_one, id) == section_of(all, id));
  }
}

// The fuzzer itself, on variants that are right or wrong in a known way.
#include "properties/gen/failures.hpp"
#include "properties/gen/fuzz.hpp"
#include "tests/catch.hpp"
#include "properties/operation.hpp"
#include "tests/fuzz/fake_variants.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace plusmax;
using namespace plusmax::properties;
using namespace plusmax::properties::gen;
using plusmax::tests::fake_subject;
using plusmax::tests::Mistake;

namespace {

// A directory of its own that goes away with the test.
struct Scratch {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("plusmax-fuzz-" + std::to_string(::getpid()));
  Scratch() { std::filesystem::remove_all(path); }
  ~Scratch() { std::filesystem::remove_all(path); }
};

FuzzOptions quick(std::uint64_t cases) {
  FuzzOptions options;
  options.seed = 5;
  options.seconds = 0;
  options.max_cases = cases;
  options.limits.max_rows = 40;
  options.limits.max_cols = 1100;
  options.limits.max_logits = 4000;
  return options;
}

FuzzSummary run(const FuzzOptions& options, const Subject& subject, const FuzzCallbacks& callbacks = {}) {
  return fuzz(options, std::span(&subject, 1), callbacks);
}

std::vector<std::string> lines(const FuzzSummary& summary) {
  std::vector<std::string> all;
  for (const FuzzFailure& f : summary.failures) {
    all.push_back(std::to_string(f.index) + " +" + std::to_string(f.repeats) + " " + failure_key(f.original_record) + ": " + to_line(f.shrunk));
  }
  for (const auto& [key, champion] : summary.champions) {
    all.push_back(key.first + " " + key.second + " " + std::to_string(champion.ratio) + " " + to_line(champion.of));
  }
  all.push_back(std::to_string(summary.cases) + " " + std::to_string(summary.records) + " " + std::to_string(summary.logits));
  return all;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

const FuzzFailure& first_of(const FuzzSummary& summary, std::string_view check) {
  const auto found = std::find_if(summary.failures.begin(), summary.failures.end(), [&](const FuzzFailure& f) { return f.record.check == check; });
  REQUIRE(found != summary.failures.end());
  return *found;
}

}  // namespace

TEST_CASE("fuzzer: a right variant passes, and every kind of check has run", "[fuzz]") {
  std::set<std::string> checks;
  FuzzCallbacks callbacks;
  callbacks.on_record = [&](const Record& r) {
    INFO(r.check << ": " << r.reason << ": " << r.case_line);
    CHECK(r.outcome == Outcome::passed);
    CHECK(r.source == "fuzz");
    checks.insert(r.check);
  };
  FuzzOptions options = quick(640);
  const FuzzSummary summary = run(options, fake_subject<Mistake::none>(), callbacks);
  CHECK(summary.failures.empty());
  CHECK(summary.cases > 600);
  CHECK(summary.records > summary.cases);
  CHECK(summary.stopped_why == "640 cases are done");
  REQUIRE(summary.worst() != nullptr);
  CHECK(summary.worst()->ratio <= 1);
  for (const Check* check : checks_of("logsumexp")) {
    INFO(check->name);
    CHECK(checks.contains(check->name) == holds_everywhere(*check));
  }
}

TEST_CASE("fuzzer: a dropped tail is found, shrunk to the narrowest row that shows it, and stored", "[fuzz]") {
  const Scratch scratch;
  FuzzOptions options = quick(256);
  options.check = "oracle";
  options.failures_directory = scratch.path / "failures";
  const FuzzSummary summary = run(options, fake_subject<Mistake::tail_dropped>());
  REQUIRE(!summary.failures.empty());
  for (const FuzzFailure& failure : summary.failures) {
    INFO(to_line(failure.original) << "\n" << to_line(failure.shrunk));
    CHECK(failure.shrink_complete);
    CHECK(!failure.flaky);
    CHECK(failure.record.outcome == Outcome::failed);
    CHECK(failure.record.case_line == to_line(failure.shrunk));
    CHECK(failure.shrunk.rows == 1);
    CHECK(failure.shrunk.cols <= 5);
    CHECK(failure.path == (scratch.path / "failures" / failure_file_name(failure.shrunk)).string());
    CHECK(std::filesystem::exists(failure.path));
  }
  CHECK(summary.failures.front().repeats > 0);

  // Reuse: the stored Case alone finds the mistake again, before anything is generated.
  options.max_cases = 1;
  const FuzzSummary again = run(options, fake_subject<Mistake::tail_dropped>());
  REQUIRE(!again.failures.empty());
  CHECK(again.failures.front().index == kNotGenerated);
}

TEST_CASE("fuzzer: a missing shift and an ignored stride are found", "[fuzz]") {
  const FuzzSummary shift = run(quick(192), fake_subject<Mistake::shift_missing>());
  CHECK(first_of(shift, "oracle").shrunk.cols <= 2);
  const FuzzSummary dense = run(quick(192), fake_subject<Mistake::dense_rows>());
  const Case& c = first_of(dense, "oracle").shrunk;
  CHECK(c.rows == 2);
  CHECK(c.row_stride != c.cols);
}

TEST_CASE("fuzzer: a device fault is a failure that shrinks like any other", "[fuzz]") {
  FuzzOptions options = quick(192);
  options.check = "oracle";
  const FuzzSummary summary = run(options, fake_subject<Mistake::throws>());
  REQUIRE(!summary.failures.empty());
  CHECK(summary.failures.front().shrunk.cols == 101);
  CHECK(summary.failures.front().record.reason.find("planted fault") != std::string::npos);
}

TEST_CASE("fuzzer: a failure that does not come back is called flaky, with both records", "[fuzz]") {
  FuzzOptions options = quick(0);
  options.seconds = 30;
  options.check = "oracle";
  options.explicit_cases = {parse_case("logsumexp f32 rows=1 cols=5 fill=constant"), parse_case("logsumexp f32 rows=1 cols=5 fill=constant")};
  options.shrink.steps = 0;
  options.max_failures = 1;
  const FuzzSummary summary = run(options, fake_subject<Mistake::sometimes>());
  REQUIRE(summary.failures.size() == 1);
  const FuzzFailure& failure = summary.failures.front();
  CHECK(failure.flaky);
  CHECK(failure.original_record.outcome == Outcome::failed);
  CHECK(failure.record.outcome == Outcome::passed);
  CHECK(summary.stopped_why == "1 distinct failures");
}

TEST_CASE("fuzzer: the same seed finds the same, another seed something else", "[fuzz]") {
  const FuzzOptions options = quick(192);
  FuzzOptions other = options;
  other.seed = 6;
  const auto subject = fake_subject<Mistake::tail_dropped>();
  const auto first = lines(run(options, subject));
  CHECK(first == lines(run(options, subject)));
  CHECK(first != lines(run(other, subject)));
}

TEST_CASE("fuzzer: three workers find together what one finds, in any order", "[fuzz]") {
  FuzzOptions options = quick(500);  // not a multiple of a block
  options.max_failures = 0;          // each worker would stop at its own
  const auto subject = fake_subject<Mistake::tail_dropped>();
  const auto alone = lines(run(options, subject));
  options.workers = 3;
  std::vector<FuzzSummary> parts;
  for (options.worker = 0; options.worker < 3; ++options.worker) parts.push_back(run(options, subject));
  CHECK(lines(merge(merge(parts[0], parts[1]), parts[2])) == alone);
  CHECK(lines(merge(parts[2], merge(parts[1], parts[0]))) == alone);
}

TEST_CASE("fuzzer: a filter leaves out Cases and changes none", "[fuzz]") {
  std::set<std::string> all, some;
  FuzzCallbacks callbacks;
  FuzzOptions options = quick(kFreshInBlock);
  callbacks.on_record = [&](const Record& r) { all.insert(r.dtype + r.check + r.case_line); };
  run(options, fake_subject<Mistake::none>(), callbacks);
  options.dtype = "bf16";
  options.check = "oracle";
  callbacks.on_record = [&](const Record& r) { some.insert(r.dtype + r.check + r.case_line); };
  run(options, fake_subject<Mistake::none>(), callbacks);
  REQUIRE(some.size() > 5);
  CHECK(some.size() < all.size() / 2);
  CHECK(std::includes(all.begin(), all.end(), some.begin(), some.end()));
}

TEST_CASE("fuzzer: the targeted quarter of a block raises error / bound above the fresh Cases", "[fuzz]") {
  FuzzOptions fresh = quick(0), whole = quick(0);
  fresh.seconds = whole.seconds = 60;
  double fresh_best = 0, best = 0, mutated = 0;
  FuzzCallbacks callbacks;
  std::uint64_t now = 0;
  callbacks.before_check = [&](std::uint64_t k, const Case&, const Check&, const Subject&) { now = k; };
  callbacks.on_record = [&](const Record& r) {
    if (r.check != "oracle") return;
    double& part = now % kFuzzBlock < kFreshInBlock ? fresh_best : mutated;
    part = std::max(part, r.worst_ratio);
    best = std::max(best, r.worst_ratio);
  };
  int raised = 0;
  const auto subject = fake_subject<Mistake::none>();
  for (std::uint64_t block = 2; block < 8; ++block) {
    fresh_best = mutated = 0;
    fuzz_block(whole, std::span(&subject, 1), block, callbacks);
    raised += mutated > fresh_best;
  }
  CHECK(best > 0);
  CHECK(raised > 0);
}

TEST_CASE("fuzzer: it stops when asked, when time is over, and says why", "[fuzz]") {
  FuzzCallbacks callbacks;
  int asked = 0;
  callbacks.should_stop = [&] { return ++asked > 20; };
  const FuzzSummary stopped = run(quick(100000), fake_subject<Mistake::none>(), callbacks);
  CHECK(stopped.interrupted);
  CHECK(stopped.stopped_why == "stopped by the caller");
  FuzzOptions options = quick(0);
  options.seconds = 0.05;
  const FuzzSummary timed = run(options, fake_subject<Mistake::none>());
  CHECK(timed.stopped_why == "0.05 s are over");
  CHECK(timed.seconds < 20);
}

TEST_CASE("fuzzer: what another worker has shrunk is not shrunk again", "[fuzz]") {
  FuzzOptions options = quick(64);
  options.check = "oracle";
  const auto subject = fake_subject<Mistake::tail_dropped>();
  for (const FuzzFailure& failure : run(options, subject).failures) options.known_failures.push_back(failure_key(failure.original_record));
  REQUIRE(!options.known_failures.empty());
  CHECK(run(options, subject).failures.empty());
}

TEST_CASE("fuzzer: options that select nothing or never end are refused in one line", "[fuzz]") {
  const auto subject = fake_subject<Mistake::none>();
  FuzzOptions options = quick(10);
  CHECK_THROWS_AS(fuzz(options, {}), UsageError);
  options.dtype = "f8";
  CHECK_THROWS_WITH(run(options, subject), "unknown dtype 'f8': use f32, f16, bf16 or f64");
  options = quick(10);
  options.check = "orakel";
  CHECK_THROWS_AS(run(options, subject), UsageError);
  CHECK_THROWS_WITH(run(quick(0), subject), "fuzzing without an end: give seconds or a number of cases");
  options = quick(10);
  options.limits.max_rows = 0;
  CHECK_THROWS_AS(run(options, subject), UsageError);
  options = quick(10);
  options.worker = 2;
  options.workers = 2;
  CHECK_THROWS_AS(run(options, subject), UsageError);
  options = quick(10);
  options.seconds = -1;
  CHECK_THROWS_AS(run(options, subject), UsageError);
}

TEST_CASE("failure database: what is stored is loaded, in the order of the names, and what is broken is named", "[fuzz]") {
  const Scratch scratch;
  const std::string directory = scratch.path / "deep" / "failures";
  CHECK(load_failures(directory).empty());
  const Case a = parse_case("logsumexp f32 rows=1 cols=5 fill=constant set=0:4=nan"), b = parse_case("logsumexp bf16 rows=2 cols=2 data=[[1,2],[3,inf]]");
  store_failure(directory, a);
  store_failure(directory, b);
  store_failure(directory, a);
  const auto loaded = load_failures(directory);
  REQUIRE(loaded.size() == 2);
  CHECK(std::count(loaded.begin(), loaded.end(), a) == 1);
  CHECK(std::count(loaded.begin(), loaded.end(), b) == 1);
  CHECK(std::distance(std::filesystem::directory_iterator(directory), {}) == 2);  // no drafts left

  std::ofstream(directory + "/broken.case") << "logsumexp f32 rows=1\n";
  const std::string message = message_of([&] { load_failures(directory); });
  INFO(message);
  CHECK(message.find("broken.case: cols") != std::string::npos);

  std::ofstream(directory + "/broken.case") << "logsumexp f32 rows=1 cols=2\n\n\nlogsumexp f32 rows=1 cols=3\n";
  CHECK(message_of([&] { load_failures(directory); }).find("broken.case has more than one line") != std::string::npos);
}

TEST_CASE("failure database: a directory that cannot be made is an error with its path and the line", "[fuzz]") {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.path);
  std::ofstream(scratch.path / "file") << "x";
  const std::string message = message_of([&] { store_failure(scratch.path / "file" / "failures", Case{}); });
  INFO(message);
  CHECK(message.find("file/failures") != std::string::npos);
  CHECK(message.find("rows=1 cols=1") != std::string::npos);
}

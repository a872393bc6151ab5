#include "properties/gen/fuzz.hpp"

#include "properties/gen/failures.hpp"
#include "properties/gen/fuzz_plan.hpp"
#include "properties/random.hpp"
#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace plusmax::properties::gen {
namespace {

using Clock = std::chrono::steady_clock;
using ChampionKey = std::pair<std::string, std::string>;  // variant, dtype
using Champions = std::map<ChampionKey, Champion>;

bool is_failure(Outcome outcome) { return outcome != Outcome::passed && outcome != Outcome::skipped; }

// Larger ratio first; of equal ones the earlier Case, so that the order in which workers report does not matter.
void improve(Champions& champions, const ChampionKey& key, const Champion& next) {
  auto& best = champions[key];
  if (next.ratio > best.ratio || (next.ratio == best.ratio && next.index < best.index)) best = next;
}

// kNotGenerated + 1 is 0: explicit and stored Cases come first.
std::pair<std::uint64_t, std::string> place(const FuzzFailure& f) { return {f.index + 1, failure_key(f.original_record)}; }

void sort(std::vector<FuzzFailure>& failures) {
  std::sort(failures.begin(), failures.end(), [](const FuzzFailure& x, const FuzzFailure& y) { return place(x) < place(y); });
}

class Fuzzer {
 public:
  Fuzzer(const FuzzOptions& options, std::span<const Subject> subjects, const FuzzCallbacks& callbacks)
      : options_(options),
        subjects_(subjects.begin(), subjects.end()),
        callbacks_(callbacks),
        checks_(selected_checks(options)),
        base_(base_checks(checks_)) {}

  void run() {
    const std::vector<Case> stored = options_.failures_directory.empty() ? std::vector<Case>{} : load_failures(options_.failures_directory);
    for (const auto* cases : {&options_.explicit_cases, &stored}) {
      for (std::size_t i = options_.worker; i < cases->size(); i += options_.workers) run_given((*cases)[i]);
    }
    for (std::uint64_t block = options_.worker; !over(); block += options_.workers) {
      if (options_.max_cases != 0 && block * kFuzzBlock >= options_.max_cases) {
        summary_.stopped_why = fmt::format("{} cases are done", options_.max_cases);
        break;
      }
      run_block(block, options_.max_cases != 0 ? options_.max_cases - block * kFuzzBlock : kFuzzBlock);
    }
  }

  // The Case of the caller or of the database: every check.
  void run_given(const Case& c) {
    if (c.op == options_.op && !over()) run_case(c, kNotGenerated, checks_, nullptr);
  }

  // Its first `count` Cases.
  void run_block(std::uint64_t block, std::uint64_t count) {
    Champions champions;
    for (std::uint64_t i = 0; i < std::min(count, kFuzzBlock) && !over(); ++i) {
      const std::uint64_t k = block * kFuzzBlock + i;
      if (i < kFreshInBlock || champions.empty()) {
        run_case(fuzz_case(options_.op, options_.seed, k, options_.limits), k, checks_for(options_.seed, k, checks_), &champions);
      } else {
        const auto champion = std::next(champions.begin(), static_cast<std::ptrdiff_t>((i - kFreshInBlock) % champions.size()));
        const Case next = mutate(champion->second.of, options_.limits, mix(options_.seed, mix(k, kMutationStream)));
        run_case(next, k, base_, &champions);
      }
    }
  }

  FuzzSummary take() {
    summary_.seconds = elapsed();
    sort(summary_.failures);
    if (summary_.stopped_why.empty()) summary_.stopped_why = "all that was asked for is done";
    return std::move(summary_);
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

  // Whether to stop, and if so why.
  bool over() {
    if (!summary_.stopped_why.empty()) return true;
    if (callbacks_.should_stop && callbacks_.should_stop()) {
      summary_.interrupted = true;
      summary_.stopped_why = "stopped by the caller";
    } else if (options_.seconds > 0 && elapsed() >= options_.seconds) {
      summary_.stopped_why = fmt::format("{} s are over", options_.seconds);
    } else if (options_.max_failures != 0 && summary_.failures.size() >= options_.max_failures) {
      summary_.stopped_why = fmt::format("{} distinct failures", summary_.failures.size());
    }
    return !summary_.stopped_why.empty();
  }

  Record run_one(const Check& check, const Case& c, std::uint64_t k, Subject& subject) {
    if (callbacks_.leaves_out && callbacks_.leaves_out(c, check, subject)) {
      Record left_out;
      left_out.outcome = Outcome::skipped;
      return left_out;
    }
    if (callbacks_.before_check) callbacks_.before_check(k, c, check, subject);
    Record record = run_check(check, c, subject);
    record.source = "fuzz";
    return record;
  }

  void run_case(const Case& c, std::uint64_t k, const Checks& checks, Champions* champions) {
    if (!options_.dtype.empty() && options_.dtype != reference::name_of(c.dtype)) return;
    bool ran = false;
    for (const Check* check : checks) {
      for (Subject& subject : subjects_) {
        if (over()) break;
        if (!check->applies(c, subject).empty()) {
          ++summary_.skipped;
          continue;
        }
        const Record record = run_one(*check, c, k, subject);
        if (record.outcome == Outcome::skipped) {
          ++summary_.skipped;
          continue;
        }
        ran = true;
        count(*check, c, k, record, champions);
        if (is_failure(record.outcome)) handle(*check, c, k, subject, record);
      }
    }
    if (ran) ++summary_.cases;
  }

  void count(const Check& check, const Case& c, std::uint64_t k, const Record& record, Champions* champions) {
    ++summary_.records;
    summary_.logits += static_cast<std::uint64_t>(c.rows) * static_cast<std::uint64_t>(c.cols);
    if (callbacks_.on_record) callbacks_.on_record(record);
    if (std::find(base_.begin(), base_.end(), &check) == base_.end() || !(record.worst_ratio >= 0)) return;
    const ChampionKey key{record.variant, record.dtype};
    const Champion champion{record.worst_ratio, k, c, record};
    improve(summary_.champions, key, champion);
    if (champions != nullptr && record.outcome == Outcome::passed) improve(*champions, key, champion);
  }

  void handle(const Check& check, const Case& c, std::uint64_t k, Subject& subject, const Record& record) {
    const auto known = std::find_if(summary_.failures.begin(), summary_.failures.end(),
                                    [&](const FuzzFailure& f) { return failure_key(f.original_record) == failure_key(record); });
    if (known != summary_.failures.end()) {
      ++known->repeats;
      return;
    }
    const auto& elsewhere = options_.known_failures;
    if (std::find(elsewhere.begin(), elsewhere.end(), failure_key(record)) != elsewhere.end()) return;
    FuzzFailure failure;
    failure.index = k;
    failure.original = c;
    failure.original_record = record;
    const auto fails = [&](const Case& next) {
      return check.applies(next, subject).empty() && run_one(check, next, k, subject).outcome == record.outcome;
    };
    const Shrunk shrunk = shrink(c, fails, options_.shrink, callbacks_.should_stop);
    failure.shrunk = shrunk.result;
    failure.shrink_complete = shrunk.complete;
    failure.record = run_one(check, shrunk.result, k, subject);
    failure.flaky = failure.record.outcome != record.outcome;
    if (!options_.failures_directory.empty()) failure.path = store_failure(options_.failures_directory, failure.shrunk);
    if (callbacks_.on_failure) callbacks_.on_failure(failure);
    summary_.failures.push_back(std::move(failure));
  }

  const FuzzOptions& options_;
  std::vector<Subject> subjects_;
  const FuzzCallbacks& callbacks_;
  Checks checks_, base_;
  FuzzSummary summary_;
  Clock::time_point started_ = Clock::now();
};

}  // namespace

const Champion* FuzzSummary::worst() const {
  const Champion* best = nullptr;
  for (const auto& [key, champion] : champions) {
    if (best == nullptr || champion.ratio > best->ratio || (champion.ratio == best->ratio && champion.index < best->index)) best = &champion;
  }
  return best;
}

std::string failure_key(const Record& record) {
  const char* outcome = "?";
  switch (record.outcome) {
    case Outcome::passed: outcome = "passed"; break;
    case Outcome::failed: outcome = "failed"; break;
    case Outcome::skipped: outcome = "skipped"; break;
    case Outcome::untrusted: outcome = "untrusted"; break;
    case Outcome::crashed: outcome = "crashed"; break;
    case Outcome::timeout: outcome = "timeout"; break;
  }
  return fmt::format("{} {} {} {}", record.variant, record.dtype, record.check, outcome);
}

FuzzSummary merge(const FuzzSummary& a, const FuzzSummary& b) {
  FuzzSummary all = a;
  all.cases += b.cases;
  all.records += b.records;
  all.skipped += b.skipped;
  all.logits += b.logits;
  all.seconds = std::max(a.seconds, b.seconds);
  all.interrupted = a.interrupted || b.interrupted;
  all.stopped_why = b.interrupted && !a.interrupted ? b.stopped_why : std::min(a.stopped_why, b.stopped_why);
  for (const auto& [key, champion] : b.champions) improve(all.champions, key, champion);
  for (const FuzzFailure& failure : b.failures) {
    const auto same = std::find_if(all.failures.begin(), all.failures.end(),
                                   [&](const FuzzFailure& f) { return failure_key(f.original_record) == failure_key(failure.original_record); });
    if (same == all.failures.end()) {
      all.failures.push_back(failure);
      continue;
    }
    const std::uint64_t repeats = same->repeats + failure.repeats + 1;
    if (place(failure) < place(*same)) *same = failure;
    same->repeats = repeats;
  }
  sort(all.failures);
  return all;
}

FuzzSummary fuzz(const FuzzOptions& options, std::span<const Subject> subjects, const FuzzCallbacks& callbacks) {
  require_valid(options, subjects);
  if (options.seconds == 0 && options.max_cases == 0) throw UsageError("fuzzing without an end: give seconds or a number of cases");
  Fuzzer fuzzer(options, subjects, callbacks);
  fuzzer.run();
  return fuzzer.take();
}

FuzzSummary fuzz_block(const FuzzOptions& options, std::span<const Subject> subjects, std::uint64_t block, const FuzzCallbacks& callbacks) {
  require_valid(options, subjects);
  Fuzzer fuzzer(options, subjects, callbacks);
  fuzzer.run_block(block, kFuzzBlock);
  return fuzzer.take();
}

FuzzSummary fuzz_cases(const FuzzOptions& options, std::span<const Subject> subjects, std::span<const Case> cases,
                       const FuzzCallbacks& callbacks) {
  require_valid(options, subjects);
  Fuzzer fuzzer(options, subjects, callbacks);
  for (const Case& c : cases) fuzzer.run_given(c);
  return fuzzer.take();
}

}  // namespace plusmax::properties::gen

#include "cli/fuzz_work.hpp"

#include "cli/check_work.hpp"
#include "cli/pool.hpp"
#include "cli/replayed.hpp"
#include "cli/shared_flag.hpp"
#include "properties/gen/failures.hpp"
#include "properties/gen/fuzz.hpp"
#include "properties/gen/fuzz_plan.hpp"
#include "properties/operation.hpp"
#include "reports/record_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <tuple>

namespace plusmax::cli {
namespace {

namespace gen = properties::gen;
using properties::Case;
using properties::Check;
using properties::Outcome;
using properties::Record;
using properties::Subject;
using Clock = std::chrono::steady_clock;

// First letter of a line from a child: a check begins, has ended, or has found something.
constexpr char kBegins = 'B', kEnded = 'R', kFound = 'F';
constexpr unsigned kManyWorkers = 0x7fffffff;  // so that one call takes one block

bool is_finding(Outcome outcome) { return outcome != Outcome::passed && outcome != Outcome::skipped; }

class Search {
 public:
  Search(const FuzzRequest& request, const Backend& backend, const Running& running, Run& run)
      : request_(request),
        backend_(backend),
        running_(running),
        run_(run),
        subjects_(select_subjects(backend, request.selection)) {
    for (const Subject& subject : subjects_)
      if (selects_something(subject.op) && std::find(ops_.begin(), ops_.end(), subject.op) == ops_.end())
        ops_.push_back(subject.op);
  }

  void run() {
    if (request_.seconds > 0) run_.progress().until(request_.seconds);
    PoolWork work;
    // Group 0 replays what failed before, group b + 1 is block b of the search.
    work.exists = [this](std::size_t group) { return group == 0 || (!over() && (request_.cases == 0 || (group - 1) / ops_.size() * gen::kFuzzBlock < request_.cases)); };
    // One unit, and one more for each death: the group begins again and leaves out what it died of.
    work.units = [this](std::size_t group) { return blocks_[group].attempts; };
    work.note = [this](std::size_t group, std::size_t, const std::string& line) { take(group, line); };
    work.done = [this](std::size_t group, std::size_t, const std::string&) { end(group); };
    work.died = [this](std::size_t group, std::size_t, const Death& death) { bury(group, death); };
    work.tick = [this] { run_.progress().tick(); };
    work.stop = [this] {
      if (over()) stop_.set();
      return run_.must_stop();
    };
    work.work = [this](std::size_t group, std::size_t, const Say& say) {
      group == 0 ? replay_stored(say) : search_block(static_cast<unsigned>(group - 1), say);
      return std::string();
    };
    work.broken = [this] { return device_is_broken(*backend_.module); };
    run_pool(work, jobs_for(backend_, running_.jobs), running_.timeout);
    for (auto& [group, block] : blocks_) commit(group, block);  // those that were stopped
    if (repeats_ > 0) run_.note(fmt::format("{} more checks failed in the same ways as those listed", repeats_));
    if (seen_.size() >= kDistinctFailures) run_.note(fmt::format("stopped at {} distinct failures", seen_.size()));
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  bool over() const { return run_.must_stop() || seen_.size() >= kDistinctFailures || (request_.seconds > 0 && elapsed() >= request_.seconds); }

  // What a group has answered so far. It counts once all groups before it have ended, so that neither the findings that
  // are kept nor the failure database depend on who was faster.
  struct Block {
    std::size_t attempts = 1;
    std::string begun;                   // the last check that began
    std::vector<std::string> lines;      // of this attempt
    std::vector<Record> deaths;          // of all attempts
    std::set<std::string> died_of;       // as `begun`
    std::map<std::string, int> alike;    // deaths of one check on one variant and dtype
    std::set<std::string> given_up;      // of these
    bool ended = false;
  };
  // A kernel that always crashes is not tried on every case, and one that hangs only once a block.
  static constexpr int kCrashesAlike = 3;

  // In the parent.
  void take(std::size_t group, const std::string& line) {
    Block& block = blocks_[group];
    if (line[0] == kBegins) block.begun = line;
    else block.lines.push_back(line);
  }

  void end(std::size_t group) {
    blocks_[group].ended = true;
    for (auto first = blocks_.find(next_); first != blocks_.end() && first->second.ended; first = blocks_.find(++next_)) {
      commit(first->first, first->second);
      blocks_.erase(first);
    }
  }

  // Which blocks have run beyond the last finding that is wanted is a matter of speed: they do not count.
  void commit(std::size_t group, Block& block) {
    if (seen_.size() >= kDistinctFailures) return run_.end_group(group);
    for (const std::string& line : block.lines) {
      Record record = reports::record_from_json(line.substr(1));
      if (line[0] == kFound) found(group, std::move(record));
      else run_.add(group, std::move(record));
    }
    for (Record& death : block.deaths) found(group, std::move(death));
    for (const std::string& what : block.given_up)
      run_.note(fmt::format("{} ended or hung its process in block {} and was left out of the rest of it", what, group));
    run_.end_group(group);
  }

  // Of those that fail alike one is enough.
  void found(std::size_t group, Record record) {
    if (!seen_.insert({record.op, record.variant, record.dtype, record.check, record.outcome}).second) {
      ++repeats_;
      return;
    }
    try {
      gen::store_failure(request_.failures, properties::parse_case(record.case_line));
    } catch (const std::runtime_error& error) {
      run_.note(error.what());  // the record keeps the line
    }
    run_.add(group, std::move(record));
  }

  void bury(std::size_t group, const Death& death) {
    Block& block = blocks_[group];
    // "B3 7 LINE": the third check on the seventh variant.
    std::size_t check = 0, subject = 0, at = 0;
    if (block.begun.empty() || std::sscanf(block.begun.c_str() + 1, "%zu %zu", &check, &subject) != 2) throw std::runtime_error("the search ended before its first check: " + death.what);
    at = block.begun.find(' ', block.begun.find(' ') + 1) + 1;
    const Case of = properties::parse_case(block.begun.substr(at));
    Record record = record_of(death, identity_of(*properties::checks_of(of.op)[check], of, subjects_[subject], backend_.name));
    record.source = "fuzz";
    block.died_of.insert(block.begun);
    if (++block.alike[kind_of(record)] >= kCrashesAlike || death.kind == Death::timeout) block.given_up.insert(kind_of(record));
    block.deaths.push_back(std::move(record));
    if (death.kind == Death::threw || over()) return end(group);  // that process goes on to no other unit
    ++block.attempts;
    block.lines.clear();
    block.begun.clear();
  }

  static std::string kind_of(const Record& record) { return fmt::format("{} on {} {}", record.check, record.variant, record.dtype); }
  // In a child, which knows of all deaths before it was forked.
  std::string beginning(const Check& check, const Case& of, const Subject& subject) const {
    const auto all = properties::checks_of(of.op);
    const auto c = std::find(all.begin(), all.end(), &check) - all.begin();
    const auto s = std::find_if(subjects_.begin(), subjects_.end(), [&](const Subject& other) {
      return other.op == subject.op && other.variant == subject.variant;
    }) - subjects_.begin();
    return fmt::format("{}{} {} {}", kBegins, c, s, properties::to_line(of));
  }

  bool leaves_out(std::size_t group, const Check& check, const Case& of, const Subject& subject) const {
    const auto block = blocks_.find(group);
    if (block == blocks_.end() || block->second.died_of.empty()) return false;
    return block->second.died_of.contains(beginning(check, of, subject)) ||
           block->second.given_up.contains(kind_of(identity_of(check, of, subject, backend_.name)));
  }

  // Whether --check, if it is given, names a check of the operation.
  bool selects_something(const std::string& op) const {
    gen::FuzzOptions options;
    options.op = op;
    if (!request_.selection.checks.empty()) options.check = request_.selection.checks.front();
    return !gen::selected_checks(options).empty();
  }

  void replay_stored(const Say& say) const {
    const std::optional<plusmax_dtype> dtype = request_.selection.dtype_filter();
    gen::FuzzOptions options;
    if (!request_.selection.checks.empty()) options.check = request_.selection.checks.front();
    for (const Case& of : request_.stored) {
      if (dtype && of.dtype != *dtype) continue;
      options.op = of.op;
      for (const Check* check : gen::selected_checks(options))
        for (Subject subject : subjects_) {
          if (subject.op != of.op) continue;
          if (stop_.is_set()) return;
          if (leaves_out(0, *check, of, subject)) continue;
          say(beginning(*check, of, subject));
          Record record = properties::run_check(*check, of, subject);
          record.source = "fuzz";
          say((is_finding(record.outcome) ? kFound : kEnded) + reports::to_json(record));
        }
    }
  }

  // Operations take turns; each counts its own blocks, so that another one changes none of its cases.
  void search_block(unsigned turn, const Say& say) const {
    const auto count = static_cast<unsigned>(ops_.size());
    const unsigned block = turn / count;
    gen::FuzzOptions options;
    options.op = ops_[turn % count];
    options.seed = running_.seed;
    options.seconds = request_.seconds > 0 ? std::max(request_.seconds - elapsed(), 0.01) : 0;
    options.worker = block, options.workers = kManyWorkers;
    std::uint64_t cases = gen::kFuzzBlock;
    if (request_.cases > 0) cases = std::min(cases, request_.cases - std::uint64_t{block} * gen::kFuzzBlock);
    options.max_cases = std::uint64_t{block} * gen::kFuzzBlock + cases;
    options.dtype = request_.selection.dtype;
    if (!request_.selection.checks.empty()) options.check = request_.selection.checks.front();
    options.limits = gen::limits_for(*backend_.module->device);
    // A number of cases has one answer: then shrinking ends by its steps, not by the clock.
    if (request_.seconds == 0) options.shrink.time = std::chrono::hours(24);
    gen::FuzzCallbacks callbacks;
    callbacks.before_check = [&](std::uint64_t, const Case& of, const Check& check, const Subject& subject) { say(beginning(check, of, subject)); };
    callbacks.leaves_out = [&](const Case& of, const Check& check, const Subject& subject) { return leaves_out(std::size_t{turn} + 1, check, of, subject); };
    callbacks.on_record = [&](const Record& record) {
      if (!is_finding(record.outcome)) say(kEnded + reports::to_json(record));
    };
    callbacks.on_failure = [&](const gen::FuzzFailure& failure) {
      Record record = failure.flaky ? failure.original_record : failure.record;
      if (failure.flaky) record.reason += "; it did not fail when it was run again";
      say(kFound + reports::to_json(record));
    };
    callbacks.should_stop = [this] { return stop_.is_set(); };
    std::vector<Subject> own = subjects_;
    std::erase_if(own, [&](const Subject& subject) { return subject.op != options.op; });
    gen::fuzz(options, own, callbacks);
  }

  const FuzzRequest& request_;
  const Backend& backend_;
  const Running& running_;
  Run& run_;
  std::vector<Subject> subjects_;
  std::vector<std::string> ops_;  // of the subjects, in their order
  SharedFlag stop_;
  Clock::time_point begin_ = Clock::now();
  std::map<std::size_t, Block> blocks_;  // by group; those that have not been committed
  std::size_t next_ = 0;                 // the first of them
  std::set<std::tuple<std::string, std::string, std::string, std::string, Outcome>> seen_;
  std::uint64_t repeats_ = 0;
};

}  // namespace

void run_fuzz(const FuzzRequest& request, const Backend& backend, const Running& running, Run& run) { Search(request, backend, running, run).run(); }

}  // namespace plusmax::cli

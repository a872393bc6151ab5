#include "cli/run.hpp"

#include "cli/build_info.hpp"
#include "cli/interrupt.hpp"
#include "cli/last_words.hpp"
#include "properties/case.hpp"
#include "properties/operation.hpp"
#include "reference/logsumexp.hpp"
#include "reports/record_json.hpp"
#include "reports/report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>

namespace plusmax::cli {
namespace {

properties::RunInfo describe(const Invocation& invocation, const Running& running, const std::string& verb,
                             const std::string& profile, const Backend& backend) {
  properties::RunInfo info;
  info.argv = invocation.argv;
  info.seed = running.seed;
  info.verb = verb;
  info.profile = profile;
  info.version = build_info().version;
  info.git = build_info().git;
  info.toolchain = build_info().toolchain;
  info.device = backend.device.description;
  info.backend = backend.name;
  info.reference = fmt::format("double-double ({}), oracle {}", reference::name_of(reference::best_tier()), reference::oracle_backend());
  info.started = fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr)));
  return info;
}

}  // namespace

Run::Run(const Invocation& invocation, const Running& running, const std::string& verb, const std::string& profile,
         const Backend& backend)
    : running_(running), progress_(running.quiet) {
  data_.info = describe(invocation, running, verb, profile, backend);
  for (const properties::Operation* operation : properties::operations::all())
    for (const properties::Check* check : operation->checks())
      data_.checks.push_back({operation->name, check->name, check->statement, check->has_margin});
  try {
    lock_ = reports::rotate_directory(running.out);
    directory_ = reports::real_path(running.out).string();
    if (std::filesystem::absolute(running.out) != directory_)
      running_.out = directory_;  // shown as the user wrote it, if that is plain
    records_ = std::make_unique<reports::LineFile>(directory_ + "/records.jsonl");
    data_.info.interrupted = true;  // until finish() says otherwise: a killed run must not read as a whole one
    reports::write_file(directory_ + "/run.json", reports::run_json(data_));
  } catch (const reports::FileError& error) {
    throw properties::UsageError(error.what());
  }
  catch_interrupts();
  if (!running_.quiet)
    fmt::print("{}{}: seed {}, {}\n", verb, profile.empty() ? "" : " " + profile, running.seed, backend.device.description);
  std::fflush(stdout);
}

template <class Action>
void Run::guarded(Action action) {
  if (!file_failure_.empty()) return;
  try {
    action();
  } catch (const reports::FileError& error) {
    file_failure_ = error.what();
  }
}

bool Run::must_stop() const { return interrupted() || !file_failure_.empty(); }

void Run::write(const properties::Record& record) {
  constexpr std::uint64_t kSummed = 50'000;  // what a killed run loses at most
  if (!digest_ || digest_->keeps(record)) return store(record);
  if (digest_->summed() >= kSummed) store_sums();
}

void Run::store_sums() {
  for (const properties::Record& sum : digest_->take()) store(sum);
}

void Run::store(const properties::Record& record) {
  guarded([&] { records_->append(reports::to_json(record)); });
  data_.records.push_back(record);
}

void Run::add(std::size_t group, properties::Record record) {
  progress_.add(record);
  if (running_.verbosity > 0) {
    progress_.clear();
    fmt::print("{}\n", outcome_line(record, running_.verbosity));
    std::fflush(stdout);
  }
  held_[group].records.push_back(std::move(record));
  flush();
}

void Run::end_group(std::size_t group) {
  held_[group].ended = true;
  flush();
}

// Whole groups in order, and what there is of the first that has not ended.
void Run::flush() {
  for (auto first = held_.find(next_group_); first != held_.end(); first = held_.find(next_group_)) {
    for (const properties::Record& record : first->second.records) write(record);
    first->second.records.clear();
    if (!first->second.ended) return;
    held_.erase(first);
    ++next_group_;
  }
}

void Run::add(properties::MutantResult result) {
  progress_.add_other(result.killed);
  guarded([&] {
    if (!mutants_) mutants_ = std::make_unique<reports::LineFile>(directory_ + "/mutants.jsonl");
    mutants_->append(reports::to_json(result));
  });
  data_.mutants.push_back(std::move(result));
}

void Run::add(properties::BenchResult result) {
  progress_.add_other(result.verified);
  guarded([&] {
    if (!bench_) bench_ = std::make_unique<reports::LineFile>(directory_ + "/bench.jsonl");
    bench_->append(reports::to_json(result));
  });
  data_.bench.push_back(std::move(result));
}

void Run::note(std::string text) { data_.notes.push_back(std::move(text)); }

int Run::finish() {
  for (const auto& [group, held] : held_)
    for (const properties::Record& record : held.records) write(record);
  held_.clear();
  if (digest_) store_sums();
  data_.info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  for (const auto* file : {&records_, &mutants_, &bench_})
    if (*file) guarded([&] { (*file)->sync(); });
  // Even after a failed write: what fits on the disk is better than nothing.
  const std::string record_failure = std::exchange(file_failure_, "");
  // What was not recorded cannot have passed.
  data_.unrecorded = record_failure;
  data_.info.interrupted = interrupted() || !record_failure.empty();
  guarded([&] { reports::write_report(directory_, data_); });
  if (!record_failure.empty()) file_failure_ = record_failure;

  progress_.clear();
  const reports::Summary summary = reports::summarize(data_);
  print_last_words(data_, summary, running_, file_failure_.empty());
  if (!file_failure_.empty()) {
    fmt::print(stderr, "plusmax: {}\n", file_failure_);
    return reports::kInternal;
  }
  if (interrupted()) return 128 + interrupt_signal();
  return reports::exit_code(summary);
}

std::string outcome_line(const properties::Record& r, int verbosity) {
  std::string line = fmt::format("{:9} {} {}: {}", reports::name_of(r.outcome), r.variant, r.check, r.case_line);
  if (!r.case_id.empty()) line += fmt::format(" [{}]", r.case_id);
  if (!r.reason.empty()) line += " — " + r.reason;
  if (verbosity > 1)
    line += fmt::format(" (error/bound {:.3g}, {:.3g} ulp, {:.3f} s)", r.worst_ratio, r.worst_ulps, r.seconds);
  return line;
}

}  // namespace plusmax::cli

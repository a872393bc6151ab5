#include "cli/bench_work.hpp"

#include "cli/bench_cases.hpp"
#include "cli/bench_rounds.hpp"
#include "cli/check_work.hpp"
#include "cli/pool.hpp"
#include "kernels/platform/bench.hpp"
#include "reference/dtype.hpp"
#include "reports/record_json.hpp"
#include "reports/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>
#include <optional>

namespace plusmax::cli {
namespace {

using properties::BenchResult;
using properties::Subject;

const char* name_of(Traffic traffic) {
  switch (traffic) {
    case Traffic::read: return "read";
    case Traffic::copy: return "copy";
    case Traffic::in_place_copy: break;
  }
  return "in-place copy";
}

// What is measured at a case: ceilings, then variants. All ceilings at the first case, for comparison; later, and for the shares, the
// one that its launches have. Those that are measured beside their products need none.
constexpr Traffic kCeilings[] = {Traffic::read, Traffic::copy, Traffic::in_place_copy};
struct Units {
  std::size_t ceilings;
  std::vector<const Subject*> subjects;
  std::size_t count() const { return ceilings + subjects.size(); }
};
bool beside_products(const properties::Case& of) { return properties::operation_named(of.op).bench_products; }
Units units_of(std::size_t index, const properties::BenchCase& at, const std::vector<Subject>& subjects) {
  Units units{beside_products(at.of) ? 0 : index == 0 ? std::size(kCeilings) : 1, {}};
  for (const Subject& subject : subjects)
    if (is_about(at, subject)) units.subjects.push_back(&subject);
  return units;
}

// State of one child: the case it has in memory, and its ceiling.
class Bencher {
 public:
  Bencher(const Module& module, const BenchWork& work) : module_(module), work_(work) {}

  BenchResult measure_ceiling(std::size_t index, const properties::Case& of, std::size_t unit) {
    lay(index, of);
    const Traffic traffic = index == 0 ? kCeilings[unit] : bed_->traffic();
    BenchResult result;
    set_times(result, ceiling_times(traffic));
    result.bytes = traffic_bytes(traffic, bed_->logits_bytes());
    if (traffic == bed_->traffic()) ceiling_us_ = result.median_us;
    result.variant = result.ceiling = name_of(traffic);
    result.ceiling_us = result.median_us;
    result.share = 1;
    result.verified = true;
    return result;
  }

  // Empty if the variant does not take the case.
  std::optional<BenchResult> measure(std::size_t index, const properties::Case& of, const Subject& subject) {
    if (!subject.has(of.dtype)) return std::nullopt;
    lay(index, of);
    BenchResult result;
    result.variant = subject.variant;
    const std::size_t free = module_.device->free_bytes();
    if (!bed_->refusal(subject).empty()) return std::nullopt;
    if (beside_products(of)) {
      time_beside_products(subject, free, result);
      bed_->release();
      return result;
    }
    time(subject, result);
    result.ceiling = name_of(bed_->traffic());
    result.ceiling_us = ceiling_us();
    result.share = result.ceiling_us / result.median_us;
    if (result.verified && !(result.share <= reports::kLargestShare))
      result.note = fmt::format("refused: {:.3g} of the {} ceiling, faster than memory allows", result.share, result.ceiling);
    return result;
  }

 private:
  void lay(std::size_t index, const properties::Case& of) {
    if (bed_ && index_ == index) return;
    bed_.reset();  // before the next one: two may not fit
    bed_ = properties::operation_named(of.op).bench_bed(of, module_);
    index_ = index;
    ceiling_us_ = 0;
  }
  BenchOptions options() const {
    BenchOptions options;
    options.loaded = work_.loaded;
    options.fresh = bed_->overwrites();
    return options;
  }
  double ceiling_us() {
    if (ceiling_us_ == 0) ceiling_us_ = quantile(ceiling_times(bed_->traffic()), 0.5);
    return ceiling_us_;
  }
  std::vector<double> ceiling_times(Traffic traffic) {
    const auto restore = [&](void* stream, int buffer) { return bed_->restore(buffer % bed_->buffers(), stream); };
    if (const Status status = restore(module_.device->stream(), 0); !status.ok()) throw DeviceError(status.message);
    BenchOptions as_the_call = options();
    as_the_call.restore = restore;  // what restoring leaves in the caches is written back by whoever comes next
    return module_.bench->ceiling(traffic, bed_->logits(), bed_->logits_bytes(), as_the_call).us;
  }
  static void set_times(BenchResult& result, const std::vector<double>& us) {
    result.median_us = quantile(us, 0.5), result.p10_us = quantile(us, 0.1), result.p90_us = quantile(us, 0.9);
  }

  std::unique_ptr<DeviceBuffer> workspace_of(const Subject& subject) const {
    const std::size_t bytes = bed_->workspace_bytes(subject);
    return bytes > 0 ? module_.device->allocate({"workspace", 1, bytes, bytes, 0, false, false}) : nullptr;
  }

  // `free`: bytes of the device before the launch was planned.
  void time_beside_products(const Subject& subject, std::size_t free, BenchResult& result) {
    const auto memory = workspace_of(subject);
    void* workspace = memory ? memory->data() : nullptr;
    result.taken_bytes = taken(subject, workspace, free);
    time_in_rounds(module_, *bed_, subject, workspace, result);
    close(subject, workspace, result);
  }
  // While a launch runs.
  std::uint64_t taken(const Subject& subject, void* workspace, std::size_t free) {
    const Status status = bed_->launch(subject, 0, workspace, module_.device->stream());
    const std::size_t left = module_.device->free_bytes();
    module_.device->synchronize();
    if (!status.ok()) throw DeviceError(status.message);
    return std::string_view(module_.device->backend()) == "host" || left > free ? 0 : free - left;
  }

  // Sets the note too: what judged launches, and repeated ones, have wrong.
  void time(const Subject& subject, BenchResult& result) {
    const auto memory = workspace_of(subject);
    void* workspace = memory ? memory->data() : nullptr;
    const auto launch = [&](void* stream, int buffer) { return bed_->launch(subject, buffer, workspace, stream); };
    BenchOptions options = this->options();
    options.buffers = bed_->buffers();
    options.restore = [&](void* stream, int buffer) { return bed_->restore(buffer, stream); };
    set_times(result, module_.bench->time(launch, options).us);
    if (!options.loaded && !options.fresh) {  // a fresh sample is a cold one
      options.cold = true;
      result.cold_median_us = quantile(module_.bench->time(launch, options).us, 0.5);
    }
    close(subject, workspace, result);
  }

  void close(const Subject& subject, void* workspace, BenchResult& result) {
    result.bytes = bed_->bytes(subject);
    result.workspace_bytes = bed_->workspace_bytes(subject);
    result.note = bed_->verify(subject, workspace);
    result.errors = bed_->errors();
    result.sample = bed_->sample();
    if (result.note.empty()) result.note = bed_->repeat(subject, workspace, work_.repeats);
    result.verified = result.note.empty();
  }

  const Module& module_;
  const BenchWork& work_;
  std::unique_ptr<properties::BenchBed> bed_;
  std::size_t index_ = 0;
  double ceiling_us_ = 0;
};

}  // namespace

void run_bench(const std::vector<properties::BenchCase>& cases, const std::vector<Subject>& subjects, const Backend& backend, const Running& running, const BenchWork& options, Run& run) {
  std::vector<Units> units;
  std::size_t expected = 0;
  for (std::size_t group = 0; group < cases.size(); ++group) {
    units.push_back(units_of(group, cases[group], subjects));
    expected += units.back().count();
  }
  run.progress().expect(expected);
  std::unique_ptr<Bencher> bencher;  // made in the child
  const auto add = [&](std::size_t group, std::size_t unit, BenchResult result) {
    const properties::Case& of = cases[group].of;
    result.op = unit < units[group].ceilings ? "ceiling" : of.op;
    if (unit >= units[group].ceilings) result.variant = units[group].subjects[unit - units[group].ceilings]->variant;
    result.dtype = reference::name_of(of.dtype), result.device = backend.device.description;
    result.rows = of.rows, result.cols = of.cols, result.case_line = properties::to_line(of);
    if (!beside_products(of)) result.load = options.loaded ? "matrix products" : "";
    run.add(std::move(result));
  };
  PoolWork work;
  work.exists = [&](std::size_t group) { return group < cases.size(); };
  work.units = [&](std::size_t group) { return units[group].count(); };
  work.done = [&](std::size_t group, std::size_t unit, const std::string& line) {
    if (!line.empty()) add(group, unit, reports::bench_from_json(line));
  };
  work.died = [&](std::size_t group, std::size_t unit, const Death& death) {
    BenchResult result;
    result.variant = "ceiling";
    result.note = (death.kind == Death::crashed ? "the process ended with " : "") + death.what;
    add(group, unit, std::move(result));
  };
  work.tick = [&] { run.progress().tick(); };
  work.stop = [&] { return run.must_stop(); };
  work.start = [&] { bencher = std::make_unique<Bencher>(*backend.module, options); };
  work.work = [&](std::size_t group, std::size_t unit, const Say&) {
    const properties::Case& of = cases[group].of;
    try {
      if (unit < units[group].ceilings) return reports::to_json(bencher->measure_ceiling(group, of, unit));
      const auto result = bencher->measure(group, of, *units[group].subjects[unit - units[group].ceilings]);
      return result ? reports::to_json(*result) : std::string();
    } catch (const std::bad_alloc&) {
      throw std::runtime_error(fmt::format("{} x {} does not fit: the device has {} bytes free", of.rows, of.cols, backend.module->device->free_bytes()));
    }
  };
  work.broken = [&] { return device_is_broken(*backend.module); };
  run_pool(work, 1, running.timeout);  // one at a time: two would share the memory they are timed on
}

}  // namespace plusmax::cli

#include "cli/bench_work.hpp"

#include "cli/bench_bed.hpp"
#include "cli/check_work.hpp"
#include "cli/pool.hpp"
#include "kernels/platform/bench.hpp"
#include "reference/dtype.hpp"
#include "reports/record_json.hpp"
#include "reports/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <optional>

namespace plusmax::cli {
namespace {

using properties::BenchResult;
using properties::Subject;

double quantile(std::vector<double> sorted, double at) {
  if (sorted.empty()) return 0;
  std::sort(sorted.begin(), sorted.end());
  return sorted[static_cast<std::size_t>(at * static_cast<double>(sorted.size() - 1) + 0.5)];
}

struct Ceiling {
  const char* name;
  Traffic traffic;
};
constexpr Ceiling kCeilings[] = {{"read", Traffic::read}, {"copy", Traffic::copy}, {"in-place copy", Traffic::in_place_copy}};
// logsumexp only reads, so that ceiling is measured at every shape and the others, for comparison, at the first.
std::size_t ceilings_at(std::size_t shape) { return shape == 0 ? std::size(kCeilings) : 1; }

// State of one child: the shape it has in memory, and its read ceiling.
class Bencher {
 public:
  Bencher(const Module& module, std::uint64_t seed, const BenchWork& work) : module_(module), seed_(seed), work_(work) {}

  BenchResult measure(std::size_t index, const BenchShape& shape, const Ceiling& ceiling) {
    lay(index, shape);
    BenchResult result;
    set_times(result, module_.bench->ceiling(ceiling.traffic, bed_->logits_bytes(), options()).us);
    result.bytes = traffic_bytes(ceiling.traffic, bed_->logits_bytes());
    if (ceiling.traffic == Traffic::read) read_us_ = result.median_us;
    result.ceiling = ceiling.name;
    result.ceiling_us = result.median_us;
    result.share = 1;
    result.verified = true;
    return result;
  }

  // Empty if the variant does not take the shape.
  std::optional<BenchResult> measure(std::size_t index, const BenchShape& shape, const Subject& subject) {
    if (!subject.has(shape.dtype)) return std::nullopt;
    const auto& kernel = properties::kernel_named(module_.logsumexp, subject.variant);
    lay(index, shape);
    if (!kernel.supports(bed_->params(0)).ok()) return std::nullopt;
    BenchResult result;
    time(kernel, result);
    result.ceiling = "read";
    result.ceiling_us = read_us();
    result.share = result.ceiling_us / result.median_us;
    if (result.verified && !(result.share <= reports::kLargestShare))
      result.note = fmt::format("refused: {:.3g} of the read ceiling, faster than memory allows", result.share);
    return result;
  }

 private:
  void lay(std::size_t index, const BenchShape& shape) {
    if (bed_ && index_ == index) return;
    bed_.reset();  // before the next one: two may not fit
    bed_ = std::make_unique<BenchBed>(shape, seed_, module_);
    index_ = index;
    read_us_ = 0;
  }
  BenchOptions options() const {
    BenchOptions options;
    options.loaded = work_.loaded;
    return options;
  }
  double read_us() {
    if (read_us_ == 0) read_us_ = quantile(module_.bench->ceiling(Traffic::read, bed_->logits_bytes(), options()).us, 0.5);
    return read_us_;
  }
  static void set_times(BenchResult& result, const std::vector<double>& us) {
    result.median_us = quantile(us, 0.5), result.p10_us = quantile(us, 0.1), result.p90_us = quantile(us, 0.9);
  }

  // Sets the note too: what the results of the timed launches, and of the repeated ones, have wrong.
  void time(const KernelVariant<logsumexp::Params>& variant, BenchResult& result) {
    const std::size_t bytes = variant.workspace_bytes(bed_->params(0));
    const auto workspace = bytes > 0 ? module_.device->allocate({"workspace", 1, bytes, bytes, 0, false, false}) : nullptr;
    const auto launch = [&](void* stream, int buffer) { return variant.launch(bed_->params(buffer), workspace ? workspace->data() : nullptr, stream); };
    bed_->poison_results();
    BenchOptions options = this->options();
    options.buffers = bed_->buffers();
    set_times(result, module_.bench->time(launch, options).us);
    if (!options.loaded) {
      options.cold = true;
      result.cold_median_us = quantile(module_.bench->time(launch, options).us, 0.5);
    }
    result.bytes = variant.bytes(bed_->params(0));
    result.note = bed_->verify(variant);
    if (result.note.empty()) result.note = bed_->repeat(variant, workspace ? workspace->data() : nullptr, work_.repeats);
    result.verified = result.note.empty();
  }

  const Module& module_;
  std::uint64_t seed_;
  const BenchWork& work_;
  std::unique_ptr<BenchBed> bed_;
  std::size_t index_ = 0;
  double read_us_ = 0;
};

BenchResult identity(const BenchShape& shape, const char* op, const std::string& variant, const Backend& backend, std::uint64_t seed) {
  BenchResult b;
  b.op = op, b.variant = variant, b.dtype = reference::name_of(shape.dtype), b.device = backend.device.description;
  b.rows = shape.rows, b.cols = shape.cols;
  b.case_line = fmt::format("logsumexp {} rows={} cols={} seed={}", b.dtype, shape.rows, shape.cols, seed);
  return b;
}

}  // namespace

void run_bench(const std::vector<BenchShape>& shapes, const std::vector<Subject>& subjects, const Backend& backend, const Running& running, const BenchWork& options, Run& run) {
  run.progress().expect(shapes.size() * (subjects.size() + 1) + ceilings_at(0) - 1);
  std::unique_ptr<Bencher> bencher;  // made in the child
  const auto add = [&](std::size_t group, std::size_t unit, const BenchResult& measured) {
    const std::size_t ceilings = ceilings_at(group);
    BenchResult result = unit < ceilings ? identity(shapes[group], "ceiling", kCeilings[unit].name, backend, running.seed)
                                         : identity(shapes[group], "logsumexp", subjects[unit - ceilings].variant, backend, running.seed);
    result.bytes = measured.bytes, result.median_us = measured.median_us, result.p10_us = measured.p10_us, result.p90_us = measured.p90_us;
    result.cold_median_us = measured.cold_median_us, result.ceiling = measured.ceiling, result.ceiling_us = measured.ceiling_us;
    result.load = options.loaded ? "matrix products" : "";
    result.share = measured.share, result.verified = measured.verified, result.note = measured.note;
    run.add(std::move(result));
  };
  PoolWork work;
  work.exists = [&](std::size_t group) { return group < shapes.size(); };
  work.units = [&](std::size_t group) { return ceilings_at(group) + subjects.size(); };
  work.done = [&](std::size_t group, std::size_t unit, const std::string& line) {
    if (!line.empty()) add(group, unit, reports::bench_from_json(line));
  };
  work.died = [&](std::size_t group, std::size_t unit, const Death& death) {
    BenchResult result;
    result.note = (death.kind == Death::crashed ? "the process ended with " : "") + death.what;
    add(group, unit, result);
  };
  work.tick = [&] { run.progress().tick(); };
  work.stop = [&] { return run.must_stop(); };
  work.start = [&] { bencher = std::make_unique<Bencher>(*backend.module, running.seed, options); };
  work.work = [&](std::size_t group, std::size_t unit, const Say&) {
    try {
      const std::size_t ceilings = ceilings_at(group);
      if (unit < ceilings) return reports::to_json(bencher->measure(group, shapes[group], kCeilings[unit]));
      const auto result = bencher->measure(group, shapes[group], subjects[unit - ceilings]);
      return result ? reports::to_json(*result) : std::string();
    } catch (const std::bad_alloc&) {
      throw std::runtime_error(fmt::format("{} x {} does not fit: the device has {} bytes free", shapes[group].rows, shapes[group].cols, backend.module->device->free_bytes()));
    }
  };
  work.broken = [&] { return device_is_broken(*backend.module); };
  run_pool(work, 1, running.timeout);  // one at a time: two would share the memory they are timed on
}

}  // namespace plusmax::cli

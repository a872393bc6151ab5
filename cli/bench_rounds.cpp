#include "cli/bench_rounds.hpp"

#include "kernels/platform/bench.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

namespace plusmax::cli {
namespace {

constexpr double kRestSeconds = 0.25;  // after which the clock of an H200 is back where it was

struct Beside {
  std::vector<double> us, products_us, ratios;
};

Beside measure(Bench& bench, const std::vector<std::function<Status(void*)>>& launches, const RoundOptions& options) {
  const std::vector<std::vector<double>> us = bench.rounds(launches, options);
  Beside beside{us[0], us[1], {}};
  for (std::size_t i = 0; i < beside.us.size(); ++i) beside.ratios.push_back(beside.us[i] / beside.products_us[i]);
  return beside;
}

void demand(const Status& status) {
  if (!status.ok()) throw DeviceError(status.message);
}

}  // namespace

double quantile(std::vector<double> values, double at) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(at * static_cast<double>(values.size() - 1) + 0.5)];
}

void time_in_rounds(const Module& module, properties::BenchBed& bed, const properties::Subject& subject, void* workspace, properties::BenchResult& result) {
  void* stream = module.device->stream();
  demand(bed.launch(subject, 0, workspace, stream));
  module.device->synchronize();
  demand(bed.tune(subject, workspace, stream));
  const auto products = bed.products(subject);
  const std::vector<std::function<Status(void*)>> launches = {[&](void* on) { return bed.launch(subject, 0, workspace, on); }, [&](void* on) { return products->launch(on); }};
  RoundOptions options;
  const Beside loaded = measure(*module.bench, launches, options);
  result.median_us = quantile(loaded.us, 0.5), result.p10_us = quantile(loaded.us, 0.1), result.p90_us = quantile(loaded.us, 0.9);
  result.ceiling = products->name();
  result.ceiling_us = quantile(loaded.products_us, 0.5);
  result.ratio = quantile(loaded.ratios, 0.5);
  result.share = 1 / result.ratio;
  if (std::string_view(module.device->backend()) == "host") return;  // its clock does not follow the load
  options.rest_seconds = kRestSeconds;
  options.warm_seconds = 0;
  const Beside rested = measure(*module.bench, launches, options);
  result.rested_us = quantile(rested.us, 0.5), result.rested_ceiling_us = quantile(rested.products_us, 0.5);
  result.rested_ratio = quantile(rested.ratios, 0.5);
}

}  // namespace plusmax::cli

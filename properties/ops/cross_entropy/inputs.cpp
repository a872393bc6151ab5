#include "properties/ops/cross_entropy/inputs.hpp"

#include "properties/losses/data.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <utility>

namespace plusmax::properties::cross_entropy {
std::int64_t gradient_stride_of(const Case& of, const Options& options) {
  return options.gradient_stride > 0 ? options.gradient_stride : std::max(of.row_stride, of.cols);
}

Call call_of(const Case& of) {
  Call call;
  call.rows = rows_of(of);
  call.layout = layout_of(of);
  call.options = options_of(of);
  call.gradient_stride = gradient_stride_of(of, call.options);
  call.gradient_phase = of.phase;
  std::vector<double> scratch;
  call.targets = targets_of(of, call.options, [&](std::int64_t r) { return call.rows->row(r, scratch); });
  call.weights = weights_of(of, call.options);
  call.upstream = upstreams_of(of, call.options);
  return call;
}

Call select(const Call& from, std::span<const std::int64_t> which, const Layout& layout) {
  Call call = from;
  call.rows = std::make_shared<Rows>(properties::select(*from.rows, which));
  call.layout = layout;
  call.gradient_stride = std::max(layout.row_stride, from.rows->cols());
  call.targets.clear();
  for (const std::int64_t r : which) call.targets.push_back(from.target(r));
  if (from.upstream.size() <= 1) return call;
  call.upstream.clear();
  for (const std::int64_t r : which) call.upstream.push_back(from.upstream_at(r));
  return call;
}

Call with_rows(const Call& from, Rows rows) {
  Call call = from;
  call.rows = std::make_shared<Rows>(std::move(rows));
  return call;
}

Call with_all_outputs(Call call) {
  Options& o = call.options;
  const bool looks_closer = o.smoothing > 0 || o.softcap > 0 || o.scale != 1;
  o.outputs = kLoss | kLse | kZLoss | kBadTargets | kState | (looks_closer ? kArgmax : o.outputs & kArgmax);
  if (call.options.gradient == Gradient::none) call.options.gradient = Gradient::out_of_place;
  return call;
}

Factors factors_of(const Call& call) {
  const auto held = [type = reference::result_dtype(call.rows->dtype())](double factor) {
    return reference::round_to(type, factor) != 0;
  };
  const Options& o = call.options;
  return {held(o.smoothing / static_cast<double>(call.rows->cols())) ? o.smoothing : 0, held(o.z_loss) ? o.z_loss : 0};
}

}  // namespace plusmax::properties::cross_entropy

#include "properties/ops/cross_entropy/launch.hpp"

#include "properties/losses/reduction.hpp"
#include "properties/ops/cross_entropy/memory.hpp"
#include "reference/dtype.hpp"

#include <fmt/format.h>

namespace plusmax::properties::cross_entropy {
namespace {

using plusmax::cross_entropy::Params;

// What a launch depends on beside the data.
struct Shape {
  plusmax_dtype dtype;
  std::int64_t rows, cols;
  Layout layout;
  std::int64_t gradient_stride, gradient_phase;
  const Options& options;
  bool weighted;
  std::int64_t upstreams;  // 0, one for all rows, or one each
};

Shape shape_of(const Call& call) {
  return {call.rows->dtype(), call.rows->rows(),     call.rows->cols(),
          call.layout,        call.gradient_stride,  call.gradient_phase,
          call.options,       !call.weights.empty(), static_cast<std::int64_t>(call.upstream.size())};
}

// Everything but addresses.
Params params_of(const Shape& shape) {
  const Options& o = shape.options;
  Params p;
  p.dtype = shape.dtype;
  p.rows = shape.rows;
  p.cols = shape.cols;
  p.row_stride = shape.layout.row_stride;
  p.target_type = o.int32_targets ? PLUSMAX_INT32 : PLUSMAX_INT64;
  p.target_stride = o.target_stride;
  p.upstream_stride = shape.upstreams > 1 ? 1 : 0;
  p.dlogits_stride = o.gradient == Gradient::in_place ? p.row_stride : shape.gradient_stride;
  p.options = {call_reduction(o.reduction), o.ignore_index, o.smoothing, o.z_loss, o.softcap, o.scale, o.nan_if_empty};
  return p;
}

// For questions that are asked before there is memory: addresses with the right phases.
Params unplaced(const Shape& shape, bool backward) {
  const Options& o = shape.options;
  static const std::byte* const kAnywhere = reinterpret_cast<const std::byte*>(std::uintptr_t{1} << 20);
  const auto at = [&]<class T>(T*& pointer, bool wanted, std::int64_t phase = 0) {
    const std::byte* address = kAnywhere + static_cast<std::size_t>(phase) * reference::size_of(shape.dtype);
    if (wanted) pointer = reinterpret_cast<T*>(const_cast<std::byte*>(address));
  };
  Params p = params_of(shape);
  at(p.logits, true, shape.layout.phase);
  at(p.targets, true);
  at(p.weights, shape.weighted);
  at(p.upstream, shape.upstreams > 0);
  at(p.normalizer, o.normalizer.has_value());
  at(p.dlogits, o.gradient == Gradient::in_place, shape.layout.phase);
  at(p.dlogits, o.gradient == Gradient::out_of_place, shape.gradient_phase);
  p.backward = backward;
  at(p.row_state, backward || (o.outputs & kState) != 0);
  if (backward) return p;
  at(p.loss_rows, (o.outputs & kLoss) != 0);
  at(p.lse, (o.outputs & kLse) != 0);
  at(p.z_loss, (o.outputs & kZLoss) != 0);
  at(p.argmax, (o.outputs & kArgmax) != 0);
  at(p.bad_targets, (o.outputs & kBadTargets) != 0);
  at(p.loss, o.reduction != Reduction::none);
  at(p.num_valid, o.reduction != Reduction::none);
  return p;
}

std::string refusal_of(const Subject& subject, const Shape& shape, bool backward) {
  if (shape.cols == 0) return "cols 0: without a class there is no loss";
  if (!subject.has(shape.dtype)) return fmt::format("{} has no {}", subject.variant, reference::name_of(shape.dtype));
  const Status status = kernel_of(subject).supports(unplaced(shape, backward));
  if (status.ok()) return {};
  return status.message[0]
             ? status.message
             : fmt::format("{} refuses the call (status {})", subject.variant, static_cast<int>(status.code));
}

// `state`: of the backward call that this is, else null.
Results launch(const Subject& subject, const Call& call, const Output* state, const Execution& execution) {
  Device& device = *subject.module->device;
  device.configure(execution.schedule, execution.schedule_seed, execution.approx_noise);
  Memory memory(device, call, state, execution);
  Params p = params_of(shape_of(call));
  memory.place(p);
  void* workspace = memory.workspace(kernel_of(subject).workspace_bytes(p));
  const auto start = [&] { return kernel_of(subject).launch(p, workspace, device.stream()); };
  const int times = call.options.gradient == Gradient::in_place ? 1 : 2;
  const Status status = execution.captured ? device.run_captured(start, times) : start();
  if (!status.ok()) {
    try {
      device.synchronize();  // leaves nothing behind for the next launch
    } catch (const DeviceError&) {
    }
    throw DeviceError(fmt::format("{} supports the call but its launch says: {}", subject.variant, status.message));
  }
  device.synchronize();
  memory.demand_intact();
  return memory.results();
}

}  // namespace

const KernelVariant<Params>& kernel_of(const Subject& subject) {
  return kernel_named(subject.module->cross_entropy, subject.variant);
}

Params params_of(const Call& call) { return params_of(shape_of(call)); }

std::string refusal(const Subject& subject, const Call& call) { return refusal_of(subject, shape_of(call), false); }

std::string backward_refusal(const Subject& subject, const Call& call) {
  return refusal_of(subject, shape_of(call), true);
}

std::string refusal(const Subject& subject, const Case& of) {
  const Options options = options_of(of);
  const std::int64_t upstreams = options.upstream == Upstream::one      ? 0
                                 : options.upstream == Upstream::number ? 1
                                                                        : of.rows;
  return refusal_of(subject,
                    {of.dtype, of.rows, of.cols, layout_of(of), gradient_stride_of(of, options), of.phase, options,
                     options.weights != Weights::none, upstreams},
                    false);
}

double result_bytes(const Case& of, bool on_host) {
  const Gradient gradient = options_of(of).gradient;
  const double once = static_cast<double>(of.rows) * static_cast<double>(of.cols) *
                      static_cast<double>(reference::size_of(of.dtype));
  if (gradient == Gradient::none) return 0;
  return gradient == Gradient::out_of_place && on_host ? 2 * once : once;
}

CrossEntropyShape error_shape(const Subject& subject, const Call& call) {
  return kernel_of(subject).error_shape(unplaced(shape_of(call), false));
}

Results execute(const Subject& subject, const Call& call, const Execution& execution) {
  return launch(subject, call, nullptr, execution);
}

Results execute_backward(const Subject& subject, const Call& call, const Output& state, const Execution& execution) {
  return launch(subject, call, &state, execution);
}

}  // namespace plusmax::properties::cross_entropy

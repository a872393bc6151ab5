#include "properties/ops/linear_cross_entropy/launch.hpp"

#include "properties/losses/reduction.hpp"
#include "properties/ops/linear_cross_entropy/memory.hpp"
#include "reference/dtype.hpp"

#include <fmt/format.h>

namespace plusmax::properties::linear_cross_entropy {
namespace {

using plusmax::linear_cross_entropy::Params;
using plusmax::linear_cross_entropy::Planned;

// What a launch depends on beside the data.
struct Shape {
  plusmax_dtype dtype;
  std::int64_t tokens, vocab;
  Layout hidden, weight;
  Place dhidden, dweight;
  const Options& options;
  std::int64_t upstreams;  // 0, one for all tokens, or one each
  bool biased, weighted;
};

Shape shape_of(const Call& call) {
  return {call.dtype(),
          call.tokens(),
          call.vocab(),
          call.hidden_layout,
          call.weight_layout,
          call.dhidden,
          call.dweight,
          call.options,
          static_cast<std::int64_t>(call.upstream.size()),
          !call.bias.empty(),
          !call.class_weights.empty()};
}

Shape shape_of(const Case& of, const Options& o) {
  const std::int64_t upstreams = o.upstream == Upstream::one ? 0 : o.upstream == Upstream::number ? 1 : of.rows;
  return {of.dtype,
          of.rows,
          of.cols,
          {o.hidden_stride.value_or(o.features), 1, 1, of.phase},
          {o.weight_stride.value_or(o.features), 1, 1, o.weight_phase},
          {o.dhidden_stride.value_or(o.features), of.phase},
          {o.dweight_stride.value_or(o.features), o.weight_phase},
          o,
          upstreams,
          o.bias != Bias::none,
          o.weights != Weights::none};
}

Params params_of(const Shape& shape) {
  const Options& o = shape.options;
  Params p;
  p.dtype = shape.dtype;
  p.tokens = shape.tokens;
  p.vocab = shape.vocab;
  p.features = o.features;
  p.hidden_stride = shape.hidden.row_stride;
  p.weight_stride = shape.weight.row_stride;
  p.target_type = o.int32_targets ? PLUSMAX_INT32 : PLUSMAX_INT64;
  p.target_stride = o.target_stride;
  p.upstream_stride = shape.upstreams > 1 ? 1 : 0;
  p.options = {call_reduction(o.reduction), o.ignore_index, o.smoothing, o.z_loss, o.softcap, o.scale, o.nan_if_empty};
  p.dhidden_stride = shape.dhidden.stride;
  p.dweight_type = o.own_dweight_type ? shape.dtype : PLUSMAX_F32;
  p.add_to_dweight = o.add_to_dweight;
  p.dweight_stride = shape.dweight.stride;
  return p;
}

// For questions that are asked before there is memory: addresses with the right phases.
Params unplaced(const Shape& shape) {
  const Options& o = shape.options;
  static const std::byte* const kAnywhere = reinterpret_cast<const std::byte*>(std::uintptr_t{1} << 20);
  const auto at = []<class T>(T*& pointer, bool wanted, std::int64_t phase = 0, plusmax_dtype dtype = PLUSMAX_F32) {
    const std::byte* address = kAnywhere + static_cast<std::size_t>(phase) * reference::size_of(dtype);
    if (wanted) pointer = reinterpret_cast<T*>(const_cast<std::byte*>(address));
  };
  Params p = params_of(shape);
  at(p.hidden, true, shape.hidden.phase, p.dtype);
  at(p.weight, true, shape.weight.phase, p.dtype);
  at(p.bias, shape.biased);
  at(p.targets, true);
  at(p.class_weights, shape.weighted);
  at(p.upstream, shape.upstreams > 0);
  at(p.normalizer, o.normalizer.has_value());
  at(p.dhidden, (o.gradients & kDhidden) != 0, shape.dhidden.phase, p.dtype);
  at(p.dweight, (o.gradients & kDweight) != 0, shape.dweight.phase, p.dweight_type);
  at(p.dbias, (o.gradients & kDbias) != 0);
  at(p.loss_rows, (o.outputs & kLoss) != 0);
  at(p.z_loss, (o.outputs & kZLoss) != 0);
  at(p.lse, (o.outputs & kLse) != 0);
  at(p.argmax, (o.outputs & kArgmax) != 0);
  at(p.loss, o.reduction != Reduction::none);
  at(p.num_valid, o.reduction != Reduction::none);
  at(p.bad_targets, (o.outputs & kBadTargets) != 0);
  at(p.excess_tokens, (o.outputs & kExcessTokens) != 0);
  return p;
}

plusmax_linear_mode mode_of(const Subject& subject) {
  if (subject.variant == "token_chunks") return PLUSMAX_TOKEN_CHUNKS;
  if (subject.variant == "vocab_slices") return PLUSMAX_VOCAB_SLICES;
  return PLUSMAX_LOSS_ONLY;
}

// Its plan and parameters, which are valid as long as that is; or why there are none.
std::string prepare(const Subject& subject, const Shape& shape, Params& p, Planned& planned) {
  if (shape.vocab == 0) return "cols 0: without a class there is no loss";
  if (!subject.has(shape.dtype)) return fmt::format("{} has no {}", subject.variant, reference::name_of(shape.dtype));
  p = unplaced(shape);
  Status status = plan_of(subject, shape.options, p, planned);
  if (status.ok()) {
    p.plan = planned.plan.get();
    status = kernel_of(subject).supports(p);
  }
  if (status.ok()) return {};
  return status.message[0]
             ? status.message
             : fmt::format("{} refuses the call (status {})", subject.variant, static_cast<int>(status.code));
}

std::string refusal_of(const Subject& subject, const Shape& shape) {
  Params p;
  Planned planned;
  return prepare(subject, shape, p, planned);
}

void demand_ok(const Subject& subject, Device& device, const Status& status) {
  if (status.ok()) return;
  try {
    device.synchronize();  // leaves nothing behind for the next launch
  } catch (const DeviceError&) {
  }
  throw DeviceError(fmt::format("{} supports the call but says: {}", subject.variant, status.message));
}

}  // namespace

const KernelVariant<Params>& kernel_of(const Subject& subject) {
  return kernel_named(subject.module->linear_cross_entropy, subject.variant);
}

Params params_of(const Call& call) { return params_of(shape_of(call)); }

Params params_of(const Case& of) {
  const Options o = options_of(of);
  return params_of(shape_of(of, o));
}

Status plan_of(const Subject& subject, const Options& o, const Params& shape, Planned& planned) {
  const plusmax::linear_cross_entropy::PlanOptions options{mode_of(subject), o.chunk,
                                                           o.own_chunk_type ? shape.dtype : PLUSMAX_F32,
                                                           o.accumulate_in_dweight_type, o.max_valid_tokens};
  return subject.module->plan_linear_cross_entropy(shape, options, static_cast<std::size_t>(o.budget), planned);
}

std::string refusal(const Subject& subject, const Call& call) { return refusal_of(subject, shape_of(call)); }

std::string refusal(const Subject& subject, const Case& of) {
  const Options o = options_of(of);
  return refusal_of(subject, shape_of(of, o));
}

Planning planning_of(const Subject& subject, const Call& call) {
  Params p;
  Planning planning;
  if (const std::string why = prepare(subject, shape_of(call), p, planning.planned); !why.empty())
    throw DeviceError(why);
  planning.shape = kernel_of(subject).error_shape(p);
  return planning;
}

double result_bytes(const Case& of, bool on_host) {
  const Options o = options_of(of);
  const double rows = static_cast<double>(of.rows) + static_cast<double>(of.cols);
  const double in_double = 8, stored = static_cast<double>(reference::size_of(of.dtype));
  return rows * static_cast<double>(o.features) * ((on_host ? 2 * stored + 4 : 0) + 2 * in_double);
}

Measured execute(const Subject& subject, const Call& call, const Execution& execution) {
  Device& device = *subject.module->device;
  device.configure(execution.schedule, execution.schedule_seed, execution.approx_noise);
  Memory memory(device, call, execution);
  Params p = params_of(shape_of(call));
  memory.place(p);
  Measured measured;
  Planned& planned = measured.planning.planned;
  demand_ok(subject, device, plan_of(subject, call.options, p, planned));
  p.plan = planned.plan.get();
  measured.planning.shape = kernel_of(subject).error_shape(p);
  void* workspace = memory.workspace(planned.workspace_bytes);
  const auto start = [&] { return kernel_of(subject).launch(p, workspace, device.stream()); };
  const int times = call.options.add_to_dweight ? 1 : 2;
  demand_ok(subject, device, execution.captured ? device.run_captured(start, times) : start());
  device.synchronize();
  memory.demand_intact();
  measured.results = memory.results();
  return measured;
}

}  // namespace plusmax::properties::linear_cross_entropy

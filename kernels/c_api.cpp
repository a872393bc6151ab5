// The C ABI: translates descriptors, keeps the last error, hands the rest to dispatch.
#include "kernels/include/plusmax/plusmax.h"

#include "kernels/cross_entropy/dispatch.hpp"
#include "kernels/linear_cross_entropy/dispatch.hpp"
#include "kernels/logsumexp/dispatch.hpp"

#include <cstdio>
#include <cstring>

namespace plusmax {
namespace {

constexpr std::size_t kWorkspaceUnit = 256;  // alignment of a workspace, and its least size

char* last_error() {
  thread_local char text[sizeof(Status::message)] = "";
  return text;
}

plusmax_status report(const Status& status) {
  std::memcpy(last_error(), status.message, sizeof status.message);
  return status.code;
}

Status check_size(const char* name, std::size_t size, std::size_t expected) {
  if (size == expected) return {};
  return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s.size %zu, this library's is %zu", name, size, expected);
}

std::size_t round_up(std::size_t bytes) {
  return bytes == 0 ? kWorkspaceUnit : (bytes + kWorkspaceUnit - 1) / kWorkspaceUnit * kWorkspaceUnit;
}

Status check_workspace(const void* workspace, std::size_t given, std::size_t needed) {
  if (reinterpret_cast<std::uintptr_t>(workspace) % kWorkspaceUnit != 0)
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "workspace %p is not aligned to %zu bytes", workspace,
                         kWorkspaceUnit);
  if (given < needed)
    return Status::error(PLUSMAX_WORKSPACE_TOO_SMALL, "workspace of %zu bytes, %zu needed", given, needed);
  return {};
}

// Before a number becomes an enum, whose values begin at 0.
Status check_enum(const char* name, std::int32_t value, std::int32_t last) {
  if (value >= 0 && value <= last) return {};
  return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s %d is unknown", name, static_cast<int>(value));
}

Status check_given(const char* name, const void* pointer) {
  if (pointer != nullptr) return {};
  return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s is NULL", name);
}

// What every call begins with, whatever its descriptor holds. `answer`: what it writes on the host.
template <class Descriptor, class Options>
Status check_call(const Descriptor* d, const Options* o, const char* answer_name, const void* answer) {
  if (Status status = check_given("descriptor", d); !status.ok()) return status;
  if (Status status = check_given(answer_name, answer); !status.ok()) return status;
  if (Status status = check_size("descriptor", d->size, sizeof *d); !status.ok()) return status;
  if (o != nullptr)
    if (Status status = check_size("options", o->size, sizeof *o); !status.ok()) return status;
  return check_enum("dtype", d->dtype, PLUSMAX_F64);
}

// And ends with: parameters whose shape has been checked; check_pointers(p) is asked only where something will run.
template <class Params>
Status query_or_launch(const KernelVariant<Params>& variant, const Params& p, Status (*check_pointers)(const Params&),
                       void* workspace, std::size_t* workspace_bytes, void* stream) {
  const std::size_t needed = round_up(variant.workspace_bytes(p));
  if (workspace == nullptr) {
    *workspace_bytes = needed;
    return {};
  }
  if (Status status = check_pointers(p); !status.ok()) return status;
  if (Status status = check_workspace(workspace, *workspace_bytes, needed); !status.ok()) return status;
  return variant.launch(p, workspace, stream);
}

Status call_logsumexp(const plusmax_logsumexp_descriptor* d, const plusmax_logsumexp_options* o, void* workspace,
                      std::size_t* workspace_bytes, void* stream) {
  if (Status status = check_call(d, o, "workspace_bytes", workspace_bytes); !status.ok()) return status;
  const logsumexp::Params p{static_cast<plusmax_dtype>(d->dtype),
                            d->rows,
                            d->cols,
                            d->row_stride,
                            d->col_stride,
                            d->logits,
                            d->lse_stride,
                            d->lse};
  if (Status status = logsumexp::check_shape(p); !status.ok()) return status;
  return query_or_launch(logsumexp::choose(p, {o != nullptr && o->batch_invariant != 0}), p, logsumexp::check_pointers,
                         workspace, workspace_bytes, stream);
}

cross_entropy::Params params_of(const plusmax_cross_entropy_descriptor& d, const plusmax_cross_entropy_options& o,
                                bool backward) {
  cross_entropy::Params p;
  p.dtype = static_cast<plusmax_dtype>(d.dtype);
  p.rows = d.rows;
  p.cols = d.cols;
  p.row_stride = d.row_stride;
  p.logits = d.logits;
  p.target_type = static_cast<plusmax_target_type>(d.target_type);
  p.target_stride = d.target_stride;
  p.targets = d.targets;
  p.weights = d.weights;
  p.upstream_stride = d.upstream_stride;
  p.upstream = d.upstream;
  p.normalizer = d.normalizer;
  p.options = {static_cast<plusmax_reduction>(o.reduction),
               o.ignore_index,
               o.label_smoothing,
               o.z_loss,
               o.softcap,
               o.logit_scale,
               o.nan_when_empty != 0};
  p.backward = backward;
  p.dlogits_stride = d.dlogits_stride;
  p.dlogits = d.dlogits;
  p.loss_rows = d.loss_rows;
  p.z_loss = d.z_loss;
  p.lse = d.lse;
  p.row_state = d.row_state;
  p.argmax = d.argmax;
  p.loss = d.loss;
  p.num_valid = d.num_valid;
  p.bad_targets = d.bad_targets;
  return p;
}

Status call_cross_entropy(const plusmax_cross_entropy_descriptor* d, const plusmax_cross_entropy_options* o,
                          bool backward, void* workspace, std::size_t* workspace_bytes, void* stream) {
  if (Status status = check_call(d, o, "workspace_bytes", workspace_bytes); !status.ok()) return status;
  if (d->col_stride != 1)
    return Status::error(PLUSMAX_UNSUPPORTED, "col_stride %lld, cross_entropy needs 1",
                         static_cast<long long>(d->col_stride));
  const plusmax_cross_entropy_options options =
      o == nullptr ? plusmax_cross_entropy_options PLUSMAX_CROSS_ENTROPY_OPTIONS : *o;
  if (Status status = check_enum("target_type", d->target_type, PLUSMAX_INT32); !status.ok()) return status;
  if (Status status = check_enum("reduction", options.reduction, PLUSMAX_MEAN); !status.ok()) return status;
  const cross_entropy::Params p = params_of(*d, options, backward);
  if (Status status = cross_entropy::check_shape(p); !status.ok()) return status;
  return query_or_launch(cross_entropy::choose(p, options.batch_invariant != 0), p, cross_entropy::check_pointers,
                         workspace, workspace_bytes, stream);
}

linear_cross_entropy::Params params_of(const plusmax_linear_cross_entropy_descriptor& d,
                                       const cross_entropy::Options& options) {
  linear_cross_entropy::Params p;
  p.dtype = static_cast<plusmax_dtype>(d.dtype);
  p.tokens = d.tokens;
  p.vocab = d.vocab;
  p.features = d.features;
  p.hidden_stride = d.hidden_stride;
  p.hidden = d.hidden;
  p.weight_stride = d.weight_stride;
  p.weight = d.weight;
  p.bias = d.bias;
  p.target_type = static_cast<plusmax_target_type>(d.target_type);
  p.target_stride = d.target_stride;
  p.targets = d.targets;
  p.class_weights = d.class_weights;
  p.upstream_stride = d.upstream_stride;
  p.upstream = d.upstream;
  p.normalizer = d.normalizer;
  p.options = options;
  p.dhidden_stride = d.dhidden_stride;
  p.dhidden = d.dhidden;
  p.dweight_type = static_cast<plusmax_dtype>(d.dweight_type);
  p.add_to_dweight = d.add_to_dweight != 0;
  p.dweight_stride = d.dweight_stride;
  p.dweight = d.dweight;
  p.dbias = d.dbias;
  p.loss_rows = d.loss_rows;
  p.z_loss = d.z_loss;
  p.lse = d.lse;
  p.argmax = d.argmax;
  p.loss = d.loss;
  p.num_valid = d.num_valid;
  p.bad_targets = d.bad_targets;
  p.excess_tokens = d.excess_tokens;
  return p;
}

Status check_linear_enums(const plusmax_linear_cross_entropy_descriptor& d) {
  if (Status status = check_enum("target_type", d.target_type, PLUSMAX_INT32); !status.ok()) return status;
  return check_enum("dweight_type", d.dweight_type, PLUSMAX_F64);
}

Status create_plan(const plusmax_linear_cross_entropy_descriptor* d, const plusmax_linear_cross_entropy_options* o,
                   std::size_t budget, plusmax_linear_cross_entropy_plan** made) {
  if (Status status = check_call(d, o, "plan", made); !status.ok()) return status;
  if (Status status = check_linear_enums(*d); !status.ok()) return status;
  const plusmax_linear_cross_entropy_options options =
      o == nullptr ? plusmax_linear_cross_entropy_options PLUSMAX_LINEAR_CROSS_ENTROPY_OPTIONS : *o;
  if (Status status = check_enum("reduction", options.reduction, PLUSMAX_MEAN); !status.ok()) return status;
  if (Status status = check_enum("mode", options.mode, PLUSMAX_LOSS_ONLY); !status.ok()) return status;
  if (Status status = check_enum("chunk_dtype", options.chunk_dtype, PLUSMAX_F64); !status.ok()) return status;
  const linear_cross_entropy::Params p =
      params_of(*d, {static_cast<plusmax_reduction>(options.reduction), options.ignore_index, options.label_smoothing,
                     options.z_loss, options.softcap, options.logit_scale, options.nan_when_empty != 0});
  const linear_cross_entropy::PlanOptions choices{static_cast<plusmax_linear_mode>(options.mode), options.chunk,
                                                  static_cast<plusmax_dtype>(options.chunk_dtype),
                                                  options.accumulate_in_dweight_type != 0, options.max_valid_tokens};
  if (Status status = linear_cross_entropy::check_shape(p); !status.ok()) return status;
  if (Status status = linear_cross_entropy::check_plan_options(p, choices); !status.ok()) return status;
  std::unique_ptr<linear_cross_entropy::Plan> plan;
  if (Status status = linear_cross_entropy::make_plan(p, choices, budget, plan); !status.ok()) return status;
  *made = reinterpret_cast<plusmax_linear_cross_entropy_plan*>(plan.release());
  return {};
}

Status describe_plan(const linear_cross_entropy::Plan* plan, plusmax_linear_cross_entropy_plan_info* info) {
  if (Status status = check_given("plan", plan); !status.ok()) return status;
  if (Status status = check_given("info", info); !status.ok()) return status;
  if (Status status = check_size("info", info->size, sizeof *info); !status.ok()) return status;
  const linear_cross_entropy::LogitsBytes bytes = linear_cross_entropy::logits_bytes(*plan);
  *info = {sizeof *info,  plan->options.mode, plan->options.chunk_dtype,
           plan->chunk(), plan->chunks,       plan->workspace_bytes,
           bytes.chunk,   bytes.whole,        3 * bytes.whole};
  return {};
}

// The call that a descriptor asks of a plan.
Status planned_call(const linear_cross_entropy::Plan* plan, const plusmax_linear_cross_entropy_descriptor* d,
                    std::size_t* workspace_bytes, linear_cross_entropy::Params& p) {
  constexpr const plusmax_linear_cross_entropy_options* kInPlan = nullptr;
  if (Status status = check_given("plan", plan); !status.ok()) return status;
  if (Status status = check_call(d, kInPlan, "workspace_bytes", workspace_bytes); !status.ok()) return status;
  if (Status status = check_linear_enums(*d); !status.ok()) return status;
  p = params_of(*d, plan->shape.options);
  p.plan = plan;
  if (Status status = linear_cross_entropy::check_shape(p); !status.ok()) return status;
  return linear_cross_entropy::check_planned(p);
}

Status call_linear_cross_entropy(const linear_cross_entropy::Plan* plan,
                                 const plusmax_linear_cross_entropy_descriptor* d, void* workspace,
                                 std::size_t* workspace_bytes, void* stream) {
  linear_cross_entropy::Params p;
  if (Status status = planned_call(plan, d, workspace_bytes, p); !status.ok()) return status;
  return query_or_launch(*plan->variant, p, linear_cross_entropy::check_pointers, workspace, workspace_bytes, stream);
}

Status tune_plan(linear_cross_entropy::Plan* plan, const plusmax_linear_cross_entropy_descriptor* d, void* workspace,
                 std::size_t workspace_bytes, void* stream) {
  linear_cross_entropy::Params p;
  if (Status status = planned_call(plan, d, &workspace_bytes, p); !status.ok()) return status;
  if (Status status = check_given("workspace", workspace); !status.ok()) return status;
  if (Status status = query_or_launch(*plan->variant, p, linear_cross_entropy::check_pointers, workspace,
                                      &workspace_bytes, stream);
      !status.ok())
    return status;
  return linear_cross_entropy::tune(*plan, p, workspace, stream);
}

}  // namespace
}  // namespace plusmax

extern "C" {

plusmax_status plusmax_logsumexp(const plusmax_logsumexp_descriptor* descriptor,
                                 const plusmax_logsumexp_options* options, void* workspace, size_t* workspace_bytes,
                                 void* stream) {
  return plusmax::report(plusmax::call_logsumexp(descriptor, options, workspace, workspace_bytes, stream));
}

plusmax_status plusmax_cross_entropy(const plusmax_cross_entropy_descriptor* descriptor,
                                     const plusmax_cross_entropy_options* options, void* workspace,
                                     size_t* workspace_bytes, void* stream) {
  return plusmax::report(plusmax::call_cross_entropy(descriptor, options, false, workspace, workspace_bytes, stream));
}

plusmax_status plusmax_cross_entropy_backward(const plusmax_cross_entropy_descriptor* descriptor,
                                              const plusmax_cross_entropy_options* options, void* workspace,
                                              size_t* workspace_bytes, void* stream) {
  return plusmax::report(plusmax::call_cross_entropy(descriptor, options, true, workspace, workspace_bytes, stream));
}

plusmax_status plusmax_linear_cross_entropy_plan_create(const plusmax_linear_cross_entropy_descriptor* descriptor,
                                                        const plusmax_linear_cross_entropy_options* options,
                                                        size_t workspace_budget,
                                                        plusmax_linear_cross_entropy_plan** plan) {
  return plusmax::report(plusmax::create_plan(descriptor, options, workspace_budget, plan));
}

void plusmax_linear_cross_entropy_plan_destroy(plusmax_linear_cross_entropy_plan* plan) {
  delete reinterpret_cast<plusmax::linear_cross_entropy::Plan*>(plan);
}

plusmax_status plusmax_linear_cross_entropy_plan_describe(const plusmax_linear_cross_entropy_plan* plan,
                                                          plusmax_linear_cross_entropy_plan_info* info) {
  return plusmax::report(
      plusmax::describe_plan(reinterpret_cast<const plusmax::linear_cross_entropy::Plan*>(plan), info));
}

plusmax_status plusmax_linear_cross_entropy_plan_tune(plusmax_linear_cross_entropy_plan* plan,
                                                      const plusmax_linear_cross_entropy_descriptor* descriptor,
                                                      void* workspace, size_t workspace_bytes, void* stream) {
  return plusmax::report(plusmax::tune_plan(reinterpret_cast<plusmax::linear_cross_entropy::Plan*>(plan), descriptor,
                                            workspace, workspace_bytes, stream));
}

plusmax_status plusmax_linear_cross_entropy(const plusmax_linear_cross_entropy_plan* plan,
                                            const plusmax_linear_cross_entropy_descriptor* descriptor, void* workspace,
                                            size_t* workspace_bytes, void* stream) {
  return plusmax::report(
      plusmax::call_linear_cross_entropy(reinterpret_cast<const plusmax::linear_cross_entropy::Plan*>(plan), descriptor,
                                         workspace, workspace_bytes, stream));
}

const char* plusmax_last_error(void) { return plusmax::last_error(); }

const char* plusmax_status_name(plusmax_status status) {
  switch (static_cast<int>(status)) {
    case PLUSMAX_OK:
      return "ok";
    case PLUSMAX_INVALID_ARGUMENT:
      return "invalid argument";
    case PLUSMAX_UNSUPPORTED:
      return "unsupported";
    case PLUSMAX_WORKSPACE_TOO_SMALL:
      return "workspace too small";
    case PLUSMAX_DEVICE_ERROR:
      return "device error";
  }
  return "unknown status";
}

const char* plusmax_version(void) { return PLUSMAX_VERSION; }

}  // extern "C"

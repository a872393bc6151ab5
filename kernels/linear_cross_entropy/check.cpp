#include "kernels/cross_entropy/dispatch.hpp"
#include "kernels/linear_cross_entropy/dispatch.hpp"
#include "kernels/primitives/dtype.cuh"
#include "kernels/range.hpp"

namespace plusmax::linear_cross_entropy {
namespace {

Status invalid(const char* name, std::int64_t value, const char* wanted) {
  return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s %lld, must be %s", name, static_cast<long long>(value), wanted);
}

Status check_stride(const char* name, std::int64_t lines, std::int64_t stride, std::int64_t features) {
  if (lines <= 1 || stride >= features) return {};
  return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s %lld < features %lld", name, static_cast<long long>(stride),
                       static_cast<long long>(features));
}

Ranges ranges_of(const Params& p) {
  const int size = element_size(p.dtype), sum_size = element_size(p.dweight_type);
  Ranges all;
  all.add(strided("hidden", p.hidden, p.tokens, p.hidden_stride, p.features, size), false);
  all.add(strided("weight", p.weight, p.vocab, p.weight_stride, p.features, size), false);
  all.add_vector("bias", p.bias, p.vocab, 1, size, false);
  all.add(strided("targets", p.targets, p.tokens, p.target_stride, 1, p.target_type == PLUSMAX_INT32 ? 4 : 8), false);
  all.add_vector("class_weights", p.class_weights, p.vocab, 1, 4, false);
  all.add_vector("upstream", p.upstream, p.tokens, p.upstream_stride, 4, false);
  all.add_vector("normalizer", p.normalizer, 2, 1, 8, false);
  if (p.dhidden != nullptr) all.add(strided("dhidden", p.dhidden, p.tokens, p.dhidden_stride, p.features, size), true);
  if (p.dweight != nullptr)
    all.add(strided("dweight", p.dweight, p.vocab, p.dweight_stride, p.features, sum_size), true);
  all.add_vector("dbias", p.dbias, p.vocab, 1, sum_size, true);
  all.add_vector("loss_rows", p.loss_rows, p.tokens, 1, 4, true);
  all.add_vector("z_loss", p.z_loss, p.tokens, 1, 4, true);
  all.add_vector("lse", p.lse, p.tokens, 1, 4, true);
  all.add_vector("argmax", p.argmax, p.tokens, 1, 8, true);
  all.add_vector("loss", p.loss, 1, 1, 4, true);
  all.add_vector("num_valid", p.num_valid, 1, 1, 8, true);
  all.add_vector("bad_targets", p.bad_targets, 1, 1, 8, true);
  all.add_vector("excess_tokens", p.excess_tokens, 1, 1, 8, true);
  return all;
}

Status check_strides(const Params& p) {
  const struct {
    const char* name;
    std::int64_t lines, stride;
    bool wanted;
  } rows[] = {{"hidden_stride", p.tokens, p.hidden_stride, p.hidden_stride != 0},  // one row may be read repeatedly
              {"weight_stride", p.vocab, p.weight_stride, true},
              {"dhidden_stride", p.tokens, p.dhidden_stride, p.dhidden != nullptr},
              {"dweight_stride", p.vocab, p.dweight_stride, p.dweight != nullptr}};
  for (const auto& row : rows)
    if (row.wanted)
      if (Status status = check_stride(row.name, row.lines, row.stride, p.features); !status.ok()) return status;
  return {};
}

}  // namespace

int alignment_of(const void* pointer, plusmax_dtype dtype) {
  constexpr int kBest = 16;
  return reinterpret_cast<std::uintptr_t>(pointer) % kBest == 0 ? kBest : element_size(dtype);
}

Status check_shape(const Params& p) {
  if (p.dtype == PLUSMAX_F64)
    return Status::error(PLUSMAX_UNSUPPORTED, "dtype %d (f64), linear_cross_entropy takes f32, f16 and bf16",
                         static_cast<int>(p.dtype));
  if (p.tokens < 0) return invalid("tokens", p.tokens, "0 or more");
  if (p.vocab < 1) return invalid("vocab", p.vocab, "1 or more");
  if (p.features < 1) return invalid("features", p.features, "1 or more");
  if (p.hidden_stride < 0) return invalid("hidden_stride", p.hidden_stride, "0 or more");
  if (p.target_stride < 0) return invalid("target_stride", p.target_stride, "0 or more");
  if (p.upstream_stride < 0) return invalid("upstream_stride", p.upstream_stride, "0 or more");
  if (Status status = check_strides(p); !status.ok()) return status;
  if (p.dweight_type != PLUSMAX_F32 && p.dweight_type != p.dtype)
    return Status::error(PLUSMAX_UNSUPPORTED, "dweight_type %d, must be f32 (%d) or dtype (%d)",
                         static_cast<int>(p.dweight_type), static_cast<int>(PLUSMAX_F32), static_cast<int>(p.dtype));
  if (Status status = cross_entropy::check_options(p.options, p.dtype); !status.ok()) return status;
  if (p.loss != nullptr && p.options.reduction == PLUSMAX_NONE)
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "loss %p, but with reduction none there is no single loss",
                         static_cast<void*>(p.loss));
  return ranges_of(p).check_extents();
}

Status check_plan_options(const Params& p, const PlanOptions& o) {
  if (o.chunk < 0) return invalid("chunk", o.chunk, "0 (planned) or more");
  if (o.chunk_dtype != PLUSMAX_F32 && o.chunk_dtype != p.dtype)
    return Status::error(PLUSMAX_UNSUPPORTED, "chunk_dtype %d, must be f32 (%d) or dtype (%d)",
                         static_cast<int>(o.chunk_dtype), static_cast<int>(PLUSMAX_F32), static_cast<int>(p.dtype));
  if (o.mode == PLUSMAX_LOSS_ONLY && wants_gradient(p))
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "mode loss_only has no gradients: dhidden %p, dweight %p, dbias %p",
                         p.dhidden, p.dweight, p.dbias);
  if (o.mode == PLUSMAX_VOCAB_SLICES && !wants_gradient(p))
    return Status::error(PLUSMAX_INVALID_ARGUMENT,
                         "mode vocab_slices, but dhidden, dweight and dbias are NULL: loss_only needs no gradient");
  if (o.max_valid_tokens < 0 || o.max_valid_tokens > p.tokens)
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "max_valid_tokens %lld, must be 0 (all) to tokens %lld",
                         static_cast<long long>(o.max_valid_tokens), static_cast<long long>(p.tokens));
  return {};
}

Status check_pointers(const Params& p) {
  return ranges_of(p).check_addresses([](const Range&, const Range&) { return false; });
}

Status check_planned(const Params& p) {
  const Params& plan = p.plan->shape;
  const struct {
    const char* name;
    std::int64_t given, planned;
  } numbers[] = {
      {"dtype", p.dtype, plan.dtype},
      {"tokens", p.tokens, plan.tokens},
      {"vocab", p.vocab, plan.vocab},
      {"features", p.features, plan.features},
      {"weight_stride", p.weight_stride, plan.weight_stride},
      {"dweight_stride", p.dweight_stride, plan.dweight_stride},
      {"dweight_type", p.dweight_type, plan.dweight_type},
      {"dhidden_stride", p.dhidden_stride, plan.dhidden_stride},
      {"alignment of dhidden", alignment_of(p.dhidden, p.dtype), alignment_of(plan.dhidden, p.dtype)},
      {"alignment of weight", alignment_of(p.weight, p.dtype), alignment_of(plan.weight, p.dtype)},
      {"alignment of dweight", alignment_of(p.dweight, p.dweight_type), alignment_of(plan.dweight, p.dweight_type)}};
  for (const auto& row : numbers)
    if (row.given != row.planned)
      return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s %lld, the plan's is %lld", row.name,
                           static_cast<long long>(row.given), static_cast<long long>(row.planned));
  const struct {
    const char* name;
    const void *given, *planned;
  } pointers[] = {{"bias", p.bias, plan.bias},          {"class_weights", p.class_weights, plan.class_weights},
                  {"dhidden", p.dhidden, plan.dhidden}, {"dweight", p.dweight, plan.dweight},
                  {"dbias", p.dbias, plan.dbias},       {"argmax", p.argmax, plan.argmax},
                  {"loss", p.loss, plan.loss}};
  for (const auto& row : pointers)
    if ((row.given == nullptr) != (row.planned == nullptr))
      return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s %p, the plan's is %p: both or neither must be NULL", row.name,
                           row.given, row.planned);
  return {};
}

}  // namespace plusmax::linear_cross_entropy

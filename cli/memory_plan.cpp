#include "cli/memory_plan.hpp"

#include "properties/case.hpp"

#include <stdexcept>

namespace plusmax::cli {
namespace {

using linear_cross_entropy::Planned;
using linear_cross_entropy::PlanOptions;

Status plan(const Module& module, const MemoryRequest& request, const PlanOptions& options, Planned& planned) {
  return module.plan_linear_cross_entropy(request.shape, options, request.budget, planned);
}

int bytes_of(plusmax_dtype dtype) { return dtype == PLUSMAX_F32 ? 4 : 2; }

}  // namespace

const char* name_of(plusmax_linear_mode mode) {
  switch (mode) {
    case PLUSMAX_TOKEN_CHUNKS: return "token_chunks";
    case PLUSMAX_VOCAB_SLICES: return "vocab_slices";
    case PLUSMAX_LOSS_ONLY: return "loss_only";
    case PLUSMAX_LINEAR_AUTO: break;
  }
  return "auto";
}

reports::LogitsQuestion logits_question(const MemoryRequest& request, std::int64_t chunk) {
  const linear_cross_entropy::Params& p = request.shape;
  const bool sums = p.dweight != nullptr && p.dweight_type != PLUSMAX_F32 && !request.options.accumulate_in_dweight_type;
  return {p.tokens, p.vocab, p.features, request.options.max_valid_tokens, bytes_of(p.dtype), bytes_of(request.options.chunk_dtype), sums, chunk};
}

std::vector<ModePlan> plan_modes(const Module& module, const MemoryRequest& request) {
  Planned chosen;
  if (const Status status = plan(module, request, request.options, chosen); !status.ok()) {
    if (status.code == PLUSMAX_DEVICE_ERROR) throw std::runtime_error(status.message);
    const char* option = status.code == PLUSMAX_WORKSPACE_TOO_SMALL ? "--budget: " : "";
    throw properties::UsageError(option + std::string(status.message));
  }
  const bool gradient = linear_cross_entropy::wants_gradient(request.shape);
  std::vector<ModePlan> plans;
  for (const plusmax_linear_mode mode : {PLUSMAX_TOKEN_CHUNKS, gradient ? PLUSMAX_VOCAB_SLICES : PLUSMAX_LOSS_ONLY}) {
    ModePlan one{mode, chosen, "", mode == chosen.mode};
    if (!one.chosen) {
      PlanOptions options = request.options;
      options.mode = mode, options.chunk = 0;
      if (const Status status = plan(module, request, options, one.planned); !status.ok()) one.refusal = status.message;
    }
    plans.push_back(std::move(one));
  }
  return plans;
}

}  // namespace plusmax::cli

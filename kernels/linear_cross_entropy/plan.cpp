#include "kernels/linear_cross_entropy/plan.hpp"

#include "kernels/cross_entropy/dispatch.hpp"
#include "kernels/linear_cross_entropy/config.hpp"
#include "kernels/linear_cross_entropy/dispatch.hpp"
#include "kernels/linear_cross_entropy/products.hpp"
#include "kernels/linear_cross_entropy/workspace.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace plusmax::linear_cross_entropy {

extern const KernelVariant<Params> token_chunks, vocab_slices, loss_only;

namespace {

std::int64_t ceil_divide(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

// What is divided, and in what: tokens, or classes.
struct Division {
  std::int64_t length, unit, wanted;
};
Division division_of(const Plan& plan) {
  if (plan.slices()) return {plan.shape.vocab, kSliceUnit, kWantedSlice};
  return {plan.rows, kChunkUnit, kWantedChunk};
}

// Parts of the same length, so that none is short, of whole units unless there is one.
void divide(Plan& plan, std::int64_t count, std::int64_t unit) {
  const std::int64_t length = division_of(plan).length;
  const std::int64_t part = std::min(ceil_divide(ceil_divide(length, count), unit) * unit, length);
  plan.tile_rows = plan.slices() ? plan.rows : part;
  plan.tile_cols = plan.slices() ? part : plan.shape.vocab;
  plan.chunks = plan.rows == 0 ? 0 : ceil_divide(length, part);
  plan.row_variant = nullptr;
  if (!plan.slices()) plan.row_variant = &cross_entropy::choose(rows_call(plan.shape, layout(plan.shape)), false);
  plan.workspace_bytes = plan.variant->workspace_bytes(plan.shape);
}

// As few parts as fit. Without a budget one, unless parts of the wanted length need less.
void choose_chunk(Plan& plan, std::size_t budget) {
  const Division d = division_of(plan);
  divide(plan, 1, 1);
  if (budget == 0) {
    const std::size_t whole = plan.workspace_bytes;
    divide(plan, std::max<std::int64_t>((d.length + d.wanted / 2) / d.wanted, 1), d.unit);
    if (plan.workspace_bytes >= whole) divide(plan, 1, 1);
    return;
  }
  if (plan.workspace_bytes <= budget || plan.chunk() <= d.unit) return;
  // From two parts on, more of them never need more bytes.
  std::int64_t fewest = 2, most = ceil_divide(d.length, d.unit);
  while (fewest < most) {
    const std::int64_t count = fewest + (most - fewest) / 2;
    divide(plan, count, d.unit);
    if (plan.workspace_bytes <= budget)
      most = count;
    else
      fewest = count + 1;
  }
  divide(plan, fewest, d.unit);
}

// `chunk` as in PlanOptions. Slices begin where rows of the logits and the bias are aligned.
void set_mode(Plan& plan, plusmax_linear_mode mode, std::int64_t chunk, std::size_t budget) {
  plan.options.mode = mode;
  plan.variant = mode == PLUSMAX_TOKEN_CHUNKS ? &token_chunks : mode == PLUSMAX_LOSS_ONLY ? &loss_only : &vocab_slices;
  const Params& p = plan.shape;
  plan.hidden_in_dhidden = mode == PLUSMAX_VOCAB_SLICES && p.dhidden != nullptr &&
                           alignment_of(p.dhidden, p.dtype) == kVectorBytes &&
                           p.dhidden_stride * element_size(p.dtype) % kVectorBytes == 0;
  if (chunk > 0)
    divide(plan, std::max<std::int64_t>(ceil_divide(division_of(plan).length, chunk), 1),
           plan.slices() ? kSliceUnit : 1);
  else
    choose_chunk(plan, budget);
}

void choose_mode(Plan& plan, std::int64_t chunk, std::size_t budget) {
  if (!wants_gradient(plan.shape)) return set_mode(plan, PLUSMAX_LOSS_ONLY, chunk, budget);
  set_mode(plan, PLUSMAX_TOKEN_CHUNKS, chunk, budget);
  const bool fits = budget == 0 || plan.workspace_bytes <= budget;
  if (chunk > 0 || (fits && plan.tile_rows >= std::min(kLeastChunk, plan.rows))) return;
  set_mode(plan, PLUSMAX_VOCAB_SLICES, 0, budget);
  if (fits && plan.workspace_bytes > budget) set_mode(plan, PLUSMAX_TOKEN_CHUNKS, 0, budget);
}

platform::Product logits_product(const Params& p, std::int64_t cols) {
  return {.m = p.plan->tile_rows,
          .n = cols,
          .k = p.features,
          .operands = p.dtype,
          .result = chunk_dtype(p),
          .b_transposed = true,
          .a_stride = compact_stride(p),
          .b_stride = std::max(p.weight_stride, p.features),
          .c_stride = line_stride(p.plan->tile_cols),
          .bias = p.bias != nullptr,
          .alignment = alignment_of(p.weight, p.dtype)};
}

// Over the rows of X, or into a sum over slices.
platform::Product dhidden_product(const Params& p, std::int64_t cols) {
  return {.m = p.plan->tile_rows,
          .n = p.features,
          .k = cols,
          .operands = p.dtype,
          .result = p.plan->slices() ? PLUSMAX_F32 : p.dtype,
          .a_stride = dlogits_stride(p),
          .b_stride = std::max(p.weight_stride, p.features),
          .c_stride = line_stride(p.features),
          .alignment = alignment_of(p.weight, p.dtype)};
}

platform::Product dweight_product(const Params& p, std::int64_t cols) {
  const bool apart = p.plan->sums_dweight_apart();
  return {.m = cols,
          .n = p.features,
          .k = p.plan->tile_rows,
          .operands = p.dtype,
          .result = apart ? PLUSMAX_F32 : p.dweight_type,
          .a_transposed = true,
          .a_stride = dlogits_stride(p),
          .b_stride = compact_stride(p),
          .c_stride = apart ? p.features : std::max(p.dweight_stride, p.features),
          .alignment = apart ? alignment_of(nullptr, PLUSMAX_F32) : alignment_of(p.dweight, p.dweight_type)};
}

Status plan_chunk(Plan& plan, std::int64_t cols, std::size_t most_bytes, ChunkProducts& products) {
  const auto add = [&](const platform::Product& product, platform::PlannedProduct& planned) {
    Status status = plan.gemm.plan(product, most_bytes, planned);
    if (status.ok()) plan.product_bytes = std::max(plan.product_bytes, planned.workspace_bytes);
    return status;
  };
  const Params& p = plan.shape;
  if (Status status = add(logits_product(p, cols), products.logits); !status.ok()) return status;
  if (p.dhidden != nullptr)
    if (Status status = add(dhidden_product(p, cols), products.dhidden); !status.ok()) return status;
  if (p.dweight == nullptr) return {};
  return add(dweight_product(p, cols), products.dweight);
}

// With at most plan.product_bytes of workspace each, which become what they take.
Status plan_products(Plan& plan) {
  const std::size_t most = std::exchange(plan.product_bytes, 0);
  if (plan.chunks == 0) return {};
  if (Status status = plan_chunk(plan, plan.tile_cols, most, plan.products); !status.ok()) return status;
  const std::int64_t last = plan.shape.vocab % plan.tile_cols;
  return last == 0 ? Status{} : plan_chunk(plan, last, most, plan.last_products);
}

Status choose(Plan& plan, const PlanOptions& options, std::size_t budget) {
  if (options.mode == PLUSMAX_LINEAR_AUTO)
    choose_mode(plan, options.chunk, budget);
  else
    set_mode(plan, options.mode, options.chunk, budget);
  return plan_products(plan);
}

}  // namespace

Status make_plan(const Params& shape, const PlanOptions& options, std::size_t budget, std::unique_ptr<Plan>& made) {
  std::unique_ptr<Plan> plan(new (std::nothrow) Plan{});
  if (plan == nullptr) return Status::error(PLUSMAX_DEVICE_ERROR, "no memory for a plan of %zu bytes", sizeof(Plan));
  plan->shape = shape;
  plan->shape.plan = plan.get();
  plan->options = options;
  plan->rows = options.max_valid_tokens > 0 ? options.max_valid_tokens : shape.tokens;
  if (Status status = plan->gemm.open(); !status.ok()) return status;

  const std::size_t share = budget == 0 ? kProductBytes : std::min(kProductBytes, budget / kProductShare);
  plan->product_bytes = share;
  if (Status status = choose(*plan, options, budget); !status.ok()) return status;
  // What the products leave of their share makes the parts longer, if cuBLASLt has algorithms for those, too.
  if (budget > 0 && options.chunk == 0 && plan->chunks > 1 && plan->product_bytes < share &&
      !choose(*plan, options, budget).ok()) {
    plan->product_bytes = share;
    if (Status status = choose(*plan, options, budget); !status.ok()) return status;
  }
  plan->workspace_bytes = plan->variant->workspace_bytes(plan->shape);
  if (budget > 0 && plan->workspace_bytes > budget)
    return Status::error(PLUSMAX_WORKSPACE_TOO_SMALL,
                         "workspace_budget of %zu bytes, %zu needed by %s in parts of %lld", budget,
                         plan->workspace_bytes, plan->variant->name, static_cast<long long>(plan->chunk()));
  made = std::move(plan);
  return {};
}

Status plan_call(const Params& shape, const PlanOptions& options, std::size_t budget, Planned& planned) {
  if (Status status = check_shape(shape); !status.ok()) return status;
  if (Status status = check_plan_options(shape, options); !status.ok()) return status;
  std::unique_ptr<Plan> plan;
  if (Status status = make_plan(shape, options, budget, plan); !status.ok()) return status;
  planned = {nullptr,      plan->options.mode,    plan->chunk(),
             plan->chunks, plan->workspace_bytes, logits_bytes(*plan).chunk};
  planned.plan = std::move(plan);
  return {};
}

Status tune(Plan& plan, const Params& p, void* workspace, void* stream) {
  if (plan.chunks == 0) return {};
  const Workspace space = layout(p, workspace);
  const auto tune_chunk = [&](ChunkProducts& products, std::int64_t begin) {
    const auto add = [&](platform::PlannedProduct& product, const platform::Factors& factors, bool adds) {
      return plan.gemm.tune(product, plan.product_bytes, factors, adds, space.product, stream);
    };
    if (Status status = add(products.logits, logits_factors(p, space, begin), false); !status.ok()) return status;
    if (p.dhidden != nullptr)
      if (Status status = add(products.dhidden, dhidden_factors(p, space, begin), plan.slices()); !status.ok())
        return status;
    if (p.dweight == nullptr) return Status{};
    return add(products.dweight, dweight_factors(p, space, begin), !plan.slices() && plan.chunks > 1);
  };
  if (Status status = tune_chunk(plan.products, 0); !status.ok()) return status;
  const std::int64_t rest = plan.shape.vocab % plan.tile_cols;
  return rest == 0 ? Status{} : tune_chunk(plan.last_products, plan.shape.vocab - rest);
}

LogitsBytes logits_bytes(const Plan& plan) {
  const Params& p = plan.shape;
  return {static_cast<std::size_t>(plan.tile_rows * line_stride(plan.tile_cols) * element_size(chunk_dtype(p))),
          static_cast<std::size_t>(p.tokens * p.vocab * element_size(p.dtype))};
}

}  // namespace plusmax::linear_cross_entropy

// The products of a plan's calls alone. Their logits have a place of their own, as a whole matrix; dX and dW lie where
// the call's do.
#include "kernels/linear_cross_entropy/config.hpp"
#include "kernels/linear_cross_entropy/dispatch.hpp"
#include "kernels/linear_cross_entropy/plan.hpp"
#include "kernels/linear_cross_entropy/workspace.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace plusmax::linear_cross_entropy {
namespace {

class Ceiling final : public ProductCeiling {
 public:
  explicit Ceiling(const Params& p)
      : rows_(p.plan->rows),
        recomputes_(p.plan->options.mode == PLUSMAX_VOCAB_SLICES && p.plan->chunks > 1),
        dhidden_wanted_(p.dhidden != nullptr),
        dweight_wanted_(p.dweight != nullptr) {}

  Status plan(const Params& p) {
    if (rows_ == 0) return Status::error(PLUSMAX_INVALID_ARGUMENT, "tokens 0: there is no product to measure");
    if (Status status = gemm_.open(); !status.ok()) return status;
    const std::int64_t logits_stride = line_stride(p.vocab);
    const auto product = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
      platform::Product made{};
      made.m = m, made.n = n, made.k = k;
      made.operands = made.result = p.dtype;
      made.alignment = std::min(alignment_of(p.hidden, p.dtype), alignment_of(p.weight, p.dtype));
      return made;
    };
    platform::Product logits = product(rows_, p.vocab, p.features);
    logits.b_transposed = true;
    logits.a_stride = p.hidden_stride, logits.b_stride = p.weight_stride, logits.c_stride = logits_stride;
    if (Status status = gemm_.plan(logits, kProductBytes, logits_); !status.ok()) return status;
    if (dhidden_wanted_) {
      platform::Product dhidden = product(rows_, p.features, p.vocab);
      dhidden.a_stride = logits_stride, dhidden.b_stride = p.weight_stride, dhidden.c_stride = p.dhidden_stride;
      dhidden.alignment = std::min(dhidden.alignment, alignment_of(p.dhidden, p.dtype));
      if (Status status = gemm_.plan(dhidden, kProductBytes, dhidden_); !status.ok()) return status;
    }
    if (!dweight_wanted_) return {};
    platform::Product dweight = product(p.vocab, p.features, rows_);
    dweight.a_transposed = true;
    dweight.a_stride = logits_stride, dweight.b_stride = p.hidden_stride, dweight.c_stride = p.dweight_stride;
    dweight.alignment = std::min(dweight.alignment, alignment_of(p.dweight, p.dtype));
    return gemm_.plan(dweight, kProductBytes, dweight_);
  }

  int count() const override { return (recomputes_ ? 2 : 1) + dhidden_wanted_ + dweight_wanted_; }

  std::size_t workspace_bytes() const override {
    const platform::Product& p = logits_.product;
    return kProductBytes + static_cast<std::size_t>(p.m * p.c_stride * element_size(p.result));
  }

  Status tune(const Params& p, void* workspace, void* stream) override {
    const Operands of(p, workspace);
    const auto tune = [&](platform::PlannedProduct& product, const platform::Factors& factors) {
      return gemm_.tune(product, kProductBytes, factors, false, workspace, stream);
    };
    if (Status status = tune(logits_, of.logits); !status.ok()) return status;
    if (dhidden_wanted_)
      if (Status status = tune(dhidden_, of.dhidden); !status.ok()) return status;
    return dweight_wanted_ ? tune(dweight_, of.dweight) : Status{};
  }

  Status run(const Params& p, void* workspace, void* stream) const override {
    const Operands of(p, workspace);
    const auto run = [&](const platform::PlannedProduct& product, const platform::Factors& factors) {
      return gemm_.run(product, factors, false, workspace, stream);
    };
    for (int time = 0; time < (recomputes_ ? 2 : 1); ++time)
      if (Status status = run(logits_, of.logits); !status.ok()) return status;
    if (dweight_wanted_)
      if (Status status = run(dweight_, of.dweight); !status.ok()) return status;
    return dhidden_wanted_ ? run(dhidden_, of.dhidden) : Status{};
  }

 private:
  // What the products' own workspace lies in front of.
  struct Operands {
    Operands(const Params& p, void* workspace) {
      void* z = static_cast<unsigned char*>(workspace) + kProductBytes;
      logits = {p.hidden, p.weight, z, nullptr};
      dhidden = {z, p.weight, p.dhidden, nullptr};
      dweight = {z, p.hidden, p.dweight, nullptr};
    }
    platform::Factors logits, dhidden, dweight;
  };

  std::int64_t rows_;
  bool recomputes_, dhidden_wanted_, dweight_wanted_;
  platform::Gemm gemm_;
  platform::PlannedProduct logits_{}, dhidden_{}, dweight_{};
};

}  // namespace

Status plan_product_ceiling(const Params& call, std::unique_ptr<ProductCeiling>& made) {
  if (call.plan == nullptr) return Status::error(PLUSMAX_INVALID_ARGUMENT, "product ceiling: no plan");
  std::unique_ptr<Ceiling> ceiling(new (std::nothrow) Ceiling(call));
  if (ceiling == nullptr)
    return Status::error(PLUSMAX_DEVICE_ERROR, "no memory for a plan of %zu bytes", sizeof(Ceiling));
  if (Status status = ceiling->plan(call); !status.ok()) return status;
  made = std::move(ceiling);
  return {};
}

}  // namespace plusmax::linear_cross_entropy

#include "properties/ops/linear_cross_entropy/bench.hpp"

#include "properties/ops/linear_cross_entropy/bench_judge.hpp"
#include "properties/ops/linear_cross_entropy/bench_memory.hpp"
#include "properties/ops/linear_cross_entropy/launch.hpp"

#include <fmt/format.h>

#include <utility>

namespace plusmax::properties::linear_cross_entropy {
namespace {

using plusmax::linear_cross_entropy::Params;
using plusmax::linear_cross_entropy::Planned;
using plusmax::linear_cross_entropy::ProductCeiling;

void demand(const Status& status) {
  if (!status.ok()) throw DeviceError(status.message);
}

class Products final : public BenchProducts {
 public:
  Products(const Module& module, const Params& call) : call_(call) {
    demand(module.plan_product_ceiling(call, ceiling_));
    workspace_ = bench_memory(module, "products", ceiling_->workspace_bytes());
    demand(ceiling_->tune(call, workspace_->data(), module.device->stream()));
  }
  std::string name() const override {
    return fmt::format("{} product{}", ceiling_->count(), ceiling_->count() > 1 ? "s" : "");
  }
  Status launch(void* stream) const override { return ceiling_->run(call_, workspace_->data(), stream); }

 private:
  Params call_;
  std::unique_ptr<ProductCeiling> ceiling_;
  std::unique_ptr<DeviceBuffer> workspace_;
};

class Bed final : public BenchBed {
 public:
  Bed(const Case& of, const Module& module)
      : module_(module), data_(of), memory_(module, data_), judge_(data_, memory_) {}

  std::string refusal(const Subject& subject) const override {
    if (subject.variant == "loss_only" && data_.options.gradients != 0) return "loss_only has no gradients";
    if (subject.variant == planned_for_) return "";
    planned_for_.clear();
    params_ = memory_.params();
    Status status = plan_of(subject, data_.options, params_, planned_);
    params_.plan = planned_.plan.get();
    if (status.ok()) status = kernel_of(subject).supports(params_);
    if (!status.ok()) return status.message;
    planned_for_ = subject.variant;
    return "";
  }
  void release() override {
    planned_for_.clear();
    planned_ = {};
  }
  double bytes(const Subject& subject) const override { return kernel_of(subject).bytes(call(subject)); }
  std::size_t workspace_bytes(const Subject& subject) const override { return call(subject), planned_.workspace_bytes; }
  Status launch(const Subject& subject, int, void* workspace, void* stream) const override {
    return kernel_of(subject).launch(call(subject), workspace, stream);
  }
  Status tune(const Subject& subject, void* workspace, void* stream) override {
    return module_.tune_linear_cross_entropy(*planned_.plan, call(subject), workspace, stream);
  }
  std::unique_ptr<BenchProducts> products(const Subject& subject) override {
    return std::make_unique<Products>(module_, call(subject));
  }

  std::string verify(const Subject& subject, void* workspace) override {
    if (std::string wrong = fresh_launch(subject, workspace); !wrong.empty()) return wrong;
    return judge_.wrong({kernel_of(subject).error_shape(call(subject)), planned_});
  }
  std::vector<BenchError> errors() const override { return judge_.errors(); }
  std::string sample() const override { return judge_.sample(); }

  // Gradients stay on the device: gigabytes of them.
  std::string repeat(const Subject& subject, void* workspace, int times) override {
    const Kept dhidden = kept(memory_.dhidden(), memory_.dhidden_bytes()),
               dweight = kept(memory_.dweight(), memory_.dweight_bytes());
    std::vector<unsigned char> small;
    for (int k = 0; k < times; ++k) {
      if (std::string wrong = fresh_launch(subject, workspace); !wrong.empty()) return wrong;
      std::vector<unsigned char> bytes = memory_.small_results();
      if (k == 0) {
        small = std::move(bytes);
        keep(dhidden), keep(dweight);
        continue;
      }
      if (bytes != small)
        return fmt::format("launch {} of {} gave another loss, lse or dbias than the first", k + 1, times);
      if (const auto row = other_row(dhidden, data_.tokens()); row >= 0)
        return other_bits(k + 1, times, row, "dhidden");
      if (const auto row = other_row(dweight, data_.vocab()); row >= 0) return other_bits(k + 1, times, row, "dweight");
    }
    return "";
  }

 private:
  struct Kept {
    const DeviceBuffer* from;
    std::size_t bytes;
    std::unique_ptr<DeviceBuffer> first;
  };
  Kept kept(const DeviceBuffer* from, std::size_t bytes) const {
    return {from, bytes, from != nullptr ? bench_memory(module_, "first gradient", bytes) : nullptr};
  }
  void keep(const Kept& k) const {
    if (k.from != nullptr)
      demand(module_.bench->copy(k.first->data(), k.from->data(), k.bytes, module_.device->stream()));
  }
  // -1: none
  std::int64_t other_row(const Kept& k, std::int64_t rows) const {
    if (k.from == nullptr) return -1;
    const std::size_t at = module_.bench->first_difference(k.first->data(), k.from->data(), k.bytes);
    return at == k.bytes ? -1 : static_cast<std::int64_t>(at / (k.bytes / static_cast<std::size_t>(rows)));
  }

  const Params& call(const Subject& subject) const {
    if (const std::string why = refusal(subject); !why.empty()) throw DeviceError(why);
    return params_;
  }
  std::string fresh_launch(const Subject& subject, void* workspace) {
    memory_.reset();
    return finished(module_, [&](void* on) { return launch(subject, 0, workspace, on); });
  }

  const Module& module_;
  BenchData data_;
  BenchMemory memory_;
  BenchJudge judge_;
  // Of the subject that was asked for last.
  mutable std::string planned_for_;
  mutable Planned planned_;
  mutable Params params_;
};

struct Row {
  const char *variant, *options;
};
// One chunk in the types that cost least, in f32; chunks summed in f32, into the caller's f32, in 16 bits; slices
// within a budget and as planned; losses alone; options; a batch that is half ignored.
constexpr Row kDevice[] = {{"token_chunks", "chunk=8192"},
                           {"token_chunks", "chunk=8192 chunk_dtype=f32"},
                           {"token_chunks", "chunk=2048"},
                           {"token_chunks", "chunk=2048 dweight_type=f32 add_to_dweight=yes"},
                           {"token_chunks", "chunk=1024 accumulate_in_dweight_type=yes"},
                           {"vocab_slices", "budget=250000000"},
                           {"vocab_slices", ""},
                           {"loss_only", "gradient=none dweight_type=f32"},
                           {"token_chunks",
                            "chunk=8192 smoothing=0.1 softcap=30 bias=normal weights=uniform "
                            "gradient=dhidden,dweight,dbias"},
                           {"token_chunks", "chunk=4096 max_valid_tokens=4096 targets=[7,-100,90001,-100,...]"}};
constexpr Row kHost[] = {{"token_chunks", "chunk=12 features=24"},
                         {"token_chunks", "chunk=5 features=24 chunk_dtype=f32"},
                         {"token_chunks", "chunk=5 features=24 dweight_type=f32 add_to_dweight=yes"},
                         {"vocab_slices", "chunk=128 features=24 gradient=dhidden,dweight,dbias bias=normal"},
                         {"loss_only", "features=24 gradient=none dweight_type=f32"}};

}  // namespace

std::vector<BenchCase> bench_cases(std::string_view backend) {
  const bool host = backend == "host";
  std::vector<BenchCase> cases;
  for (const Row& row : host ? std::span<const Row>(kHost) : std::span<const Row>(kDevice)) {
    Case& of = cases.emplace_back(BenchCase{{}, row.variant, row.options}).of;
    of.op = "linear_cross_entropy";
    of.dtype = PLUSMAX_BF16;
    set_shape(of, host ? 12 : 8192, host ? 300 : 128256);
  }
  return cases;
}

std::unique_ptr<BenchBed> bench_bed(const Case& of, const Module& module) { return std::make_unique<Bed>(of, module); }

}  // namespace plusmax::properties::linear_cross_entropy

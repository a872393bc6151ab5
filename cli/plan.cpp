// plan: how much memory the logits of linear_cross_entropy need by each way, and which chunk fits a budget.
#include "cli/memory_plan.hpp"
#include "cli/plan_answer.hpp"
#include "cli/suggest.hpp"
#include "cli/verbs.hpp"
#include "properties/case.hpp"
#include "properties/number.hpp"
#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <sstream>
#include <utility>

namespace plusmax::cli {
namespace {

using properties::UsageError;

constexpr int kMostLines = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostElements = std::int64_t{1} << 48;  // of a matrix: its bytes are exact in a script's numbers

struct PlanVerbOptions {
  Selection selection;
  std::int64_t tokens = 0, vocab = 0, features = 0, chunk = 0, max_valid_tokens = 0;
  std::string dtype = "bf16", dweight_type = "f32", chunk_dtype = "f32";
  std::string gradients = "all", reduction = "mean", mode = "auto", budget;
  bool bias = false, class_weights = false, argmax = false, accumulate_in_dweight_type = false, json = false;
  double bandwidth = 3.35;  // TB/s: what NVIDIA states for an H100 SXM
};

template <class T>
T named(const char* kind, const std::string& name, std::initializer_list<std::pair<const char*, T>> values) {
  std::vector<std::string> known;
  for (const auto& [text, value] : values) {
    if (name == text) return value;
    known.emplace_back(text);
  }
  throw UsageError(unknown_name(kind, name, known));
}

plusmax_dtype storage(const char* kind, const std::string& name) {
  return named<plusmax_dtype>(kind, name, {{"f32", PLUSMAX_F32}, {"f16", PLUSMAX_F16}, {"bf16", PLUSMAX_BF16}});
}

// Of f32, or of the type of X.
plusmax_dtype storage_beside(const char* kind, const char* option, const std::string& name, const std::string& dtype) {
  const plusmax_dtype type = storage(kind, name);
  if (type != PLUSMAX_F32 && name != dtype) throw UsageError(fmt::format("{} {} with --dtype {}: it is f32, or {} as X", option, name, dtype, dtype));
  return type;
}

// What is asked for is not null; where it leads is not looked at.
void ask_for_gradients(linear_cross_entropy::Params& p, void* somewhere, const std::string& list, bool bias) {
  if (list == "none") return;
  std::istringstream words(list == "all" ? bias ? "dhidden,dweight,dbias" : "dhidden,dweight" : list);
  if (list.empty()) throw UsageError("--gradients '' names none: write all, none, or some of dhidden,dweight,dbias");
  for (std::string word; std::getline(words, word, ',');)
    *named<void**>("gradient", word, {{"dhidden", &p.dhidden}, {"dweight", &p.dweight}, {"dbias", &p.dbias}}) = somewhere;
}

void require_countable(const char* first, std::int64_t a, const char* second, std::int64_t b) {
  if (a > 0 && b > kMostElements / a) throw UsageError(fmt::format("{} {} x {} {} are more than 2^48 elements", first, a, second, b));
}

MemoryRequest request_of(const PlanVerbOptions& o) {
  alignas(256) static float somewhere[64];
  MemoryRequest r;
  linear_cross_entropy::Params& p = r.shape;
  p.dtype = storage("dtype", o.dtype);
  p.dweight_type = storage_beside("type of dW", "--dweight-type", o.dweight_type, o.dtype);
  r.options.chunk_dtype = storage_beside("type of a chunk", "--chunk-dtype", o.chunk_dtype, o.dtype);
  require_countable("--tokens", o.tokens, "--vocab", o.vocab);
  require_countable("--vocab", o.vocab, "--features", o.features);
  require_countable("--tokens", o.tokens, "--features", o.features);
  p.tokens = o.tokens, p.vocab = o.vocab, p.features = o.features;
  p.hidden_stride = p.weight_stride = p.dhidden_stride = p.dweight_stride = o.features;
  ask_for_gradients(p, somewhere, o.gradients, o.bias);
  if (o.bias) p.bias = somewhere;
  if (o.class_weights) p.class_weights = somewhere;
  if (o.argmax) p.argmax = reinterpret_cast<std::int64_t*>(somewhere);
  p.options.reduction = named<plusmax_reduction>("reduction", o.reduction, {{"none", PLUSMAX_NONE}, {"sum", PLUSMAX_SUM}, {"mean", PLUSMAX_MEAN}});
  if (p.options.reduction != PLUSMAX_NONE) p.loss = somewhere;
  r.options.mode = named<plusmax_linear_mode>("mode", o.mode, {{"auto", PLUSMAX_LINEAR_AUTO}, {"token_chunks", PLUSMAX_TOKEN_CHUNKS}, {"vocab_slices", PLUSMAX_VOCAB_SLICES}, {"loss_only", PLUSMAX_LOSS_ONLY}});
  const bool gradient = linear_cross_entropy::wants_gradient(p);
  if (r.options.mode == PLUSMAX_LOSS_ONLY && gradient) throw UsageError(fmt::format("--mode loss_only makes no gradient, --gradients asks for {}: write --gradients none", o.gradients));
  if (r.options.mode == PLUSMAX_VOCAB_SLICES && !gradient) throw UsageError("--mode vocab_slices with --gradients none: that is --mode loss_only");
  r.options.chunk = o.chunk, r.options.max_valid_tokens = o.max_valid_tokens;
  r.options.accumulate_in_dweight_type = o.accumulate_in_dweight_type;
  r.budget = o.budget.empty() ? 0 : parse_bytes(o.budget).value();
  return r;
}

std::string refuse_bandwidth(const std::string& text) {
  const std::optional<double> rate = properties::parse_number(text);
  return rate && *rate > 0 && *rate <= 1e6 ? "" : fmt::format("'{}' is no bandwidth: write TB/s, above 0 up to 1e6", text);
}

int plan(const PlanVerbOptions& options) {
  options.selection.validate();
  const MemoryRequest request = request_of(options);
  const Backend backend = choose_backend(options.selection);
  const PlanAnswer answer{request, plan_modes(*backend.module, request), backend.name, options.bandwidth};
  fmt::print("{}", options.json ? json_of(answer) : text_of(answer));
  return reports::kAllPassed;
}

}  // namespace

RunVerb add_plan(Arguments& arguments) {
  auto o = std::make_shared<PlanVerbOptions>();
  arguments.option("--tokens", o->tokens, "of the batch", {.refuse = refuse_outside<0, kMostLines>, .required = true});
  arguments.option("--vocab", o->vocab, "classes", {.refuse = refuse_outside<1, kMostLines>, .required = true});
  arguments.option("--features,-d", o->features, "length of a hidden state", {.refuse = refuse_outside<1, kMostLines>, .required = true});
  arguments.option("--dtype", o->dtype, "of X, W, bias and dX: f32, f16 or bf16", {.shows_default = true});
  arguments.option("--dweight-type", o->dweight_type, "of dW and dbias: f32, or that of X", {.shows_default = true});
  arguments.option("--chunk-dtype", o->chunk_dtype, "of the logits that exist at a time: f32, or that of X", {.shows_default = true});
  arguments.option("--gradients", o->gradients, "all (dbias with --bias), none, or some of dhidden,dweight,dbias", {.shows_default = true});
  arguments.option("--reduction", o->reduction, "none, sum or mean", {.shows_default = true});
  arguments.flag("--bias", o->bias, "the layer has one");
  arguments.flag("--class-weights", o->class_weights, "classes have weights");
  arguments.flag("--argmax", o->argmax, "the argmax of each token is asked for");
  arguments.option("--mode", o->mode, "auto, token_chunks, vocab_slices or loss_only", {.shows_default = true});
  arguments.option("--chunk", o->chunk, "tokens of a chunk, or classes of a slice, at most (default: planned)", {.refuse = refuse_outside<1, kMostLines>});
  arguments.option("--max-valid-tokens", o->max_valid_tokens, "tokens that are not ignored, at most (default: all)", {.refuse = refuse_outside<1, kMostLines>});
  arguments.flag("--accumulate-in-dweight-type", o->accumulate_in_dweight_type, "sum dW over chunks in its own type, not in f32");
  arguments.option("--budget", o->budget, "workspace that a call may have: 268435456, 2^28, 256MB, 0.25GB (default: any)", {.refuse = refuse_bytes});
  arguments.option("--bandwidth", o->bandwidth, "TB/s of memory, for times", {.refuse = refuse_bandwidth, .shows_default = true});
  add_backend(arguments, o->selection);
  arguments.flag("--json", o->json, "as JSON");
  return [o](const Invocation&) { return plan(*o); };
}

}  // namespace plusmax::cli

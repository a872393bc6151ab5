#include "properties/ops/linear_cross_entropy/exact.hpp"

#include "properties/latest.hpp"
#include "properties/losses/reduction.hpp"
#include "reference/dtype.hpp"

#include <utility>

namespace plusmax::properties::linear_cross_entropy {
namespace {

std::vector<double> elements(const Rows& rows) {
  std::vector<double> all, scratch;
  all.reserve(static_cast<std::size_t>(rows.rows() * rows.cols()));
  for (std::int64_t r = 0; r < rows.rows(); ++r) {
    const auto row = rows.row(r, scratch);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

// A factor that is 0 in the type that accumulates is off (docs/contracts.md).
double held(double factor, double share) { return reference::round_to(PLUSMAX_F32, factor / share) != 0 ? factor : 0; }

}  // namespace

reference::Divisors divisors_of(const Options& o, std::span<const std::int64_t> targets, std::span<const float> weights,
                                std::int64_t vocab) {
  const reference::Reduction reduction = reduction_of(o.reduction);
  if (o.normalizer) return reference::divisors_of(reduction, o.normalizer->first, o.normalizer->second);
  return reference::divisors_of(reduction, targets, o.ignore_index, weights, static_cast<std::size_t>(vocab));
}

reference::CrossEntropyOptions formula_of(const Options& o, std::int64_t vocab) {
  return {held(o.smoothing, static_cast<double>(vocab)), held(o.z_loss, 1), o.softcap, o.scale};
}

reference::LinearStorage storage_of(const Options& o, plusmax_dtype dtype,
                                    const plusmax::linear_cross_entropy::Planned& planned) {
  const plusmax_dtype logits = o.own_chunk_type ? dtype : PLUSMAX_F32;
  const plusmax_dtype dweight = o.own_dweight_type ? dtype : PLUSMAX_F32;
  const bool rounds = o.accumulate_in_dweight_type && planned.mode == PLUSMAX_TOKEN_CHUNKS && planned.chunks > 1;
  return {logits, dtype, dtype, dweight, dweight, rounds ? dweight : PLUSMAX_F32};
}

Exact::Exact(Call call) : call_(std::move(call)), x_(elements(*call_.hidden)), w_(elements(*call_.weight)) {
  const Options& o = call_.options;
  for (const float u : call_.upstream) upstream_.push_back(static_cast<double>(u));
  std::int64_t counted = 0;
  for (std::int64_t t = 0; t < call_.tokens(); ++t) {
    places_.push_back(call_.ignores(t) ? -1 : counted++);
    any_bad_ = any_bad_ || call_.is_bad(t);
  }
  input_.tokens = static_cast<std::size_t>(call_.tokens());
  input_.vocab = static_cast<std::size_t>(call_.vocab());
  input_.features = static_cast<std::size_t>(call_.features());
  input_.x = x_;
  input_.w = w_;
  input_.bias = call_.bias;
  input_.targets = call_.targets;
  input_.ignore_index = o.ignore_index;
  input_.options = formula_of(o, call_.vocab());
  input_.class_weights = call_.class_weights;
  input_.upstream = upstream_;
  input_.divisors = divisors_of(o, call_.targets, call_.class_weights, call_.vocab());
}

Exact::Exact(Call call, std::shared_ptr<const Exact> like) : Exact(std::move(call)) {
  like_ = std::move(like);
  same_dweight_ = call_.dweight_before == like_->call_.dweight_before;
  same_dbias_ = call_.dbias_before == like_->call_.dbias_before;
}

const reference::LinearCrossEntropy& Exact::values() const {
  if (like_) return like_->values();
  if (!values_) values_ = reference::linear_cross_entropy(input_);
  return *values_;
}

bool Exact::is_excess(std::int64_t token) const {
  return call_.options.max_valid_tokens > 0 && place(token) >= call_.options.max_valid_tokens;
}

const reference::InnerProducts& Exact::dhidden() const {
  if (like_) return like_->dhidden();
  if (!dhidden_) dhidden_ = reference::dx_of(input_, values());
  return *dhidden_;
}

const reference::InnerProducts& Exact::dweight(const std::vector<std::size_t>& ends) const {
  if (same_dweight_) return like_->dweight(ends);
  auto known = dweight_.find(ends);
  if (known == dweight_.end())
    known = dweight_.emplace(ends, reference::dw_of(input_, values(), ends, call_.dweight_before)).first;
  return known->second;
}

const reference::InnerProducts& Exact::dbias() const {
  if (same_dbias_) return like_->dbias();
  if (!dbias_) dbias_ = reference::dbias_of(input_, values(), {}, call_.dbias_before);
  return *dbias_;
}

Bounds::Bounds(const Exact& exact, const Planning& planning)
    : exact_(exact),
      planning_(planning),
      storage_(storage_of(exact.call().options, exact.call().dtype(), planning.planned)) {
  if (storage_.accumulator == PLUSMAX_F32) return;
  const auto& planned = planning.planned;
  stores_ = static_cast<std::size_t>(planned.chunks);
  ends_ =
      reference::chunk_ends(exact.input(), static_cast<std::size_t>(planned.chunk), reference::IgnoredTokens::left_out);
}

const reference::LinearCrossEntropyBound& Bounds::tokens() const {
  if (!tokens_)
    tokens_ = reference::linear_cross_entropy_bound(exact_.input(), exact_.values(), planning_.shape, storage_);
  return *tokens_;
}

const std::vector<reference::ResultBound>& Bounds::of_dhidden() const {
  if (!dhidden_) dhidden_ = reference::dx_bounds(exact_.input(), tokens(), exact_.dhidden(), planning_.shape, storage_);
  return *dhidden_;
}

const std::vector<reference::ResultBound>& Bounds::of_dweight() const {
  if (!dweight_)
    dweight_ = reference::dw_bounds(exact_.input(), tokens(), dweight(), stores_, planning_.shape, storage_);
  return *dweight_;
}

// Summed in f32, from dlogits that are not yet rounded for the products.
const std::vector<reference::ResultBound>& Bounds::of_dbias() const {
  if (dbias_) return *dbias_;
  reference::LinearStorage storage = storage_;
  storage.dlogits = storage.logits;
  storage.accumulator = PLUSMAX_F32;
  std::optional<reference::LinearCrossEntropyBound> own;
  if (storage.dlogits != storage_.dlogits)
    own = reference::linear_cross_entropy_bound(exact_.input(), exact_.values(), planning_.shape, storage);
  dbias_ = reference::dbias_bounds(exact_.input(), own ? *own : tokens(), exact_.dbias(), 1, planning_.shape, storage);
  return *dbias_;
}

reference::ReducedLoss Bounds::reduced() const {
  const Call& call = exact_.call();
  if (call.excess() > 0) return {{reference::ValueClass::nan, {}, 0}, {}};
  std::vector<reference::ReducedRow> rows;
  for (std::size_t i = 0; i < exact_.values().tokens.size(); ++i) {
    const reference::CrossEntropyRow& row = exact_.values().tokens[i].row;
    const reference::CrossEntropyBound& bound = tokens().tokens[i];
    rows.push_back({row.cross_entropy, row.z_loss, bound.cross_entropy, bound.z_loss});
  }
  const auto empty = call.options.nan_if_empty ? reference::EmptyMean::nan : reference::EmptyMean::zero;
  return reference::reduce(reduction_of(call.options.reduction), rows, exact_.input().divisors, exact_.any_bad(), empty,
                           planning_.shape.cross_entropy);
}

std::shared_ptr<const Exact> exact_of(const Case& of) {
  static Latest<Exact> latest;
  return latest.of(to_line(of), [&] { return std::make_shared<const Exact>(call_of(of)); });
}

}  // namespace plusmax::properties::linear_cross_entropy

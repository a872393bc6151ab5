#include "properties/ops/linear_cross_entropy/launched.hpp"

#include "reference/dtype.hpp"

#include <cmath>
#include <utility>

namespace plusmax::properties::linear_cross_entropy {
namespace {

using losses::Output;
using reference::Certified;
using reference::ValueClass;

bool is_of_token(Part part) { return part == Part::loss || part == Part::z_loss || part == Part::lse; }
bool is_gradient(Part part) { return part == Part::dhidden || part == Part::dweight || part == Part::dbias; }

const Output& output_of(const Results& r, Part part) {
  switch (part) {
    case Part::loss:
      return r.loss;
    case Part::z_loss:
      return r.z_loss;
    case Part::lse:
      return r.lse;
    case Part::dhidden:
      return r.dhidden;
    case Part::dweight:
      return r.dweight;
    case Part::dbias:
      return r.dbias;
    case Part::reduced:
      break;
  }
  return r.reduced;
}

std::size_t index_of(const Call& call, Part part, At at) {
  const bool in_rows = part == Part::dhidden || part == Part::dweight;
  return static_cast<std::size_t>(in_rows ? at.row * call.features() + at.column : at.row);
}

Certified certified(ValueClass value_class) { return {value_class, {}, 0}; }

}  // namespace

Launched::Launched(std::shared_ptr<const Exact> exact, Measured measured)
    : exact_(std::move(exact)),
      measured_(std::make_unique<const Measured>(std::move(measured))),
      bounds_(std::make_unique<const Bounds>(*exact_, measured_->planning)) {}

bool Launched::has(Part part) const { return !output_of(results(), part).values.empty(); }

double Launched::got(Part part, At at) const { return output_of(results(), part).values[index_of(call(), part, at)]; }

plusmax_dtype Launched::stored(Part part) const {
  if (part == Part::dhidden) return call().dtype();
  return is_gradient(part) ? call().dweight_type() : PLUSMAX_F32;
}

const reference::LinearToken& Launched::token(std::int64_t t) const {
  return exact_->values().tokens[static_cast<std::size_t>(exact_->place(t))];
}

bool Launched::is_exact(Part part, At at) const {
  if (is_of_token(part) || part == Part::dhidden) return call().ignores(at.row);
  return is_gradient(part) && exact_->values().tokens.empty();
}

Certified Launched::want(Part part, At at) const {
  const std::size_t index = index_of(call(), part, at);
  const auto before = [&](const std::vector<double>& values) {
    return Certified{ValueClass::finite, {values.empty() ? 0 : values[index], 0}, 0};
  };
  if (is_exact(part, at))
    return before(part == Part::dweight ? call().dweight_before
                  : part == Part::dbias ? call().dbias_before
                                        : std::vector<double>());
  if (is_gradient(part) && call().excess() > 0) return certified(ValueClass::nan);
  if (is_of_token(part) && exact_->is_excess(at.row)) return certified(ValueClass::nan);
  switch (part) {
    case Part::loss:
      return token(at.row).row.loss;
    case Part::z_loss:
      return token(at.row).row.z_loss;
    case Part::lse:
      return token(at.row).row.lse;
    case Part::dhidden:
      return exact_->dhidden()(static_cast<std::size_t>(exact_->place(at.row)), static_cast<std::size_t>(at.column))
          .sum;
    case Part::dweight:
      return bounds_->dweight().elements[index].sum;
    case Part::dbias:
      return exact_->dbias().elements[index].sum;
    case Part::reduced:
      break;
  }
  return bounds_->reduced().loss;
}

reference::ResultBound Launched::bound_of(Part part, At at) const {
  if (is_exact(part, at)) return {};
  if (is_of_token(part)) return exact_->is_excess(at.row) ? reference::ResultBound() : bound_of_token(part, at.row);
  if (part == Part::reduced) return bounds_->reduced().bound;
  if (want(part, at).value_class != ValueClass::finite) return {};
  const std::size_t index = index_of(call(), part, at);
  if (part == Part::dhidden)
    return bounds_->of_dhidden()[static_cast<std::size_t>(exact_->place(at.row) * call().features() + at.column)];
  if (part == Part::dweight) return bounds_->of_dweight()[index];
  return bounds_->of_dbias()[index];
}

const reference::ResultBound& Launched::bound_of_token(Part part, std::int64_t t) const {
  const reference::CrossEntropyBound& bound = bounds_->tokens().tokens[static_cast<std::size_t>(exact_->place(t))];
  return part == Part::loss ? bound.loss : part == Part::z_loss ? bound.z_loss : bound.lse;
}

reference::Judgement Launched::judged(Part part, At at) const {
  const Certified exact = want(part, at);
  if (is_exact(part, at))
    return reference::judge_zero(exact.value.hi == 0 ? got(part, at) : got(part, at) - exact.value.hi);
  return reference::judge_certified(got(part, at), stored(part), exact, bound_of(part, at));
}

losses::Number Launched::number(Part part, At at) const {
  losses::Number n = losses::number_of(got(part, at), want(part, at), bound_of(part, at));
  if (is_gradient(part)) n.promised = n.promised && std::fabs(n.want) + n.slack < reference::largest(stored(part));
  return n;
}

std::int64_t Launched::argmax(std::int64_t t) const {
  return call().ignores(t) || exact_->is_excess(t) ? -1 : token(t).row.argmax;
}

bool Launched::argmax_fits(std::int64_t t) const {
  const std::int64_t got = results().argmax[static_cast<std::size_t>(t)];
  if (call().ignores(t) || exact_->is_excess(t)) return got == -1;
  const auto vocab = static_cast<std::size_t>(call().vocab());
  const std::span errors = bounds_->tokens().logit_errors;
  return reference::may_be_argmax(token(t), errors.subspan(static_cast<std::size_t>(exact_->place(t)) * vocab, vocab),
                                  got);
}

std::optional<Measured> measure(const Subject& subject, const Call& call, const Execution& execution, Tally& tally) {
  if (std::string why = refusal(subject, call); !why.empty()) {
    tally.part_skipped(std::move(why));
    return std::nullopt;
  }
  return execute(subject, call, execution);
}

std::optional<Launched> launched(const Subject& subject, std::shared_ptr<const Exact> exact, const Execution& execution,
                                 Tally& tally) {
  auto measured = measure(subject, exact->call(), execution, tally);
  if (!measured) return std::nullopt;
  return Launched(std::move(exact), std::move(*measured));
}

std::optional<Launched> launched(const Subject& subject, const Call& call, Tally& tally) {
  return launched(subject, std::make_shared<const Exact>(call), execution_of(subject), tally);
}

std::optional<Launched> launched(const Subject& subject, const Call& call, std::shared_ptr<const Exact> like,
                                 Tally& tally) {
  return launched(subject, std::make_shared<const Exact>(call, std::move(like)), execution_of(subject), tally);
}

}  // namespace plusmax::properties::linear_cross_entropy

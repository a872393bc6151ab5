// A call, what it left in memory, and what it should have left: every number is asked for and judged here.
#pragma once

#include "properties/ops/linear_cross_entropy/exact.hpp"
#include "properties/tally.hpp"
#include "reference/cross_entropy_verdict.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace plusmax::properties::linear_cross_entropy {

// One number: of a token (loss, z_loss, lse), a token and a feature, a class and a feature, a class, the call.
enum class Part { loss, z_loss, lse, dhidden, dweight, dbias, reduced };
struct At {
  std::int64_t row = 0, column = 0;
};

class Launched {
 public:
  Launched(std::shared_ptr<const Exact>, Measured);

  const Exact& exact() const { return *exact_; }
  std::shared_ptr<const Exact> shared() const { return exact_; }  // for a call like it
  const Call& call() const { return exact_->call(); }
  const Results& results() const { return measured_->results; }
  const Planning& planning() const { return measured_->planning; }
  const Bounds& bounds() const { return *bounds_; }

  // Of outputs that the call has.
  bool has(Part) const;
  double got(Part, At) const;
  reference::Certified want(Part, At) const;
  reference::ResultBound bound_of(Part, At) const;
  plusmax_dtype stored(Part) const;
  // What is zero by contract, or stays what it was, is that and nothing else.
  reference::Judgement judged(Part, At) const;
  losses::Number number(Part, At) const;

  losses::Number loss(std::int64_t token) const { return number(Part::loss, {token}); }
  losses::Number z_loss(std::int64_t token) const { return number(Part::z_loss, {token}); }
  losses::Number lse(std::int64_t token) const { return number(Part::lse, {token}); }
  losses::Number dhidden(std::int64_t token, std::int64_t k) const { return number(Part::dhidden, {token, k}); }
  losses::Number dweight(std::int64_t j, std::int64_t k) const { return number(Part::dweight, {j, k}); }
  losses::Number dbias(std::int64_t j) const { return number(Part::dbias, {j}); }
  losses::Number reduced() const { return number(Part::reduced, {}); }

  // That of the certified logits, and whether the kernel may report its own: of the logits as it stored them.
  std::int64_t argmax(std::int64_t token) const;
  bool argmax_fits(std::int64_t token) const;

  // Every number, and argmax and the counts. `what` names the part of the check ("another chunk").
  void judge(std::string_view what, Tally&) const;

 private:
  bool is_exact(Part, At) const;
  const reference::ResultBound& bound_of_token(Part, std::int64_t token) const;
  const reference::LinearToken& token(std::int64_t) const;

  std::shared_ptr<const Exact> exact_;
  std::unique_ptr<const Measured> measured_;  // its address stays
  std::unique_ptr<const Bounds> bounds_;
};

// A launch, or nothing (noted in the tally) if the variant refuses the call.
std::optional<Measured> measure(const Subject&, const Call&, const Execution&, Tally&);
std::optional<Launched> launched(const Subject&, const Call&, Tally&);
std::optional<Launched> launched(const Subject&, std::shared_ptr<const Exact>, const Execution&, Tally&);
// With the certified values of a call like it (exact.hpp).
std::optional<Launched> launched(const Subject&, const Call&, std::shared_ptr<const Exact> like, Tally&);

// Everything that both have is the same, bit for bit, NaN being one value; of tokens: `token` of got and `as` of want.
void same_results(std::string_view what, const Results& got, const Results& want, const Call&, Tally&);
void same_token(std::string_view what, const Results& got, std::int64_t token, const Results& want, std::int64_t as,
                const Call&, Tally&);
// What a call has of its classes: dW and dbias.
void same_sums(std::string_view what, const Results& got, const Results& want, const Call&, Tally&);
// got = factor * want within the bounds of both. Bounds so wide that they tell nothing make a part that is skipped.
void compare(std::string_view what, std::int64_t row, const losses::Number& got, const losses::Number& want,
             double factor, std::int64_t logits, Tally&);
// The same numbers within the bounds of both: tokens, the reduced loss, dX, dW and dbias.
void agree_all(std::string_view what, const Launched& got, const Launched& want, Tally&);
// Of other calls: where a number of got stands in want, and what that is to be multiplied by.
struct Counterpart {
  At at;
  double factor = 1;
};
using CounterpartOf = std::function<std::optional<Counterpart>(Part, At)>;  // nothing: it has none
void agree_all(std::string_view what, const Launched& got, const Launched& want, const CounterpartOf&, Tally&);

}  // namespace plusmax::properties::linear_cross_entropy

// Catches what a chunk decides and must not: a divisor of its own, a last chunk that is short, sums that begin anew or
// keep what was there.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/few_tokens.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

#include <map>
#include <set>

namespace plusmax::properties::linear_cross_entropy {
namespace {

constexpr std::int64_t kLine = 128;  // tokens and classes that planned chunks are multiples of
constexpr std::int64_t kMostProducts = std::int64_t{1} << 14;  // of a whole case that has more tokens than that

bool slices(const Subject& subject, const Call& call) {
  return planning_of(subject, call).planned.mode != PLUSMAX_TOKEN_CHUNKS;
}

// One, a few, all but one, all, as planned; the least slice is a line.
std::set<std::int64_t> chunks_of(const Subject& subject, const Call& call) {
  if (slices(subject, call)) return {0, 1, kLine, call.vocab()};
  return {0, 1, 2, call.tokens() - 1, call.tokens()};
}

// The same numbers whatever the chunk, and the same bits where the plan makes the same of two.
void any_chunk(const Subject& subject, std::shared_ptr<const Exact> exact, const std::set<std::int64_t>& chunks,
               Tally& tally) {
  std::map<std::int64_t, Launched> planned;  // by the chunk
  for (const std::int64_t chunk : chunks) {
    auto at = launched(subject, with_chunk(exact->call(), chunk), exact, tally);
    if (!at) return;
    const std::string what = "chunk " + std::to_string(chunk);
    if (const auto same = planned.find(at->planning().planned.chunk); same != planned.end()) {
      same_results(what, at->results(), same->second.results(), at->call(), tally);
      continue;
    }
    if (!planned.empty()) agree_all(what, *at, planned.begin()->second, tally);
    planned.emplace(at->planning().planned.chunk, std::move(*at));
  }
  for (const auto& [chunk, at] : planned) at.judge("in parts of " + std::to_string(chunk), tally);
}

// Sums of dW as others may be kept: f32, rounded at the end, rounded after every chunk.
void any_sums(const Subject& subject, std::shared_ptr<const Exact> exact, Tally& tally) {
  const Options& given = exact->call().options;
  struct {
    bool own, rounded;
  } constexpr kTypes[] = {{false, false}, {true, false}, {true, true}};
  for (const auto& type : kTypes) {
    if (type.own == given.own_dweight_type && type.rounded == given.accumulate_in_dweight_type) continue;
    Call call = overwriting(exact->call());
    call.options.own_dweight_type = type.own;
    call.options.accumulate_in_dweight_type = type.rounded;
    any_chunk(subject, std::make_shared<const Exact>(call, exact),
              {1, slices(subject, call) ? call.vocab() : call.tokens() - 1}, tally);
  }
}

// As much memory as one token at a time needs.
void budget(const Subject& subject, std::shared_ptr<const Exact> exact, Tally& tally) {
  Call call = with_chunk(exact->call(), 0);
  call.options.budget = static_cast<std::int64_t>(planning_of(subject, with_chunk(call, 1)).planned.workspace_bytes);
  const auto at = launched(subject, call, exact, tally);
  if (!at) return;
  const auto used = static_cast<double>(at->planning().planned.workspace_bytes);
  tally.at_least("budget less workspace", 0, static_cast<double>(call.options.budget) - used, 0, 1);
  at->judge("within a budget", tally);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto exact = few_tokens_of(of, subject);
  if (std::string why = refusal(subject, exact->call()); !why.empty()) {
    tally.part_skipped(std::move(why));
    return tally.finish();
  }
  any_chunk(subject, exact, chunks_of(subject, exact->call()), tally);
  if (exact->call().dtype() != PLUSMAX_F32 && exact->call().options.gradients & kDweight)
    any_sums(subject, exact, tally);
  budget(subject, exact, tally);
  if (of.rows > kLine && of.rows * of.cols * exact->call().features() <= kMostProducts)
    any_chunk(subject, exact_of(of), {kLine - 1, kLine, 2 * kLine}, tally);
  tally.finish();
}

}  // namespace
extern const Check chunk_invariance;
const Check chunk_invariance = {
    "chunk_invariance",
    "losses and gradients are the same whatever the chunk: bit for bit where the plan is, else within the bounds",
    true,
    relation_refusal,
    run,
    true};
}  // namespace plusmax::properties::linear_cross_entropy

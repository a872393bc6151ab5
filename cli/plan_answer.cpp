#include "cli/plan_answer.hpp"

#include "reference/dtype.hpp"
#include "reports/json_writer.hpp"
#include "reports/numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace plusmax::cli {
namespace {

using reports::LogitsMemory;
using reports::LogitsQuestion;
using reports::LogitsTraffic;
using reports::memory_size;

// The chunks of the mode token_chunks; nothing where none of them fits the budget.
std::optional<LogitsQuestion> chunks_of(const PlanAnswer& a) {
  const ModePlan& chunks = a.modes.front();
  if (!chunks.refusal.empty()) return std::nullopt;
  return logits_question(a.request, chunks.planned.chunk);
}

const ModePlan& chosen(const PlanAnswer& a) {
  return *std::find_if(a.modes.begin(), a.modes.end(), [](const ModePlan& mode) { return mode.chosen; });
}

const char* unit_of(plusmax_linear_mode mode) { return mode == PLUSMAX_TOKEN_CHUNKS ? "tokens" : "classes"; }

std::vector<std::string> gradients_of(const linear_cross_entropy::Params& p) {
  std::vector<std::string> names;
  if (p.dhidden != nullptr) names.emplace_back("dhidden");
  if (p.dweight != nullptr) names.emplace_back("dweight");
  if (p.dbias != nullptr) names.emplace_back("dbias");
  return names;
}

struct Matrix {
  const char* name;
  std::uint64_t bytes;
};
std::vector<Matrix> callers_own(const linear_cross_entropy::Params& p) {
  const auto bytes = [&](std::int64_t lines, plusmax_dtype type) { return static_cast<std::uint64_t>(lines * p.features) * (type == PLUSMAX_F32 ? 4 : 2); };
  std::vector<Matrix> all = {{"hidden", bytes(p.tokens, p.dtype)}, {"weight", bytes(p.vocab, p.dtype)}};
  if (p.dhidden != nullptr) all.push_back({"dhidden", bytes(p.tokens, p.dtype)});
  if (p.dweight != nullptr) all.push_back({"dweight", bytes(p.vocab, p.dweight_type)});
  return all;
}

struct Pass {
  const char* name;
  const char* what;
  std::uint64_t LogitsTraffic::*bytes;
};
constexpr Pass kPasses[] = {{"logsumexp_one_pass", "log-sum-exp in one pass: 1 read", &LogitsTraffic::one_pass},
                            {"logsumexp_two_passes", "log-sum-exp, the maximum first: 2 reads", &LogitsTraffic::two_passes},
                            {"logsumexp_stored", "log-sum-exp, exponentials stored: 3 reads, 1 write", &LogitsTraffic::stored},
                            {"cross_entropy_in_place", "loss and gradient in place: 1 read, 1 write", &LogitsTraffic::in_place},
                            {"cross_entropy_read_twice", "loss and gradient, read twice: 2 reads, 1 write", &LogitsTraffic::read_twice}};

int bytes_of(plusmax_dtype dtype) { return dtype == PLUSMAX_F32 ? 4 : 2; }

std::string memory_text(const PlanAnswer& a) {
  const auto question = chunks_of(a);
  const LogitsMemory m = reports::logits_memory(question.value_or(logits_question(a.request, 0)));
  const auto row = [](const std::string& what, std::uint64_t bytes) { return fmt::format("  {:52} {:>10}\n", what, memory_size(bytes)); };
  std::string text = "logits\n" + row("three copies: logits, probabilities, gradient", m.three_copies) + row("one copy, its gradient in place", m.one_copy);
  if (question && m.chunks > 0) {
    text += row(fmt::format("{} chunk{} of {} tokens: the logits of one", m.chunks, m.chunks == 1 ? "" : "s", m.chunk), m.chunk_logits);
    if (m.dweight_sum > 0) text += row("  and the f32 sum of dW", m.dweight_sum);
    text += fmt::format("  three copies are {} times one chunk\n", reports::three_copies_over_chunk(m));
  }
  text += "beside them, whatever the way:";
  const char* separator = " ";
  for (const Matrix& matrix : callers_own(a.request.shape)) text += fmt::format("{}{} {}", std::exchange(separator, ", "), matrix.name, memory_size(matrix.bytes));
  return text + "\n";
}

std::string modes_text(const PlanAnswer& a) {
  std::string text = fmt::format("{:14} {:>26} {:>10} {:>10} {:>18}\n", "modes", "parts", "logits", "workspace", "bytes");
  for (const ModePlan& mode : a.modes) {
    const linear_cross_entropy::Planned& p = mode.planned;
    if (!mode.refusal.empty()) {
      text += fmt::format("  {:14} does not fit: {}\n", name_of(mode.mode), mode.refusal);
      continue;
    }
    text += fmt::format("{} {:12} {:>26} {:>10} {:>10} {:>18}\n", mode.chosen ? '*' : ' ', name_of(mode.mode), fmt::format("{} of {} {}", p.chunks, p.chunk, unit_of(mode.mode)),
                        memory_size(p.chunk_logits_bytes), memory_size(p.workspace_bytes), reports::grouped(p.workspace_bytes));
  }
  const ModePlan& best = chosen(a);
  return text + fmt::format("{} {}{}\n", a.request.options.mode == PLUSMAX_LINEAR_AUTO ? "the planner takes" : "asked for", name_of(best.mode), a.request.budget == 0 ? ", without a budget of workspace" : fmt::format(", within {} bytes", reports::grouped(a.request.budget)));
}

std::string traffic_text(const PlanAnswer& a) {
  const linear_cross_entropy::Params& p = a.request.shape;
  const int bytes = bytes_of(p.dtype);
  const LogitsTraffic stored = reports::logits_traffic(p.tokens, p.vocab, bytes), wide = reports::logits_traffic(p.tokens, p.vocab, 4);
  const auto column = [](std::uint64_t an_element, std::uint64_t moved) { return fmt::format("{:>3}MN {:>10}", an_element, memory_size(moved)); };
  const LogitsTraffic element = reports::logits_traffic(1, 1, bytes), wide_element = reports::logits_traffic(1, 1, 4);
  std::string text = fmt::format("traffic of M x N logits {:29} {:>16} {:>10}{}\n", "", reference::name_of(p.dtype), fmt::format("{:g} TB/s", a.bandwidth), bytes == 4 ? "" : fmt::format(" {:>17}", "f32"));
  for (const Pass& pass : kPasses) {
    const std::uint64_t moved = stored.*pass.bytes;
    text += fmt::format("  {:50} {} {:>7.2f} ms{}\n", pass.what, column(element.*pass.bytes, moved), static_cast<double>(moved) / a.bandwidth * 1e-9, bytes == 4 ? "" : "  " + column(wide_element.*pass.bytes, wide.*pass.bytes));
  }
  return text;
}

}  // namespace

std::string text_of(const PlanAnswer& a) {
  const linear_cross_entropy::Params& p = a.request.shape;
  const std::vector<std::string> gradients = gradients_of(p);
  std::string text = fmt::format("linear_cross_entropy {}: {} tokens x {} classes x {} features; {}\n", reference::name_of(p.dtype), p.tokens, p.vocab, p.features, a.backend);
  text += gradients.empty() ? fmt::format("losses alone; logits of a chunk in {}\n", reference::name_of(a.request.options.chunk_dtype))
                            : fmt::format("losses, {}; dweight in {}, logits of a chunk in {}\n", fmt::join(gradients, ", "), reference::name_of(p.dweight_type), reference::name_of(a.request.options.chunk_dtype));
  text += memory_text(a) + modes_text(a);
  if (const auto question = chunks_of(a); question)
    if (const std::string why = reports::saves_nothing(*question); !why.empty()) text += why + "\n";
  return text + traffic_text(a);
}

std::string json_of(const PlanAnswer& a) {
  const linear_cross_entropy::Params& p = a.request.shape;
  const auto question = chunks_of(a);
  const LogitsMemory m = reports::logits_memory(question.value_or(logits_question(a.request, 0)));
  reports::JsonWriter w;
  w.begin_object().text("op", "linear_cross_entropy").text("backend", a.backend);
  w.integer("tokens", p.tokens).integer("vocab", p.vocab).integer("features", p.features);
  w.text("dtype", reference::name_of(p.dtype)).text("dweight_type", reference::name_of(p.dweight_type)).text("chunk_dtype", reference::name_of(a.request.options.chunk_dtype));
  w.begin_array("gradients");
  for (const std::string& name : gradients_of(p)) w.text("", name);
  w.end_array().begin_object("logits").unsigned_integer("three_copies", m.three_copies).unsigned_integer("one_copy", m.one_copy);
  if (question) {
    w.integer("chunk", m.chunk).integer("chunks", m.chunks).unsigned_integer("chunk_logits", m.chunk_logits).unsigned_integer("dweight_sum", m.dweight_sum);
    w.unsigned_integer("by_chunks", m.by_chunks()).text("three_copies_over_chunk", reports::three_copies_over_chunk(m)).text("saves_nothing", reports::saves_nothing(*question));
  }
  w.end_object().begin_object("beside");
  for (const Matrix& matrix : callers_own(p)) w.unsigned_integer(matrix.name, matrix.bytes);
  w.end_object().unsigned_integer("budget", a.request.budget).text("chosen", name_of(chosen(a).mode)).begin_array("modes");
  for (const ModePlan& mode : a.modes) {
    w.begin_object().text("mode", name_of(mode.mode)).boolean("chosen", mode.chosen).text("refusal", mode.refusal);
    if (mode.refusal.empty()) {
      w.integer("chunk", mode.planned.chunk).text("unit", unit_of(mode.mode)).integer("chunks", mode.planned.chunks);
      w.unsigned_integer("chunk_logits", mode.planned.chunk_logits_bytes).unsigned_integer("workspace", mode.planned.workspace_bytes);
    }
    w.end_object();
  }
  w.end_array().begin_object("traffic").real("bandwidth", a.bandwidth * 1e12);
  const LogitsTraffic moved = reports::logits_traffic(p.tokens, p.vocab, bytes_of(p.dtype));
  for (const Pass& pass : kPasses) w.unsigned_integer(pass.name, moved.*pass.bytes);
  w.end_object().end_object();
  return w.str();
}

}  // namespace plusmax::cli

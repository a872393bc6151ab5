// How much memory the logits of a linear layer's loss need: one example, and a form that asks for others.
#include "reports/calculator_script.hpp"
#include "reports/html.hpp"
#include "reports/logits_memory.hpp"
#include "reports/numbers.hpp"
#include "reports/section.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plusmax::reports::sections {
namespace {

constexpr LogitsQuestion kExample{.tokens = 8192, .vocab = 128256, .features = 4096, .chunk = 1024};

// A number, and a slider over its logarithm, a sixteenth of an octave a step.
std::string number(const char* name, const char* label, std::int64_t value, int least_power, int largest_power) {
  return fmt::format(
      "<label for=\"calculator_{0}\">{1}</label><input type=\"range\" id=\"calculator_{0}_slider\" aria-label=\"{1}, slider\" "
      "min=\"{3}\" max=\"{4}\" step=\"0.0625\"/><input type=\"number\" id=\"calculator_{0}\" name=\"{0}\" min=\"1\" "
      "max=\"2147483647\" step=\"1\" value=\"{2}\"/>\n",
      name, label, value, least_power, largest_power);
}

struct Choice {
  const char *value, *text;
  bool chosen = false;
};
std::string select(const char* name, const char* label, std::initializer_list<Choice> choices) {
  std::string html = fmt::format("<label for=\"calculator_{0}\">{1}</label><select id=\"calculator_{0}\" name=\"{0}\">", name, label);
  for (const Choice& c : choices)
    html += fmt::format("<option value=\"{}\"{}>{}</option>", c.value, c.chosen ? " selected=\"selected\"" : "", c.text);
  return html + "</select>\n";
}

std::string form() {
  return "<form id=\"calculator_form\" class=\"calculator\" hidden=\"hidden\">\n" +
         number("tokens", "tokens", kExample.tokens, 7, 18) + number("vocab", "vocabulary", kExample.vocab, 10, 20) +
         number("features", "features (d)", kExample.features, 7, 15) +
         number("chunk", "tokens of a chunk", kExample.chunk, 6, 18) +
         select("dtype", "type of X, W and whole logits", {{"bf16", "bf16", true}, {"f16", "f16"}, {"f32", "f32"}}) +
         select("chunk_dtype", "type of a chunk's logits", {{"dtype", "that of X", true}, {"f32", "f32"}}) +
         select("dweight_type", "type of dW", {{"f32", "f32", true}, {"dtype", "that of W, its sum in f32 beside it"}}) + "</form>\n";
}

std::string figure(const char* id, std::uint64_t bytes) {
  return fmt::format("<span id=\"calculator_{}\" data-bytes=\"{}\">{}</span>", id, bytes, memory_size(bytes));
}

std::string bar(const char* id, std::uint64_t bytes, std::uint64_t widest, const char* colour) {
  return fmt::format("<span id=\"calculator_{}_bar\" class=\"fill {}\" style=\"width:{}%\"></span>", id, colour,
                     100 * static_cast<double>(bytes) / static_cast<double>(widest));
}

std::string row(const std::string& method, const std::string& bars, const std::string& figures) {
  return fmt::format("<tr><th scope=\"row\">{}</th><td class=\"track\" aria-hidden=\"true\"><div>{}</div></td><td class=\"n\">{}</td></tr>\n", method, bars, figures);
}

std::string html(const Page&) {
  const LogitsMemory m = logits_memory(kExample);
  const std::uint64_t widest = std::max(m.three_copies, m.by_chunks());
  std::string text =
      "<p class=\"soft\">Logits [tokens, vocabulary] of X W<sup>T</sup>, by three ways to their loss and gradients: what each keeps in "
      "memory beside X, W and their gradients.</p>\n" + form() + "<table class=\"bars\"><tbody>\n";
  text += row("three copies: logits, probabilities, gradient", bar("three_copies", m.three_copies, widest, "f7 thirds"), figure("three_copies", m.three_copies));
  text += row("one copy, its gradient in place", bar("one_copy", m.one_copy, widest, "f0"), figure("one_copy", m.one_copy));
  text += row(fmt::format("<span id=\"calculator_chunks\">{} chunks of {} tokens</span>: <span><i class=\"key f2\"></i>the logits of one,</span> <span><i class=\"key f1\"></i>the f32 sum of dW</span>", m.chunks, m.chunk),
              bar("chunk_logits", m.chunk_logits, widest, "f2") + bar("dweight_sum", m.dweight_sum, widest, "f1"),
              figure("by_chunks", m.by_chunks()) + "<br/><small class=\"soft\">" + figure("chunk_logits", m.chunk_logits) + " + " + figure("dweight_sum", m.dweight_sum) + "</small>");
  text += fmt::format("</tbody></table>\n<p class=\"figure\">Three copies are <b id=\"calculator_times\">{}</b> times the logits of one chunk.</p>\n"
                      "<p id=\"calculator_note\" class=\"warn\" role=\"status\">{}</p>\n", three_copies_over_chunk(m), escaped(saves_nothing(kExample)));
  text += fmt::format("<p class=\"soft\">The whole workspace, slices of the vocabulary and a budget:</p><pre id=\"calculator_command\">./plusmax plan --tokens {} --vocab {} "
                      "--features {} --dtype bf16 --dweight-type f32 --chunk {} --chunk-dtype bf16</pre>\n"
                      "<p id=\"calculator_share\" hidden=\"hidden\"><a id=\"calculator_link\" href=\"#calculator\">link to these figures</a></p>\n",
                      kExample.tokens, kExample.vocab, kExample.features, kExample.chunk);
  return text + "<script>" + calculator_script() + "</script>\n";
}

}  // namespace
extern const Section calculator;
const Section calculator = {"calculator", "Memory of the logits", html};
}  // namespace plusmax::reports::sections

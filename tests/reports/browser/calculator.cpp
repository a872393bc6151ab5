// The calculator of report.html in a headless browser, without a network: it is moved as a person moves it, and each answer
// is held against `plusmax plan` with the command that the page itself shows.
//   plusmax_test_calculator PLUSMAX DIRECTORY CHROMIUM
#include "reports/json.hpp"
#include "reports/numbers.hpp"
#include "reports/report.hpp"
#include "tests/reports/browser/browser.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace plusmax::reports;
using testing::Browser;

int faults = 0;
void expect(bool held, const std::string& what) {
  if (held) return;
  ++faults;
  std::printf("FAILED: %s\n", what.c_str());
}

struct Point {
  const char* what;
  long tokens, vocab, features, chunk;
  const char *dtype, *chunk_dtype, *dweight_type;  // as the form has them
};
constexpr Point kPoints[] = {
    {"three copies 6.3 GB, one 2.1, a chunk of 1024 tokens 0.26", 8192, 128256, 4096, 1024, "bf16", "dtype", "f32"},
    {"a sum of dW as large as all logits", 8192, 128256, 4096, 1024, "bf16", "dtype", "dtype"},
    {"a chunk as long as the batch, of f32", 4096, 32000, 2048, 4096, "f16", "f32", "dtype"},
    {"a chunk longer than the batch", 1000, 50257, 768, 4096, "f32", "f32", "f32"},
    {"f32 chunks of 16-bit logits that save nothing", 8192, 151936, 896, 4097, "bf16", "f32", "f32"},
    {"chunks that become equally long, rows that become whole lines", 10000, 50257, 1600, 4096, "f16", "dtype", "dtype"},
    {"one token, one class", 1, 1, 1, 1, "bf16", "f32", "dtype"},
    {"a half of the last digit", 1, 21250000, 1, 1, "f32", "f32", "f32"},
    {"terabytes", 1048576, 262144, 16384, 131072, "bf16", "dtype", "dtype"},
};

// Moves everything, and leaves what the page then shows, a line of JSON a point.
std::string mover() {
  std::string points;
  for (const Point& p : kPoints)
    points += Json{{"tokens", p.tokens}, {"vocab", p.vocab}, {"features", p.features}, {"chunk", p.chunk},
                   {"dtype", p.dtype}, {"chunk_dtype", p.chunk_dtype}, {"dweight_type", p.dweight_type}}.dump() + ",";
  return "<script>var points=[" + points + R"js(];
var form=document.getElementById('calculator_form'),out=document.createElement('pre');out.id='moved';
function at(id){return document.getElementById('calculator_'+id)}
function tell(element){element.dispatchEvent(new Event('input',{bubbles:true}))}
points.forEach(function(point){
  var shown={labels:0,slid:0};
  Object.keys(point).forEach(function(name){
    var slider=at(name+'_slider');
    if(slider){slider.value=11;tell(slider);if(form.elements[name].value==='2048'&&slider.getAttribute('aria-valuetext')==='2048')++shown.slid}
    form.elements[name].value=point[name];tell(form.elements[name])});
  ['three_copies','one_copy','by_chunks','chunk_logits','dweight_sum'].forEach(function(id){shown[id]=+at(id).dataset.bytes;shown[id+'_text']=at(id).textContent});
  ['three_copies','chunk_logits','dweight_sum'].forEach(function(id){shown[id+'_width']=parseFloat(at(id+'_bar').style.width)});
  ['chunks','times','note','command'].forEach(function(id){shown[id]=at(id).textContent});
  shown.link=at('link').hash;
  Array.prototype.forEach.call(form.elements,function(e){if(e.labels.length===1||e.getAttribute('aria-label'))++shown.labels});
  shown.elements=form.elements.length;
  out.textContent+=JSON.stringify(shown)+'\n'});
document.body.appendChild(out);</script>)js";
}

std::vector<Json> moved(Browser& browser, std::string page) {
  page.replace(page.rfind("</body>"), 0, mover());
  const std::string lines = testing::text_of(browser.dom(page, ""), "moved");
  std::vector<Json> shown;
  for (std::size_t begin = 0, end; (end = lines.find('\n', begin)) != std::string::npos; begin = end + 1)
    shown.push_back(Json::parse(lines.substr(begin, end - begin)));
  return shown;
}

// Where the page and `plusmax plan` differ.
std::vector<std::string> differences(const Json& page, const Json& plan) {
  std::vector<std::string> all;
  const Json& logits = plan.at("logits");
  const auto same = [&](const char* what, const Json& shown, const Json& planned) {
    if (shown != planned) all.push_back(std::string(what) + ": the page shows " + shown.dump() + ", plan says " + planned.dump());
  };
  for (const char* id : {"three_copies", "one_copy", "by_chunks", "chunk_logits", "dweight_sum"}) {
    same(id, page.at(id), logits.at(id));
    same(id, page.at(std::string(id) + "_text"), memory_size(logits.at(id).get<std::uint64_t>()));
  }
  const std::string chunk = std::to_string(logits.at("chunk").get<long>()), chunks = std::to_string(logits.at("chunks").get<long>());
  same("chunks", page.at("chunks"), chunks == "1" ? "one chunk of " + chunk + " tokens" : chunks + " chunks of " + chunk + " tokens");
  same("times", page.at("times"), logits.at("three_copies_over_chunk"));
  same("note", page.at("note"), logits.at("saves_nothing"));
  same("planned chunk", page.at("chunk_logits"), plan.at("modes").at(0).at("chunk_logits"));
  const double share = page.at("three_copies").get<double>() / page.at("three_copies_width").get<double>();
  const double drawn = share * (page.at("chunk_logits_width").get<double>() + page.at("dweight_sum_width").get<double>());
  if (std::abs(drawn - page.at("by_chunks").get<double>()) > 1e-4 * page.at("three_copies").get<double>()) all.push_back("bars out of proportion");
  return all;
}

}  // namespace

int main(int, char** argv) {
  const std::string plusmax = argv[1], directory = argv[2], chromium = argv[3];
  if (chromium.empty()) {
    std::printf("skipped: no chromium: install the Debian package chromium and configure again\n");
    return 77;
  }
  Browser browser(chromium, directory);
  const RunData data;
  const std::string page = report_html(data, summarize(data));

  const std::string still = browser.dom(page, "");
  for (const char* id : {"three_copies", "one_copy", "by_chunks", "chunk_logits", "dweight_sum", "chunks", "times", "note", "command"})
    expect(testing::text_of(still, std::string("calculator_") + id) == testing::text_of(page, std::string("calculator_") + id), std::string("its script changes the example's ") + id);

  const std::vector<Json> shown = moved(browser, page);
  expect(shown.size() == std::size(kPoints), "every point is shown");
  std::vector<Json> plans;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::string what = kPoints[i].what, command = shown[i].at("command");
    expect(shown[i].at("slid") == 4, what + ": every slider moves its number");
    expect(shown[i].at("labels") == shown[i].at("elements"), what + ": every part of the form has a label");
    expect(command.starts_with("./plusmax "), what + ": " + command);
    plans.push_back(Json::parse(browser.output_of(fmt::format("'{}' {} --backend host --json", plusmax, command.substr(10)))));
    for (const std::string& difference : differences(shown[i], plans[i])) expect(false, what + ": " + difference);
  }

  // The link of a point leads to the same figures.
  const std::string linked = browser.dom(page, shown[5].at("link"));
  for (const char* id : {"by_chunks", "chunk_logits", "command", "note"}) {
    const Json& want = shown[5].at(id);
    const std::string got = testing::text_of(linked, std::string("calculator_") + id);
    expect(got == (want.is_string() ? want.get<std::string>() : shown[5].at(std::string(id) + "_text").get<std::string>()), std::string("a link leads elsewhere: ") + id + " " + got);
  }
  expect(testing::text_of(browser.dom(page, "#chunk=0"), "calculator_note") == "chunk must be a whole number from 1 to 2147483647.", "a chunk of 0 is refused");
  expect(testing::text_of(browser.dom(page, "#tokens=2147483647&vocab=2147483647"), "calculator_note").find("more than 2^48 logits") != std::string::npos, "too many logits are refused");

  // A wrong formula is found, whichever it is.
  for (const auto& [right, wrong] : {std::pair{"q.vocab*q.features*4", "q.vocab*q.features*2"}, {"up(q.vocab,64)*64", "q.vocab"},
                                     {"3*a.one_copy", "2*a.one_copy"}, {"Math.floor(step/2)", "0"}, {"up(q.tokens,up(q.tokens,q.chunk))", "q.chunk"}}) {
    std::string mistaken = page;
    mistaken.replace(mistaken.find(right), std::string(right).size(), wrong);
    const std::vector<Json> found = moved(browser, mistaken);
    std::size_t count = 0;
    for (std::size_t i = 0; i < found.size(); ++i) count += differences(found[i], plans[i]).size();
    expect(count > 0, std::string("nobody notices ") + wrong);
  }
  expect(browser.complaints().empty(), "the browser complains: " + browser.complaints());
  std::printf("%d faults in %zu points\n", faults, shown.size());
  return faults == 0 ? 0 : 1;
}

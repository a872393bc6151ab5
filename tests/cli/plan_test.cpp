// What `plusmax plan` answers.
#include "reports/json.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_cli.hpp"

using namespace plusmax::cli::testing;
using plusmax::reports::Json;

namespace {

using Words = std::vector<std::string>;

Answer run_plan(const Words& sizes, const Words& options) {
  Words words = {"plan", "--backend", "host", "--tokens", sizes[0], "--vocab", sizes[1], "--features", sizes[2]};
  words.insert(words.end(), options.begin(), options.end());
  return run_plusmax(words);
}

Json plan(const Words& sizes, Words options) {
  options.emplace_back("--json");
  const Answer answer = run_plan(sizes, options);
  INFO(answer.err);
  REQUIRE(answer.code == 0);
  CHECK(answer.err == "");
  return Json::parse(answer.out);
}

const Words kTraining = {"8192", "128256", "4096"};

Words with(Words options, const Words& more) {
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

}  // namespace

TEST_CASE("plan: 8192 tokens and 128256 classes are 6.3, 2.1 and 0.26 GB", "[cli][plan]") {
  const Words options = {"--chunk", "1024", "--chunk-dtype", "bf16"};
  const Json json = plan(kTraining, options);
  const Json& logits = json.at("logits");
  CHECK(logits.at("three_copies") == 6304038912);
  CHECK(logits.at("one_copy") == 2101346304);
  CHECK(logits.at("chunk_logits") == 262668288);
  CHECK(logits.at("three_copies_over_chunk") == "24.0");
  CHECK(json.at("chosen") == "token_chunks");
  CHECK(json.at("traffic").at("cross_entropy_read_twice") == 6304038912);
  const Answer text = run_plan(kTraining, options);
  CHECK(text.code == 0);
  for (const char* words : {"6.30 GB", "2.10 GB", "0.26 GB", "24.0 times", "8 of 1024 tokens", "* token_chunks", "vocab_slices", "4MN", "8MN", "16MN", "1.88 ms"}) {
    INFO(words << " in\n" << text.out);
    CHECK(text.out.find(words) != std::string::npos);
  }
  CHECK(text.out.find("saves nothing") == std::string::npos);
  CHECK(text.out.find("save nothing") == std::string::npos);
}

TEST_CASE("plan: what chunks do not save is said in a sentence", "[cli][plan]") {
  const Answer sum = run_plan(kTraining, {"--chunk", "1024", "--chunk-dtype", "bf16", "--dweight-type", "bf16"});
  CHECK(sum.out.find("\nChunks save nothing: ") != std::string::npos);
  CHECK(sum.out.find("the f32 sum of dW 2.10 GB") != std::string::npos);
  const Answer one = run_plan(kTraining, {"--chunk", "8192"});
  CHECK(one.out.find("\nA chunk of all 8192 tokens saves nothing: its logits take 4.20 GB") != std::string::npos);
}

TEST_CASE("plan: the figures are those of the planner", "[cli][plan]") {
  const struct {
    Words sizes, options;
  } rows[] = {{kTraining, {}},
              {kTraining, {"--budget", "600MB"}},
              {{"10000", "50257", "1600"}, {"--chunk", "4096", "--dtype", "f16", "--chunk-dtype", "f16"}},
              {{"10000", "50257", "1600"}, {"--chunk", "4096", "--max-valid-tokens", "5000", "--bias", "--argmax"}},
              {{"1", "1", "1"}, {"--dtype", "f32", "--reduction", "none", "--class-weights"}},
              {{"777", "4097", "33"}, {"--gradients", "dhidden", "--mode", "token_chunks", "--chunk", "100"}}};
  for (const auto& row : rows) {
    const Json json = plan(row.sizes, row.options);
    INFO(json.dump());
    const Json& logits = json.at("logits");
    const Json& chunks = json.at("modes").at(0);
    CHECK(chunks.at("mode") == "token_chunks");
    for (const char* figure : {"chunk", "chunks", "chunk_logits"}) CHECK(logits.at(figure) == chunks.at(figure));
    CHECK(chunks.at("workspace") > chunks.at("chunk_logits"));
  }
  // dW's f32 sum is all that a 16-bit dW adds, and it adds it wherever the arithmetic says so.
  const Words sizes = {"10000", "50257", "1600"}, options = {"--mode", "token_chunks", "--gradients", "dweight"};
  for (const char* chunk : {"4096", "10000"}) {
    const Json f32 = plan(sizes, with(options, {"--chunk", chunk})), bf16 = plan(sizes, with(options, {"--chunk", chunk, "--dweight-type", "bf16"}));
    const auto workspace = [](const Json& json) { return json.at("modes").at(0).at("workspace").get<std::int64_t>(); };
    CHECK(bf16.at("logits").at("dweight_sum").get<std::int64_t>() == workspace(bf16) - workspace(f32));
    CHECK(f32.at("logits").at("dweight_sum") == 0);
    CHECK(plan(sizes, with(options, {"--chunk", chunk, "--dweight-type", "bf16", "--accumulate-in-dweight-type"})).at("logits").at("dweight_sum") == 0);
  }
}

TEST_CASE("plan: a budget is bytes with or without a unit, and is kept", "[cli][plan]") {
  const struct {
    const char* text;
    std::uint64_t bytes;
  } rows[] = {{"256MB", 256000000}, {"0.25GB", 250000000}, {"2^28", 268435456}, {"300000000", 300000000}, {"300000000 B", 300000000},
              {"0.29 GB", 290000000}, {"256MiB", 268435456}, {"1.5GiB", 1610612736}, {"2^20kB", 1048576000}};
  for (const auto& row : rows) {
    const Json json = plan(kTraining, {"--chunk-dtype", "bf16", "--budget", row.text});
    INFO(row.text);
    CHECK(json.at("budget") == row.bytes);
    std::size_t chosen = 0;
    for (const Json& mode : json.at("modes")) {
      if (mode.at("refusal") == "") CHECK(mode.at("workspace").get<std::uint64_t>() <= row.bytes);
      if (!mode.at("chosen").get<bool>()) continue;
      ++chosen;
      CHECK(mode.at("mode") == json.at("chosen"));
    }
    CHECK(chosen == 1);
  }
  CHECK(plan(kTraining, {"--chunk-dtype", "bf16", "--budget", "0.25GB"}).at("chosen") == "vocab_slices");
  CHECK(plan(kTraining, {"--chunk-dtype", "bf16", "--budget", "600MB"}).at("chosen") == "token_chunks");
}

TEST_CASE("plan: a mode that does not fit the budget says what it needs", "[cli][plan]") {
  const Words options = {"--dweight-type", "bf16", "--budget", "0.4GB"};
  const Json json = plan(kTraining, options);
  CHECK(json.at("chosen") == "vocab_slices");
  CHECK(json.at("modes").at(0).at("refusal").get<std::string>().find("workspace_budget of 400000000 bytes, ") == 0);
  CHECK_FALSE(json.at("logits").contains("chunk_logits"));
  CHECK(run_plan(kTraining, options).out.find("token_chunks   does not fit: workspace_budget of 400000000 bytes") != std::string::npos);
}

TEST_CASE("plan: losses alone have a mode of their own, a chunk asked for is the mode's", "[cli][plan]") {
  const Json loss = plan(kTraining, {"--gradients", "none", "--chunk", "4096"});
  CHECK(loss.at("chosen") == "loss_only");
  CHECK(loss.at("modes").at(1).at("chunk") == 4096);
  CHECK(loss.at("gradients").empty());
  const Json slices = plan(kTraining, {"--mode", "vocab_slices", "--chunk", "4096"});
  CHECK(slices.at("chosen") == "vocab_slices");
  CHECK(slices.at("modes").at(1).at("chunk").get<int>() <= 4096);
  CHECK(plan(kTraining, {"--bias"}).at("gradients") == Json({"dhidden", "dweight", "dbias"}));
  CHECK(plan({"0", "128256", "4096"}, {}).at("logits").at("three_copies") == 0);
}

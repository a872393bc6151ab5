#include "reports/logits_memory.hpp"

#include "reports/numbers.hpp"
#include "tests/catch.hpp"

using namespace plusmax::reports;

namespace {

// 8192 tokens, 128256 classes, 4096 features in bf16, a chunk of 1024 tokens.
LogitsQuestion training() {
  LogitsQuestion q;
  q.tokens = 8192, q.vocab = 128256, q.features = 4096, q.chunk = 1024;
  return q;
}

}  // namespace

TEST_CASE("logits memory: three copies are 6.3 GB, one is 2.1, a chunk of 1024 tokens 0.26", "[reports][logits_memory]") {
  const LogitsMemory m = logits_memory(training());
  CHECK(m.three_copies == 6304038912);
  CHECK(m.one_copy == 2101346304);
  CHECK(m.chunk_logits == 262668288);
  CHECK(m.chunks == 8);
  CHECK(m.by_chunks() == m.chunk_logits);
  CHECK(memory_size(m.three_copies) == "6.30 GB");
  CHECK(memory_size(m.one_copy) == "2.10 GB");
  CHECK(memory_size(m.chunk_logits) == "0.26 GB");
  CHECK(three_copies_over_chunk(m) == "24.0");
  CHECK(saves_nothing(training()) == "");
}

TEST_CASE("logits memory: the f32 sum of dW may be as large as the logits", "[reports][logits_memory]") {
  LogitsQuestion q = training();
  q.sums_dweight = true;
  CHECK(logits_memory(q).dweight_sum == 2101346304);
  CHECK(saves_nothing(q).find("the f32 sum of dW 2.10 GB") != std::string::npos);
  q.features = 1024;
  CHECK(logits_memory(q).by_chunks() == 262668288 + 525336576);
  CHECK(saves_nothing(q) == "");
  q.chunk = 8192;  // one chunk makes dW at once
  CHECK(logits_memory(q).dweight_sum == 0);
  CHECK(saves_nothing(q) == "A chunk of all 8192 tokens saves nothing: its logits take 2.10 GB, the one copy in place 2.10 GB.");
  q.chunk = 4096, q.chunk_element_bytes = 4, q.sums_dweight = false;
  CHECK(saves_nothing(q) == "Chunks of 4096 of 8192 tokens save nothing: the logits of one take 2.10 GB, the one copy in place 2.10 GB.");
  q.chunk = 4095;
  CHECK(saves_nothing(q) == "");
}

TEST_CASE("logits memory: chunks hold the tokens that are computed, rows begin on whole lines", "[reports][logits_memory]") {
  LogitsQuestion q;
  q.tokens = 10000, q.vocab = 65, q.features = 8;
  CHECK(equal_chunk(10000, 4096) == 3334);
  CHECK(equal_chunk(10000, 20000) == 10000);
  CHECK(equal_chunk(0, 7) == 0);
  q.chunk = 3334;
  CHECK(logits_memory(q).chunks == 3);
  CHECK(logits_memory(q).chunk_logits == 3334 * 128 * 2);
  q.max_valid_tokens = 5000;
  CHECK(logits_memory(q).chunks == 2);
  CHECK(logits_memory(q).one_copy == 10000 * 65 * 2);
  q.tokens = q.max_valid_tokens = q.chunk = 0;
  CHECK(logits_memory(q).chunks == 0);
  CHECK(saves_nothing(q) == "");
}

TEST_CASE("logits traffic: 4MN, 8MN and 16MN bytes of f32, 2 reads and a write of bf16 in 1.9 ms", "[reports][logits_memory]") {
  const LogitsTraffic f32 = logits_traffic(1, 1, 4), bf16 = logits_traffic(8192, 128256, 2);
  CHECK(f32.one_pass == 4);
  CHECK(f32.two_passes == 8);
  CHECK(f32.stored == 16);
  CHECK(f32.in_place == 8);
  CHECK(bf16.read_twice == 6304038912);
  CHECK(brief(static_cast<double>(bf16.read_twice) / 3.35e12 * 1e3, 2) == "1.9");
}

TEST_CASE("memory sizes: three digits, GB from a tenth on, halves up", "[reports][numbers]") {
  const struct {
    std::uint64_t bytes;
    const char* text;
  } rows[] = {{0, "0 B"},           {999, "999 B"},           {1000, "1.00 kB"},         {25344, "25.3 kB"},         {999499, "999 kB"},      {2125000, "2.13 MB"},
              {67108864, "67.1 MB"}, {99999999, "100.0 MB"}, {100000000, "0.10 GB"}, {2125000000, "2.13 GB"}, {6304038912, "6.30 GB"}, {12607000000000, "12607.00 GB"}};
  for (const auto& row : rows) CHECK(memory_size(row.bytes) == row.text);
}

// Bytes of the logits: what each way to the loss of a linear layer keeps of them, and what passes over them move. `plusmax
// plan` and the calculator of report.html show these figures; logits_memory_script.cpp has the same formulas.
#pragma once

#include <cstdint>
#include <string>

namespace plusmax::reports {

struct LogitsQuestion {
  std::int64_t tokens = 0, vocab = 0, features = 0;
  std::int64_t max_valid_tokens = 0;  // that are not ignored, at most; 0: all
  int element_bytes = 2;        // of X and W, and of logits that exist as a whole
  int chunk_element_bytes = 2;  // of the logits of a chunk
  bool sums_dweight = false;    // dW is of 16 bits and its sum over chunks is kept in f32 beside it
  std::int64_t chunk = 0;       // tokens of a chunk; 0: all

  std::int64_t computed() const { return max_valid_tokens > 0 ? max_valid_tokens : tokens; }
};

// As few chunks of at most so many tokens, none of them shorter than it must be.
std::int64_t equal_chunk(std::int64_t tokens, std::int64_t most);

struct LogitsMemory {
  std::uint64_t three_copies = 0;  // logits, probabilities, gradient
  std::uint64_t one_copy = 0;      // the gradient in place
  std::int64_t chunk = 0, chunks = 0;
  std::uint64_t chunk_logits = 0;  // those that exist at a time, their rows on lines of 128 bytes
  std::uint64_t dweight_sum = 0;   // [vocab, features] of f32; 0 where one chunk makes dW at once

  std::uint64_t by_chunks() const { return chunk_logits + dweight_sum; }
};

// Exact below 2^53 bytes, where the script's numbers are.
LogitsMemory logits_memory(const LogitsQuestion& question);

// Why chunks need no less than one copy; empty where they do.
std::string saves_nothing(const LogitsQuestion& question);

// How many times one chunk's logits go into three copies, to a tenth: "24.0".
std::string three_copies_over_chunk(const LogitsMemory& memory);

// What the passes over logits of a type move.
struct LogitsTraffic {
  std::uint64_t one_pass = 0;      // log-sum-exp: 1 read
  std::uint64_t two_passes = 0;    // the maximum first: 2 reads
  std::uint64_t stored = 0;        // maximum, exponentials written, their sum: 3 reads, 1 write
  std::uint64_t in_place = 0;      // loss and gradient: 1 read, 1 write
  std::uint64_t read_twice = 0;    // 2 reads, 1 write
};
LogitsTraffic logits_traffic(std::int64_t tokens, std::int64_t vocab, int element_bytes);

}  // namespace plusmax::reports

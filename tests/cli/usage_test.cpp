// Bad input, row by row: one line on stderr that holds the values, and the right exit code.
#include "tests/catch.hpp"
#include "tests/cli/run_cli.hpp"

#include <cstdio>

using namespace plusmax::cli::testing;

namespace {

struct Row {
  const char* what;
  std::vector<std::string> arguments;
  int code;
  std::vector<std::string> says;  // each must be in the line
};

const std::vector<Row> kRows = {
    {"unknown verb", {"chekc"}, 2, {"chekc", "check"}},
    {"option before the verb", {"--nope"}, 2, {"--nope", "--version", "--help"}},
    {"option of a verb before it", {"--seed", "1", "check"}, 2, {"--seed", "stand behind it"}},
    {"seed for a case file", {"check", "--cases", "/nonexistent.cases", "--seed", "7"}, 2, {"--seed 7", "--cases"}},
    {"no row to explain", {"explain", "logsumexp f32 rows=1 cols=1", "--rows", "0"}, 2, {"--rows", "'0'", "from 1 to 2^62"}},
    {"rows that are no number", {"replay", "logsumexp f32 rows=1 cols=1", "--rows", "1.5"}, 2, {"1.5", "whole number"}},
    {"no case to fuzz", {"fuzz", "--cases", "0"}, 2, {"--cases", "'0'", "from 1 to 2^62"}},
    {"failures in a file", {"fuzz", "--failures", "/dev/null"}, 2, {"--failures /dev/null"}},
    {"failures below a file", {"fuzz", "--failures", "/dev/null/database"}, 2, {"--failures /dev/null/database"}},
    {"failures that would move", {"fuzz", "--out", "/nonexistent", "--failures", "/nonexistent/database"}, 2, {"/nonexistent/database", "/nonexistent/failures"}},
    {"failures that would be deleted", {"fuzz", "--out", "/nonexistent", "--failures", "/nonexistent.old/failures"}, 2, {"/nonexistent.old/failures"}},
    {"a directory reported twice", {"report", "/dev", "/dev/../dev/"}, 2, {"/dev/../dev/", "twice"}},
    {"unknown option", {"check", "--sede", "1"}, 2, {"--sede", "--seed"}},
    {"option of another verb", {"list", "--seed", "1"}, 2, {"--seed", "list"}},
    {"option without value", {"check", "--seed"}, 2, {"--seed"}},
    {"option with no number", {"check", "--jobs", "many"}, 2, {"many"}},
    {"no job", {"check", "--jobs", "0"}, 2, {"jobs"}},
    {"negative timeout", {"check", "--timeout", "-3"}, 2, {"-3"}},
    {"timeout that is no number", {"check", "--timeout", "nan"}, 2, {"nan", "seconds"}},
    {"negative seed", {"check", "--seed", "-1"}, 2, {"-1", "2^64"}},
    {"seed beyond 64 bits", {"fuzz", "--seed", "18446744073709551616"}, 2, {"18446744073709551616"}},
    {"no name of a case file", {"check", "--cases", ""}, 2, {"--cases", "empty"}},
    {"unknown backend", {"check", "--backend", "cdua"}, 2, {"cdua", "cuda"}},
    {"unknown option in a line", {"replay", "cross_entropy f32 rows=1 cols=2 smoothng=1"}, 2, {"'smoothng'", "'smoothing'"}},
    {"smoothing of everything", {"replay", "cross_entropy f32 rows=1 cols=2 smoothing=1"}, 2, {"smoothing='1'", "below 1"}},
    {"negative softcap", {"replay", "cross_entropy f32 rows=1 cols=2 softcap=-30"}, 2, {"softcap='-30'", "from 0"}},
    {"softcap that f32 holds as 0", {"replay", "cross_entropy bf16 rows=1 cols=2 softcap=1e-60"}, 2, {"softcap 1e-60", "1.17549"}},
    {"scale that f64 holds as a subnormal", {"replay", "cross_entropy f64 rows=1 cols=2 scale=1e-310"}, 2, {"scale 1e-310", "2.225"}},
    {"scale far beyond the softcap", {"replay", "cross_entropy f32 rows=1 cols=2 scale=1e30 softcap=1e-20"}, 2, {"scale / softcap 1e+50"}},
    {"z_loss that overflows", {"replay", "cross_entropy f32 rows=1 cols=2 z_loss=3e38"}, 2, {"z_loss 3e+38", "at most"}},
    {"infinite weight", {"replay", "cross_entropy f32 rows=1 cols=2 weights=[1,inf]"}, 2, {"weights", "inf", "finite"}},
    {"infinite upstream gradient", {"replay", "cross_entropy f32 rows=1 cols=2 upstream=inf"}, 2, {"upstream", "inf", "finite"}},
    {"targets of another shape", {"replay", "cross_entropy f32 rows=2 cols=2 targets=[0]"}, 2, {"1 values for 2 rows"}},
    {"gradient rows that overlap", {"replay", "cross_entropy f32 rows=2 cols=8 gradient=out_of_place gradient_stride=7"}, 2, {"gradient_stride='7'", "cols"}},
    {"a stride of no gradient", {"replay", "cross_entropy f32 rows=2 cols=8 gradient_stride=9"}, 2, {"gradient_stride 9", "out_of_place"}},
    {"results apart", {"replay", "cross_entropy f32 rows=2 cols=8 out_stride=2"}, 2, {"out_stride 2", "leave it out"}},
    {"unknown operation", {"check", "--op", "logsumexq"}, 2, {"logsumexq", "logsumexp"}},
    {"unknown variant", {"check", "--backend", "host", "--variant", "wrap_per_row"}, 2, {"wrap_per_row", "warp_per_row"}},
    {"unknown dtype", {"check", "--dtype", "fp16"}, 2, {"fp16", "f16"}},
    {"unknown check", {"check", "--check", "orcale"}, 2, {"orcale", "oracle"}},
    {"unknown profile", {"check", "--profile", "smoek"}, 2, {"smoek", "smoke"}},
    {"bad expression", {"check", "--backend", "host", "--match", "("}, 2, {"--match", "("}},
    {"no such case file", {"check", "--backend", "host", "--cases", "/nonexistent.cases"}, 2, {"/nonexistent.cases"}},
    {"no such module", {"check", "--module", "/nonexistent.so"}, 2, {"/nonexistent.so"}},
    {"a module and a backend", {"check", "--module", "/nonexistent.so", "--backend", "host"}, 2, {"--module", "--backend"}},
    {"no case line", {"replay"}, 2, {"line"}},
    {"line not quoted", {"replay", "logsumexp", "f32", "rows=1"}, 2, {"quote"}},
    {"unknown operation in a line", {"replay", "logsumexq f32 rows=1 cols=1"}, 2, {"logsumexq", "logsumexp"}},
    {"unknown dtype in a line", {"replay", "logsumexp f33 rows=1 cols=1"}, 2, {"f33"}},
    {"unknown key", {"replay", "logsumexp f32 rows=1 cols=1 colums=1"}, 2, {"colums", "cols"}},
    {"unknown fill", {"replay", "logsumexp f32 rows=1 cols=1 fill=platoo"}, 2, {"platoo"}},
    {"unknown parameter of a fill", {"replay", "logsumexp f32 rows=1 cols=4 fill=plateau deepth=2"}, 2, {"deepth", "depth"}},
    {"negative size", {"replay", "logsumexp f32 rows=-1 cols=1"}, 2, {"-1"}},
    {"absurd size", {"replay", "logsumexp f32 rows=1 cols=99999999999999999999"}, 2, {"99999999999999999999"}},
    {"too many logits", {"replay", "logsumexp f32 rows=2^39 cols=2^39"}, 2, {"549755813888"}},
    {"stride below cols", {"replay", "logsumexp f32 rows=2 cols=128 stride=100"}, 2, {"100", "128"}},
    {"data not closed", {"replay", "logsumexp f32 rows=1 cols=2 data=[[1,2"}, 2, {"[[1,2"}},
    {"data that are no numbers", {"replay", "logsumexp f32 rows=1 cols=2 data=[[1,two]]"}, 2, {"two"}},
    {"data of another shape", {"replay", "logsumexp f32 rows=2 cols=2 data=[[1,2]]"}, 2, {"2"}},
    {"data with rows of two lengths", {"replay", "logsumexp f32 rows=2 cols=2 data=[[1,2],[3]]"}, 2, {"row"}},
    {"no duration", {"fuzz", "--backend", "host", "--for", "soon"}, 2, {"soon"}},
    {"more time than a number holds", {"fuzz", "--backend", "host", "--for", "1e308h"}, 2, {"1e308h", "no duration"}},
    {"no time at all", {"fuzz", "--backend", "host", "--for", "0s"}, 2, {"0s"}},
    {"no shape", {"bench", "--backend", "host", "--shape", "8192"}, 2, {"8192"}},
    {"load on the host", {"bench", "--backend", "host", "--loaded"}, 2, {"--loaded", "host", "--backend cuda"}},
    {"absurd shape", {"bench", "--backend", "host", "--shape", "9999999x9999999"}, 2, {"9999999x9999999"}},
    {"a plan without a size", {"plan", "--tokens", "8192", "--vocab", "128256"}, 2, {"--features", "plan --help"}},
    {"a plan of no class", {"plan", "--tokens", "1", "--vocab", "0", "--features", "1"}, 2, {"--vocab", "'0'", "from 1 to 2147483647"}},
    {"a plan of half a token", {"plan", "--tokens", "0.5", "--vocab", "2", "--features", "1"}, 2, {"--tokens", "'0.5'", "whole number"}},
    {"a plan of too many logits", {"plan", "--tokens", "2147483647", "--vocab", "2147483647", "--features", "1"}, 2, {"--tokens 2147483647", "--vocab 2147483647", "2^48"}},
    {"a plan of too many weights", {"plan", "--tokens", "1", "--vocab", "2147483647", "--features", "2147483647"}, 2, {"--features 2147483647", "2^48"}},
    {"a plan in a type that the operation has not", {"plan", "--tokens", "1", "--vocab", "2", "--features", "1", "--dtype", "f64"}, 2, {"'f64'", "f32"}},
    {"dW of a third type", {"plan", "--tokens", "1", "--vocab", "2", "--features", "1", "--dweight-type", "f16"}, 2, {"--dweight-type f16", "--dtype bf16"}},
    {"chunks of a third type", {"plan", "--tokens", "1", "--vocab", "2", "--features", "1", "--dtype", "f32", "--chunk-dtype", "bf16"}, 2, {"--chunk-dtype bf16", "--dtype f32"}},
    {"an unknown gradient", {"plan", "--tokens", "1", "--vocab", "2", "--features", "1", "--gradients", "dhiden"}, 2, {"dhiden", "dhidden"}},
    {"no name of a gradient", {"plan", "--tokens", "1", "--vocab", "2", "--features", "1", "--gradients", ""}, 2, {"--gradients", "none"}},
    {"an unknown mode", {"plan", "--tokens", "1", "--vocab", "2", "--features", "1", "--mode", "token_chunk"}, 2, {"token_chunk", "token_chunks"}},
    {"an unknown reduction", {"plan", "--tokens", "1", "--vocab", "2", "--features", "1", "--reduction", "average"}, 2, {"average"}},
    {"loss only, with gradients", {"plan", "--tokens", "1", "--vocab", "2", "--features", "1", "--mode", "loss_only"}, 2, {"loss_only", "--gradients none"}},
    {"slices, without gradients", {"plan", "--tokens", "1", "--vocab", "2", "--features", "1", "--mode", "vocab_slices", "--gradients", "none"}, 2, {"vocab_slices", "loss_only"}},
    {"a chunk of nothing", {"plan", "--tokens", "1", "--vocab", "2", "--features", "1", "--chunk", "0"}, 2, {"--chunk", "'0'"}},
    {"more valid tokens than tokens", {"plan", "--tokens", "10", "--vocab", "2", "--features", "1", "--max-valid-tokens", "11"}, 2, {"max_valid_tokens 11", "tokens 10"}},
    {"a budget of no unit", {"plan", "--tokens", "1", "--vocab", "2", "--features", "1", "--budget", "256mb"}, 2, {"'256mb'", "256MB", "2^28"}},
    {"a budget of nothing", {"plan", "--tokens", "1", "--vocab", "2", "--features", "1", "--budget", "0"}, 2, {"'0'", "from 1"}},
    {"a budget of half a byte", {"plan", "--tokens", "1", "--vocab", "2", "--features", "1", "--budget", "0.5"}, 2, {"'0.5'"}},
    {"a budget beyond 64 bits", {"plan", "--tokens", "1", "--vocab", "2", "--features", "1", "--budget", "99999999999TB"}, 2, {"99999999999TB", "2^62"}},
    {"a budget that nothing keeps", {"plan", "--backend", "host", "--tokens", "8192", "--vocab", "128256", "--features", "4096", "--budget", "1MB"}, 2, {"--budget", "1000000 bytes", "139256576 needed by vocab_slices"}},
    {"no bandwidth", {"plan", "--tokens", "1", "--vocab", "2", "--features", "1", "--bandwidth", "0"}, 2, {"--bandwidth", "'0'", "TB/s"}},
    {"a report of nothing", {"report", "/nonexistent"}, 2, {"/nonexistent"}},
    {"directory below a file", {"check", "--backend", "host", "--out", "/dev/null/out"}, 2, {"/dev/null/out"}},
    {"no directory", {"check", "--backend", "host", "--out", "/dev/null"}, 2, {"/dev/null"}},
    {"nothing selected", {"check", "--backend", "host", "--match", "no such case anywhere"}, 5, {"selected"}},
    {"no mutant selected", {"mutants", "--backend", "host", "--match", "no such mutant"}, 5, {"no such mutant"}},
};

}  // namespace

TEST_CASE("bad input is answered with one line on stderr and its exit code", "[cli][usage]") {
  for (const Row& row : kRows) {
    const Answer answer = run_plusmax(row.arguments);
    INFO(row.what << ": " << answer.err);
    CHECK(answer.code == row.code);
    CHECK(lines_of(answer.err) == 1);
    CHECK(answer.err.rfind("plusmax: ", 0) == 0);
    for (const std::string& word : row.says) {
      INFO("missing: " << word);
      CHECK(answer.err.find(word) != std::string::npos);
    }
  }
}

TEST_CASE("a directory with other files is not used for a report", "[cli][usage]") {
  const std::string directory = fresh_directory("mine");
  std::FILE* file = std::fopen((directory + "/thesis.tex").c_str(), "w");
  REQUIRE(file != nullptr);
  std::fclose(file);
  const Answer answer = run_plusmax({"check", "--backend", "host", "--out", directory});
  CHECK(answer.code == 2);
  CHECK(answer.err.find(directory) != std::string::npos);
  CHECK(std::fopen((directory + "/thesis.tex").c_str(), "r") != nullptr);
}

TEST_CASE("backend cuda without a module or a device says what to do", "[cli][usage]") {
  const Answer doctor = run_plusmax({"doctor"});
  if (doctor.out.find("ok  cuda") != std::string::npos) {
    WARN("a GPU answers here: nothing to test");
    return;
  }
  const Answer answer = run_plusmax({"check", "--backend", "cuda"});
  CHECK(answer.code == 2);
  CHECK(lines_of(answer.err) == 1);
  CHECK(answer.err.find("--backend host") != std::string::npos);
}

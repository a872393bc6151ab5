// bench on the host: which cases it times, against which ceiling, and that wrong results are no figure.
#include "tests/catch.hpp"
#include "tests/cli/run_cli.hpp"

using namespace plusmax::cli::testing;

namespace {

Answer bench(const std::string& name, std::vector<std::string> more) {
  std::vector<std::string> arguments = {"bench", "--backend", "host", "--repeats", "2", "--out", fresh_directory(name) + "/out"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_plusmax(arguments);
}

}  // namespace

TEST_CASE("bench names each measurement by a case line, and what the line says decides its ceiling", "[cli][bench]") {
  const std::vector<std::string> shape = {"--op", "cross_entropy", "--shape", "3x500", "--dtype", "bf16"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), shape.begin(), shape.end());
    return more;
  };
  const Answer usual = bench("bench_usual", with({}));
  INFO(usual.err << usual.out);
  CHECK(usual.code == 0);
  CHECK(usual.out.find("cross_entropy bf16 rows=3 cols=500 seed=1 reduction=mean gradient=in_place\n") != std::string::npos);
  for (const char* variant : {"in-place copy", "warp_per_row", "block_per_row", "cluster_per_row", "two_pass"})
    CHECK(usual.out.find(variant) != std::string::npos);

  const std::string out = fresh_directory("bench_options") + "/out";
  const Answer other = run_plusmax({"bench", "--backend", "host", "--repeats", "2", "--op", "cross_entropy", "--shape", "3x500", "--dtype", "f32", "--variant", "block_per_row",
                                    "--options", "gradient=out_of_place smoothing=0.1 weights=uniform upstream=normal ignored=0.3", "--out", out});
  INFO(other.err << other.out);
  CHECK(other.code == 0);
  const std::string lines = read(out + "/bench.jsonl");
  CHECK(lines_of(lines) == 4);  // all three ceilings at the first case, and the variant
  CHECK(lines.find("\"case\":\"cross_entropy f32 rows=3 cols=500 seed=1") != std::string::npos);
  for (const char* option : {"smoothing=0.1", "weights=uniform", "reduction=mean", "gradient=out_of_place", "upstream=normal", "ignored=0.3"})
    CHECK(lines.find(option) != std::string::npos);
  CHECK(lines.find("\"ceiling\":\"copy\",\"ceiling_us\"") != std::string::npos);
  CHECK(lines.find("\"workspace_bytes\":") != std::string::npos);
  CHECK(bench("bench_forward", with({"--variant", "two_pass", "--options", "gradient=none reduction=none argmax outputs=loss,lse"})).code == 2);
  CHECK(bench("bench_forward", with({"--variant", "two_pass", "--options", "gradient=none reduction=none outputs=loss,lse,argmax"})).code == 0);
}

TEST_CASE("bench refuses options that are no key of the operation, and a layout that it would not time", "[cli][bench]") {
  const auto refused = [](const char* op, const char* options, const char* word) {
    const Answer answer = bench("bench_refused", {"--op", op, "--shape", "3x500", "--options", options});
    INFO(answer.err);
    CHECK(answer.code != 0);
    CHECK((answer.err + answer.out).find(word) != std::string::npos);
  };
  refused("logsumexp", "smoothing=0.1", "smoothing");
  refused("cross_entropy", "smoothing=2", "smoothing");
  refused("cross_entropy", "stride=600", "stride");
  refused("cross_entropy", "target_stride=2", "target_stride");
  refused("cross_entropy", "set=0:5=8", "set");
  refused("linear_cross_entropy", "features=4 weight_stride=9", "side by side");
  refused("linear_cross_entropy", "features=4 targets=[500,...]", "no class");
}

TEST_CASE("bench times linear_cross_entropy beside its products, each case by the variant that it is about", "[cli][bench]") {
  const std::string out = fresh_directory("bench_linear") + "/out";
  const Answer answer = run_plusmax({"bench", "--backend", "host", "--repeats", "2", "--op", "linear_cross_entropy", "--out", out});
  INFO(answer.err << answer.out);
  CHECK(answer.code == 0);
  const std::string lines = read(out + "/bench.jsonl");
  CHECK(lines_of(lines) == 5);
  for (const char* word : {"\"ceiling\":\"3 products\"", "\"ceiling\":\"4 products\"", "\"ceiling\":\"1 product\"", "\"ratio\":", "\"errors\":[{\"result\":\"loss\"",
                           "\"result\":\"dweight\"", "\"rms\":", "\"sample\":\"of all tokens; of dhidden rows 0,1", "\"workspace_bytes\":", "gradient=dhidden,dweight,dbias"})
    CHECK(lines.find(word) != std::string::npos);
  CHECK(answer.out.find("beside 3 products") != std::string::npos);

  const Answer one = bench("bench_linear_slices", {"--op", "linear_cross_entropy", "--variant", "vocab_slices"});
  INFO(one.err << one.out);
  CHECK(one.code == 0);
  CHECK(one.out.find("PASSED: 1 measurement") != std::string::npos);

  // No case is about a variant that is not there.
  const Answer none = bench("bench_linear_none", {"--op", "logsumexp", "--variant", "token_chunks"});
  CHECK(none.code != 0);
  const Answer other_dtype = bench("bench_linear_dtype", {"--op", "linear_cross_entropy", "--dtype", "f16"});
  CHECK(other_dtype.code == 5);
  CHECK(other_dtype.err.find("no default shape") != std::string::npos);

  // A shape of one's own: every variant that takes it.
  const Answer own = bench("bench_linear_own", {"--op", "linear_cross_entropy", "--shape", "5x200", "--dtype", "f32", "--options", "features=7 chunk=2 smoothing=0.1"});
  INFO(own.err << own.out);
  CHECK(own.code == 0);
  CHECK(own.out.find("linear_cross_entropy f32 rows=5 cols=200 seed=1 smoothing=0.1 reduction=mean features=7 gradient=dhidden,dweight") != std::string::npos);
  CHECK(own.out.find("token_chunks") != std::string::npos);
  CHECK(own.out.find("vocab_slices") != std::string::npos);
  CHECK(own.out.find("loss_only") == std::string::npos);
}

TEST_CASE("3: bench refuses figures of wrong results", "[cli][bench][exit]") {
  const Answer answer =
      run_plusmax({"bench", "--repeats", "2", "--out", fresh_directory("bench_wrong") + "/out", "--module",
                   mutant_module("missing_max"), "--op", "logsumexp", "--shape", "3x500", "--dtype", "f32"});
  INFO(answer.err << answer.out);
  CHECK(answer.code == 3);
  CHECK(answer.out.find("row 0 of buffer 0: got") != std::string::npos);
}

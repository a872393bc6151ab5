// What bench says of timed calls of linear_cross_entropy: right ones pass, and each mistake is found where it is.
#include "properties/bench_bed.hpp"
#include "tests/catch.hpp"
#include "tests/properties/fake_linear_cross_entropy.hpp"

#include <memory>
#include <string>

using namespace plusmax;
using namespace plusmax::properties;
using fake_linear_cross_entropy::Slip;
using fake_linear_cross_entropy::World;

namespace {

const Operation& linear() { return operation_named("linear_cross_entropy"); }

struct Judged {
  std::string wrong, repeated, sample;
  std::vector<BenchError> errors;
};

Judged judge(const Module& module, const std::string& variant, const std::string& line) {
  const Subject subject = subjects_of(module, "linear_cross_entropy", variant).front();
  const auto bed = linear().bench_bed(parse_case(line), module);
  REQUIRE(bed->refusal(subject).empty());
  const std::size_t bytes = bed->workspace_bytes(subject);
  const auto workspace = module.device->allocate({.name = "workspace", .line_bytes = bytes});
  Judged judged;
  judged.wrong = bed->verify(subject, workspace->data());
  judged.errors = bed->errors();
  judged.sample = bed->sample();
  judged.repeated = bed->repeat(subject, workspace->data(), 2);
  return judged;
}

const std::string kShape = "linear_cross_entropy f32 rows=7 cols=60 seed=3 features=9 reduction=mean ";
const std::string kAll = kShape + "gradient=dhidden,dweight,dbias outputs=loss,lse,z_loss chunk=3 ";

template <Slip kSlip>
std::string wrong_of(const std::string& line) {
  World<kSlip> world;
  return judge(world.module, "token_chunks", line).wrong;
}

// Of token_chunks, other results at every second launch.
int launches = 0;
Status alternating(const plusmax::linear_cross_entropy::Params& p, void* workspace, void* stream) {
  Status status = kernel_named(host_module()->linear_cross_entropy, "token_chunks").launch(p, workspace, stream);
  if (status.ok() && ++launches % 2 == 0) static_cast<float*>(p.dweight)[5 * p.dweight_stride + 2] *= 1.0000002f;
  return status;
}

}  // namespace

TEST_CASE("bench: every variant of linear_cross_entropy is right, whatever its options",
          "[bench][linear_cross_entropy]") {
  const std::string options[] = {
      "",
      "gradient=dhidden,dweight,dbias chunk=3 smoothing=0.1 softcap=20 z_loss=1e-3 bias=normal weights=uniform "
      "upstream=normal ",
      "gradient=dhidden,dweight,dbias ignored=0.4 add_to_dweight=yes bias=normal chunk=4 max_valid_tokens=7 ",
      "gradient=dhidden targets=[5,-100,...] scale=0.5 normalizer=[4.5,4] target_type=i32 "};
  for (const std::string& more : options)
    for (const char* variant : {"token_chunks", "vocab_slices", "loss_only"}) {
      const bool losses = more.empty();
      if (losses != (std::string(variant) == "loss_only")) continue;
      const Judged judged = judge(*host_module(), variant, kShape + more);
      CAPTURE(variant, more, judged.wrong, judged.repeated);
      CHECK(judged.wrong.empty());
      CHECK(judged.repeated.empty());
      for (const BenchError& error : judged.errors)
        CHECK((error.worst_ratio <= 1 && error.rms_bound < 0.1 && error.judged > 0));
      CHECK(judged.sample.find("seed 3") != std::string::npos);
    }
}

TEST_CASE("bench: rows of dW that are targets are counted apart", "[bench][linear_cross_entropy]") {
  const Judged judged = judge(*host_module(), "token_chunks", kShape + "gradient=dweight targets=[8,3,-100,8,...]");
  REQUIRE(judged.errors.size() == 4);
  CHECK((judged.errors[2].result == "dweight" && judged.errors[3].result == "dweight of targets"));
  CHECK(judged.errors[3].judged == 2 * 9);
}

TEST_CASE("bench: 16-bit sums of dW over chunks have a bound of their own", "[bench][linear_cross_entropy]") {
  const Judged judged = judge(*host_module(), "token_chunks",
                              "linear_cross_entropy bf16 rows=20 cols=70 features=9 gradient=dhidden,dweight chunk=3 "
                              "dweight_type=dtype chunk_dtype=dtype accumulate_in_dweight_type=yes");
  CAPTURE(judged.wrong);
  CHECK(judged.wrong.empty());
  CHECK(judged.repeated.empty());
}

TEST_CASE("bench: a call of linear_cross_entropy whose tokens and classes repeat is judged to its last row",
          "[bench][linear_cross_entropy]") {
  const std::string line =
      "linear_cross_entropy f32 rows=131 cols=530 seed=2 features=8192 reduction=mean bias=normal "
      "gradient=dhidden,dweight,dbias ";
  const Judged judged = judge(*host_module(), "token_chunks", line);
  CAPTURE(judged.wrong);
  CHECK(judged.wrong.empty());
  CHECK(wrong_of<Slip::last_dbias_lost>(line).find("dbias") == 0);
  CHECK(wrong_of<Slip::dhidden_off>(line).find("dhidden: row 0") == 0);
}

TEST_CASE("bench: what a mistake changes in a timed call of linear_cross_entropy is named",
          "[bench][linear_cross_entropy]") {
  CHECK(wrong_of<Slip::none>(kAll).empty());
  CHECK(wrong_of<Slip::loss_rounded>(kAll).find("loss: row") == 0);
  CHECK(wrong_of<Slip::lse_of_next_token>(kAll).find("lse: row 0") == 0);
  CHECK(wrong_of<Slip::mean_not_divided>(kAll).find("reduced loss") == 0);
  CHECK(wrong_of<Slip::dweight_accumulated_in_16_bits>(kAll).find("dweight: row") == 0);
  CHECK(wrong_of<Slip::last_dbias_lost>(kAll).find("dbias: row 59") == 0);
  CHECK(wrong_of<Slip::dhidden_off>(kAll).find("dhidden: row 0") == 0);
  CHECK(wrong_of<Slip::ignored_dhidden_negative>(kShape + "gradient=dhidden targets=[5,-100,...]")
            .find("dhidden: row 1") == 0);
}

TEST_CASE("bench: a launch of linear_cross_entropy that gives other bits is named with its row",
          "[bench][linear_cross_entropy]") {
  World<Slip::none> world;
  for (auto& kernel : world.kernels)
    if (std::string_view(kernel.name) == "token_chunks") kernel.launch = alternating;
  launches = 0;
  CHECK(judge(world.module, "token_chunks", kAll).repeated ==
        "launch 2 of 2 gave dweight of row 5 other bits than the first");
}

TEST_CASE("bench: linear_cross_entropy refuses what it would not time", "[bench][linear_cross_entropy]") {
  const auto refused = [](const std::string& more, const char* words) {
    CAPTURE(more);
    CHECK_THROWS_WITH(linear().bench_bed(parse_case(kShape + more), *host_module()), ContainsSubstring(words));
  };
  refused("hidden_stride=12", "side by side");
  refused("phase=1", "side by side");
  refused("target_stride=2", "side by side");
  refused("targets=peak", "targets=peak");
  refused("bad=0.5", "bad targets");
  refused("targets=[60,...]", "no class");
  refused("max_valid_tokens=3", "max_valid_tokens 3, but 7");
  refused("set=0:5=8", "data, set");
  const auto bed = linear().bench_bed(parse_case(kShape + "gradient=dhidden"), *host_module());
  CHECK_FALSE(bed->refusal(subjects_of(*host_module(), "linear_cross_entropy", "loss_only").front()).empty());
}

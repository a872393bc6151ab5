// Case lines of linear_cross_entropy, and the X, W and bias that they stand for.
#include "properties/case_file.hpp"
#include "properties/operation.hpp"
#include "properties/ops/linear_cross_entropy/exact.hpp"
#include "tests/catch.hpp"

#include <cmath>
#include <set>

using namespace plusmax;
using namespace plusmax::properties;

namespace adapter = plusmax::properties::linear_cross_entropy;

namespace {

std::string refusal(const std::string& line) {
  try {
    return "accepted as " + to_line(parse_case(line));
  } catch (const UsageError& error) {
    return error.what();
  }
}

adapter::Call call_of(const std::string& line) { return adapter::call_of(parse_case(line)); }

std::vector<double> row(const Rows& of, std::int64_t r) {
  std::vector<double> scratch;
  const auto data = of.row(r, scratch);
  return {data.begin(), data.end()};
}

// Certified logits of a token that is not ignored.
std::vector<double> logits(const std::string& line, std::size_t token) {
  return adapter::Exact(call_of(line)).values().tokens.at(token).logits;
}

}  // namespace

TEST_CASE("linear_cross_entropy case: a line that is already short comes back unchanged",
          "[case][linear_cross_entropy]") {
  for (const std::string line :
       {"linear_cross_entropy f32 rows=1 cols=1",
        "linear_cross_entropy bf16 rows=9 cols=67 phase=3 fill=plateau seed=7 smoothing=0.1 reduction=mean "
        "targets=peak ignored=0.25 upstream=normal features=21 hidden=average bias=masked hidden_stride=23 "
        "weight_stride=24 weight_phase=5 gradient=dhidden,dweight,dbias dhidden_stride=25 dweight_stride=26 "
        "dweight_type=dtype add_to_dweight=yes chunk=4 chunk_dtype=dtype accumulate_in_dweight_type=yes "
        "max_valid_tokens=8 budget=1000000 outputs=loss,lse,z_loss,argmax,bad_targets,excess_tokens",
        "linear_cross_entropy f32 rows=1 cols=3 hidden=[[1,0]] weight=[[2,0],[0,0],[-2,0]] bias=[1:-inf,0,...]",
        "linear_cross_entropy f16 rows=0 cols=3 reduction=sum gradient=dbias outputs=none",
        "linear_cross_entropy f32 rows=3 cols=0 features=2",
        "linear_cross_entropy f32 rows=3 cols=4 hidden_stride=0"}) {
    CAPTURE(line);
    CHECK(to_line(parse_case(line)) == line);
  }
}

TEST_CASE("linear_cross_entropy case: order, blanks and defaults are normalised", "[case][linear_cross_entropy]") {
  CHECK(to_line(parse_case("linear_cross_entropy f32 gradient=dbias,dhidden features=16 cols=2 rows=1 chunk=0 "
                           "dweight_type=f32 bias=none hidden=normal")) ==
        "linear_cross_entropy f32 rows=1 cols=2 gradient=dhidden,dbias");
  CHECK(to_line(parse_case("linear_cross_entropy f32 rows=1 cols=1 features=2 hidden=[[1, 2]]")) ==
        "linear_cross_entropy f32 rows=1 cols=1 hidden=[[1,2]]");
}

TEST_CASE("linear_cross_entropy case: what cannot be used is refused in one line with the values and a way out",
          "[case][linear_cross_entropy]") {
  const std::pair<std::string, std::string> refusals[] = {
      {"featurs=3", "unknown key 'featurs': did you mean 'features'?"},
      {"features=0", "features='0': use 1 or more"},
      {"stride=9", "the logits of linear_cross_entropy lie nowhere; use hidden_stride"},
      {"out_stride=2", "out_stride 2: results of linear_cross_entropy lie one after the other"},
      {"features=4 hidden_stride=3", "hidden_stride 3: use features 4 or more, or 0"},
      {"features=4 weight_stride=0", "weight_stride 0: use features 4 or more, up to"},
      {"features=4 gradient=dweight dweight_stride=2", "dweight_stride 2: use features 4 or more"},
      {"weight_phase=64", "weight_phase 64: use 0 to 63"},
      {"hidden=[[1]]", "hidden='[[1]]': 1 rows for 2 tokens: give one each"},
      {"weight=[[1],[2]]", "weight='[[1],[2]]': 2 rows for 3 classes"},
      {"weight=normal", "write weight=[[1,2],[3,4]], a row a class; class weights are weights="},
      {"hidden=[[1],[inf]]", "no element may be infinite; a bias of -inf masks a class"},
      {"set=0:1=inf", "an infinite element of the weight has no result"},
      {"features=3 hidden=[[1],[2]]", "hidden has 1 features, features is 3: make them equal"},
      {"hidden=[[1],[2]] weight=[[1,2],[1,2],[1,2]]", "weight has 2 features, features is 1"},
      {"fill=ramp weight=[[1],[2],[3]]", "weight together with fill, set or data"},
      {"hidden=[[1],[2]] hidden_stride=0", "row 1 differs from row 0, which hidden_stride 0 repeats"},
      {"bias=[1,2]", "bias: 2 values for 3 classes"},
      {"bias=big", "bias='big'"},
      {"gradient=dlogits", "gradient='dlogits'"},
      {"add_to_dweight=yes", "add_to_dweight without gradient=dweight or dbias: add that"},
      {"gradient=dbias accumulate_in_dweight_type=yes", "accumulate_in_dweight_type without gradient=dweight"},
      {"dhidden_stride=20", "dhidden_stride without gradient=dhidden"},
      {"max_valid_tokens=3", "max_valid_tokens='3': there are 2 tokens"},
      {"chunk=-1", "chunk='-1': use 0 or more"},
      {"outputs=none", "outputs=none, without gradient and reduction: ask for something"},
      {"targets=[0]", "targets: 1 values for 2 rows"},
      {"smoothing=1", "smoothing='1': use a number from 0 to below 1"},
  };
  for (const auto& [tail, expected] : refusals) {
    const std::string got = refusal("linear_cross_entropy f32 rows=2 cols=3 " + tail);
    CAPTURE(tail, got);
    CHECK(got.find(expected) != got.npos);
    CHECK(got.find('\n') == got.npos);
  }
}

TEST_CASE("linear_cross_entropy case: one-hot X gives each token the logits of a row of the fill",
          "[case][linear_cross_entropy]") {
  const std::string tail = " rows=5 cols=9 fill=ramp range=4 seed=3";
  for (std::int64_t r = 0; r < 5; ++r) {
    std::vector<double> of_fill(9);
    fill_row(parse_case("logsumexp f32" + tail), r, of_fill.data());
    CHECK(logits("linear_cross_entropy f32" + tail + " features=5 hidden=one_hot", std::size_t(r)) == of_fill);
  }
  CHECK(logits("linear_cross_entropy f32 data=[[1,2],[3,4]] features=2 hidden=one_hot", 1) ==
        std::vector<double>{3, 4});
  CHECK(logits("linear_cross_entropy f32 rows=1 cols=2 features=3 hidden=zero bias=[1,-2]", 0) ==
        std::vector<double>{1, -2});
}

TEST_CASE("linear_cross_entropy case: data depend on the seed and on nothing that other keys say",
          "[case][linear_cross_entropy]") {
  const adapter::Call plain = call_of("linear_cross_entropy f32 rows=4 cols=6 seed=2 features=3 bias=normal");
  const adapter::Call other = call_of(
      "linear_cross_entropy f32 rows=7 cols=6 seed=2 features=3 bias=normal chunk=2 smoothing=0.1 weight_stride=9 "
      "gradient=dweight");
  for (std::int64_t r = 0; r < 4; ++r) CHECK(row(*plain.hidden, r) == row(*other.hidden, r));
  for (std::int64_t j = 0; j < 6; ++j) CHECK(row(*plain.weight, j) == row(*other.weight, j));
  CHECK(plain.bias == other.bias);
  CHECK(plain.targets == std::vector(other.targets.begin(), other.targets.begin() + 4));
  const adapter::Call reseeded = call_of("linear_cross_entropy f32 rows=4 cols=6 seed=3 features=3 bias=normal");
  CHECK(row(*plain.hidden, 0) != row(*reseeded.hidden, 0));
  CHECK(plain.bias != reseeded.bias);
}

TEST_CASE("linear_cross_entropy case: ignored tokens hold NaN, unless they share a row or are given",
          "[case][linear_cross_entropy]") {
  const auto nan = [](const std::string& tail) {
    const adapter::Call call = call_of("linear_cross_entropy bf16 rows=2 cols=3 targets=[1,-100] " + tail);
    CHECK_FALSE(std::isnan(row(*call.hidden, 0).front()));
    return std::isnan(row(*call.hidden, 1).front());
  };
  CHECK(nan("features=2"));
  CHECK_FALSE(nan("features=2 hidden_stride=0"));
  CHECK_FALSE(nan("hidden=[[1],[2]]"));
}

TEST_CASE("linear_cross_entropy case: a masked bias leaves classes, a peak has one far above the others",
          "[case][linear_cross_entropy]") {
  const auto bias = [](const std::string& kind) {
    return call_of("linear_cross_entropy f32 rows=1 cols=60 bias=" + kind).bias;
  };
  const auto masked = bias("masked");
  const auto count = std::count(masked.begin(), masked.end(), -HUGE_VAL);
  CHECK(count > 5);
  CHECK(count < 40);
  CHECK(std::isfinite(masked[0]));
  CHECK(bias("peak")[30] == 24);
  for (const double b : bias("offset")) CHECK(b > 900);
  CHECK(bias("none").empty());
}

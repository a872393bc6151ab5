// Case lines of cross_entropy, and the targets, weights and upstream gradients that they stand for.
#include "properties/case_file.hpp"
#include "properties/losses/data.hpp"
#include "properties/operation.hpp"
#include "properties/ops/cross_entropy/options.hpp"
#include "tests/catch.hpp"

#include <cmath>
#include <limits>
#include <set>

using namespace plusmax;
using namespace plusmax::properties;

namespace adapter = plusmax::properties::cross_entropy;

namespace {

std::string refusal(const std::string& line) {
  try {
    return "accepted as " + to_line(parse_case(line));
  } catch (const UsageError& error) {
    return error.what();
  }
}

struct Data {
  explicit Data(const std::string& line) : of(parse_case(line)), options(adapter::options_of(of)) {}
  std::int64_t target(std::int64_t row) const {
    std::vector<double> logits(static_cast<std::size_t>(of.cols));
    fill_row(of, row, logits.data());
    return losses::target_of(of, options, row, logits);
  }
  double weight(std::int64_t column) const { return losses::weight_of(of, options, column); }
  double upstream(std::int64_t row) const { return losses::upstream_of(of, options, row); }

  Case of;
  adapter::Options options;
};

}  // namespace

TEST_CASE("cross_entropy case: a line that is already short comes back unchanged", "[case][cross_entropy]") {
  for (const std::string line : {
           "cross_entropy f32 rows=1 cols=1",
           "cross_entropy bf16 rows=8 cols=128256 stride=128320 fill=peak_label seed=7 smoothing=0.1 ignored=0.25",
           "cross_entropy f32 rows=2 cols=2 data=[[1,2],[-inf,-inf]] targets=[0,-100]",
           "cross_entropy f16 rows=9 cols=70 smoothing=0.1 z_loss=1e-04 softcap=30 scale=0.5 weights=normal "
           "zero_weights=0.25 "
           "reduction=mean empty_mean=nan normalizer=[3.5,7] targets=peak ignored=0.25 bad=0.1 ignore_index=3 "
           "target_type=i32 "
           "target_stride=2 upstream=normal gradient=in_place outputs=loss,lse,z_loss,argmax,bad_targets,state",
           "cross_entropy f64 rows=4 cols=3 weights=[1,-2,0] targets=[3:9223372036854775807,0,...] upstream=-0",
           "cross_entropy f32 rows=0 cols=10 reduction=sum gradient=out_of_place outputs=none",
           "cross_entropy f32 rows=16 cols=0",
           "cross_entropy f32 rows=3 cols=7 stride=0 gradient=out_of_place",
       }) {
    CAPTURE(line);
    CHECK(to_line(parse_case(line)) == line);
  }
}

TEST_CASE("cross_entropy case: order, blanks, powers and defaults are normalised", "[case][cross_entropy]") {
  CHECK(to_line(
            parse_case("cross_entropy f32 rows=3 outputs=lse,loss targets=[ 1, 2:0, ... ] cols=5 upstream=1 scale=1.0 "
                       "ignore_index=2^31 weights=none reduction=none gradient=none target_type=i64")) ==
        "cross_entropy f32 rows=3 cols=5 targets=[2:0,1,...] ignore_index=2147483648 outputs=loss,lse");
  CHECK(parse_case("cross_entropy f32 rows=1 cols=2 smoothing=0.10") ==
        parse_case("cross_entropy f32 rows=1 cols=2 smoothing=1e-1"));
  CHECK_FALSE(parse_case("cross_entropy f32 rows=1 cols=2 bad=1") == parse_case("cross_entropy f32 rows=1 cols=2"));
}

TEST_CASE("cross_entropy case: what cannot be used is refused in one line with the values and a way out",
          "[case][cross_entropy]") {
  const std::pair<std::string, std::string> refusals[] = {
      {"smoothng=0.1", "unknown key 'smoothng': did you mean 'smoothing'?"},
      {"smoothing=1", "smoothing='1': use a number from 0 to below 1"},
      {"smoothing=-0.1", "smoothing='-0.1': use a finite number from 0 to 1"},
      {"z_loss=inf", "z_loss='inf': use a finite number from 0"},
      {"softcap=-1", "softcap='-1': use a finite number from 0"},
      {"scale=0", "scale='0': use a finite number above 0"},
      {"scale=nan", "scale='nan': use a finite number above 0"},
      {"reduction=men", "reduction='men': did you mean 'mean'?"},
      {"gradient=inplace", "gradient='inplace': did you mean 'in_place'?"},
      {"target_type=int", "target_type='int': use i64 or i32"},
      {"outputs=loss,lsee", "outputs='lsee': did you mean 'lse'?"},
      {"outputs=none", "outputs=none, without gradient and reduction: ask for something"},
      {"upstream=big", "upstream='big': write a number, or normal"},
      {"targets=3", "targets='3': use uniform, peak or a list such as [0,1]"},
      {"targets=[0,1,2]", "targets: 3 values for 2 rows: give one each, or end the list with '...'"},
      {"targets=[...]", "targets: 0 values for 2 rows"},
      {"targets=[...,1]", "'...' is not at the end of the list"},
      {"targets=[0,1.5]", "targets='1.5': write a number"},
      {"targets=[2:1,0,...]", "targets='2:1': there are 2 rows, counted from 0"},
      {"targets=[1:1,1:0,0,...]", "targets='1:0': 1 has a value already: keep one"},
      {"targets=[0,1", "targets='[0,1': write [1,2]"},
      {"targets=[0,1] ignored=0.5", "ignored or bad together with targets=[...]"},
      {"ignored=0.5 bad=0.75", "ignored 0.5 + bad 0.75 > 1"},
      {"ignored=2", "ignored='2': use a finite number from 0 to 1"},
      {"targets=[0,2^32] target_type=i32", "target 4294967296 does not fit target_type=i32: use i64"},
      {"ignore_index=2^32 ignored=1 target_type=i32", "target 4294967296 does not fit target_type=i32"},
      {"ignore_index=x", "ignore_index='x': write a whole number"},
      {"target_stride=0", "target_stride='0': use 1 or more"},
      {"weights=[1,2]", "weights: 2 values for 3 classes"},
      {"weights=unifrom", "weights='unifrom': did you mean 'uniform'?"},
      {"zero_weights=0.5", "zero_weights 0.5 without drawn weights"},
      {"normalizer=[1,2]", "normalizer without reduction=mean divides nothing"},
      {"reduction=mean normalizer=1", "normalizer='1': write normalizer=[Z,NUM_VALID]"},
      {"reduction=sum empty_mean=nan", "empty_mean without reduction=mean divides nothing"},
      {"stride=0 gradient=in_place",
       "gradient=in_place with stride 0: every row would be written over row 0; use 3 or more"},
      {"col_stride=2", "col_stride 2: cross_entropy takes col_stride 1 only"},
  };
  for (const auto& [tail, expected] : refusals) {
    const std::string got = refusal("cross_entropy f32 rows=2 cols=3 " + tail);
    CAPTURE(tail, got);
    CHECK(got.find(expected) != got.npos);
    CHECK(got.find('\n') == got.npos);
  }
  CHECK(refusal("logsumexp f32 rows=2 cols=3 smoothing=0.1").find("unknown key 'smoothing'") == 0);
}

TEST_CASE("cross_entropy case: without an adapter a line can be read and not run", "[case][cross_entropy]") {
  const char* line = "cross_entropy f32 rows=2 cols=3";
  CHECK_NOTHROW(parse_case(line));
  if (find_operation("cross_entropy")) return;
  const std::string expected = "operation cross_entropy is not in this version: use logsumexp";
  CHECK_THROWS_WITH(operation_named("cross_entropy"), expected);
  CHECK_THROWS_WITH(parse_case_file("f.cases", line), "f.cases:1: " + expected);
}

TEST_CASE("cross_entropy case: every report about it is a case line", "[case_file][cross_entropy]") {
  std::set<std::string> reports;
  for (const CaseRow& row : built_in_cases("reported")) {
    if (!row.text.starts_with("cross_entropy ") || row.kind == CaseRow::Kind::refused) continue;
    INFO(row.where());
    REQUIRE_NOTHROW(parse_case(row.text));
    const Case of = parse_case(row.text);
    CHECK(parse_case(to_line(of)) == of);
    reports.insert(report_of(row.id));
  }
  CHECK(reports == std::set<std::string>{"B02", "B05", "B11", "B20", "B22", "B23", "B25",  "B26",  "B28", "B29",
                                         "B34", "B35", "B37", "B38", "B43", "B46", "B47",  "B49",  "B50", "B52",
                                         "B53", "B55", "B56", "B59", "B61", "B64", "B67",  "B74",  "B77", "B82",
                                         "B85", "B86", "B88", "B91", "B104", "B107", "B109"});
}

TEST_CASE("cross_entropy data: targets are a function of the line, whatever the order and the other options",
          "[cross_entropy]") {
  const Data plain("cross_entropy f32 rows=400 cols=50 seed=3 ignored=0.25");
  const Data other(
      "cross_entropy bf16 rows=900 cols=50 stride=64 seed=3 smoothing=0.1 weights=normal ignored=0.25 "
      "gradient=in_place");
  std::set<std::int64_t> classes;
  int ignored = 0;
  for (std::int64_t row = 399; row >= 0; --row) {
    const std::int64_t target = plain.target(row);
    REQUIRE(target == other.target(row));
    ignored += target == -100;
    if (target == -100) continue;
    REQUIRE(target >= 0);
    REQUIRE(target < 50);
    classes.insert(target);
  }
  CHECK(ignored > 70);
  CHECK(ignored < 130);
  CHECK(classes.size() == 50);
  int same = 0;
  for (std::int64_t row = 0; row < 400; ++row)
    same += plain.target(row) == Data("cross_entropy f32 rows=400 cols=50 seed=4 ignored=0.25").target(row);
  CHECK(same < 100);
}

TEST_CASE("cross_entropy data: a bad target is no class, not ignored, and of the target's type", "[cross_entropy]") {
  for (const std::string tail :
       {"", " ignore_index=-1", " ignore_index=7", " target_type=i32", " ignore_index=-1 target_type=i32"}) {
    const Data data("cross_entropy f32 rows=300 cols=7 seed=1 bad=1" + tail);
    std::set<std::int64_t> kinds;
    for (std::int64_t row = 0; row < 300; ++row) {
      const std::int64_t target = data.target(row);
      CAPTURE(tail, target);
      REQUIRE((target < 0 || target >= 7));
      REQUIRE(target != data.options.ignore_index);
      if (data.options.int32_targets) REQUIRE(target == static_cast<std::int32_t>(target));
      kinds.insert(target);
    }
    CHECK(kinds.size() >= 4);
  }
  // Cut to 32 bits it would be a class.
  const Data wide("cross_entropy f32 rows=300 cols=7 seed=1 bad=1");
  bool seen = false;
  for (std::int64_t row = 0; row < 300; ++row) seen |= wide.target(row) == (std::int64_t{1} << 32) + 3;
  CHECK(seen);
}

TEST_CASE("cross_entropy data: peak aims at the first maximum, and peak_label leaves it the probability asked for",
          "[cross_entropy]") {
  CHECK(Data("cross_entropy f32 data=[[1,3,3],[5,0,0]] targets=peak").target(0) == 1);
  CHECK(Data("cross_entropy f32 data=[[1,3,3],[5,0,0]] targets=peak").target(1) == 0);
  CHECK(Data("cross_entropy f32 data=[[-inf,-inf]] targets=peak").target(0) == 0);
  for (const std::string text : {"1e-2", "1e-6", "1e-9", "1e-15", "1e-30"}) {
    const Data data("cross_entropy f32 rows=2 cols=4099 fill=peak_label one_minus_p=" + text + " seed=5 targets=peak");
    const double rest = std::stod(text);
    std::vector<double> logits(4099);
    fill_row(data.of, 1, logits.data());
    const auto target = static_cast<std::size_t>(data.target(1));
    double others = 0;
    for (std::size_t j = 0; j < logits.size(); ++j)
      if (j != target) others += std::exp(logits[j] - logits[target]);
    CAPTURE(rest, others);
    CHECK(others > rest / 2);
    CHECK(others < rest * 2);
  }
}

TEST_CASE("cross_entropy data: weights and upstream gradients are f32, of both signs and zero where asked for",
          "[cross_entropy]") {
  const Data data(
      "cross_entropy f64 rows=500 cols=500 seed=2 weights=normal zero_weights=0.25 upstream=normal "
      "gradient=out_of_place");
  int zeros = 0, negative = 0;
  for (std::int64_t k = 499; k >= 0; --k) {
    const double weight = data.weight(k), upstream = data.upstream(k);
    REQUIRE(weight == static_cast<double>(static_cast<float>(weight)));
    REQUIRE(upstream == static_cast<double>(static_cast<float>(upstream)));
    zeros += weight == 0;
    negative += weight < 0;
  }
  CHECK(zeros > 90);
  CHECK(zeros < 160);
  CHECK(negative > 120);
  const Data uniform("cross_entropy f32 rows=1 cols=100 weights=uniform");
  for (std::int64_t k = 0; k < 100; ++k) REQUIRE((uniform.weight(k) >= 0 && uniform.weight(k) <= 2));
  const Data listed("cross_entropy f32 rows=3 cols=3 weights=[0.2,-0.3,0] upstream=3");
  CHECK(listed.weight(0) == static_cast<double>(0.2f));
  CHECK(listed.weight(1) == static_cast<double>(-0.3f));
  CHECK(listed.weight(2) == 0);
  CHECK(listed.upstream(2) == 3);
  CHECK(Data("cross_entropy f32 rows=3 cols=3").weight(1) == 1);
  CHECK(Data("cross_entropy f32 rows=3 cols=3").upstream(1) == 1);
}

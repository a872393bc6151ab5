// Options of generated cases: each alone often enough to be blamed, and all of them together.
#include "properties/gen/draw.hpp"
#include "properties/losses/options.hpp"

namespace plusmax::properties::losses {
namespace {

void draw_formula(gen::Draw& draw, LossOptions& o) {
  if (draw.one_in(3)) o.smoothing = draw.of({0.1, 0.5, 0.001, 0.999});
  if (draw.one_in(4)) o.z_loss = draw.of({1e-4, 1.0, 1e-8});
  if (draw.one_in(4)) o.softcap = draw.of({30.0, 1.0, 50.0, 300.0});
  if (draw.one_in(5)) o.scale = draw.of({0.5, 2.0, 0.7, 1e-3});
  if (draw.one_in(4)) {
    o.weights = draw.of({Weights::uniform, Weights::normal});
    if (draw.one_in(2)) o.zero_weights = draw.of({0.25, 1.0});
  }
  o.reduction = draw.of({Reduction::none, Reduction::none, Reduction::sum, Reduction::mean, Reduction::mean});
  if (o.reduction != Reduction::mean) return;
  o.nan_if_empty = draw.one_in(4);
  if (draw.one_in(4)) o.normalizer = {draw.of({110.5, 1.0, 0.0}), draw.of({110.0, 1.0, 0.0})};
}

void draw_targets(gen::Draw& draw, const Case& of, LossOptions& o) {
  if (draw.one_in(3)) o.targets = Targets::peak;
  if (draw.one_in(2)) o.ignored = draw.of({0.25, 0.5, 1.0});
  if (draw.one_in(5) && o.ignored < 1) o.bad = draw.of({0.1, 0.5});
  if (draw.one_in(4)) o.ignore_index = draw.of({std::int64_t{0}, std::int64_t{-1}, of.cols - 1, std::int64_t{255}});
  o.int32_targets = draw.one_in(3);
  if (draw.one_in(5)) o.target_stride = draw.of({2L, 3L});
}

}  // namespace

void draw_loss_options(gen::Draw& draw, const Case& of, LossOptions& o) {
  draw_formula(draw, o);
  draw_targets(draw, of, o);
  if (draw.one_in(4)) {
    o.upstream = Upstream::number;
    o.upstream_value = draw.of({3.0, -1.0, 0.0, 1e-3});
  } else if (draw.one_in(4)) {
    o.upstream = Upstream::normal;
  }
}

}  // namespace plusmax::properties::losses

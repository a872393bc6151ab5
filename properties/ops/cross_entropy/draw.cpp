// Options of generated cases: each alone often enough to be blamed, and all of them together.
#include "properties/gen/draw.hpp"
#include "properties/ops/cross_entropy/options.hpp"

namespace plusmax::properties::cross_entropy {
namespace {

void draw_results(gen::Draw& draw, const Case& of, Options& o) {
  o.gradient = draw.of({Gradient::none, Gradient::in_place, Gradient::in_place, Gradient::out_of_place});
  if (o.gradient == Gradient::in_place && of.row_stride == 0) o.gradient = Gradient::out_of_place;
  if (o.gradient == Gradient::out_of_place && draw.one_in(3)) o.gradient_stride = of.cols + draw.range(0, 70);
  if (draw.one_in(2)) o.outputs = static_cast<unsigned>(draw.range(0, 2 * kState - 1));
  if (o.outputs == 0 && o.gradient == Gradient::none) o.outputs = kLoss;
}

}  // namespace

void draw(gen::Draw& draw, Case& c) {
  if (c.col_stride != 1) {  // it takes no other
    c.col_stride = 1;
    c.row_stride = c.cols;
  }
  c.lse_stride = 1;
  Options o;
  draw_loss_options(draw, c, o);
  draw_results(draw, c, o);
  c.options = written(o);
}

}  // namespace plusmax::properties::cross_entropy

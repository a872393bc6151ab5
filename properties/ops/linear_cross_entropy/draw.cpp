// Options of generated cases. The products and the reference cost tokens x vocab x features, so all three stay small.
#include "properties/gen/draw.hpp"
#include "properties/gen/resize.hpp"
#include "properties/ops/linear_cross_entropy/options.hpp"

#include <algorithm>
#include <cmath>

namespace plusmax::properties::linear_cross_entropy {
namespace {

constexpr std::int64_t kMostTokens = 70, kMostClasses = 400, kMostLogits = 6000;

// Rows and columns that it takes, without what it has no layout for.
void shape_again(Case& c) {
  c.col_stride = c.lse_stride = 1;
  c.row_stride = c.cols;
  c = gen::with_rows(c, std::min(c.rows, kMostTokens));
  c = gen::with_cols(c, std::min({c.cols, kMostClasses, kMostLogits / std::max<std::int64_t>(c.rows, 1)}));
  c.row_stride = c.cols;
  if (c.dtype == PLUSMAX_F64) {  // it has none: data and patches may be beyond f32
    c.dtype = PLUSMAX_F32;
    c.set.clear();
    for (auto& row : c.data)
      for (double& value : row) value = std::isfinite(value) ? std::clamp(value, -1e6, 1e6) : value;
  }
  std::erase_if(c.set, [](const Patch& patch) { return std::isinf(patch.value); });
  for (auto& row : c.data)
    for (double& value : row) value = std::isinf(value) ? 0 : value;
}

void draw_inputs(gen::Draw& draw, const Case& of, Options& o) {
  o.features = draw.one_in(3) ? draw.of({1L, 2L, 31L, 32L, 33L, 64L, 127L, 128L, 129L}) : draw.range(1, 40);
  o.hidden = draw.of({Hidden::normal, Hidden::normal, Hidden::average, Hidden::one_hot, Hidden::zero});
  o.bias = draw.of({Bias::none, Bias::none, Bias::normal, Bias::masked, Bias::offset, Bias::peak});
  if (draw.one_in(8))
    o.hidden_stride = 0;
  else if (draw.one_in(3))
    o.hidden_stride = o.features + draw.range(1, 9);
  if (draw.one_in(3)) o.weight_stride = o.features + draw.range(1, 9);
  if (draw.one_in(3)) o.weight_phase = draw.range(0, 31);
  if (draw.one_in(5) && of.rows > 0) o.max_valid_tokens = draw.range(1, of.rows);
}

void draw_gradients(gen::Draw& draw, Options& o) {
  o.gradients = draw.one_in(3) ? 0 : static_cast<unsigned>(draw.range(1, 7));
  if ((o.gradients & kDhidden) && draw.one_in(3)) o.dhidden_stride = o.features + draw.range(1, 9);
  if ((o.gradients & kDweight) && draw.one_in(3)) o.dweight_stride = o.features + draw.range(1, 9);
  if (o.gradients & (kDweight | kDbias)) {
    o.own_dweight_type = draw.one_in(2);
    o.add_to_dweight = draw.one_in(3);
  }
  o.accumulate_in_dweight_type = (o.gradients & kDweight) && draw.one_in(4);
}

}  // namespace

void draw(gen::Draw& draw, Case& c) {
  shape_again(c);
  Options o;
  draw_loss_options(draw, c, o);
  draw_inputs(draw, c, o);
  draw_gradients(draw, o);
  o.own_chunk_type = draw.one_in(3);
  if (draw.one_in(2)) o.chunk = draw.of({1L, 2L, 3L, 4L, 7L, 64L, 128L, 129L});
  if (draw.one_in(2)) o.outputs = static_cast<unsigned>(draw.range(0, 2 * kExcessTokens - 1));
  o.outputs |= kBadTargets;  // large or rounded logits say little of a loss; a count can always be wrong
  c.options = written(o);
}

}  // namespace plusmax::properties::linear_cross_entropy

#include "kernels/cross_entropy/dispatch.hpp"
#include "kernels/primitives/dtype.cuh"
#include "kernels/range.hpp"

#include <cmath>
#include <limits>

namespace plusmax::cross_entropy {
namespace {

Status invalid(const char* name, std::int64_t value, const char* wanted) {
  return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s %lld, must be %s", name, static_cast<long long>(value), wanted);
}
Status invalid(const char* name, double value, const char* wanted) {
  return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s %.9g, must be %s", name, value, wanted);
}

// The normal numbers of the type that accumulates, up to half its largest: a scale times log2(e) is one, too.
struct Held {
  const char* name;
  double smallest, largest;
};
template <class Accum>
constexpr Held held(const char* name) {
  return {name, std::numeric_limits<Accum>::min(), std::numeric_limits<Accum>::max() / 2};
}

Status check_stride(const char* name, const Params& p, std::int64_t stride) {
  if (p.rows > 1 && stride < p.cols)
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s %lld < cols %lld", name, static_cast<long long>(stride),
                         static_cast<long long>(p.cols));
  return {};
}

bool wants_gradient(const Params& p) { return p.dlogits != nullptr; }

// All memory that the call touches. What is null and may be is left out.
Ranges ranges_of(const Params& p) {
  const int size = element_size(p.dtype), result = result_size(p.dtype);
  Ranges all;
  all.add(strided("logits", p.logits, p.rows, p.row_stride, p.cols, size), false);
  all.add(strided("targets", p.targets, p.rows, p.target_stride, 1, p.target_type == PLUSMAX_INT32 ? 4 : 8), false);
  all.add_vector("weights", p.weights, p.cols, 1, 4, false);
  all.add_vector("upstream", p.upstream, p.rows, p.upstream_stride, 4, false);
  all.add_vector("normalizer", p.normalizer, 2, 1, 8, false);
  if (wants_gradient(p)) all.add(strided("dlogits", p.dlogits, p.rows, p.dlogits_stride, p.cols, size), true);
  all.add_vector("loss_rows", p.loss_rows, p.rows, 1, result, true);
  all.add_vector("z_loss", p.z_loss, p.rows, 1, result, true);
  all.add_vector("lse", p.lse, p.rows, 1, result, true);
  all.add_vector("row_state", p.row_state, p.rows * 2, 1, result, !p.backward);
  all.add_vector("argmax", p.argmax, p.rows, 1, 8, true);
  all.add_vector("loss", p.loss, 1, 1, result, true);
  all.add_vector("num_valid", p.num_valid, 1, 1, 8, true);
  all.add_vector("bad_targets", p.bad_targets, 1, 1, 8, true);
  return all;
}

// dlogits may be the logits themselves: same pointer, same stride.
bool in_place(const Params& p, const Range& a, const Range& b) {
  return a.name[0] == 'l' && a.pointer == p.logits && b.pointer == p.dlogits && p.logits == p.dlogits &&
         (p.rows <= 1 || p.row_stride == p.dlogits_stride);
}

Status check_backward(const Params& p) {
  if (p.dlogits == nullptr && p.rows > 0)
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "dlogits is NULL, a backward call has no other output");
  if (p.row_state == nullptr && p.rows > 0)
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "row_state is NULL, a backward call reads it");
  const struct {
    const char* name;
    const void* pointer;
  } outputs[] = {{"loss_rows", p.loss_rows},    {"z_loss", p.z_loss}, {"lse", p.lse},
                 {"argmax", p.argmax},          {"loss", p.loss},     {"num_valid", p.num_valid},
                 {"bad_targets", p.bad_targets}};
  for (const auto& output : outputs)
    if (output.pointer != nullptr)
      return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s %p, a backward call writes dlogits only", output.name,
                           output.pointer);
  return {};
}

}  // namespace

Status check_options(const Options& o, plusmax_dtype dtype) {
  if (!(o.label_smoothing >= 0 && o.label_smoothing < 1))
    return invalid("label_smoothing", o.label_smoothing, "in [0, 1)");
  if (!(o.z_loss >= 0) || std::isinf(o.z_loss)) return invalid("z_loss", o.z_loss, "finite, 0 or more");
  if (!(o.softcap >= 0) || std::isinf(o.softcap)) return invalid("softcap", o.softcap, "finite, 0 (off) or more");
  if (!(o.logit_scale > 0) || std::isinf(o.logit_scale))
    return invalid("logit_scale", o.logit_scale, "finite, above 0");
  // Kernels multiply by them as the type that accumulates holds them.
  const Held type = dtype == PLUSMAX_F64 ? held<double>("f64") : held<float>("f32");
  const auto holds = [&](double value) { return value >= type.smallest && value <= type.largest; };
  const auto beyond = [&](const char* name, double value) {
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s %.9g, must be %.9g to %.9g, which the sums' %s holds", name,
                         value, type.smallest, type.largest, type.name);
  };
  if (!holds(o.logit_scale)) return beyond("logit_scale", o.logit_scale);
  if (2 * o.z_loss > type.largest)
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "2 z_loss %.9g, must be at most %.9g, which the sums' %s holds",
                         2 * o.z_loss, type.largest, type.name);
  if (o.softcap == 0) return {};
  if (!holds(o.softcap)) return beyond("softcap", o.softcap);
  if (!holds(o.logit_scale / o.softcap)) return beyond("logit_scale / softcap", o.logit_scale / o.softcap);
  return {};
}

Status check_shape(const Params& p) {
  if (const int dtype = static_cast<int>(p.dtype); dtype < PLUSMAX_F32 || dtype > PLUSMAX_F64)
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "dtype %d is unknown", dtype);
  if (p.rows < 0) return invalid("rows", p.rows, "0 or more");
  if (p.cols < 1) return invalid("cols", p.cols, "1 or more");
  if (p.row_stride < 0) return invalid("row_stride", p.row_stride, "0 or more");
  if (p.target_stride < 0) return invalid("target_stride", p.target_stride, "0 or more");
  if (p.upstream_stride < 0) return invalid("upstream_stride", p.upstream_stride, "0 or more");
  if (p.row_stride != 0)  // one row may be read again and again
    if (Status status = check_stride("row_stride", p, p.row_stride); !status.ok()) return status;
  if (wants_gradient(p))
    if (Status status = check_stride("dlogits_stride", p, p.dlogits_stride); !status.ok()) return status;
  if (Status status = check_options(p.options, p.dtype); !status.ok()) return status;
  if (p.loss != nullptr && p.options.reduction == PLUSMAX_NONE)
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "loss %p, but with reduction none there is no single loss", p.loss);
  return ranges_of(p).check_extents();
}

Status check_pointers(const Params& p) {
  if (p.backward)
    if (Status status = check_backward(p); !status.ok()) return status;
  return ranges_of(p).check_addresses([&](const Range& a, const Range& b) { return in_place(p, a, b); });
}

}  // namespace plusmax::cross_entropy

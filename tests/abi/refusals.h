/* Refused calls as a table; what cross_entropy and linear_cross_entropy refuse alike. Include it behind the typedefs
 * `descriptor` and `options`. */
#ifndef PLUSMAX_TESTS_ABI_REFUSALS_H
#define PLUSMAX_TESTS_ABI_REFUSALS_H

/* One field of a valid call changed, and what the library says to it. */
struct refusal {
  const char* sentence;
  void (*change)(descriptor*, options*);
  plusmax_status status;
  const char* words;
};

#define CHANGE(name, statement)                 \
  static void name(descriptor* d, options* o) { \
    (void)d;                                    \
    (void)o;                                    \
    statement;                                  \
  }

CHANGE(set_dtype, d->dtype = 4)
CHANGE(set_target_type, d->target_type = 2)
CHANGE(set_reduction, o->reduction = 3)
CHANGE(set_smoothing, o->label_smoothing = 1)
CHANGE(set_softcap, o->softcap = -30)
CHANGE(set_scale, o->logit_scale = 0)
CHANGE(set_tiny_softcap, o->softcap = 1e-60)
CHANGE(set_tiny_scale, o->logit_scale = 1e-60)
CHANGE(set_tiny_softcap_of_large_scale, (o->softcap = 1e-20, o->logit_scale = 1e30))
CHANGE(set_huge_z_loss, o->z_loss = 3e38)
CHANGE(set_z_loss, o->z_loss = -1)
CHANGE(set_target_stride, d->target_stride = -1)
CHANGE(set_upstream_stride, d->upstream_stride = -1)

/* clang-format off */
#define COMMON_REFUSALS \
    {"an unknown dtype is refused", set_dtype, PLUSMAX_INVALID_ARGUMENT, "dtype 4 is unknown"}, \
    {"an unknown target type is refused", set_target_type, PLUSMAX_INVALID_ARGUMENT, "target_type 2 is unknown"}, \
    {"an unknown reduction is refused", set_reduction, PLUSMAX_INVALID_ARGUMENT, "reduction 3 is unknown"}, \
    {"smoothing of 1 is refused", set_smoothing, PLUSMAX_INVALID_ARGUMENT, "label_smoothing 1, must be in [0, 1)"}, \
    {"a negative cap is refused", set_softcap, PLUSMAX_INVALID_ARGUMENT, "softcap -30"}, \
    {"a scale of 0 is refused", set_scale, PLUSMAX_INVALID_ARGUMENT, "logit_scale 0"}, \
    {"a cap that f32 does not hold is refused", set_tiny_softcap, PLUSMAX_INVALID_ARGUMENT, "softcap 1e-60"}, \
    {"a scale that f32 does not hold is refused", set_tiny_scale, PLUSMAX_INVALID_ARGUMENT, "logit_scale 1e-60"}, \
    {"their quotient, too", set_tiny_softcap_of_large_scale, PLUSMAX_INVALID_ARGUMENT, "softcap 1e+50"}, \
    {"a z-loss that overflows in f32 is refused", set_huge_z_loss, PLUSMAX_INVALID_ARGUMENT, "2 z_loss 6e+38"}, \
    {"a negative z-loss is refused", set_z_loss, PLUSMAX_INVALID_ARGUMENT, "z_loss -1"}, \
    {"a negative target_stride is refused", set_target_stride, PLUSMAX_INVALID_ARGUMENT, "target_stride -1"}, \
    {"a negative upstream_stride is refused", set_upstream_stride, PLUSMAX_INVALID_ARGUMENT, "upstream_stride -1"}
/* clang-format on */

#endif

/* Types that the kernels, the harness and every caller share. C99; includes no CUDA header. */
#ifndef PLUSMAX_TYPES_H
#define PLUSMAX_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Storage type of the logits. Accumulation is f32 for the first three and f64 for f64. */
typedef enum plusmax_dtype {
  PLUSMAX_F32 = 0,
  PLUSMAX_F16 = 1,  /* IEEE 754 binary16 */
  PLUSMAX_BF16 = 2, /* upper half of binary32 */
  PLUSMAX_F64 = 3
} plusmax_dtype;

/* How the losses of rows become one: their sum, or the mean weighted by the targets' class weights. */
typedef enum plusmax_reduction { PLUSMAX_NONE = 0, PLUSMAX_SUM = 1, PLUSMAX_MEAN = 2 } plusmax_reduction;

/* How linear_cross_entropy divides its logits, so that they never exist as a whole. */
typedef enum plusmax_linear_mode {
  PLUSMAX_LINEAR_AUTO = 0,
  PLUSMAX_TOKEN_CHUNKS = 1, /* the logits of a chunk of tokens at a time: three products */
  PLUSMAX_VOCAB_SLICES = 2, /* of a slice of the vocabulary, computed twice: four products, no f32 sum of dW */
  PLUSMAX_LOSS_ONLY = 3     /* slices, once: no gradient */
} plusmax_linear_mode;

typedef enum plusmax_target_type { PLUSMAX_INT64 = 0, PLUSMAX_INT32 = 1 } plusmax_target_type;

/* What a call answers. The message with the values is plusmax_last_error(). */
typedef enum plusmax_status {
  PLUSMAX_OK = 0,
  PLUSMAX_INVALID_ARGUMENT = 1,  /* a descriptor or option field is out of range */
  PLUSMAX_UNSUPPORTED = 2,       /* valid, but no variant of this library computes it */
  PLUSMAX_WORKSPACE_TOO_SMALL = 3,
  PLUSMAX_DEVICE_ERROR = 4       /* the device or its driver refused the launch */
} plusmax_status;

#ifdef __cplusplus
}
#endif
#endif

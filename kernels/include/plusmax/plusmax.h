/* plusmax: kernels for the loss layer of language models. C99; includes no CUDA header.
 *
 * Every operation is one call: (descriptor, options, workspace, workspace_bytes, stream) -> status. A call neither
 * allocates nor synchronizes, prints, or reads device memory on the host, so it can be captured in a CUDA graph. What
 * it computes is on the stream when it returns; what the device does wrong later shows at the caller's next
 * synchronization. */
#ifndef PLUSMAX_PLUSMAX_H
#define PLUSMAX_PLUSMAX_H

#include <plusmax/types.h>

#if defined(__GNUC__)
#define PLUSMAX_API __attribute__((visibility("default")))
#else
#define PLUSMAX_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* lse[i] = log(sum over j of exp(logits[i, j])), natural logarithm, computed without overflow.
 * All -inf, or cols = 0: -inf. A NaN anywhere in the row: NaN. Otherwise any +inf: +inf. */
typedef struct plusmax_logsumexp_descriptor {
  size_t size;        /* sizeof(plusmax_logsumexp_descriptor) */
  int32_t dtype;      /* of the logits: a plusmax_dtype */
  int64_t rows, cols; /* 0 and more; rows = 0 does nothing */
  int64_t row_stride; /* elements from a row to the next, at least cols where col_stride is 1; 0 repeats one row */
  int64_t col_stride; /* elements from a column to the next; 1 is fastest */
  const void* logits; /* device, [rows, cols], aligned to its element; may be NULL if cols = 0 */
  int64_t lse_stride; /* elements from a result to the next, at least 1 */
  void* lse;          /* device, [rows], float (double if dtype is PLUSMAX_F64); disjoint from the logits */
} plusmax_logsumexp_descriptor;

typedef struct plusmax_logsumexp_options {
  size_t size;             /* sizeof(plusmax_logsumexp_options) */
  int32_t batch_invariant; /* nonzero: a row's bits do not depend on how many rows the call has */
} plusmax_logsumexp_options;

/* `options` may be NULL: every option at its zero.
 * `workspace` NULL asks: the bytes that this descriptor needs, never 0, are written to *workspace_bytes, and nothing
 * runs; pointers in the descriptor are not looked at then. Otherwise it is device memory, 256-byte aligned, of
 * *workspace_bytes bytes. Its contents may be anything and nothing is kept in it; one call at a time may use it.
 * `stream` is a cudaStream_t (the CPU build ignores it). */
PLUSMAX_API plusmax_status plusmax_logsumexp(const plusmax_logsumexp_descriptor* descriptor,
                                             const plusmax_logsumexp_options* options, void* workspace,
                                             size_t* workspace_bytes, void* stream);

/* Cross entropy of logits against integer targets, its gradient, or both in one call, each logit read once. With
 * z = c tanh(s x / c) (z = s x without a cap), w the class weights (1 without), W their sum, y a row's target:
 *   row = (1 - eps) w_y (lse - z_y) + (eps / cols) sum over c of w_c (lse - z_c) + lambda lse^2
 *   none: no single loss. sum: the sum of the rows. mean: what has weights / Z + the z-losses / num_valid, Z being the
 *   sum of w_y and num_valid the number of rows that are not ignored.
 *   dlogits: d loss / d x times upstream; divisors are 1 for sum and none.
 * A row whose target is ignore_index is not read: its results are 0, argmax -1, its gradient +0. A target outside
 * [0, cols) makes its row's loss and gradient NaN, and the single loss; it is never an address. All -inf, or a +inf:
 * NaN. What is computed follows from the outputs that are not NULL. */
typedef struct plusmax_cross_entropy_descriptor {
  size_t size;              /* sizeof(plusmax_cross_entropy_descriptor) */
  int32_t dtype;            /* of logits and dlogits: a plusmax_dtype; "real" below is float, double for PLUSMAX_F64 */
  int32_t target_type;      /* a plusmax_target_type */
  int64_t rows, cols;       /* rows 0 and more (single outputs are still written), cols 1 and more */
  int64_t row_stride;       /* elements, at least cols; 0 repeats one row */
  int64_t col_stride;       /* 1: nothing else is supported */
  const void* logits;       /* device, [rows, cols], aligned to its element */
  int64_t target_stride;    /* elements; 0 repeats one target */
  const void* targets;      /* device, [rows] */
  const float* weights;     /* device, [cols]; NULL: 1 */
  int64_t upstream_stride;  /* elements; 0: one value for all rows */
  const float* upstream;    /* device; multiplies gradients only; NULL: 1 */
  const double* normalizer; /* device, {Z, num_valid} to divide a mean by; NULL: counted in this call */
  /* outputs, device, each may be NULL; disjoint from everything but as said */
  int64_t dlogits_stride; /* elements, at least cols */
  void* dlogits;          /* [rows, cols] of dtype: the logits themselves (same pointer, same stride), or elsewhere */
  void* loss_rows;        /* [rows] real, z-loss included, never divided */
  void* z_loss;           /* [rows] real, the z-loss alone */
  void* lse;              /* [rows] real, of z */
  void* row_state;        /* [rows, 2] real, for plusmax_cross_entropy_backward */
  int64_t* argmax;        /* [rows], of the logits: lowest index on ties, the first NaN if there is one */
  void* loss;             /* one real: sum or mean */
  int64_t* num_valid;     /* one: rows of this call that are not ignored */
  int64_t* bad_targets;   /* one: rows whose target is outside [0, cols) */
} plusmax_cross_entropy_descriptor;

typedef struct plusmax_cross_entropy_options {
  size_t size;             /* sizeof(plusmax_cross_entropy_options) */
  int32_t reduction;       /* a plusmax_reduction */
  int32_t nan_when_empty;  /* nonzero: a mean with Z = 0 is NaN, not 0 */
  int32_t batch_invariant; /* nonzero: a row's bits do not depend on how many rows the call has */
  int64_t ignore_index;    /* any value */
  double label_smoothing;  /* eps, in [0, 1) */
  double z_loss;           /* lambda, 0 or more */
  double softcap;          /* c, 0 is off */
  double logit_scale;      /* s, above 0 */
} plusmax_cross_entropy_options;

/* What options NULL stands for: mean, ignore_index -100, nothing else. */
#define PLUSMAX_CROSS_ENTROPY_OPTIONS \
  { sizeof(plusmax_cross_entropy_options), PLUSMAX_MEAN, 0, 0, -100, 0.0, 0.0, 0.0, 1.0 }

/* Workspace, query and stream as for plusmax_logsumexp; a query looks at which pointers are NULL, not at where they
 * lead. */
PLUSMAX_API plusmax_status plusmax_cross_entropy(const plusmax_cross_entropy_descriptor* descriptor,
                                                 const plusmax_cross_entropy_options* options, void* workspace,
                                                 size_t* workspace_bytes, void* stream);

/* dlogits from the row_state that a forward call with the same logits, targets and options left; all other outputs are
 * NULL. dlogits may be the logits themselves. */
PLUSMAX_API plusmax_status plusmax_cross_entropy_backward(const plusmax_cross_entropy_descriptor* descriptor,
                                                          const plusmax_cross_entropy_options* options, void* workspace,
                                                          size_t* workspace_bytes, void* stream);

/* What the last call in this thread answered, with the values: "row_stride 100 < cols 128". Empty after PLUSMAX_OK.
 * Valid until the thread's next call. */
PLUSMAX_API const char* plusmax_last_error(void);

/* "invalid argument" for PLUSMAX_INVALID_ARGUMENT, and so on; never NULL. */
PLUSMAX_API const char* plusmax_status_name(plusmax_status status);

/* Version of the library that runs: "0.1.0". */
PLUSMAX_API const char* plusmax_version(void);

#ifdef __cplusplus
}
#endif
#endif

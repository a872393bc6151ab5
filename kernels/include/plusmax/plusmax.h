/* plusmax: kernels for the loss layer of language models. C99; includes no CUDA header.
 *
 * Every operation is one call: (descriptor, options or plan, workspace, workspace_bytes, stream) -> status. A call
 * neither allocates nor synchronizes, prints, or reads device memory on the host, so it can be captured in a CUDA
 * graph. What it computes is on the stream when it returns; what the device does wrong later shows at the caller's next
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
  double softcap;          /* c, 0 is off; c, s, s / c normal numbers of real to half its largest, 2 lambda no more */
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

/* Cross entropy of z = X W^T + bias against integer targets, with the gradients of X, W and the bias: the logits exist
 * a part at a time, in the workspace. Losses, options and special values as for plusmax_cross_entropy; a bad target
 * also makes its row of dX, dW and dbias NaN. What an ignored token's X holds reaches nothing. */
typedef struct plusmax_linear_cross_entropy_descriptor {
  size_t size;                /* sizeof(plusmax_linear_cross_entropy_descriptor) */
  int32_t dtype;              /* of X, W, bias and dX: PLUSMAX_F32, PLUSMAX_F16 or PLUSMAX_BF16 */
  int32_t target_type;        /* a plusmax_target_type */
  int32_t dweight_type;       /* of dW and dbias: PLUSMAX_F32, or dtype */
  int32_t add_to_dweight;     /* nonzero: dW and dbias are added to, not overwritten */
  int64_t tokens;             /* 0 and more (single outputs, dW and dbias are still written) */
  int64_t vocab, features;    /* 1 and more */
  int64_t hidden_stride;      /* elements, at least features; 0 repeats one row */
  const void* hidden;         /* X: device, [tokens, features] */
  int64_t weight_stride;      /* elements, at least features */
  const void* weight;         /* W: device, [vocab, features]; products are faster if it begins on 16 bytes */
  const void* bias;           /* device, [vocab]; NULL: none */
  int64_t target_stride;      /* elements; 0 repeats one target */
  const void* targets;        /* device, [tokens] */
  const float* class_weights; /* device, [vocab]; NULL: 1 */
  int64_t upstream_stride;    /* elements; 0: one value for all tokens */
  const float* upstream;      /* device; multiplies gradients only; NULL: 1 */
  const double* normalizer;   /* device, {Z, num_valid} to divide a mean by; NULL: counted over all tokens */
  /* outputs, device, each may be NULL; disjoint from everything */
  int64_t dhidden_stride; /* elements, at least features */
  void* dhidden;          /* dX: [tokens, features] of dtype; +0 for ignored tokens */
  int64_t dweight_stride; /* elements, at least features */
  void* dweight;          /* dW: [vocab, features] of dweight_type */
  void* dbias;            /* [vocab] of dweight_type */
  float* loss_rows;       /* [tokens], z-loss included, never divided */
  float* z_loss;          /* [tokens], the z-loss alone */
  float* lse;             /* [tokens] */
  int64_t* argmax;        /* [tokens], of the logits as stored */
  float* loss;            /* one: sum or mean */
  int64_t* num_valid;     /* one: tokens that are not ignored */
  int64_t* bad_targets;   /* one: tokens whose target is outside [0, vocab) */
  int64_t* excess_tokens; /* one: tokens that are not ignored beyond max_valid_tokens; above 0 the single loss, their
                             own results and all gradients are NaN */
} plusmax_linear_cross_entropy_descriptor;

typedef struct plusmax_linear_cross_entropy_options {
  size_t size;                        /* sizeof(plusmax_linear_cross_entropy_options) */
  int32_t reduction;                  /* a plusmax_reduction */
  int32_t nan_when_empty;             /* nonzero: a mean with Z = 0 is NaN, not 0 */
  int64_t ignore_index;               /* any value */
  double label_smoothing;             /* eps, in [0, 1) */
  double z_loss;                      /* lambda, 0 or more */
  double softcap;                     /* c, 0 is off; c, s, s / c normal floats to half FLT_MAX, 2 lambda no more */
  double logit_scale;                 /* s, above 0 */
  int32_t mode;                       /* a plusmax_linear_mode */
  int32_t chunk_dtype;                /* of the logits in the workspace: PLUSMAX_F32, or dtype */
  int32_t accumulate_in_dweight_type; /* nonzero: dW is summed over chunks in dweight_type, not in float */
  int64_t chunk;                      /* tokens of a chunk, or classes of a slice (whole 128), at most; 0: planned */
  int64_t max_valid_tokens;           /* tokens that are not ignored, at most: products run on so many; 0: tokens */
} plusmax_linear_cross_entropy_options;

/* What options NULL stands for: mean, ignore_index -100, logits in float, everything else planned or off. */
#define PLUSMAX_LINEAR_CROSS_ENTROPY_OPTIONS                                                                      \
  {                                                                                                               \
    sizeof(plusmax_linear_cross_entropy_options), PLUSMAX_MEAN, 0, -100, 0.0, 0.0, 0.0, 1.0, PLUSMAX_LINEAR_AUTO, \
        PLUSMAX_F32, 0, 0, 0                                                                                      \
  }

typedef struct plusmax_linear_cross_entropy_plan plusmax_linear_cross_entropy_plan;

/* Decides the mode, the chunk and the algorithms of the products for calls of this shape, on the current device; may
 * allocate host memory. `descriptor` is as calls will have it: its sizes and types, the strides and the alignment of W,
 * dW and dX, and which pointers are NULL; what they point to is not looked at. `workspace_budget`: bytes that a call may
 * have; 0: any. Same plan, same bits. */
PLUSMAX_API plusmax_status plusmax_linear_cross_entropy_plan_create(
    const plusmax_linear_cross_entropy_descriptor* descriptor, const plusmax_linear_cross_entropy_options* options,
    size_t workspace_budget, plusmax_linear_cross_entropy_plan** plan);

/* Times the algorithms that cuBLASLt proposes for each product and keeps the fastest. `descriptor` and workspace are
 * those of a call, which is made; what its outputs hold afterwards, sums of dW included, is undefined. Synchronizes and
 * allocates; with other algorithms the same call may have other bits. The CPU build has nothing to choose from. */
PLUSMAX_API plusmax_status plusmax_linear_cross_entropy_plan_tune(
    plusmax_linear_cross_entropy_plan* plan, const plusmax_linear_cross_entropy_descriptor* descriptor, void* workspace,
    size_t workspace_bytes, void* stream);

/* NULL is let pass. */
PLUSMAX_API void plusmax_linear_cross_entropy_plan_destroy(plusmax_linear_cross_entropy_plan* plan);

typedef struct plusmax_linear_cross_entropy_plan_info {
  size_t size;               /* sizeof(plusmax_linear_cross_entropy_plan_info), set by the caller */
  int32_t mode;              /* a plusmax_linear_mode, never PLUSMAX_LINEAR_AUTO */
  int32_t chunk_dtype;       /* a plusmax_dtype */
  int64_t chunk, chunks;     /* tokens of a chunk or classes of a slice, and how many of them */
  size_t workspace_bytes;    /* of a call */
  size_t chunk_logits_bytes; /* of it: the logits that exist at a time */
  size_t whole_logits_bytes; /* all logits once, of dtype: what cross_entropy in place needs */
  size_t naive_logits_bytes; /* three times that: logits, probabilities and gradient */
} plusmax_linear_cross_entropy_plan_info;

PLUSMAX_API plusmax_status plusmax_linear_cross_entropy_plan_describe(const plusmax_linear_cross_entropy_plan* plan,
                                                                      plusmax_linear_cross_entropy_plan_info* info);

/* Workspace, query and stream as for plusmax_logsumexp. The descriptor's pointers may differ from the plan's, but for
 * what plan_create says. */
PLUSMAX_API plusmax_status plusmax_linear_cross_entropy(const plusmax_linear_cross_entropy_plan* plan,
                                                        const plusmax_linear_cross_entropy_descriptor* descriptor,
                                                        void* workspace, size_t* workspace_bytes, void* stream);

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

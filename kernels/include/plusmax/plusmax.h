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

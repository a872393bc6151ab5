/* Calls cross_entropy as a C99 program does. Exit code: the number of broken promises. */
#include "promises.h"

#include <plusmax/plusmax.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 2
#define COLS 3
static float logits[ROWS * COLS + 1], dlogits[ROWS * COLS + 1];
static int64_t targets[ROWS + 1] = {2, 0, 0};
static float weights[COLS + 1] = {1, 1, 1, 1}, upstream[ROWS + 1] = {1, 1, 1};
static double normalizer[2] = {1, 1};
static float loss_rows[ROWS], z_loss[ROWS], lse[ROWS], row_state[2 * ROWS], loss[1];
static int64_t argmax[ROWS], num_valid[1], bad_targets[1];

typedef plusmax_cross_entropy_descriptor descriptor;
typedef plusmax_cross_entropy_options options;

#include "refusals.h"

static descriptor valid(void) {
  descriptor d;
  memset(&d, 0, sizeof d);
  d.size = sizeof d;
  d.dtype = PLUSMAX_F32;
  d.target_type = PLUSMAX_INT64;
  d.rows = ROWS;
  d.cols = COLS;
  d.row_stride = COLS;
  d.col_stride = 1;
  d.logits = logits;
  d.target_stride = 1;
  d.targets = targets;
  d.weights = weights;
  d.upstream_stride = 1;
  d.upstream = upstream;
  d.normalizer = normalizer;
  d.dlogits_stride = COLS;
  d.dlogits = dlogits;
  d.loss_rows = loss_rows;
  d.z_loss = z_loss;
  d.lse = lse;
  d.row_state = row_state;
  d.argmax = argmax;
  d.loss = loss;
  d.num_valid = num_valid;
  d.bad_targets = bad_targets;
  return d;
}

static descriptor valid_backward(void) {
  descriptor d = valid();
  d.loss_rows = d.z_loss = d.lse = d.loss = NULL;
  d.argmax = d.num_valid = d.bad_targets = NULL;
  return d;
}

CHANGE(set_size, d->size = 0)
CHANGE(set_options_size, o->size = 0)
CHANGE(set_negative_reduction, o->reduction = -1)
CHANGE(set_rows, d->rows = -1)
CHANGE(set_cols, d->cols = 0)
CHANGE(set_row_stride, d->row_stride = 2)
CHANGE(set_negative_row_stride, d->row_stride = -3)
CHANGE(set_col_stride, d->col_stride = 2)
CHANGE(set_dlogits_stride, d->dlogits_stride = 0)
CHANGE(set_overflow, d->row_stride = INT64_MAX / 2; d->rows = 4)
CHANGE(set_negative_smoothing, o->label_smoothing = -0.5)
CHANGE(set_nan_smoothing, o->label_smoothing = NAN)
CHANGE(set_infinite_softcap, o->softcap = INFINITY)
CHANGE(set_negative_scale, o->logit_scale = -2)
CHANGE(set_infinite_scale, o->logit_scale = INFINITY)
CHANGE(set_nan_scale, o->logit_scale = NAN)
CHANGE(set_none, o->reduction = PLUSMAX_NONE)
CHANGE(set_null_logits, d->logits = NULL)
CHANGE(set_null_targets, d->targets = NULL)
CHANGE(set_odd_logits, d->logits = (const char*)logits + 2)
CHANGE(set_odd_targets, d->targets = (const char*)targets + 4)
CHANGE(set_odd_weights, d->weights = (const float*)(const void*)((const char*)weights + 1))
CHANGE(set_odd_dlogits, d->dlogits = (char*)dlogits + 1)
CHANGE(set_odd_argmax, d->argmax = (int64_t*)(void*)((char*)argmax + 4); d->rows = 1)
CHANGE(set_shifted, d->dlogits = logits + 1)
CHANGE(set_other_stride, d->dlogits = logits; d->dlogits_stride = COLS + 1; d->rows = 2)
CHANGE(set_lse_in_logits, d->lse = logits + 4)
CHANGE(set_loss_in_rows, d->loss = loss_rows + 1)
CHANGE(set_argmax_in_targets, d->argmax = targets)

static const struct refusal refusals[] = {
    COMMON_REFUSALS,
    {"a descriptor of size 0 is refused", set_size, PLUSMAX_INVALID_ARGUMENT, "descriptor.size 0"},
    {"options of size 0 are refused", set_options_size, PLUSMAX_INVALID_ARGUMENT, "options.size 0"},
    {"a negative reduction is refused", set_negative_reduction, PLUSMAX_INVALID_ARGUMENT, "reduction -1 is unknown"},
    {"negative rows are refused", set_rows, PLUSMAX_INVALID_ARGUMENT, "rows -1"},
    {"no columns are refused", set_cols, PLUSMAX_INVALID_ARGUMENT, "cols 0"},
    {"rows that overlap are refused", set_row_stride, PLUSMAX_INVALID_ARGUMENT, "row_stride 2 < cols 3"},
    {"a negative row_stride is refused", set_negative_row_stride, PLUSMAX_INVALID_ARGUMENT, "row_stride -3"},
    {"columns apart are not supported", set_col_stride, PLUSMAX_UNSUPPORTED, "col_stride 2"},
    {"gradients on top of each other are refused", set_dlogits_stride, PLUSMAX_INVALID_ARGUMENT,
     "dlogits_stride 0 < cols 3"},
    {"offsets beyond 63 bits are refused", set_overflow, PLUSMAX_INVALID_ARGUMENT, "63 bits"},
    {"negative smoothing is refused", set_negative_smoothing, PLUSMAX_INVALID_ARGUMENT, "label_smoothing -0.5"},
    {"NaN smoothing is refused", set_nan_smoothing, PLUSMAX_INVALID_ARGUMENT, "label_smoothing nan"},
    {"an infinite cap is refused", set_infinite_softcap, PLUSMAX_INVALID_ARGUMENT, "softcap inf"},
    {"a negative scale is refused", set_negative_scale, PLUSMAX_INVALID_ARGUMENT, "logit_scale -2"},
    {"an infinite scale is refused", set_infinite_scale, PLUSMAX_INVALID_ARGUMENT, "logit_scale inf"},
    {"a NaN scale is refused", set_nan_scale, PLUSMAX_INVALID_ARGUMENT, "logit_scale nan"},
    {"a single loss without a reduction is refused", set_none, PLUSMAX_INVALID_ARGUMENT, "reduction none"},
    {"NULL logits are refused", set_null_logits, PLUSMAX_INVALID_ARGUMENT, "logits is NULL, 24 bytes needed"},
    {"NULL targets are refused", set_null_targets, PLUSMAX_INVALID_ARGUMENT, "targets is NULL, 16 bytes needed"},
    {"misaligned logits are refused", set_odd_logits, PLUSMAX_INVALID_ARGUMENT, "logits 0x"},
    {"misaligned targets are refused", set_odd_targets, PLUSMAX_INVALID_ARGUMENT,
     "is not aligned to its element of 8 bytes"},
    {"misaligned weights are refused", set_odd_weights, PLUSMAX_INVALID_ARGUMENT,
     "is not aligned to its element of 4 bytes"},
    {"misaligned gradients are refused", set_odd_dlogits, PLUSMAX_INVALID_ARGUMENT, "dlogits 0x"},
    {"misaligned indices are refused", set_odd_argmax, PLUSMAX_INVALID_ARGUMENT,
     "is not aligned to its element of 8 bytes"},
    {"gradients an element behind the logits are refused", set_shifted, PLUSMAX_INVALID_ARGUMENT, "overlaps logits ["},
    {"gradients in place with another stride are refused", set_other_stride, PLUSMAX_INVALID_ARGUMENT,
     "overlaps logits ["},
    {"a result inside the logits is refused", set_lse_in_logits, PLUSMAX_INVALID_ARGUMENT, "overlaps logits ["},
    {"a result inside another is refused", set_loss_in_rows, PLUSMAX_INVALID_ARGUMENT, "overlaps loss_rows ["},
    {"a result over an input is refused", set_argmax_in_targets, PLUSMAX_INVALID_ARGUMENT, "overlaps targets ["},
};

CHANGE(set_null_dlogits, d->dlogits = NULL)
CHANGE(set_null_state, d->row_state = NULL)
CHANGE(set_lse, d->lse = lse)
CHANGE(set_loss, d->loss = loss)
CHANGE(set_argmax, d->argmax = argmax)
CHANGE(set_state_in_dlogits, d->row_state = dlogits + 2)

static const struct refusal backward_refusals[] = {
    {"a backward without a gradient is refused", set_null_dlogits, PLUSMAX_INVALID_ARGUMENT, "dlogits is NULL"},
    {"a backward without saved sums is refused", set_null_state, PLUSMAX_INVALID_ARGUMENT, "row_state is NULL"},
    {"a backward with lse is refused", set_lse, PLUSMAX_INVALID_ARGUMENT, "lse 0x"},
    {"a backward with a loss is refused", set_loss, PLUSMAX_INVALID_ARGUMENT, "loss 0x"},
    {"a backward with argmax is refused", set_argmax, PLUSMAX_INVALID_ARGUMENT, "argmax 0x"},
    {"gradients over the saved sums are refused", set_state_in_dlogits, PLUSMAX_INVALID_ARGUMENT, "overlaps"},
};

typedef plusmax_status call(const descriptor*, const options*, void*, size_t*, void*);

static void check_refusals(call* function, descriptor base, const struct refusal* rows, size_t count) {
  size_t i;
  for (i = 0; i < count; ++i) {
    descriptor d = base;
    options o = PLUSMAX_CROSS_ENTROPY_OPTIONS;
    size_t bytes = 65536;
    rows[i].change(&d, &o);
    expect(function(&d, &o, workspace(), &bytes, NULL) == rows[i].status, rows[i].sentence, "another status");
    expect(strstr(plusmax_last_error(), rows[i].words) != NULL, rows[i].sentence, plusmax_last_error());
  }
}

static void check_call(void) {
  descriptor d = valid();
  size_t bytes = 0, needed = 0;
  char words[80];
  expect(plusmax_cross_entropy(NULL, NULL, NULL, &bytes, NULL) == PLUSMAX_INVALID_ARGUMENT, "no descriptor",
         plusmax_last_error());
  expect(plusmax_cross_entropy(&d, NULL, NULL, NULL, NULL) == PLUSMAX_INVALID_ARGUMENT, "no workspace_bytes",
         plusmax_last_error());
  expect(plusmax_cross_entropy(&d, NULL, NULL, &needed, NULL) == PLUSMAX_OK && needed > 0,
         "a query answers a size above 0", plusmax_last_error());
  d.logits = d.targets = NULL;
  expect(plusmax_cross_entropy(&d, NULL, NULL, &bytes, NULL) == PLUSMAX_OK && bytes == needed,
         "a query does not look at the inputs", plusmax_last_error());
  d = valid();
  bytes = 1;
  expect(plusmax_cross_entropy(&d, NULL, workspace(), &bytes, NULL) == PLUSMAX_WORKSPACE_TOO_SMALL,
         "a small workspace is refused", "another status");
  sprintf(words, "workspace of 1 bytes, %lu needed", (unsigned long)needed);
  expect(strcmp(plusmax_last_error(), words) == 0, "with both figures", plusmax_last_error());
  bytes = 65536;
  expect(plusmax_cross_entropy(&d, NULL, (char*)workspace() + 16, &bytes, NULL) == PLUSMAX_INVALID_ARGUMENT,
         "a misaligned workspace is refused", plusmax_last_error());
}

#ifdef PLUSMAX_TEST_COMPUTES
static void check_results(void) {
  descriptor d = valid();
  size_t bytes = 65536;
  char detail[120];
  logits[0] = 1;
  logits[1] = 2;
  logits[2] = 0;
  logits[3] = logits[4] = logits[5] = 0;
  d.weights = NULL;
  d.normalizer = NULL;
  expect(plusmax_cross_entropy(&d, NULL, workspace(), &bytes, NULL) == PLUSMAX_OK, "a valid call succeeds",
         plusmax_last_error());
  sprintf(detail, "%.9g %.9g %.9g %.9g", (double)loss_rows[0], (double)loss_rows[1], (double)loss[0],
          (double)dlogits[2]);
  expect(fabsf(loss_rows[0] - 2.40760596f) <= 5e-7f, "log(1 + e + e^2) is 2.4076060", detail);
  expect(fabsf(loss_rows[1] - 1.09861229f) <= 3e-7f, "log(3) is 1.0986123", detail);
  expect(fabsf(loss[0] - 1.75310913f) <= 5e-7f, "the mean is 1.7531091", detail);
  expect(fabsf(dlogits[2] + 0.45498471f) <= 2e-7f, "(0.0900306 - 1) / 2 at the target", detail);
  expect(num_valid[0] == 2 && bad_targets[0] == 0 && argmax[0] == 1 && argmax[1] == 0, "counts and argmax", detail);

  d = valid_backward();
  d.weights = NULL;
  d.normalizer = NULL;
  d.dlogits = logits;
  expect(plusmax_cross_entropy_backward(&d, NULL, workspace(), &bytes, NULL) == PLUSMAX_OK, "a backward succeeds",
         plusmax_last_error());
  expect(logits[2] == dlogits[2] && logits[3] == dlogits[3], "in place it gives what the first call gave", detail);

  d = valid();
  d.rows = 0;
  loss[0] = 7;
  expect(plusmax_cross_entropy(&d, NULL, workspace(), &bytes, NULL) == PLUSMAX_OK && loss[0] == 0,
         "no rows have the loss 0", plusmax_last_error());
}
#endif

int main(void) {
  check_refusals(plusmax_cross_entropy, valid(), refusals, sizeof refusals / sizeof *refusals);
  check_refusals(plusmax_cross_entropy_backward, valid_backward(), backward_refusals,
                 sizeof backward_refusals / sizeof *backward_refusals);
  check_call();
#ifdef PLUSMAX_TEST_COMPUTES
  check_results();
#endif
  if (failures == 0) puts("the ABI keeps its promises");
  return failures;
}

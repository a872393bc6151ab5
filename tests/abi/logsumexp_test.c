/* Calls the library as a C99 program does. Exit code: the number of broken promises. */
#include "promises.h"

#include <plusmax/plusmax.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 2
#define COLS 3
static float logits[ROWS * COLS] = {1.0f, 2.0f, 0.0f, 0.0f, 0.0f, 0.0f};
static float lse[ROWS];

static plusmax_logsumexp_descriptor valid(void) {
  plusmax_logsumexp_descriptor d;
  memset(&d, 0, sizeof d);
  d.size = sizeof d;
  d.dtype = PLUSMAX_F32;
  d.rows = ROWS;
  d.cols = COLS;
  d.row_stride = COLS;
  d.col_stride = 1;
  d.logits = logits;
  d.lse_stride = 1;
  d.lse = lse;
  return d;
}

/* One field of a valid descriptor changed, and what the library says to it. */
struct refusal {
  const char* sentence;
  void (*change)(plusmax_logsumexp_descriptor*);
  plusmax_status status;
  const char* words;
};

static void set_size(plusmax_logsumexp_descriptor* d) { d->size = 8; }
static void set_dtype(plusmax_logsumexp_descriptor* d) { d->dtype = 9; }
static void set_negative_dtype(plusmax_logsumexp_descriptor* d) { d->dtype = -1; }
static void set_rows(plusmax_logsumexp_descriptor* d) { d->rows = -1; }
static void set_cols(plusmax_logsumexp_descriptor* d) { d->cols = -5; }
static void set_row_stride(plusmax_logsumexp_descriptor* d) { d->row_stride = 2; }
static void set_negative_row_stride(plusmax_logsumexp_descriptor* d) { d->row_stride = -3; }
static void set_col_stride(plusmax_logsumexp_descriptor* d) { d->col_stride = -1; }
static void set_lse_stride(plusmax_logsumexp_descriptor* d) { d->lse_stride = 0; }
static void set_overflow(plusmax_logsumexp_descriptor* d) {
  d->row_stride = INT64_MAX / 2;
  d->rows = 4;
}
static void set_size_overflow(plusmax_logsumexp_descriptor* d) { d->row_stride = INT64_MAX / 2; }
static void set_null_logits(plusmax_logsumexp_descriptor* d) { d->logits = NULL; }
static void set_null_lse(plusmax_logsumexp_descriptor* d) { d->lse = NULL; }
static void set_odd_logits(plusmax_logsumexp_descriptor* d) {
  d->logits = (const char*)logits + 2;
  d->rows = 1;
  d->cols = 2;
}
static void set_odd_lse(plusmax_logsumexp_descriptor* d) { d->lse = (char*)lse + 1; }
static void set_overlap(plusmax_logsumexp_descriptor* d) { d->lse = logits + 4; }

static const struct refusal refusals[] = {
    {"a descriptor of another size is refused", set_size, PLUSMAX_INVALID_ARGUMENT, "descriptor.size 8"},
    {"an unknown dtype is refused", set_dtype, PLUSMAX_INVALID_ARGUMENT, "dtype 9"},
    {"a negative dtype is refused", set_negative_dtype, PLUSMAX_INVALID_ARGUMENT, "dtype -1"},
    {"negative rows are refused", set_rows, PLUSMAX_INVALID_ARGUMENT, "rows -1"},
    {"negative cols are refused", set_cols, PLUSMAX_INVALID_ARGUMENT, "cols -5"},
    {"rows that overlap are refused", set_row_stride, PLUSMAX_INVALID_ARGUMENT, "row_stride 2 < cols 3"},
    {"a negative row_stride is refused", set_negative_row_stride, PLUSMAX_INVALID_ARGUMENT, "row_stride -3"},
    {"a negative col_stride is refused", set_col_stride, PLUSMAX_INVALID_ARGUMENT, "col_stride -1"},
    {"results on top of each other are refused", set_lse_stride, PLUSMAX_INVALID_ARGUMENT, "lse_stride 0"},
    {"offsets beyond 63 bits are refused", set_overflow, PLUSMAX_INVALID_ARGUMENT,
     "rows 4, row_stride 4611686018427387903"},
    {"bytes beyond 63 bits are refused", set_size_overflow, PLUSMAX_INVALID_ARGUMENT, "63 bits"},
    {"NULL logits are refused", set_null_logits, PLUSMAX_INVALID_ARGUMENT, "logits is NULL, 24 bytes needed"},
    {"a NULL result is refused", set_null_lse, PLUSMAX_INVALID_ARGUMENT, "lse is NULL, 8 bytes needed"},
    {"misaligned logits are refused", set_odd_logits, PLUSMAX_INVALID_ARGUMENT,
     "is not aligned to its element of 4 bytes"},
    {"a misaligned result is refused", set_odd_lse, PLUSMAX_INVALID_ARGUMENT,
     "is not aligned to its element of 4 bytes"},
    {"a result inside the logits is refused", set_overlap, PLUSMAX_INVALID_ARGUMENT, "overlaps logits ["},
};

static void check_refusals(void) {
  size_t i;
  for (i = 0; i < sizeof refusals / sizeof *refusals; ++i) {
    plusmax_logsumexp_descriptor d = valid();
    size_t bytes = 4096;
    refusals[i].change(&d);
    expect(plusmax_logsumexp(&d, NULL, workspace(), &bytes, NULL) == refusals[i].status, refusals[i].sentence,
           "another status");
    expect(strstr(plusmax_last_error(), refusals[i].words) != NULL, refusals[i].sentence, plusmax_last_error());
  }
}

static void check_call(void) {
  plusmax_logsumexp_descriptor d = valid();
  plusmax_logsumexp_options options = {sizeof options, 1};
  size_t bytes = 0;
  expect(plusmax_logsumexp(NULL, NULL, NULL, &bytes, NULL) == PLUSMAX_INVALID_ARGUMENT, "no descriptor",
         plusmax_last_error());
  expect(plusmax_logsumexp(&d, NULL, NULL, NULL, NULL) == PLUSMAX_INVALID_ARGUMENT, "no workspace_bytes",
         plusmax_last_error());
  expect(plusmax_logsumexp(&d, &options, NULL, &bytes, NULL) == PLUSMAX_OK && bytes > 0,
         "a query answers a size above 0", plusmax_last_error());
  expect(plusmax_last_error()[0] == '\0', "success leaves no message", plusmax_last_error());

  d.logits = NULL;
  d.lse = NULL;
  expect(plusmax_logsumexp(&d, NULL, NULL, &bytes, NULL) == PLUSMAX_OK, "a query does not look at pointers",
         plusmax_last_error());

  d = valid();
  bytes = 1;
  expect(plusmax_logsumexp(&d, NULL, workspace(), &bytes, NULL) == PLUSMAX_WORKSPACE_TOO_SMALL,
         "a small workspace is refused", "another status");
  expect(strcmp(plusmax_last_error(), "workspace of 1 bytes, 256 needed") == 0, "with both figures",
         plusmax_last_error());
  bytes = 4096;
  expect(plusmax_logsumexp(&d, NULL, (char*)workspace() + 8, &bytes, NULL) == PLUSMAX_INVALID_ARGUMENT,
         "a misaligned workspace is refused", plusmax_last_error());
  options.size = 4;
  expect(plusmax_logsumexp(&d, &options, workspace(), &bytes, NULL) == PLUSMAX_INVALID_ARGUMENT,
         "options of another size are refused", plusmax_last_error());

  /* One row has no stride to the next one. */
  d.rows = 1;
  d.row_stride = 0;
  d.lse_stride = 0;
  expect(plusmax_logsumexp(&d, NULL, NULL, &bytes, NULL) == PLUSMAX_OK, "strides of a single row are not looked at",
         plusmax_last_error());
}

static void check_names(void) {
  expect(strcmp(plusmax_status_name(PLUSMAX_OK), "ok") == 0, "OK has a name", plusmax_status_name(PLUSMAX_OK));
  expect(strcmp(plusmax_status_name(PLUSMAX_UNSUPPORTED), "unsupported") == 0, "UNSUPPORTED has a name",
         plusmax_status_name(PLUSMAX_UNSUPPORTED));
  expect(plusmax_version()[0] != '\0', "the library has a version", plusmax_version());
}

#ifdef PLUSMAX_TEST_COMPUTES
static void check_results(void) {
  plusmax_logsumexp_descriptor d = valid();
  size_t bytes = 4096;
  char detail[80];
  d.cols = 2;
  logits[3] = -INFINITY;
  logits[4] = -INFINITY;
  expect(plusmax_logsumexp(&d, NULL, workspace(), &bytes, NULL) == PLUSMAX_OK, "a valid call succeeds",
         plusmax_last_error());
  sprintf(detail, "%.9g %.9g", (double)lse[0], (double)lse[1]);
  expect(fabsf(lse[0] - 2.31326169f) <= 3e-7f, "log(e + e^2) is 2.3132617", detail);
  expect(lse[1] == -INFINITY, "a row of -inf gives -inf", detail);

  d.cols = 0;
  d.logits = NULL;
  lse[0] = 1;
  expect(plusmax_logsumexp(&d, NULL, workspace(), &bytes, NULL) == PLUSMAX_OK && lse[0] == -INFINITY,
         "no columns give -inf", plusmax_last_error());

  d.rows = 0;
  d.lse = NULL;
  expect(plusmax_logsumexp(&d, NULL, workspace(), &bytes, NULL) == PLUSMAX_OK, "no rows are no work",
         plusmax_last_error());
}
#endif

int main(void) {
  check_refusals();
  check_call();
  check_names();
#ifdef PLUSMAX_TEST_COMPUTES
  check_results();
#endif
  if (failures == 0) puts("the ABI keeps its promises");
  return failures;
}

/* Calls linear_cross_entropy as a C99 program does. Exit code: the number of broken promises. */
#include "promises.h"

#include <plusmax/plusmax.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOKENS 3
#define VOCAB 4
#define FEATURES 2
static float hidden[TOKENS * FEATURES + 1] = {1, 0, 0, 1, 1, 1}, weight[VOCAB * FEATURES + 4];
static float bias[VOCAB + 1], class_weights[VOCAB + 1] = {1, 1, 1, 1}, upstream[TOKENS + 1] = {1, 1, 1};
static int64_t targets[TOKENS + 1] = {0, 1, 3};
static double normalizer[2] = {1, 1};
static float dhidden[TOKENS * FEATURES + 1], dweight[VOCAB * FEATURES + 4], dbias[VOCAB];
static float loss_rows[TOKENS], z_loss[TOKENS], lse[TOKENS], loss[1];
static int64_t argmax[TOKENS + 1], num_valid[1], bad_targets[1], excess_tokens[1];

typedef plusmax_linear_cross_entropy_descriptor descriptor;
typedef plusmax_linear_cross_entropy_options options;
typedef plusmax_linear_cross_entropy_plan plan;

#include "refusals.h"

static descriptor valid(void) {
  descriptor d;
  memset(&d, 0, sizeof d);
  d.size = sizeof d;
  d.dtype = PLUSMAX_F32;
  d.target_type = PLUSMAX_INT64;
  d.dweight_type = PLUSMAX_F32;
  d.tokens = TOKENS;
  d.vocab = VOCAB;
  d.features = FEATURES;
  d.hidden_stride = d.weight_stride = d.dhidden_stride = d.dweight_stride = FEATURES;
  d.hidden = hidden;
  d.weight = weight;
  d.bias = bias;
  d.target_stride = 1;
  d.targets = targets;
  d.class_weights = class_weights;
  d.upstream_stride = 1;
  d.upstream = upstream;
  d.normalizer = normalizer;
  d.dhidden = dhidden;
  d.dweight = dweight;
  d.dbias = dbias;
  d.loss_rows = loss_rows;
  d.z_loss = z_loss;
  d.lse = lse;
  d.argmax = argmax;
  d.loss = loss;
  d.num_valid = num_valid;
  d.bad_targets = bad_targets;
  d.excess_tokens = excess_tokens;
  return d;
}

static plan* made(const descriptor* d, const options* o) {
  plan* p = NULL;
  expect(plusmax_linear_cross_entropy_plan_create(d, o, 0, &p) == PLUSMAX_OK, "a valid shape has a plan",
         plusmax_last_error());
  return p;
}


/* What no plan is made for. */
CHANGE(set_size, d->size = 8)
CHANGE(set_options_size, o->size = 8)
CHANGE(set_f64, d->dtype = PLUSMAX_F64)
CHANGE(set_dweight_type, d->dweight_type = 7)
CHANGE(set_other_dweight_type, d->dweight_type = PLUSMAX_BF16)
CHANGE(set_tokens, d->tokens = -1)
CHANGE(set_vocab, d->vocab = 0)
CHANGE(set_features, d->features = 0)
CHANGE(set_hidden_stride, d->hidden_stride = 1)
CHANGE(set_negative_hidden_stride, d->hidden_stride = -2)
CHANGE(set_weight_stride, d->weight_stride = 0)
CHANGE(set_dhidden_stride, d->dhidden_stride = 0)
CHANGE(set_dweight_stride, d->dweight_stride = 1)
CHANGE(set_overflow, d->weight_stride = INT64_MAX / 2)
CHANGE(set_none, o->reduction = PLUSMAX_NONE)
CHANGE(set_mode, o->mode = 4)
CHANGE(set_chunk, o->chunk = -1)
CHANGE(set_chunk_dtype, o->chunk_dtype = PLUSMAX_F16)
CHANGE(set_unknown_chunk_dtype, o->chunk_dtype = -1)
CHANGE(set_max_valid, o->max_valid_tokens = TOKENS + 1)
CHANGE(set_negative_max_valid, o->max_valid_tokens = -1)

static const struct refusal no_plan[] = {
    COMMON_REFUSALS,
    {"a descriptor of another size is refused", set_size, PLUSMAX_INVALID_ARGUMENT, "descriptor.size 8"},
    {"options of another size are refused", set_options_size, PLUSMAX_INVALID_ARGUMENT, "options.size 8"},
    {"f64 is not supported", set_f64, PLUSMAX_UNSUPPORTED, "dtype 3 (f64)"},
    {"an unknown type of dW is refused", set_dweight_type, PLUSMAX_INVALID_ARGUMENT, "dweight_type 7 is unknown"},
    {"dW in a third type is not supported", set_other_dweight_type, PLUSMAX_UNSUPPORTED, "dweight_type 2, must be f32"},
    {"negative tokens are refused", set_tokens, PLUSMAX_INVALID_ARGUMENT, "tokens -1"},
    {"no classes are refused", set_vocab, PLUSMAX_INVALID_ARGUMENT, "vocab 0"},
    {"no features are refused", set_features, PLUSMAX_INVALID_ARGUMENT, "features 0"},
    {"rows of X that overlap are refused", set_hidden_stride, PLUSMAX_INVALID_ARGUMENT, "hidden_stride 1 < features 2"},
    {"a negative stride of X is refused", set_negative_hidden_stride, PLUSMAX_INVALID_ARGUMENT, "hidden_stride -2"},
    {"one row of W for all classes is refused", set_weight_stride, PLUSMAX_INVALID_ARGUMENT,
     "weight_stride 0 < features 2"},
    {"rows of dX on top of each other are refused", set_dhidden_stride, PLUSMAX_INVALID_ARGUMENT,
     "dhidden_stride 0 < features 2"},
    {"rows of dW that overlap are refused", set_dweight_stride, PLUSMAX_INVALID_ARGUMENT,
     "dweight_stride 1 < features 2"},
    {"bytes beyond 63 bits are refused", set_overflow, PLUSMAX_INVALID_ARGUMENT, "63 bits"},
    {"a single loss that nobody reduces is refused", set_none, PLUSMAX_INVALID_ARGUMENT, "reduction none"},
    {"an unknown mode is refused", set_mode, PLUSMAX_INVALID_ARGUMENT, "mode 4 is unknown"},
    {"a negative chunk is refused", set_chunk, PLUSMAX_INVALID_ARGUMENT, "chunk -1"},
    {"chunks in a third type are not supported", set_chunk_dtype, PLUSMAX_UNSUPPORTED, "chunk_dtype 1, must be f32"},
    {"chunks in an unknown type are refused", set_unknown_chunk_dtype, PLUSMAX_INVALID_ARGUMENT,
     "chunk_dtype -1 is unknown"},
    {"more valid tokens than tokens are refused", set_max_valid, PLUSMAX_INVALID_ARGUMENT,
     "max_valid_tokens 4, must be 0 (all) to tokens 3"},
    {"a negative number of valid tokens is refused", set_negative_max_valid, PLUSMAX_INVALID_ARGUMENT,
     "max_valid_tokens -1"},
};

/* What a plan of the valid shape does not take. */
CHANGE(set_fewer_tokens, d->tokens = 2)
CHANGE(set_fewer_classes, d->vocab = 3)
CHANGE(set_one_feature, d->features = 1)
CHANGE(set_longer_weight, d->weight_stride = FEATURES + 1; d->vocab = VOCAB)
CHANGE(set_longer_dweight, d->dweight_stride = FEATURES + 1)
CHANGE(set_longer_dhidden, d->dhidden_stride = FEATURES + 1)
CHANGE(set_misaligned_dhidden, d->dhidden = dhidden + 1)
CHANGE(set_no_bias, d->bias = NULL)
CHANGE(set_no_loss, d->loss = NULL)
CHANGE(set_no_dweight, d->dweight = NULL)
CHANGE(set_misaligned_weight, d->weight = weight + 1)
CHANGE(set_null_hidden, d->hidden = NULL)
CHANGE(set_null_weight, d->weight = NULL)
CHANGE(set_null_targets, d->targets = NULL)
CHANGE(set_odd_hidden, d->hidden = (const char*)hidden + 2)
CHANGE(set_odd_argmax, d->argmax = (int64_t*)(void*)((char*)argmax + 4))
CHANGE(set_dhidden_in_hidden, d->dhidden = hidden)
CHANGE(set_dweight_in_weight, d->dweight = weight)
CHANGE(set_loss_in_rows, d->loss = loss_rows + 1)
CHANGE(set_lse_in_dhidden, d->lse = dhidden + 2)
CHANGE(set_argmax_in_targets, d->argmax = targets)

static const struct refusal no_call[] = {
    {"a descriptor of another size is refused by a call", set_size, PLUSMAX_INVALID_ARGUMENT, "descriptor.size 8"},
    {"fewer tokens than planned are refused", set_fewer_tokens, PLUSMAX_INVALID_ARGUMENT, "tokens 2, the plan's is 3"},
    {"fewer classes are refused", set_fewer_classes, PLUSMAX_INVALID_ARGUMENT, "vocab 3, the plan's is 4"},
    {"fewer features are refused", set_one_feature, PLUSMAX_INVALID_ARGUMENT, "features 1, the plan's is 2"},
    {"another stride of W is refused", set_longer_weight, PLUSMAX_INVALID_ARGUMENT, "weight_stride 3, the plan's is 2"},
    {"another stride of dW is refused", set_longer_dweight, PLUSMAX_INVALID_ARGUMENT,
     "dweight_stride 3, the plan's is 2"},
    {"another stride of dX is refused", set_longer_dhidden, PLUSMAX_INVALID_ARGUMENT,
     "dhidden_stride 3, the plan's is 2"},
    {"dX is as aligned as planned", set_misaligned_dhidden, PLUSMAX_INVALID_ARGUMENT,
     "alignment of dhidden 4, the plan's is 16"},
    {"a call without the planned bias is refused", set_no_bias, PLUSMAX_INVALID_ARGUMENT, "bias"},
    {"a call without the planned loss is refused", set_no_loss, PLUSMAX_INVALID_ARGUMENT, "loss"},
    {"a call without the planned dW is refused", set_no_dweight, PLUSMAX_INVALID_ARGUMENT, "dweight"},
    {"W is as aligned as planned", set_misaligned_weight, PLUSMAX_INVALID_ARGUMENT,
     "alignment of weight 4, the plan's is 16"},
    {"NULL X is refused", set_null_hidden, PLUSMAX_INVALID_ARGUMENT, "hidden is NULL, 24 bytes needed"},
    {"NULL W is refused", set_null_weight, PLUSMAX_INVALID_ARGUMENT, "weight is NULL, 32 bytes needed"},
    {"NULL targets are refused", set_null_targets, PLUSMAX_INVALID_ARGUMENT, "targets is NULL, 24 bytes needed"},
    {"misaligned X is refused", set_odd_hidden, PLUSMAX_INVALID_ARGUMENT, "is not aligned to its element of 4 bytes"},
    {"a misaligned argmax is refused", set_odd_argmax, PLUSMAX_INVALID_ARGUMENT,
     "is not aligned to its element of 8 bytes"},
    {"dX over X is refused", set_dhidden_in_hidden, PLUSMAX_INVALID_ARGUMENT, "overlaps hidden ["},
    {"dW over W is refused", set_dweight_in_weight, PLUSMAX_INVALID_ARGUMENT, "overlaps weight ["},
    {"the loss inside the losses is refused", set_loss_in_rows, PLUSMAX_INVALID_ARGUMENT, "overlaps loss_rows ["},
    {"lse inside dX is refused", set_lse_in_dhidden, PLUSMAX_INVALID_ARGUMENT, "overlaps dhidden ["},
    {"argmax over the targets is refused", set_argmax_in_targets, PLUSMAX_INVALID_ARGUMENT, "overlaps targets ["},
};

static void check_refusals(void) {
  const descriptor base = valid();
  plan* planned = made(&base, NULL);
  size_t i;
  for (i = 0; i < sizeof no_plan / sizeof *no_plan; ++i) {
    descriptor d = valid();
    options o = PLUSMAX_LINEAR_CROSS_ENTROPY_OPTIONS;
    plan* p = NULL;
    no_plan[i].change(&d, &o);
    expect(plusmax_linear_cross_entropy_plan_create(&d, &o, 0, &p) == no_plan[i].status, no_plan[i].sentence,
           "another status");
    expect(strstr(plusmax_last_error(), no_plan[i].words) != NULL, no_plan[i].sentence, plusmax_last_error());
    expect(p == NULL, no_plan[i].sentence, "a plan was made");
  }
  for (i = 0; i < sizeof no_call / sizeof *no_call; ++i) {
    descriptor d = valid();
    options o = PLUSMAX_LINEAR_CROSS_ENTROPY_OPTIONS;
    size_t bytes = 65536;
    no_call[i].change(&d, &o);
    expect(plusmax_linear_cross_entropy(planned, &d, workspace(), &bytes, NULL) == no_call[i].status,
           no_call[i].sentence, "another status");
    expect(strstr(plusmax_last_error(), no_call[i].words) != NULL, no_call[i].sentence, plusmax_last_error());
  }
  plusmax_linear_cross_entropy_plan_destroy(planned);
}

static void check_call(void) {
  const descriptor d = valid();
  plusmax_linear_cross_entropy_plan_info info;
  plan* p = NULL;
  size_t bytes = 0, needed = 0;
  char words[120];
  expect(plusmax_linear_cross_entropy_plan_create(NULL, NULL, 0, &p) == PLUSMAX_INVALID_ARGUMENT, "no descriptor",
         plusmax_last_error());
  expect(plusmax_linear_cross_entropy_plan_create(&d, NULL, 0, NULL) == PLUSMAX_INVALID_ARGUMENT, "no place for a plan",
         plusmax_last_error());
  expect(plusmax_linear_cross_entropy_plan_create(&d, NULL, 1, &p) == PLUSMAX_WORKSPACE_TOO_SMALL && p == NULL,
         "a budget of a byte is too small", "another status");
  expect(strstr(plusmax_last_error(), "workspace_budget of 1 bytes, ") != NULL, "with both figures",
         plusmax_last_error());

  p = made(&d, NULL);
  info.size = sizeof info;
  expect(plusmax_linear_cross_entropy_plan_describe(p, &info) == PLUSMAX_OK, "a plan describes itself",
         plusmax_last_error());
  expect(info.mode == PLUSMAX_TOKEN_CHUNKS && info.chunk == TOKENS && info.chunks == 1, "one chunk of all tokens",
         "another chunk");
  expect(info.whole_logits_bytes == 4 * TOKENS * VOCAB && info.naive_logits_bytes == 12 * TOKENS * VOCAB,
         "logits once and three times", "other bytes");
  info.size = 4;
  expect(plusmax_linear_cross_entropy_plan_describe(p, &info) == PLUSMAX_INVALID_ARGUMENT, "info of another size",
         plusmax_last_error());
  expect(plusmax_linear_cross_entropy_plan_describe(NULL, &info) == PLUSMAX_INVALID_ARGUMENT, "no plan",
         plusmax_last_error());

  expect(plusmax_linear_cross_entropy(NULL, &d, NULL, &bytes, NULL) == PLUSMAX_INVALID_ARGUMENT, "a call without plan",
         plusmax_last_error());
  expect(plusmax_linear_cross_entropy(p, &d, NULL, NULL, NULL) == PLUSMAX_INVALID_ARGUMENT, "no workspace_bytes",
         plusmax_last_error());
  expect(plusmax_linear_cross_entropy(p, &d, NULL, &needed, NULL) == PLUSMAX_OK && needed == info.workspace_bytes,
         "a query answers what the plan says", plusmax_last_error());
  bytes = needed - 1;
  expect(plusmax_linear_cross_entropy(p, &d, workspace(), &bytes, NULL) == PLUSMAX_WORKSPACE_TOO_SMALL,
         "a small workspace is refused", "another status");
  sprintf(words, "workspace of %lu bytes, %lu needed", (unsigned long)bytes, (unsigned long)needed);
  expect(strcmp(plusmax_last_error(), words) == 0, "with both figures", plusmax_last_error());

  expect(plusmax_linear_cross_entropy_plan_tune(NULL, &d, workspace(), needed, NULL) == PLUSMAX_INVALID_ARGUMENT,
         "no plan to tune", plusmax_last_error());
  expect(plusmax_linear_cross_entropy_plan_tune(p, NULL, workspace(), needed, NULL) == PLUSMAX_INVALID_ARGUMENT,
         "no call to tune by", plusmax_last_error());
  expect(plusmax_linear_cross_entropy_plan_tune(p, &d, NULL, needed, NULL) == PLUSMAX_INVALID_ARGUMENT,
         "no workspace to tune in", plusmax_last_error());
  expect(plusmax_linear_cross_entropy_plan_tune(p, &d, workspace(), needed - 1, NULL) == PLUSMAX_WORKSPACE_TOO_SMALL,
         "tuning needs the workspace of a call", "another status");
  expect(strcmp(plusmax_last_error(), words) == 0, "with both figures", plusmax_last_error());
  plusmax_linear_cross_entropy_plan_destroy(p);
  plusmax_linear_cross_entropy_plan_destroy(NULL);
}

#ifdef PLUSMAX_TEST_COMPUTES
static void check_results(void) {
  descriptor d = valid();
  plan* p;
  size_t bytes = 65536;
  char detail[120];
  int i;
  d.class_weights = NULL;
  d.normalizer = NULL;
  for (i = 0; i < VOCAB; ++i) weight[2 * i] = weight[2 * i + 1] = 0;
  p = made(&d, NULL);
  expect(plusmax_linear_cross_entropy_plan_tune(p, &d, workspace(), bytes, NULL) == PLUSMAX_OK, "a plan is tuned",
         plusmax_last_error());
  expect(plusmax_linear_cross_entropy(p, &d, workspace(), &bytes, NULL) == PLUSMAX_OK, "a valid call succeeds",
         plusmax_last_error());
  sprintf(detail, "%.9g %.9g %.9g %.9g", (double)loss[0], (double)dweight[0], (double)dweight[1], (double)dbias[2]);
  expect(fabsf(loss[0] - 1.38629436f) <= 3e-7f, "log(4) is 1.3862944", detail);
  /* (1/4 - [target]) / 3, times X: over tokens 0 and 2, and over 1 and 2 */
  expect(fabsf(dweight[0] + 0.16666667f) <= 1e-7f && fabsf(dweight[1] - 0.16666667f) <= 1e-7f, "dW of class 0", detail);
  expect(fabsf(dbias[2] - 0.25f) <= 1e-7f, "a class that nobody wants has 3 (1/4) / 3", detail);
  expect(dhidden[0] == 0 && dhidden[5] == 0, "W of zeros gives dX of zeros", detail);
  expect(num_valid[0] == 3 && bad_targets[0] == 0 && excess_tokens[0] == 0 && argmax[2] == 0, "counts", detail);
  plusmax_linear_cross_entropy_plan_destroy(p);
}
#endif

int main(void) {
  check_refusals();
  check_call();
#ifdef PLUSMAX_TEST_COMPUTES
  check_results();
#endif
  if (failures == 0) puts("the ABI keeps its promises");
  return failures;
}

/* consumer COMPUTES: asks for a workspace; with COMPUTES = 1 also computes, in this machine's own memory. */
#include <plusmax/plusmax.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  const float logits[4] = {0, 0, 0, 0};
  float lse = -1;
  size_t bytes = 0;
  void* workspace;
  plusmax_logsumexp_descriptor d;
  memset(&d, 0, sizeof d);
  d.size = sizeof d;
  d.dtype = PLUSMAX_F32;
  d.rows = 1;
  d.cols = 4;
  d.row_stride = 4;
  d.col_stride = 1;
  d.logits = logits;
  d.lse_stride = 1;
  d.lse = &lse;
  if (plusmax_logsumexp(&d, NULL, NULL, &bytes, NULL) != PLUSMAX_OK || bytes == 0) {
    fprintf(stderr, "query: %s\n", plusmax_last_error());
    return 1;
  }
  if (argc < 2 || strcmp(argv[1], "1") != 0) return 0;
  workspace = aligned_alloc(256, bytes);
  if (plusmax_logsumexp(&d, NULL, workspace, &bytes, NULL) != PLUSMAX_OK) {
    fprintf(stderr, "call: %s\n", plusmax_last_error());
    return 1;
  }
  free(workspace);
  if (lse < 1.386294f || lse > 1.386295f) {
    fprintf(stderr, "log 4 is %.9g\n", (double)lse);
    return 1;
  }
  return 0;
}

/* What the C99 programs share: a count of broken promises, and a workspace where the library wants one. */
#ifndef PLUSMAX_TESTS_ABI_PROMISES_H
#define PLUSMAX_TESTS_ABI_PROMISES_H

#include <inttypes.h>
#include <stdio.h>

static int failures = 0;

static void expect(int holds, const char* sentence, const char* detail) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "FAILED: %s (%s)\n", sentence, detail);
}

static char workspace_memory[65536 + 256];

static void* workspace(void) {
  const uintptr_t address = (uintptr_t)workspace_memory;
  return workspace_memory + (256 - address % 256) % 256;
}

#endif

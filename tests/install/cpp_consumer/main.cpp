// consumer COMPUTES: asks for a workspace, provokes an error; with COMPUTES = 1 also computes, in this machine's own
// memory.
#include <plusmax/plusmax.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  const float logits[4] = {0, 0, 0, 0};
  float lse = -1;
  auto descriptor = plusmax::logsumexp_descriptor(PLUSMAX_F32, 1, 4, logits, &lse);
  const std::size_t bytes = plusmax::logsumexp_workspace_bytes(descriptor);
  auto wrong = descriptor;
  wrong.rows = -7;
  try {
    plusmax::logsumexp_workspace_bytes(wrong);
    std::fprintf(stderr, "rows -7 were taken\n");
    return 1;
  } catch (const plusmax::error& error) {
    if (error.status() != PLUSMAX_INVALID_ARGUMENT || std::strstr(error.what(), "rows -7") == nullptr) {
      std::fprintf(stderr, "rows -7: %s\n", error.what());
      return 1;
    }
  }
  if (argc < 2 || std::strcmp(argv[1], "1") != 0) return 0;
  void* workspace = std::aligned_alloc(256, bytes);
  plusmax::logsumexp(descriptor, workspace, bytes, nullptr);
  std::free(workspace);
  if (!(lse > 1.386294f && lse < 1.386295f)) {
    std::fprintf(stderr, "log 4 is %.9g\n", static_cast<double>(lse));
    return 1;
  }
  return 0;
}

// The C ABI: translates descriptors, keeps the last error, hands the rest to dispatch.
#include "kernels/include/plusmax/plusmax.h"

#include "kernels/logsumexp/dispatch.hpp"

#include <cstdio>
#include <cstring>

namespace plusmax {
namespace {

constexpr std::size_t kWorkspaceUnit = 256;  // alignment of a workspace, and its least size

char* last_error() {
  thread_local char text[sizeof(Status::message)] = "";
  return text;
}

plusmax_status report(const Status& status) {
  std::memcpy(last_error(), status.message, sizeof status.message);
  return status.code;
}

Status check_size(const char* name, std::size_t size, std::size_t expected) {
  if (size == expected) return {};
  return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s.size %zu, this library's is %zu", name, size, expected);
}

std::size_t round_up(std::size_t bytes) {
  return bytes == 0 ? kWorkspaceUnit : (bytes + kWorkspaceUnit - 1) / kWorkspaceUnit * kWorkspaceUnit;
}

Status check_workspace(const void* workspace, std::size_t given, std::size_t needed) {
  if (reinterpret_cast<std::uintptr_t>(workspace) % kWorkspaceUnit != 0)
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "workspace %p is not aligned to %zu bytes", workspace,
                         kWorkspaceUnit);
  if (given < needed)
    return Status::error(PLUSMAX_WORKSPACE_TOO_SMALL, "workspace of %zu bytes, %zu needed", given, needed);
  return {};
}

Status call_logsumexp(const plusmax_logsumexp_descriptor* d, const plusmax_logsumexp_options* o, void* workspace,
                      std::size_t* workspace_bytes, void* stream) {
  if (d == nullptr) return Status::error(PLUSMAX_INVALID_ARGUMENT, "descriptor is NULL");
  if (workspace_bytes == nullptr) return Status::error(PLUSMAX_INVALID_ARGUMENT, "workspace_bytes is NULL");
  if (Status status = check_size("descriptor", d->size, sizeof *d); !status.ok()) return status;
  if (o != nullptr)
    if (Status status = check_size("options", o->size, sizeof *o); !status.ok()) return status;
  if (d->dtype < PLUSMAX_F32 || d->dtype > PLUSMAX_F64)
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "dtype %d is unknown", static_cast<int>(d->dtype));

  const logsumexp::Params p{static_cast<plusmax_dtype>(d->dtype),
                            d->rows,
                            d->cols,
                            d->row_stride,
                            d->col_stride,
                            d->logits,
                            d->lse_stride,
                            d->lse};
  if (Status status = logsumexp::check_shape(p); !status.ok()) return status;
  const KernelVariant<logsumexp::Params>& variant = logsumexp::choose(p, {o != nullptr && o->batch_invariant != 0});
  const std::size_t needed = round_up(variant.workspace_bytes(p));
  if (workspace == nullptr) {
    *workspace_bytes = needed;
    return {};
  }
  if (Status status = logsumexp::check_pointers(p); !status.ok()) return status;
  if (Status status = check_workspace(workspace, *workspace_bytes, needed); !status.ok()) return status;
  return variant.launch(p, workspace, stream);
}

}  // namespace
}  // namespace plusmax

extern "C" {

plusmax_status plusmax_logsumexp(const plusmax_logsumexp_descriptor* descriptor,
                                 const plusmax_logsumexp_options* options, void* workspace, size_t* workspace_bytes,
                                 void* stream) {
  return plusmax::report(plusmax::call_logsumexp(descriptor, options, workspace, workspace_bytes, stream));
}

const char* plusmax_last_error(void) { return plusmax::last_error(); }

const char* plusmax_status_name(plusmax_status status) {
  switch (static_cast<int>(status)) {
    case PLUSMAX_OK:
      return "ok";
    case PLUSMAX_INVALID_ARGUMENT:
      return "invalid argument";
    case PLUSMAX_UNSUPPORTED:
      return "unsupported";
    case PLUSMAX_WORKSPACE_TOO_SMALL:
      return "workspace too small";
    case PLUSMAX_DEVICE_ERROR:
      return "device error";
  }
  return "unknown status";
}

const char* plusmax_version(void) { return PLUSMAX_VERSION; }

}  // extern "C"

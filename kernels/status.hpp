// Status: a code and a message with the values. Kernels return it; they neither throw nor print.
#pragma once

#include "kernels/include/plusmax/types.h"

#include <cstdarg>
#include <cstdio>

namespace plusmax {

struct Status {
  plusmax_status code = PLUSMAX_OK;
  char message[200] = "";

  bool ok() const { return code == PLUSMAX_OK; }

  // printf-style: Status::error(PLUSMAX_INVALID_ARGUMENT, "row_stride %lld < cols %lld", ...)
  __attribute__((format(printf, 2, 3))) static Status error(plusmax_status code, const char* format, ...) {
    Status status;
    status.code = code;
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(status.message, sizeof status.message, format, arguments);
    va_end(arguments);
    return status;
  }
};

}  // namespace plusmax

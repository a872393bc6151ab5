// Everything that a kernel sees of the host machine. Kernels include kernels/platform/cuda.cuh instead.
#pragma once

#include "kernels/platform/host/builtins.hpp"
#include "kernels/platform/host/half.hpp"
#include "kernels/platform/host/language.hpp"
#include "kernels/platform/host/runtime.hpp"

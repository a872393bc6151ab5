// Measures the functions that results depend on, by the very primitives that the kernels call: every float for the f32
// ones, samples for f64. Prints the table of docs/kernels/functions.md for the machine it runs on.
//
//   plusmax_function_sweep [samples of f64, default 2^22]
#include "kernels/platform/backend.hpp"
#include "kernels/platform/launch.hpp"
#include "kernels/primitives/math.cuh"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace plusmax {
namespace {

// One f32 function on [low, high]: `value` as the kernels compute it, `exact` in double, whose error of 2^-52 does not
// count.
struct Exp2 {
  static constexpr const char* kName = "ex2(x)";
  static constexpr float kLow = -126.f, kHigh = 0.f;
  static __device__ float value(float x) { return platform::ex2(x); }
  static __device__ double exact(double x) { return exp2(x); }
};
struct Exp {
  static constexpr const char* kName = "ex2(x log2 e)";
  static constexpr float kLow = -87.f, kHigh = 0.f;
  static __device__ float value(float x) { return Math<float>::exp_shifted(x, 0.f); }
  static __device__ double exact(double x) { return exp(x); }
};
struct Log {
  static constexpr const char* kName = "log(x)";
  static constexpr float kLow = 1.f, kHigh = 0x1p64f;
  static __device__ float value(float x) { return Math<float>::log(x); }
  static __device__ double exact(double x) { return log(x); }
};

struct Log1p {
  static constexpr const char* kName = "log1p(x)";
  static constexpr float kLow = 0.f, kHigh = 0x1p24f;
  static __device__ float value(float x) { return Math<float>::log1p(x); }
  static __device__ double exact(double x) { return log1p(x); }
};
struct Tanh {
  static constexpr const char* kName = "tanh(x)";
  static constexpr float kLow = 0.f, kHigh = 0x1p24f;
  static __device__ float value(float x) { return Math<float>::tanh(x).value; }
  static __device__ double exact(double x) { return tanh(x); }
};
struct TanhSlope {
  static constexpr const char* kName = "1 - tanh(x)^2";
  static constexpr float kLow = 0.f, kHigh = 43.f;
  static __device__ float value(float x) { return Math<float>::tanh(x).slope; }
  static __device__ double exact(double x) {
    const double e = exp(-2 * x);
    return 4 * e / ((1 + e) * (1 + e));
  }
};
struct Reciprocal {
  static constexpr const char* kName = "1 / x";
  static constexpr float kLow = 1.f, kHigh = 2.f;
  static __device__ float value(float x) { return platform::reciprocal(x); }
  static __device__ double exact(double x) { return 1 / x; }
};

struct Worst {        // bits of non-negative floats, which order as integers
  unsigned relative;  // |value - exact| / |exact|, in u
  unsigned slope;     // (relative - floor) / |x|
  unsigned tiny;      // |value - exact| where |exact| < 2^-126, in 2^-126
};

__device__ inline float up(double value) {
  const float rounded = static_cast<float>(value);
  return rounded < value ? nextafterf(rounded, INFINITY) : rounded;
}

constexpr int kThreads = 128, kBlocks = 512;

// Every float in [low, high]; `floor` is what `slope` starts from.
template <class F>
__global__ void __launch_bounds__(kThreads) sweep_kernel(double floor, Worst* worst) {
  float relative = 0, slope = 0, tiny = 0;
  const std::uint64_t step = std::uint64_t{kThreads} * kBlocks;
  for (std::uint64_t bits = blockIdx.x * std::uint64_t{kThreads} + threadIdx.x; bits < (1ull << 32); bits += step) {
    const float x = __uint_as_float(static_cast<unsigned>(bits));
    if (!(x >= F::kLow && x <= F::kHigh)) continue;
    const double exact = F::exact(static_cast<double>(x));
    const double error = fabs(static_cast<double>(F::value(x)) - exact);
    if (!(fabs(exact) >= 0x1p-126)) {
      if (exact != 0)
        tiny = fmaxf(tiny, up(error * 0x1p126));
      else if (error != 0)
        relative = INFINITY;
      continue;
    }
    const double ratio = error / fabs(exact) * 0x1p24;
    if (!(ratio <= static_cast<double>(relative))) relative = up(ratio);
    if (x != 0 && ratio > floor) slope = fmaxf(slope, up((ratio - floor) / fabs(static_cast<double>(x))));
  }
  atomicMax(&worst->relative, __float_as_uint(relative));
  atomicMax(&worst->slope, __float_as_uint(slope));
  atomicMax(&worst->tiny, __float_as_uint(tiny));
}

template <bool kLog>
__global__ void __launch_bounds__(kThreads) double_kernel(const double* x, double* y, std::int64_t count) {
  for (std::int64_t i = blockIdx.x * std::int64_t{kThreads} + threadIdx.x; i < count;
       i += std::int64_t{kThreads} * gridDim.x)
    y[i] = kLog ? Math<double>::log(x[i]) : Math<double>::exp_shifted(x[i], 0.0);
}

void require(const Status& status) {
  if (!status.ok()) throw DeviceError(status.message);
}

struct Measured {
  float relative, slope, tiny;
};

template <class F>
Measured sweep(double floor) {
  Device& device = *backend_device();
  const auto buffer = device.allocate({.name = "worst", .line_bytes = sizeof(Worst)});
  buffer->fill(0);
  require(platform::launch({.grid = dim3(kBlocks), .block = dim3(kThreads), .stream = device.stream()}, sweep_kernel<F>,
                           floor, static_cast<Worst*>(buffer->data())));
  device.synchronize();
  Measured measured{};
  static_assert(sizeof measured == sizeof(Worst), "bits of the same floats");
  buffer->read(0, &measured, sizeof measured);
  return measured;
}

// `floor` above 0 asks for the growth of the error beyond it.
template <class F>
void print_sweep(double floor) {
  const Measured m = sweep<F>(floor);
  char growth[40] = "";
  if (floor > 0) std::snprintf(growth, sizeof growth, "%.3f above %.3f", static_cast<double>(m.slope), floor);
  std::printf("| f32 | %s | [%g, %g], every float | %.3f | %s | %.2g |\n", F::kName, static_cast<double>(F::kLow),
              static_cast<double>(F::kHigh), static_cast<double>(m.relative), growth, static_cast<double>(m.tiny));
  std::fflush(stdout);
}

std::uint64_t splitmix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// exp on [-708, 0], uniform and logarithmic in turn; log on [1, 2^64], uniform in the exponent, every fourth near 1.
std::vector<double> arguments(bool log, std::int64_t count) {
  std::vector<double> x(static_cast<std::size_t>(count));
  std::uint64_t state = 2026;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double uniform = static_cast<double>(splitmix(state) >> 11) * 0x1p-53;
    if (log)
      x[i] = i % 4 == 0 ? 1 + uniform * std::exp2(-double(i / 4 % 48)) : std::exp2(uniform * 64);
    else
      x[i] = i % 2 == 0 ? -708 * uniform : -std::exp2(uniform * 60 - 50.6);
    if (!log && x[i] < -708) x[i] = -708;
  }
  return x;
}

// Against long double, whose own error is 2^-11 u or less.
template <bool kLog>
void print_double(std::int64_t count) {
  Device& device = *backend_device();
  const std::vector<double> x = arguments(kLog, count);
  std::vector<double> y(x.size());
  const std::size_t bytes = x.size() * sizeof(double);
  const auto in = device.allocate({.name = "x", .line_bytes = bytes}),
             out = device.allocate({.name = "y", .line_bytes = bytes});
  in->write(0, x.data(), bytes);
  require(platform::launch({.grid = dim3(kBlocks), .block = dim3(kThreads), .stream = device.stream()},
                           double_kernel<kLog>, static_cast<const double*>(in->data()),
                           static_cast<double*>(out->data()), count));
  device.synchronize();
  out->read(0, y.data(), bytes);
  long double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double exact =
        kLog ? std::log(static_cast<long double>(x[i])) : std::exp(static_cast<long double>(x[i]));
    const long double error = std::fabs(static_cast<long double>(y[i]) - exact);
    if (exact == 0 ? error != 0 : !(error / std::fabs(exact) <= worst))
      worst = exact == 0 ? INFINITY : error / std::fabs(exact);
  }
  std::printf("| f64 | %s | %s, %lld samples | %.3Lf | | |\n", kLog ? "log(x)" : "exp(x)",
              kLog ? "[1, 2^64]" : "[-708, 0]", static_cast<long long>(count), worst * 0x1p53L);
}

int run(std::int64_t samples) {
  Device& device = *backend_device();
  if (!device.available()) {
    std::fprintf(stderr, "no device answers; build without PLUSMAX_CUDA to measure the host's functions\n");
    return 1;
  }
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::printf("%s, %s\n\n", device.description().c_str(), date);
  std::printf(
      "| type | function | domain | largest relative error, u | growth, u per unit of x | results below 2^-126, off by "
      "x 2^-126 |\n|---|---|---|---|---|---|\n");
  const float exp2_error = sweep<Exp2>(0).relative;
  print_sweep<Exp2>(0);
  print_sweep<Exp>(static_cast<double>(exp2_error));
  print_sweep<Log>(0);
  print_sweep<Log1p>(0);
  print_sweep<Reciprocal>(0);
  print_sweep<Tanh>(0);
  print_sweep<TanhSlope>(2 * static_cast<double>(exp2_error));
  print_double<false>(samples);
  print_double<true>(samples);
  return 0;
}

}  // namespace
}  // namespace plusmax

int main(int argc, char** argv) {
  const long long samples = argc > 1 ? std::atoll(argv[1]) : 1ll << 22;
  if (samples <= 0) {
    std::fprintf(stderr, "samples '%s', must be 1 or more\n", argv[1]);
    return 2;
  }
  try {
    return plusmax::run(samples);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

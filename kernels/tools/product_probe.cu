// Compares products of 16-bit factors, planned as the kernels plan theirs, with f32 results, with the tensor core that
// the bound assumes: bit by bit, and their errors with the bound. What an H200 answers: docs/numerics.md section 3h.
//
//   plusmax_product_probe [sampled elements of each product, default 256]
#include "kernels/linear_cross_entropy/config.hpp"
#include "kernels/platform/backend.hpp"
#include "kernels/platform/gemm.hpp"
#include "kernels/platform/launch.hpp"
#include "kernels/primitives/dtype.cuh"
#include "kernels/primitives/row.cuh"
#include "kernels/tools/tensor_core.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <vector>

namespace plusmax {
namespace {

struct Size {
  std::int64_t m, n, k;
  bool a_transposed, b_transposed;
};
// The last three: logits, dX and dW of 2048 tokens, 32000 classes and 4096 features.
constexpr Size kSizes[] = {
    {128, 128, 16, false, true},      {128, 128, 1024, false, true},     {104, 200, 1000, false, true},
    {128, 256, 4096, false, true},    {64, 4096, 512, false, true},      {4096, 4096, 4096, false, true},
    {2048, 32000, 4096, false, true}, {2048, 4096, 32000, false, false}, {32000, 4096, 2048, true, false},
};

// Normal numbers times 2^e, e uniform in [least, most].
struct Data {
  const char* name;
  float least, most;
  bool positive = false;
};
constexpr Data kData[] = {{"normal", 0, 0}, {"wide", -8, 8}, {"positive", 0, 0, true}};
// Most factors subnormal (f16), most products (bf16).
template <class T>
constexpr Data kTiny = {"tiny", -26, -12};
template <>
constexpr Data kTiny<__nv_bfloat16> = {"tiny", -76, -62};

__host__ __device__ inline std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

template <class T>
__global__ void fill_kernel(T* to, std::int64_t count, Data data, std::uint64_t seed) {
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < count;
       i += std::int64_t{blockDim.x} * gridDim.x) {
    const std::uint64_t bits = mixed(seed + 0x9E3779B97F4A7C15ull * static_cast<std::uint64_t>(i));
    const auto uniform = [&](int shift) { return (static_cast<float>((bits >> shift) & 0xFFFFF) + 0.5f) * 0x1p-20f; };
    const float normal = sqrtf(-2 * logf(uniform(0))) * cospif(2 * uniform(20));
    const float scaled = normal * exp2f(data.least + (data.most - data.least) * uniform(40));
    to[i] = Element<T>::narrow(data.positive ? fabsf(scaled) : scaled);
  }
}

void require(const Status& status) {
  if (!status.ok()) throw DeviceError(status.message);
}

struct Buffer {
  std::size_t bytes;
  std::unique_ptr<DeviceBuffer> on_device;
  explicit Buffer(std::size_t size)
      : bytes(size), on_device(backend_device()->allocate({.name = "matrix", .line_bytes = size})) {}
  template <class T>
  std::vector<T> read() const {
    std::vector<T> all(bytes / sizeof(T));
    on_device->read(0, all.data(), bytes);
    return all;
  }
};

template <class T>
Buffer filled(std::int64_t count, const Data& data, std::uint64_t seed) {
  Buffer buffer(static_cast<std::size_t>(count) * sizeof(T));
  require(platform::launch({.grid = dim3(1024), .block = dim3(256), .stream = backend_device()->stream()},
                           fill_kernel<T>, static_cast<T*>(buffer.on_device->data()), count, data, seed));
  return buffer;
}

// One sampled element: its factors in order, and what the device made of them.
struct Sample {
  std::vector<double> a, b;
  float result;
};

double widened(__half value) { return static_cast<double>(__half2float(value)); }
double widened(__nv_bfloat16 value) { return static_cast<double>(__bfloat162float(value)); }

template <class T>
std::vector<Sample> sampled(const platform::Product& p, const Data& data, int count) {
  platform::Gemm gemm;
  platform::PlannedProduct planned;
  require(gemm.open());
  require(gemm.plan(p, linear_cross_entropy::kProductBytes, planned));
  const Buffer a = filled<T>(p.m * p.k, data, 1), b = filled<T>(p.k * p.n, data, 2),
               c(static_cast<std::size_t>(p.m * p.n) * sizeof(float)), space(planned.workspace_bytes + 256);
  require(gemm.run(planned, {a.on_device->data(), b.on_device->data(), c.on_device->data(), nullptr}, false,
                   space.on_device->data(), backend_device()->stream()));
  backend_device()->synchronize();
  const std::vector<T> left = a.read<T>(), right = b.read<T>();
  const std::vector<float> results = c.read<float>();
  std::vector<Sample> samples(static_cast<std::size_t>(count));
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const std::uint64_t bits = mixed(s + 1);
    const auto i = static_cast<std::int64_t>((bits >> 32) % static_cast<std::uint64_t>(p.m)),
               j = static_cast<std::int64_t>((bits & 0xFFFFFFFF) % static_cast<std::uint64_t>(p.n));
    for (std::int64_t k = 0; k < p.k; ++k) {
      const std::int64_t of_a = p.a_transposed ? k * p.a_stride + i : i * p.a_stride + k;
      const std::int64_t of_b = p.b_transposed ? j * p.b_stride + k : k * p.b_stride + j;
      samples[s].a.push_back(widened(left[static_cast<std::size_t>(of_a)]));
      samples[s].b.push_back(widened(right[static_cast<std::size_t>(of_b)]));
    }
    samples[s].result = results[static_cast<std::size_t>(i * p.c_stride + j)];
  }
  return samples;
}

// In ranges of whole tiles, all of one length but the last, each from 0, added in ascending order: split K.
float emulated(const Sample& s, std::size_t length) {
  float sum = 0;
  for (std::size_t begin = 0; begin < s.a.size(); begin += length)
    sum += TensorCore{}.range(
        begin, std::min(s.a.size(), begin + length), [&](std::size_t k) { return s.a[k]; },
        [&](std::size_t k) { return s.b[k]; });
  return sum;
}

// The length of the ranges, which a plan does not tell: the one that gives most of the first samples their bits.
std::size_t fitting_length(const std::vector<Sample>& samples) {
  constexpr std::size_t kTile = 64, kMostRanges = 32, kTried = 16;
  const std::size_t terms = samples[0].a.size(), tiles = (terms + kTile - 1) / kTile;
  std::size_t best = terms, most = 0, before = 0;
  for (std::size_t ranges = 1; ranges <= std::min(tiles, kMostRanges); ++ranges) {
    const std::size_t length = ranges == 1 ? terms : (tiles + ranges - 1) / ranges * kTile;
    if (length == before) continue;
    before = length;
    std::size_t same = 0;
    for (std::size_t i = 0; i < std::min(samples.size(), kTried); ++i)
      same += emulated(samples[i], length) == samples[i].result;
    if (same > most) best = length, most = same;
  }
  return best;
}

// Error / bound of section 3h, L0. Long double is off by 2^-64 of the magnitude a term, far below either.
double over_bound(const Sample& s, const ProductShape& shape) {
  long double exact = 0, magnitude = 0;
  for (std::size_t k = 0; k < s.a.size(); ++k) {
    const long double term = static_cast<long double>(s.a[k]) * s.b[k];
    exact += term, magnitude += std::fabs(term);
  }
  const double steps =
      std::ceil(static_cast<double>(s.a.size()) / shape.step_terms) + (shape.ranges > 1 ? 2 * shape.ranges : 0);
  const double relative = steps * shape.step_error * shape.unit_roundoff;
  const double bound = (relative * static_cast<double>(magnitude) + steps * shape.underflow) / (1 - relative);
  return static_cast<double>(std::fabs(s.result - exact)) / bound;
}

template <class T>
void print_product(const Size& size, const Data& data, int count) {
  const auto [m, n, k, a_transposed, b_transposed] = size;
  const platform::Product p{.m = m,
                            .n = n,
                            .k = k,
                            .operands = Element<T>::kDtype,
                            .result = PLUSMAX_F32,
                            .a_transposed = a_transposed,
                            .b_transposed = b_transposed,
                            .a_stride = a_transposed ? m : k,
                            .b_stride = b_transposed ? k : n,
                            .c_stride = n,
                            .alignment = kVectorBytes};
  const std::vector<Sample> samples = sampled<T>(p, data, count);
  const std::size_t length = fitting_length(samples), terms = samples[0].a.size();
  const ProductShape shape = platform::product_shape(p);
  int same = 0;
  double worst = 0, worst_other = 0;
  for (const Sample& s : samples) {
    const double ratio = over_bound(s, shape);
    worst = std::fmax(worst, ratio);
    if (emulated(s, length) == s.result)
      ++same;
    else
      worst_other = std::fmax(worst_other, ratio);
  }
  std::printf("| %s | %lld x %lld x %lld | %s %s | %s | %zu | %.2f %% | %.2g | %.2g |\n",
              Element<T>::kDtype == PLUSMAX_F16 ? "f16" : "bf16", static_cast<long long>(m), static_cast<long long>(n),
              static_cast<long long>(k), a_transposed ? "A^T" : "A", b_transposed ? "B^T" : "B", data.name,
              (terms + length - 1) / length, 100.0 * same / count, worst, worst_other);
  std::fflush(stdout);
}

template <class T>
void print_products(int count) {
  for (const Size& size : kSizes) {
    for (const Data& data : kData) print_product<T>(size, data, count);
    print_product<T>(size, kTiny<T>, count);
  }
}

int run(int count) {
  Device& device = *backend_device();
  if (!device.available()) {
    std::fprintf(stderr, "no device answers\n");
    return 1;
  }
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::printf("%s, %s, %d elements of each product\n\n", device.description().c_str(), date, count);
  std::printf(
      "| type | size | stored | data | ranges | the model's bits | largest error / bound | where the bits differ |\n"
      "|---|---|---|---|---|---|---|---|\n");
  print_products<__half>(count);
  print_products<__nv_bfloat16>(count);
  return 0;
}

}  // namespace
}  // namespace plusmax

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 256;
  if (count <= 0) {
    std::fprintf(stderr, "elements '%s', must be 1 or more\n", argv[1]);
    return 2;
  }
  try {
    return plusmax::run(count);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

// Every wild access that the machine claims to find is planted here.
#include "kernels/platform/gemm.hpp"
#include "tests/simt/planted.hpp"

using namespace plusmax;
using namespace plusmax::planted;

namespace {

template <class T>
__global__ void store_at(T* p, long long i) {
  p[i] = T(1);
}
template <class T>
__global__ void load_at(const T* p, T* out, long long i) {
  *out = p[i];
}
__global__ void load_vector(const char* p, uint4* out) { *out = platform::load_stream(p); }
__global__ void store_vector(char* p) { platform::store_stream(p, make_uint4(1, 2, 3, 4)); }
__global__ void add_at(char* p) { platform::atomic_add(reinterpret_cast<unsigned*>(p), 1u, platform::Order::relaxed); }
// Deeper than any stack.
__device__ __attribute__((noinline)) int deep(int n, volatile int* sink) {
  volatile int frame[512];
  frame[n % 512] = n;
  *sink = frame[n % 512];
  return n ? deep(n - 1, sink) + (frame[n % 512] == n) : 0;
}
__global__ void recurse(int* out, int n) { *out = deep(n, out); }

template <class T>
auto store(T* p, long long i) {
  return [=] { must_start(platform::launch({dim3(1), dim3(1)}, store_at<T>, p, i)); };
}
template <class T>
auto load(const T* p, T* out, long long i) {
  return [=] { must_start(platform::launch({dim3(1), dim3(1)}, load_at<T>, p, out, i)); };
}
// The fault of a store, or what violation() says after it: slack bytes of a mapped page are only seen by their
// canaries.
template <class T>
std::string seen(const Array<T>& array, long long i) {
  return fault_of([&] {
    must_start(platform::launch({dim3(1), dim3(1)}, store_at<T>, array.get(), i));
    host_device().synchronize();
    const std::string violation = array.buffer().violation();
    if (!violation.empty()) throw DeviceError(violation);
  });
}

}  // namespace

TEST_CASE("memory: one element behind the end and one before the start", "[simt][memory]") {
  for (std::size_t count : {1u, 100u, 101u, 1024u, 4099u})
    for (std::size_t phase : {0u, 4u, 12u, 128u}) {
      const Array<float> right(count, "right", phase), left(count, "left", phase, true);
      INFO("count " << count << " phase " << phase);
      for (const Array<float>* array : {&right, &left}) {
        CHECK(names(seen(*array, (long long)count), "behind its end"));
        CHECK(names(seen(*array, -1), "before its start"));
      }
    }
}

TEST_CASE("memory: loads across a guard page", "[simt][memory]") {
  const Array<float> right(1024, "right"), left(1024, "left", 0, true), out(1);
  CHECK(names(fault_of(load(right.get(), out.get(), 1024)),
              "'right' of 4096 bytes was accessed at byte offset 4096, behind its end"));
  CHECK(names(fault_of(load(left.get(), out.get(), -1)),
              "'left' of 4096 bytes was accessed at byte offset -4, before its start"));
}

TEST_CASE("memory: the message names buffer, offset, thread and seed", "[simt][memory]") {
  const Array<float> array(1024, "logits");
  host_device().configure(Schedule::reverse, 77, 0.f);
  const std::string fault = fault_of(store(array.get(), 1030));
  host_device().configure(Schedule::forward, 0, 0.f);
  INFO(fault);
  for (const char* words : {"'logits'", "stored to", "4120", "thread (0,0,0) of block (0,0,0)", "seed 77"})
    CHECK(names(fault, words));
}

TEST_CASE("memory: padding between rows", "[simt][memory]") {
  // Rows of 64 KB, 1 MB apart: whole pages of padding. Rows of 100 bytes, 256 apart: padding on the rows' own pages.
  const Array<float> wide(BufferSpec{"wide", 3, 65536, 1u << 20, 0, false, false});
  const Array<float> narrow(BufferSpec{"narrow", 50, 100, 256, 0, false, false});
  CHECK(seen(narrow, 64 * 7 + 24) == "");
  CHECK(names(seen(wide, 16384 + 1024), "padding: 'wide'"));
  CHECK(names(seen(wide, 16384), "padding: 'wide'"));
  CHECK(names(seen(narrow, 25), "padding: 'narrow' was stored to at byte offset 100, 0 bytes behind line 0"));
  const Array<float> again(BufferSpec{"again", 50, 100, 256, 0, false, false});
  CHECK(names(seen(again, 64 * 7 + 63), "padding: 'again' was stored to at byte offset 2044, 152 bytes behind line 7"));
}

TEST_CASE("memory: a row offset cut to 32 bits", "[simt][memory]") {
  const std::size_t stride = (std::size_t(1) << 31) * sizeof(float);
  const Array<float> rows(BufferSpec{"rows", 3, 4096, stride, 0, false, false});
  CHECK(fault_of(store(rows.get(), 2ll << 31)) == "");
  CHECK(names(fault_of(store(rows.get(), int(1u << 31))), "out of bounds: 'rows'"));
  CHECK(names(fault_of(store(rows.get(), int(1u << 31) + 1023)), "before its start"));
  CHECK(names(fault_of(store(rows.get(), int((1u << 31) - 7u))), "padding: 'rows'"));
}

TEST_CASE("memory: a store to a sealed buffer", "[simt][memory]") {
  const Array<float> input(BufferSpec{"input", 2, 400, 512, 0, false, true});
  const Array<float> out(1);
  CHECK(fault_of(store(input.get(), 3)) == "");
  input.buffer().seal();
  CHECK(names(fault_of(store(input.get(), 3)), "read-only: 'input' was stored to at byte offset 12, in line 0"));
  CHECK(fault_of(load(input.get(), out.get(), 3)) == "");
  const float five = 5.f;
  input.buffer().write(512, &five, sizeof five);  // lifts it for as long as it takes
  CHECK(input[128] == 5.f);
  input.buffer().fill(0);
  CHECK(input[128] == 0.f);
  CHECK(names(fault_of(store(input.get(), 3)), "read-only: 'input'"));
  const Array<float> other(4);
  other.buffer().seal();  // not read_only: nothing happens
  CHECK(fault_of(store(other.get(), 3)) == "");
}

TEST_CASE("memory: null and wild pointers", "[simt][memory]") {
  CHECK(names(fault_of(store<int>(nullptr, 0)), "invalid address"));
  CHECK(names(fault_of(store(reinterpret_cast<int*>(0x12345678), 0)), "invalid address 0x12345678"));
  CHECK(names(fault_of(store(reinterpret_cast<int*>(0x7ff012345678000ull), 0)), "invalid address"));
  const Array<int> array(10), out(1);
  CHECK(fault_of(store(array.get(), 800000000000ll)) != "");
}

TEST_CASE("memory: misaligned vectors and atomics", "[simt][memory]") {
  const Array<char> array(64);
  const Array<uint4> out(1);
  for (int shift : {1, 2, 4, 8}) {
    INFO("shift " << shift);
    CHECK(names(fault_of([&] {
                  must_start(platform::launch({dim3(1), dim3(1)}, load_vector, array.get() + shift, out.get()));
                }),
                "misaligned access of 16 bytes"));
    CHECK(names(fault_of([&] {
                  must_start(platform::launch({dim3(1), dim3(1)}, store_vector, array.get() + shift));
                }),
                "misaligned access of 16 bytes"));
  }
  CHECK(names(fault_of([&] {
                must_start(platform::launch({dim3(1), dim3(1)}, add_at, array.get() + 2));
              }),
              "misaligned access of 4 bytes"));
  CHECK(fault_of([&] {
          must_start(platform::launch({dim3(1), dim3(1)}, load_vector, array.get() + 16, out.get()));
        }) == "");
}

TEST_CASE("memory: a stack overflow", "[simt][memory]") {
  const Array<int> out(1);
  CHECK(names(fault_of([&] {
                must_start(platform::launch({dim3(1), dim3(1)}, recurse, out.get(), 100000));
              }),
              "stack overflow"));
  CHECK(fault_of([&] { must_start(platform::launch({dim3(1), dim3(1)}, recurse, out.get(), 5)); }) == "");
}

TEST_CASE("memory: a matrix product that goes behind an operand or its result", "[simt][memory]") {
  const Array<float> a(3 * 5, "a"), b(4 * 5, "b"), c(3 * 4, "c");
  const auto product = [&](std::int64_t m, std::int64_t c_stride) {
    return fault_of([&] {
      platform::Gemm gemm;
      platform::PlannedProduct planned;
      REQUIRE(gemm.open().ok());
      REQUIRE(gemm.plan({.m = m,
                         .n = 4,
                         .k = 5,
                         .operands = PLUSMAX_F32,
                         .result = PLUSMAX_F32,
                         .b_transposed = true,
                         .a_stride = 5,
                         .b_stride = 5,
                         .c_stride = c_stride,
                         .alignment = 4},
                        0, planned)
                  .ok());
      must_start(gemm.run(planned, {a.get(), b.get(), c.get(), nullptr}, false, nullptr, nullptr));
      host_device().synchronize();
    });
  };
  CHECK(product(3, 4) == "");
  CHECK(names(product(4096, 0), "behind its end"));
  CHECK(names(product(3, 600), "behind its end"));
  CHECK(product(3, 4) == "");
}

TEST_CASE("memory: after a fault the machine still runs", "[simt][memory]") {
  const Array<float> array(4);
  for (int k = 0; k < 200; ++k) REQUIRE(fault_of(store<int>(nullptr, k)) != "");
  must_start(platform::launch({dim3(1), dim3(1)}, store_at<float>, array.get(), 2));
  host_device().synchronize();
  CHECK(array[2] == 1.f);
}

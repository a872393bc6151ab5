// Runs of the kernels of clean_kernels.hpp that check their results.
#pragma once

#include "tests/simt/clean_kernels.hpp"
#include "tests/simt/planted.hpp"

namespace plusmax::planted {

// Each throws DeviceError("wrong result ...") if the kernel computed anything but what it should.
inline void right(bool is_right, const char* what) {
  if (!is_right) throw DeviceError(std::string("wrong result of ") + what);
}

inline Array<float> ramp(std::size_t n) {
  Array<float> in(n, "in");
  for (std::size_t i = 0; i < n; ++i) in[i] = float(i % 7);
  return in;
}
inline float sum_of(const Array<float>& in, std::size_t first, std::size_t count) {
  float sum = 0;
  for (std::size_t i = first; i < first + count; ++i) sum += in[i];
  return sum;
}

inline void run_block_sum(Missing missing, int n = 700, unsigned threads = 256) {
  const Array<float> in = ramp(std::size_t(n)), out(3, "out");
  must_start(block_sum(missing, in.get(), n, out.get(), 3, threads));
  host_device().synchronize();
  for (int b = 0; b < 3; ++b) right(out[std::size_t(b)] == sum_of(in, 0, std::size_t(n)), "block_sum");
}
inline void run_warp_exchange(Missing missing, bool half) {
  const Array<float> in = ramp(64), out(64, "out");
  must_start(warp_exchange(missing, in.get(), out.get(), half));
  host_device().synchronize();
  for (std::size_t i = 0; i < 64; ++i) right(out[i] == in[i ^ 1], "warp_exchange");
}
inline void run_cluster_sum(Missing missing, unsigned cluster = 4) {
  const Array<float> in = ramp(2000), out(2, "out");
  must_start(cluster_sum(missing, in.get(), 1000, out.get(), 2, cluster));
  host_device().synchronize();
  for (std::size_t r = 0; r < 2; ++r) right(out[r] == sum_of(in, r * 1000, 1000), "cluster_sum");
}
inline void run_last_block_sum(Missing missing, bool fences, unsigned blocks = 9) {
  const Array<float> in = ramp(blocks * 64), partial(blocks * 2, "partial"), out(1, "out");
  const Array<unsigned> ticket(1, "ticket");
  for (int twice = 0; twice < 2; ++twice) {
    must_start(last_block_sum(missing, fences, in.get(), partial.get(), ticket.get(), out.get(), blocks));
    host_device().synchronize();
    right(out[0] == sum_of(in, 0, blocks * 64), "last_block_sum");
  }
}
inline void run_flagged_message(Missing missing) {
  const Array<float> message(64, "message"), out(64, "out");
  const Array<unsigned> flag(1, "flag");
  must_start(flagged_message(missing, message.get(), flag.get(), out.get()));
  host_device().synchronize();
  for (std::size_t i = 0; i < 64; ++i) right(out[i] == float(i ^ 1), "flagged_message");
}
inline void run_dependent_add(Missing missing) {
  const Array<float> first(64, "first"), second(64, "second"), third(64, "third");
  must_start(dependent_add(missing, first.get(), second.get()));
  must_start(dependent_add(missing, second.get(), third.get()));
  host_device().synchronize();
  right(third[63] == 2.f, "dependent_add");
}
inline void run_count_threads(Missing missing) {
  const Array<float> total(1, "total");
  must_start(count_threads(missing, total.get(), 3, 64));
  host_device().synchronize();
  right(total[0] == 192.f, "count_threads");
}

}  // namespace plusmax::planted

// What is timed: one shape in device memory, often enough to defeat the caches, with room for results.
#pragma once

#include "cli/bench_shapes.hpp"
#include "kernels/catalog.hpp"
#include "properties/case.hpp"

#include <memory>
#include <string>
#include <vector>

namespace plusmax::cli {

class BenchBed {
 public:
  // Throws std::bad_alloc without the memory.
  BenchBed(const BenchShape& shape, std::uint64_t seed, const Module& module);

  int buffers() const { return buffers_; }
  std::size_t logits_bytes() const { return logits_bytes_; }
  const properties::Case& of() const { return case_; }  // of the distinct rows, which repeat
  logsumexp::Params params(int buffer) const;

  void poison_results();  // NaN, so that what no launch wrote is no result
  // Rows of every buffer against the certified reference; empty if all lie within their bound.
  std::string verify(const KernelVariant<logsumexp::Params>& variant) const;
  // Every row's bits over `times` launches on buffer 0; empty if no bit differs.
  std::string repeat(const KernelVariant<logsumexp::Params>& variant, void* workspace, int times);

 private:
  void write_logits();

  BenchShape shape_;
  properties::Case case_;
  const Module& module_;
  std::int64_t distinct_;
  std::size_t element_bytes_, result_bytes_, logits_bytes_;
  int buffers_;
  std::vector<std::unique_ptr<DeviceBuffer>> logits_, results_;
};

}  // namespace plusmax::cli

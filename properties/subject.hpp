// What is under test: one variant of one module on its device.
#pragma once

#include "kernels/catalog.hpp"

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace plusmax::properties {

struct Subject {
  const Module* module = nullptr;
  std::string op, variant;       // names
  unsigned dtypes = 0;           // of the variant, of dtype_bit()
  std::string mutant;            // empty for production code
  // Schedules a check may choose from on the host; a check that runs once uses the first.
  std::uint64_t schedule_seed = 0;
  Schedule schedule = Schedule::forward;
  float approx_noise = 0;

  bool has(plusmax_dtype dtype) const { return (dtypes & dtype_bit(dtype)) != 0; }
};

// The built-in host module, the CUDA module beside the executable, or a mutant's module by path.
// Throws std::runtime_error with the path and the loader's own words.
const Module* host_module();
const Module* load_module(const std::string& path);

// For the adapter of an operation: its kernels in a module as subjects, and the kernel that a subject names.
template <class Params>
std::vector<Subject> subjects_among(const Module& module, std::string_view op,
                                    std::span<const KernelVariant<Params>* const> kernels) {
  std::vector<Subject> subjects;
  for (const auto* kernel : kernels) {
    Subject& subject = subjects.emplace_back();
    subject.module = &module;
    subject.op = op;
    subject.variant = kernel->name;
    subject.dtypes = kernel->dtypes;
  }
  return subjects;
}
template <class Params>
const KernelVariant<Params>& kernel_named(std::span<const KernelVariant<Params>* const> kernels, std::string_view name) {
  for (const auto* kernel : kernels)
    if (name == kernel->name) return *kernel;
  throw std::logic_error("the module has no kernel " + std::string(name));
}

// Empty for an operation that this build does not have.
std::vector<Subject> subjects_of(const Module&, std::string_view op, std::string_view variant_filter);

}  // namespace plusmax::properties

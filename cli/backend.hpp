// Which kernels run where.
#pragma once

#include "cli/options.hpp"
#include "properties/subject.hpp"

#include <string>
#include <vector>

namespace plusmax::cli {

// What a process that may break says about a device. Asked in a child: a CUDA context does not survive fork().
struct DeviceFacts {
  bool answers = false;
  bool detects_races = false;
  std::string description;  // or why it does not answer
};
DeviceFacts ask_device(const Module& module);

struct Backend {
  std::string name;         // "host", "cuda"
  const Module* module = nullptr;
  DeviceFacts device;
};

std::string executable_directory();
std::string cuda_module_path();  // beside the executable, whether it is there or not

// Throws properties::UsageError: --backend cuda without module or device, a --module that does not load.
Backend choose_backend(const Selection& selection);

// The variants that the selection names. Throws properties::UsageError for an unknown one.
std::vector<properties::Subject> select_subjects(const Backend& backend, const Selection& selection);

int jobs_for(const Backend& backend, int wanted);

}  // namespace plusmax::cli

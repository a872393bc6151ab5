#include "cli/backend.hpp"

#include "cli/suggest.hpp"
#include "cli/worker.hpp"
#include "properties/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <poll.h>
#include <sched.h>

namespace plusmax::cli {
namespace {

using properties::Subject;
using properties::UsageError;

constexpr int kDeviceAnswerMilliseconds = 60'000;  // a driver that wakes many GPUs takes tens of seconds

bool exists(const std::string& path) { return std::filesystem::exists(path); }

Backend cuda_backend() {
  const Module* module = properties::load_module(cuda_module_path());
  return {"cuda", module, ask_device(*module)};
}

Backend host_backend() {
  const Module* module = properties::host_module();
  return {"host", module, ask_device(*module)};
}

Backend foreign_backend(const std::string& path) {
  try {
    const Module* module = properties::load_module(path);
    Backend backend{module->device->backend(), module, ask_device(*module)};
    if (!backend.device.answers) throw UsageError(fmt::format("--module {}: {}", path, backend.device.description));
    return backend;
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception& error) {
    throw UsageError(fmt::format("--module: {}", error.what()));
  }
}

}  // namespace

DeviceFacts ask_device(const Module& module) {
  PoolWork work;
  work.work = [&](std::size_t, std::size_t, const Say&) {
    const bool answers = module.device->available();
    return fmt::format("{}{}{}", answers ? 'y' : 'n', answers && module.device->detects_races() ? 'y' : 'n', module.device->description());
  };
  Worker worker(work);
  worker.send(0, 0, 1);
  pollfd descriptor{worker.descriptor(), POLLIN, 0};
  if (::poll(&descriptor, 1, kDeviceAnswerMilliseconds) <= 0)
    return {false, false, fmt::format("the device does not answer within {} s", kDeviceAnswerMilliseconds / 1000)};
  worker.read();
  const auto answer = worker.take();
  if (!answer) return {false, false, "asking for the device ended with " + worker.obituary()};
  if (answer->kind == Worker::Answer::threw) return {false, false, answer->text};
  return {answer->text[0] == 'y', answer->text[1] == 'y', answer->text.substr(2)};
}

std::string executable_directory() { return std::filesystem::read_symlink("/proc/self/exe").parent_path().string(); }

std::string cuda_module_path() { return executable_directory() + "/modules/plusmax_cuda.so"; }

Backend choose_backend(const Selection& selection) {
  if (!selection.module.empty()) return foreign_backend(selection.module);
  if (selection.backend == "host") return host_backend();
  const std::string path = cuda_module_path();
  if (selection.backend == "cuda") {
    if (!exists(path))
      throw UsageError(fmt::format("--backend cuda: no module {}: `./plusmax` builds it where a CUDA Toolkit is installed; or use --backend host", path));
    Backend backend = [&] {
      try {
        return cuda_backend();
      } catch (const std::exception& error) {
        throw UsageError(fmt::format("--backend cuda: {}; use --backend host", error.what()));
      }
    }();
    if (!backend.device.answers)
      throw UsageError(fmt::format("--backend cuda: no device answers ({}); use --backend host", backend.device.description));
    return backend;
  }
  if (exists(path)) {
    try {
      if (Backend backend = cuda_backend(); backend.device.answers) return backend;
    } catch (const std::exception&) {
      // A module that does not load here, for want of a driver, is no backend of this machine; `doctor` tells why.
    }
  }
  return host_backend();
}

std::vector<Subject> select_subjects(const Backend& backend, const Selection& selection) {
  std::vector<Subject> all;
  std::vector<std::string> names;
  for (const std::string& op : operation_names()) {
    if (!selection.op.empty() && op != selection.op) continue;
    for (Subject& subject : properties::subjects_of(*backend.module, op, "")) {
      names.push_back(subject.variant);
      all.push_back(subject);
    }
  }
  if (selection.variant.empty()) return all;
  if (std::find(names.begin(), names.end(), selection.variant) == names.end())
    throw UsageError(unknown_name("variant", selection.variant, names));
  std::erase_if(all, [&](const Subject& subject) { return subject.variant != selection.variant; });
  return all;
}

int jobs_for(const Backend& backend, int wanted) {
  if (wanted > 0) return wanted;
  if (backend.name != "host") return 1;
  cpu_set_t set;  // the cores this process may use, not those the machine has
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

}  // namespace plusmax::cli

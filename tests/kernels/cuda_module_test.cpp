// The CUDA module beside the executables, where one was built: without a GPU it says so, with one its guards work.
#include "tests/catch.hpp"
#include "tests/kernels/rows.hpp"

#include <dlfcn.h>

#include <filesystem>

using namespace plusmax;

namespace {

// nullptr if this build has no CUDA module.
const Module* cuda_module() {
  const std::string path = std::string(PLUSMAX_BINARY_DIR) + "/modules/plusmax_cuda.so";
  if (!std::filesystem::exists(path)) return nullptr;
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  return reinterpret_cast<ModuleEntry>(dlsym(handle, "plusmax_module"))();
}

const KernelVariant<logsumexp::Params>& block_per_row(const Module& module) {
  for (const auto* each : module.logsumexp)
    if (std::string(each->name) == "block_per_row") return *each;
  throw std::runtime_error("no block_per_row");
}

}  // namespace

TEST_CASE("cuda module: its own table and device, whether or not a GPU answers", "[cuda]") {
  const Module* module = cuda_module();
  if (module == nullptr) return;
  CHECK(module != plusmax_module());
  CHECK(module->logsumexp.size() == plusmax_module()->logsumexp.size());
  CHECK(std::string(module->device->backend()) == "cuda");
  CHECK_FALSE(module->device->detects_races());
  if (!module->device->available()) {
    CHECK(module->device->description() == "no CUDA device");
    CHECK(module->device->free_bytes() == 0);
    CHECK_THROWS_AS(module->device->allocate({.line_bytes = 4}), DeviceError);
  }
}

TEST_CASE("cuda module: stores outside a buffer and to a sealed one are found", "[cuda]") {
  const Module* module = cuda_module();
  if (module == nullptr || !module->device->available()) return;
  Device& device = *module->device;
  const auto logits = device.allocate({.name = "logits", .line_bytes = 8});
  const float values[2] = {1, 2};
  logits->write(0, values, sizeof values);
  const auto lines = device.allocate({.name = "lines", .lines = 3, .line_bytes = 100, .line_stride = 200, .phase = 6});
  const auto sealed = device.allocate({.name = "sealed", .line_bytes = 64, .read_only = true});
  sealed->fill(1);
  sealed->seal();
  CHECK(lines->violation() == "");
  CHECK(sealed->violation() == "");

  logsumexp::Params p;
  p.rows = 1;
  p.cols = 2;
  p.logits = logits->data();
  p.lse = static_cast<char*>(lines->data()) + 102;
  REQUIRE(block_per_row(*module).launch(p, nullptr, device.stream()).ok());
  p.lse = sealed->data();
  REQUIRE(block_per_row(*module).launch(p, nullptr, device.stream()).ok());
  device.synchronize();
  CHECK(lines->violation().find("2 bytes behind line 0") != std::string::npos);
  CHECK(sealed->violation() == "buffer 'sealed': written although read-only");
  float lse = 0;
  sealed->read(0, &lse, sizeof lse);
  CHECK(std::fabs(lse - 2.31326169f) <= 3e-7f);
  CHECK_THROWS_AS(device.allocate({.line_bytes = std::size_t{1} << 50}), std::bad_alloc);
}

// Kernels in shared objects that are loaded at run time run on the executable's machine.
#include "tests/simt/planted.hpp"

#include <dlfcn.h>

using namespace plusmax;
using namespace plusmax::planted;

namespace {

struct Module {
  // ASan keeps pointers to the globals of modules, unloaded ones too, and follows them when it writes a report.
  static constexpr int kStay = PLUSMAX_TEST_ASAN ? RTLD_NODELETE : 0;
  void* handle = dlopen(PLUSMAX_SIMT_MODULE, RTLD_NOW | RTLD_LOCAL | kStay);
  Module() {
    if (!handle) FAIL(dlerror());
  }
  ~Module() {
    if (handle) dlclose(handle);
  }
  template <class F>
  F* find(const char* name) const {
    return reinterpret_cast<F*>(dlsym(handle, name));
  }
};

}  // namespace

TEST_CASE("module: its kernels use the executable's machine, buffers and faults", "[simt][module]") {
  for (int load = 0; load < 3; ++load) {  // unloaded and loaded again
    const Module module;
    const auto sum = module.find<void(const float*, int, float*, Status*)>("module_sum");
    const auto thread_index = module.find<const void*()>("module_thread_index");
    REQUIRE((sum && thread_index));
    CHECK(thread_index() == &threadIdx);
    const Array<float> in(1000, "in"), out(2, "out");
    const auto launch_sum = [&](int n) {
      Status status;
      sum(in.get(), n, out.get(), &status);
      must_start(status);
    };
    for (std::size_t i = 0; i < 1000; ++i) in[i] = 1;
    never_faults([&] {
      launch_sum(1000);
      host_device().synchronize();
      if (!(out[0] == 1000.f && out[1] == 1000.f)) throw DeviceError("wrong result");
    });
    CHECK(names(fault_of([&] { launch_sum(3000); }), "'in' of 4000 bytes"));
  }
}

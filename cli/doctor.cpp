// doctor: what this machine can do, and what to do about the rest.
#include "cli/build_info.hpp"
#include "cli/catalog.hpp"
#include "cli/isolated.hpp"
#include "cli/verbs.hpp"
#include "reference/logsumexp.hpp"
#include "reference/speed.hpp"
#include "reports/json_writer.hpp"
#include "reports/numbers.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace plusmax::cli {
namespace {

struct Finding {
  std::string subject, state;
  bool good = true;
  std::string advice;  // empty if there is nothing to do
};

Finding reference_self_test() {
  const IsolatedAnswer answer = run_isolated(120, [](const Say&) { return reports::decimal(reference::self_test()); });
  if (answer.died || answer.lines.empty())
    return {"reference", "self test failed: " + answer.death.what, false,
            "build without -ffast-math and with -ffp-contract=off; a reference that fails its own test proves nothing"};
  return {"reference", fmt::format("self test passed; largest relative error of the double-double exponential {}",
                                   reports::brief(reports::parse_number(answer.lines.front()))), true, ""};
}

Finding processor() {
  const reference::Tier tier = reference::best_tier();
  return {"processor", fmt::format("reference runs on {}", reference::name_of(tier)), true,
          tier == reference::Tier::portable ? "slower, but the same bits as AVX2 and AVX-512" : ""};
}

Finding oracle() {
  const std::string backend = reference::oracle_backend();
  return {"oracle", "Boost.Multiprecision on " + backend, true,
          backend == "mpfr" ? "" : "install libmpfr-dev and build again: about five times faster"};
}

Finding cuda() {
  const std::string path = cuda_module_path();
  if (!std::filesystem::exists(path))
    return {"cuda", "no module " + path, false, "`./plusmax doctor --backend cuda` builds it (needs a CUDA Toolkit) to test on a GPU; the host backend needs none"};
  try {
    const DeviceFacts device = ask_device(*properties::load_module(path));
    if (device.answers) return {"cuda", device.description, true, ""};
    return {"cuda", "no device answers: " + device.description, false, "check the driver with nvidia-smi; the host backend needs none"};
  } catch (const std::exception& error) {
    return {"cuda", error.what(), false, "install the CUDA run-time library or the driver that the line names"};
  }
}

Finding speed() {
  const reference::ReferenceSpeed s = reference::measure_reference_speed();
  return {"speed", fmt::format("reference {:.3g} elements/s on one core ({}), plain cpp_bin_float_50 loop {:.3g} elements/s: {:.0f} times as fast", s.elements_per_second,
                               reference::name_of(s.tier), s.oracle_loop_elements_per_second, s.elements_per_second / s.oracle_loop_elements_per_second), true, ""};
}

std::vector<Finding> examine(bool with_speed) {
  const DeviceFacts host = ask_device(*properties::host_module());
  std::vector<Finding> findings = {
      {"plusmax", fmt::format("{} ({})", build_info().version, build_info().git), true, ""},
      {"compiler", build_info().toolchain, true, ""},
      processor(), reference_self_test(), oracle(),
      {"host", host.description, host.answers, host.answers ? "" : "the host runtime must always answer; build again"},
      {"race detector", host.detects_races ? "in this build" : "not in this build", true,
       host.detects_races ? "" : "PLUSMAX_PRESET=host-race ./plusmax doctor builds one that runs kernels under it"},
      cuda()};
  findings.push_back({"jobs", fmt::format("{} on the host", jobs_for({"host", nullptr, {}}, 0)), true, ""});
  if (with_speed) findings.push_back(speed());
  return findings;
}

void print_json(const std::vector<Finding>& findings) {
  reports::JsonWriter w;
  w.begin_object().begin_array("findings");
  for (const Finding& f : findings)
    w.begin_object().text("subject", f.subject).text("state", f.state).boolean("good", f.good).text("advice", f.advice).end_object();
  w.end_array().end_object();
  fmt::print("{}", w.str());
}

}  // namespace

RunVerb add_doctor(Arguments& arguments) {
  struct DoctorOptions {
    bool json = false, speed = false;
  };
  auto options = std::make_shared<DoctorOptions>();
  arguments.flag("--speed", options->speed, "measure the reference, beside a plain loop in Boost.Multiprecision");
  arguments.flag("--json", options->json, "as JSON");
  return [options](const Invocation&) {
    const std::vector<Finding> findings = examine(options->speed);
    bool sound = true;
    for (const Finding& f : findings) {
      if (!options->json) fmt::print("{:3} {:14} {}\n{}", f.good ? "ok" : "--", f.subject, f.state, f.advice.empty() ? "" : fmt::format("    {:14} {}\n", "", f.advice));
      // A GPU is optional, a sound reference and the host runtime are not.
      if (!f.good && f.subject != "cuda") sound = false;
    }
    if (options->json) print_json(findings);
    return static_cast<int>(sound ? reports::kAllPassed : reports::kHarnessFailed);
  };
}

}  // namespace plusmax::cli

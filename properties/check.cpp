#include "properties/check.hpp"

#include "properties/memory.hpp"
#include "properties/operation.hpp"
#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <chrono>
#include <new>

namespace plusmax::properties {
namespace {

Record identity(const Check& check, const Case& of, const Subject& subject) {
  Record record;
  record.op = of.op;
  record.variant = subject.variant;
  record.dtype = reference::name_of(of.dtype);
  record.backend = subject.module->device->backend();
  record.check = check.name;
  record.mutant = subject.mutant;
  record.case_line = to_line(of);
  record.rows = of.rows;
  record.cols = of.cols;
  record.seed = of.seed;
  return record;
}

void run_into(const Check& check, const Case& of, Subject& subject, Record& record) {
  record.outcome = Outcome::skipped;
  if (!subject.module->device->available()) {
    record.reason = fmt::format("no device: {}", subject.module->device->description());
    return;
  }
  record.reason = check.applies(of, subject);
  if (record.reason.empty()) record.reason = memory_refusal(of, *subject.module->device);
  if (!record.reason.empty()) return;
  record.outcome = Outcome::untrusted;  // until the check says otherwise
  record.reason = "the check left no verdict";
  check.run(of, subject, record);
  if (record.outcome == Outcome::passed) record.reason.clear();
}

}  // namespace

const Check* find_check(std::string_view op, std::string_view name) {
  for (const Check* check : checks_of(op))
    if (check->name == name) return check;
  return nullptr;
}

Record run_check(const Check& check, const Case& of, Subject& subject) {
  Record record = identity(check, of, subject);
  const auto start = std::chrono::steady_clock::now();
  try {
    run_into(check, of, subject, record);
  } catch (const DeviceError& error) {
    record.outcome = Outcome::failed;
    record.reason = std::string(kFaultPrefix) + error.what();
  } catch (const std::bad_alloc&) {
    record.outcome = Outcome::skipped;
    const double width = static_cast<double>(reference::size_of(of.dtype));
    const double results = static_cast<double>(of.rows) * static_cast<double>(of.lse_stride);
    record.reason =
        fmt::format("not enough memory: the logits span {:.0f} bytes, the results {:.0f}, the device has {} free",
                    static_cast<double>(extent(of)) * width,
                    results * static_cast<double>(reference::size_of(reference::result_dtype(of.dtype))),
                    subject.module->device->free_bytes());
  }
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return record;
}

}  // namespace plusmax::properties

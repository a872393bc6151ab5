#include "properties/ops/logsumexp/launch.hpp"

#include "properties/storage.hpp"
#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace plusmax::properties::logsumexp {
namespace {

using plusmax::logsumexp::Params;

const KernelVariant<Params>& kernel_of(const Subject& subject) { return kernel_named(subject.module->logsumexp, subject.variant); }

Params params_of(plusmax_dtype dtype, std::int64_t rows, std::int64_t cols, const Layout& layout, const void* logits, void* lse) {
  Params params;
  params.dtype = dtype;
  params.rows = rows;
  params.cols = cols;
  params.row_stride = layout.row_stride;
  params.col_stride = layout.col_stride;
  params.logits = logits;
  params.lse_stride = layout.lse_stride;
  params.lse = lse;
  return params;
}

// For questions that are asked before there is memory: an address with the right phase.
Params unplaced(plusmax_dtype dtype, std::int64_t rows, std::int64_t cols, const Layout& layout) {
  const auto start = std::uintptr_t{1} << 20;
  const auto phase = static_cast<std::uintptr_t>(layout.phase) * reference::size_of(dtype);
  return params_of(dtype, rows, cols, layout, reinterpret_cast<const void*>(start + phase), reinterpret_cast<void*>(start));
}

std::unique_ptr<DeviceBuffer> allocate_results(Device& device, std::int64_t rows, std::int64_t stride, std::size_t size) {
  BufferSpec spec;
  spec.name = "lse";
  if (stride == 1 || rows <= 1) {  // without rows one element stays, to see that nothing is written
    spec.line_bytes = spec.line_stride = static_cast<std::size_t>(std::max<std::int64_t>(rows, 1)) * size;
  } else {
    spec.lines = static_cast<std::size_t>(rows);
    spec.line_bytes = size;
    spec.line_stride = static_cast<std::size_t>(stride) * size;
  }
  return device.allocate(spec);
}

Results read_results(const DeviceBuffer& buffer, std::int64_t rows, std::int64_t stride, plusmax_dtype type) {
  const std::size_t size = reference::size_of(type);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(rows) * size);
  if (stride == 1 && rows > 0) {
    buffer.read(0, bytes.data(), bytes.size());
  } else {
    for (std::int64_t r = 0; r < rows; ++r)
      buffer.read(static_cast<std::size_t>(r * stride) * size, bytes.data() + static_cast<std::size_t>(r) * size, size);
  }
  Results results;
  results.lse.resize(static_cast<std::size_t>(rows));
  results.bits.resize(static_cast<std::size_t>(rows));
  for (std::size_t r = 0; r < results.lse.size(); ++r) {
    results.lse[r] = reference::decode(type, bytes.data() + r * size);
    std::memcpy(&results.bits[r], bytes.data() + r * size, size);
  }
  return results;
}

void demand_unwritten(const DeviceBuffer& buffer, std::size_t size, unsigned char poison) {
  std::vector<unsigned char> bytes(size);
  buffer.read(0, bytes.data(), size);
  for (const unsigned char byte : bytes)
    if (byte != poison) throw DeviceError("lse was written although rows = 0");
}

void demand_intact(const DeviceBuffer* buffer) {
  if (!buffer) return;
  if (const std::string violation = buffer->violation(); !violation.empty()) throw DeviceError(violation);
}

}  // namespace

std::string refusal(const Subject& subject, plusmax_dtype dtype, std::int64_t rows, std::int64_t cols, const Layout& layout) {
  if (!subject.has(dtype)) return fmt::format("{} has no {}", subject.variant, reference::name_of(dtype));
  const Status status = kernel_of(subject).supports(unplaced(dtype, rows, cols, layout));
  if (status.ok()) return {};
  return status.message[0] ? status.message : fmt::format("{} refuses the shape (status {})", subject.variant, static_cast<int>(status.code));
}

std::string refusal(const Subject& subject, const Case& of) { return refusal(subject, of.dtype, of.rows, of.cols, layout_of(of)); }

ErrorShape error_shape(const Subject& subject, plusmax_dtype dtype, std::int64_t rows, std::int64_t cols, const Layout& layout) {
  return kernel_of(subject).error_shape(unplaced(dtype, rows, cols, layout));
}

Results execute(const Subject& subject, const Rows& rows, const Layout& layout, const Execution& execution) {
  Device& device = *subject.module->device;
  device.configure(execution.schedule, execution.schedule_seed, execution.approx_noise);
  const plusmax_dtype type = reference::result_dtype(rows.dtype());
  const Storage storage(rows, layout, execution);
  const auto logits = storage.place(device);
  const auto results = allocate_results(device, rows.rows(), layout.lse_stride, reference::size_of(type));
  results->fill(execution.result_poison);
  const Params params = params_of(rows.dtype(), rows.rows(), rows.cols(), layout,
                                  static_cast<const char*>(logits->data()) + storage.first_byte(), results->data());
  std::unique_ptr<DeviceBuffer> workspace;
  if (const std::size_t bytes = kernel_of(subject).workspace_bytes(params); bytes > 0) {
    BufferSpec spec;
    spec.name = "workspace";
    spec.line_bytes = spec.line_stride = bytes;
    spec.flush_left = execution.flush_left;
    workspace = device.allocate(spec);
    workspace->fill(execution.workspace_fill);
  }
  const auto start = [&] {
    return kernel_of(subject).launch(params, workspace ? workspace->data() : nullptr, device.stream());
  };
  const Status status = execution.captured ? device.run_captured(start, 2) : start();
  if (!status.ok()) {
    try {
      device.synchronize();  // leaves nothing behind for the next launch
    } catch (const DeviceError&) {
    }
    throw DeviceError(fmt::format("{} supports the shape but its launch says: {}", subject.variant, status.message));
  }
  device.synchronize();
  demand_intact(logits.get());
  demand_intact(results.get());
  demand_intact(workspace.get());
  if (rows.rows() == 0) demand_unwritten(*results, reference::size_of(type), execution.result_poison);
  if (execution.verify_inputs) storage.verify(*logits);
  return read_results(*results, rows.rows(), layout.lse_stride, type);
}

}  // namespace plusmax::properties::logsumexp

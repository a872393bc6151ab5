// plusmax.h for C++17: descriptors with their sizes filled in, statuses as exceptions.
#pragma once

#include <plusmax/plusmax.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace plusmax {

class error : public std::runtime_error {
 public:
  error(plusmax_status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  plusmax_status status() const noexcept { return status_; }

 private:
  plusmax_status status_;
};

// Throws `error` with the library's own words unless `status` is PLUSMAX_OK.
inline void check(plusmax_status status) {
  if (status != PLUSMAX_OK) throw error(status, std::string(plusmax_status_name(status)) + ": " + plusmax_last_error());
}

// Contiguous rows, every field open to change before the call.
inline plusmax_logsumexp_descriptor logsumexp_descriptor(plusmax_dtype dtype, std::int64_t rows, std::int64_t cols,
                                                         const void* logits, void* lse) {
  plusmax_logsumexp_descriptor descriptor{};
  descriptor.size = sizeof descriptor;
  descriptor.dtype = dtype;
  descriptor.rows = rows;
  descriptor.cols = cols;
  descriptor.row_stride = cols;
  descriptor.col_stride = 1;
  descriptor.logits = logits;
  descriptor.lse_stride = 1;
  descriptor.lse = lse;
  return descriptor;
}

inline plusmax_logsumexp_options logsumexp_options() {
  plusmax_logsumexp_options options{};
  options.size = sizeof options;
  return options;
}

// Bytes of workspace that logsumexp needs for this descriptor.
inline std::size_t logsumexp_workspace_bytes(const plusmax_logsumexp_descriptor& descriptor,
                                             const plusmax_logsumexp_options& options = logsumexp_options()) {
  std::size_t bytes = 0;
  check(plusmax_logsumexp(&descriptor, &options, nullptr, &bytes, nullptr));
  return bytes;
}

inline void logsumexp(const plusmax_logsumexp_descriptor& descriptor, void* workspace, std::size_t workspace_bytes,
                      void* stream, const plusmax_logsumexp_options& options = logsumexp_options()) {
  check(plusmax_logsumexp(&descriptor, &options, workspace, &workspace_bytes, stream));
}

// Contiguous rows and int64 targets; inputs and outputs beyond these are set by name before the call.
inline plusmax_cross_entropy_descriptor cross_entropy_descriptor(plusmax_dtype dtype, std::int64_t rows,
                                                                 std::int64_t cols, const void* logits,
                                                                 const std::int64_t* targets) {
  plusmax_cross_entropy_descriptor descriptor{};
  descriptor.size = sizeof descriptor;
  descriptor.dtype = dtype;
  descriptor.target_type = PLUSMAX_INT64;
  descriptor.rows = rows;
  descriptor.cols = cols;
  descriptor.row_stride = cols;
  descriptor.col_stride = 1;
  descriptor.logits = logits;
  descriptor.target_stride = 1;
  descriptor.targets = targets;
  descriptor.dlogits_stride = cols;
  return descriptor;
}

inline plusmax_cross_entropy_options cross_entropy_options() { return PLUSMAX_CROSS_ENTROPY_OPTIONS; }

// Bytes of workspace that cross_entropy needs for this descriptor.
inline std::size_t cross_entropy_workspace_bytes(
    const plusmax_cross_entropy_descriptor& descriptor,
    const plusmax_cross_entropy_options& options = cross_entropy_options()) {
  std::size_t bytes = 0;
  check(plusmax_cross_entropy(&descriptor, &options, nullptr, &bytes, nullptr));
  return bytes;
}

inline void cross_entropy(const plusmax_cross_entropy_descriptor& descriptor, void* workspace,
                          std::size_t workspace_bytes, void* stream,
                          const plusmax_cross_entropy_options& options = cross_entropy_options()) {
  check(plusmax_cross_entropy(&descriptor, &options, workspace, &workspace_bytes, stream));
}

inline std::size_t cross_entropy_backward_workspace_bytes(
    const plusmax_cross_entropy_descriptor& descriptor,
    const plusmax_cross_entropy_options& options = cross_entropy_options()) {
  std::size_t bytes = 0;
  check(plusmax_cross_entropy_backward(&descriptor, &options, nullptr, &bytes, nullptr));
  return bytes;
}

inline void cross_entropy_backward(const plusmax_cross_entropy_descriptor& descriptor, void* workspace,
                                   std::size_t workspace_bytes, void* stream,
                                   const plusmax_cross_entropy_options& options = cross_entropy_options()) {
  check(plusmax_cross_entropy_backward(&descriptor, &options, workspace, &workspace_bytes, stream));
}

// Contiguous rows and int64 targets, everything f32 but what is of dtype; outputs are set by name before the call.
inline plusmax_linear_cross_entropy_descriptor linear_cross_entropy_descriptor(plusmax_dtype dtype, std::int64_t tokens,
                                                                               std::int64_t vocab,
                                                                               std::int64_t features,
                                                                               const void* hidden, const void* weight,
                                                                               const std::int64_t* targets) {
  plusmax_linear_cross_entropy_descriptor descriptor{};
  descriptor.size = sizeof descriptor;
  descriptor.dtype = dtype;
  descriptor.target_type = PLUSMAX_INT64;
  descriptor.dweight_type = PLUSMAX_F32;
  descriptor.tokens = tokens;
  descriptor.vocab = vocab;
  descriptor.features = features;
  descriptor.hidden_stride = descriptor.weight_stride = features;
  descriptor.hidden = hidden;
  descriptor.weight = weight;
  descriptor.target_stride = 1;
  descriptor.targets = targets;
  descriptor.dhidden_stride = descriptor.dweight_stride = features;
  return descriptor;
}

inline plusmax_linear_cross_entropy_options linear_cross_entropy_options() {
  return PLUSMAX_LINEAR_CROSS_ENTROPY_OPTIONS;
}

// Owns a plan.
class linear_cross_entropy_plan {
 public:
  explicit linear_cross_entropy_plan(
      const plusmax_linear_cross_entropy_descriptor& descriptor,
      const plusmax_linear_cross_entropy_options& options = linear_cross_entropy_options(),
      std::size_t workspace_budget = 0) {
    check(plusmax_linear_cross_entropy_plan_create(&descriptor, &options, workspace_budget, &plan_));
  }
  linear_cross_entropy_plan(const linear_cross_entropy_plan&) = delete;
  linear_cross_entropy_plan& operator=(const linear_cross_entropy_plan&) = delete;
  ~linear_cross_entropy_plan() { plusmax_linear_cross_entropy_plan_destroy(plan_); }

  plusmax_linear_cross_entropy_plan_info info() const {
    plusmax_linear_cross_entropy_plan_info info{};
    info.size = sizeof info;
    check(plusmax_linear_cross_entropy_plan_describe(plan_, &info));
    return info;
  }
  void tune(const plusmax_linear_cross_entropy_descriptor& descriptor, void* workspace, std::size_t workspace_bytes,
            void* stream) {
    check(plusmax_linear_cross_entropy_plan_tune(plan_, &descriptor, workspace, workspace_bytes, stream));
  }
  void run(const plusmax_linear_cross_entropy_descriptor& descriptor, void* workspace, std::size_t workspace_bytes,
           void* stream) const {
    check(plusmax_linear_cross_entropy(plan_, &descriptor, workspace, &workspace_bytes, stream));
  }

 private:
  plusmax_linear_cross_entropy_plan* plan_ = nullptr;
};

}  // namespace plusmax

// cuBLASLt sees a row-major matrix as the transposed column-major one: C^T = B^T A^T, so its first operand is our B.
#include "kernels/platform/gemm.hpp"

#include <cublasLt.h>

#include <cmath>
#include <cstring>

namespace plusmax::platform {
namespace {

static_assert(sizeof(cublasLtMatmulAlgo_t) == sizeof(PlannedProduct::algorithm));

Status failed(cublasStatus_t status, const char* what, const Product& p) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  return Status::error(PLUSMAX_DEVICE_ERROR, "cuBLASLt: %s of %lld x %lld x %lld: %s", what,
                       static_cast<long long>(p.m), static_cast<long long>(p.n), static_cast<long long>(p.k),
                       cublasLtGetStatusString(status));
}

cudaDataType_t type_of(plusmax_dtype dtype) {
  return dtype == PLUSMAX_F16 ? CUDA_R_16F : dtype == PLUSMAX_BF16 ? CUDA_R_16BF : CUDA_R_32F;
}

// Descriptors that live on the stack: a call allocates nothing.
struct Descriptors {
  cublasLtMatmulDescOpaque_t product;
  cublasLtMatrixLayoutOpaque_t first, second, result;

  // `bias`: where it lies, or anything as aligned as that
  cublasStatus_t init(const Product& p, const void* bias) {
    const cublasOperation_t first_op = p.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t second_op = p.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasLtEpilogue_t epilogue = p.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
    const cudaDataType_t operands = type_of(p.operands), result_type = type_of(p.result);
    cublasStatus_t worst = CUBLAS_STATUS_SUCCESS;
    const auto take = [&](cublasStatus_t status) {
      if (worst == CUBLAS_STATUS_SUCCESS) worst = status;
    };
    const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
      take(cublasLtMatmulDescSetAttribute(&product, attribute, &value, sizeof value));
    };
    take(cublasLtMatmulDescInit(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    set(CUBLASLT_MATMUL_DESC_TRANSA, first_op);
    set(CUBLASLT_MATMUL_DESC_TRANSB, second_op);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    if (p.bias) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    const auto layout = [&](cublasLtMatrixLayout_t to, cudaDataType_t type, bool transposed, std::int64_t rows,
                            std::int64_t columns, std::int64_t stride) {
      take(cublasLtMatrixLayoutInit(to, type, static_cast<std::uint64_t>(transposed ? columns : rows),
                                    static_cast<std::uint64_t>(transposed ? rows : columns), stride));
    };
    layout(&first, operands, p.b_transposed, p.n, p.k, p.b_stride);
    layout(&second, operands, p.a_transposed, p.k, p.m, p.a_stride);
    layout(&result, result_type, false, p.n, p.m, p.c_stride);
    return worst;
  }
};

// What is split along k is added up in f32 from the workspace, in order.
cublasStatus_t prefer(cublasLtMatmulPreferenceOpaque_t& preference, const Product& p, std::size_t workspace_bytes) {
  cublasStatus_t worst = cublasLtMatmulPreferenceInit(&preference);
  const auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
    const cublasStatus_t status = cublasLtMatmulPreferenceSetAttribute(&preference, attribute, &value, sizeof value);
    if (worst == CUBLAS_STATUS_SUCCESS) worst = status;
  };
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<std::uint64_t>(workspace_bytes));
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  for (const auto each : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    set(each, static_cast<std::uint32_t>(p.alignment));
  return worst;
}

cublasStatus_t propose(void* library, const Product& p, std::size_t most_workspace_bytes, int most,
                       cublasLtMatmulHeuristicResult_t* found, int& count) {
  const auto* aligned = reinterpret_cast<const void*>(std::uintptr_t{256});
  Descriptors d;
  cublasLtMatmulPreferenceOpaque_t preference;
  cublasStatus_t status = d.init(p, aligned);
  if (status == CUBLAS_STATUS_SUCCESS) status = prefer(preference, p, most_workspace_bytes);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  return cublasLtMatmulAlgoGetHeuristic(static_cast<cublasLtHandle_t>(library), &d.product, &d.first, &d.second,
                                        &d.result, &d.result, &preference, most, found, &count);
}

void take_algorithm(const cublasLtMatmulHeuristicResult_t& found, PlannedProduct& planned) {
  planned.workspace_bytes = found.workspaceSize;
  std::memcpy(planned.algorithm, &found.algo, sizeof planned.algorithm);
}

class Timer {
 public:
  explicit Timer(cudaStream_t stream) : stream_(stream) {
    cudaEventCreate(&begin_);
    cudaEventCreate(&end_);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  // Infinite if it did not run.
  template <class Work>
  float ms(Work&& work) const {
    float elapsed = INFINITY;
    cudaEventRecord(begin_, stream_);
    const bool started = work();
    cudaEventRecord(end_, stream_);
    const bool ended = cudaEventSynchronize(end_) == cudaSuccess;
    return started && ended && cudaEventElapsedTime(&elapsed, begin_, end_) == cudaSuccess ? elapsed : INFINITY;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_{}, end_{};
};

}  // namespace

Gemm::~Gemm() {
  if (library_ != nullptr) cublasLtDestroy(static_cast<cublasLtHandle_t>(library_));
}

Status Gemm::open() {
  const cublasStatus_t status = cublasLtCreate(reinterpret_cast<cublasLtHandle_t*>(&library_));
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  return Status::error(PLUSMAX_DEVICE_ERROR, "cuBLASLt: no handle: %s", cublasLtGetStatusString(status));
}

Status Gemm::plan(const Product& p, std::size_t most_workspace_bytes, PlannedProduct& planned) const {
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  cublasStatus_t status = propose(library_, p, most_workspace_bytes, 1, &found, count);
  if (status == CUBLAS_STATUS_SUCCESS) status = count == 0 ? CUBLAS_STATUS_NOT_SUPPORTED : found.state;
  if (status != CUBLAS_STATUS_SUCCESS) return failed(status, "no algorithm for the product", p);
  planned.product = p;
  take_algorithm(found, planned);
  return {};
}

Status Gemm::tune(PlannedProduct& planned, std::size_t most_workspace_bytes, const Factors& f, bool add,
                  void* workspace, void* stream) const {
  constexpr int kProposals = 8, kRounds = 5;
  cublasLtMatmulHeuristicResult_t found[kProposals]{};
  int count = 0;
  const cublasStatus_t status =
      propose(library_, planned.product, most_workspace_bytes, kProposals, found, count);
  if (status != CUBLAS_STATUS_SUCCESS) return failed(status, "no algorithms for the product", planned.product);
  const Timer timer(static_cast<cudaStream_t>(stream));
  float fastest = INFINITY, best[kProposals];
  for (float& ms : best) ms = INFINITY;
  PlannedProduct tried = planned;
  for (int round = 0; round < kRounds; ++round)
    for (int i = 0; i < count; ++i) {
      take_algorithm(found[i], tried);
      const float ms = timer.ms([&] { return run(tried, f, add, workspace, stream).ok(); });
      if (ms < best[i]) best[i] = ms;
    }
  for (int i = 0; i < count; ++i)
    if (best[i] < fastest) {
      fastest = best[i];
      take_algorithm(found[i], planned);
    }
  if (fastest < INFINITY) return {};
  return Status::error(PLUSMAX_DEVICE_ERROR, "cuBLASLt: none of %d algorithms ran: %s", count,
                       cudaGetErrorString(cudaGetLastError()));
}

Status Gemm::run(const PlannedProduct& planned, const Factors& f, bool add, void* workspace, void* stream) const {
  Descriptors d;
  cublasStatus_t status = d.init(planned.product, f.bias);
  cublasLtMatmulAlgo_t algorithm;
  std::memcpy(&algorithm, planned.algorithm, sizeof algorithm);
  const float one = 1, kept = add ? 1 : 0;
  if (status == CUBLAS_STATUS_SUCCESS)
    status = cublasLtMatmul(static_cast<cublasLtHandle_t>(library_), &d.product, &one, f.b, &d.first, f.a, &d.second,
                            &kept, f.c, &d.result, f.c, &d.result, &algorithm, workspace, planned.workspace_bytes,
                            static_cast<cudaStream_t>(stream));
  return failed(status, "product", planned.product);
}

// In any order.
double product_additions(std::int64_t k) { return static_cast<double>(k); }

// An assumption: NVIDIA documents neither the order of the steps nor what one step loses. f32 is taken for fused
// multiply-adds; 16 bits for steps of 16 products that keep 2 bits below f32's last place (the sources are those of
// section 3h). Each step may start at 0 and be added to the rest: whatever is split along k, in any order, is that.
ProductShape product_shape(const Product& p) {
  constexpr int kTensorCoreTerms = 16, kTensorCoreBits = 2;
  constexpr double kSmallestNormal = 0x1p-126;
  const bool fused = p.operands == PLUSMAX_F32;
  const std::int64_t terms = fused ? 1 : kTensorCoreTerms;
  const double step = fused ? kFusedStep : tensor_core_step(kTensorCoreTerms, kTensorCoreBits);
  const auto steps = static_cast<double>((p.k + terms - 1) / terms);
  return {0x1p-24, static_cast<double>(terms), step, steps, false, kSmallestNormal};
}

}  // namespace plusmax::platform

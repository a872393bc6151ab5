// cuBLASLt sees a row-major matrix as the transposed column-major one: C^T = B^T A^T, so its first operand is our B.
#include "kernels/platform/gemm.hpp"

#include <cublasLt.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <numeric>
#include <vector>

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

// Times of work enqueued back to back, without a rest for the device between one and the next.
class Marks {
 public:
  explicit Marks(cudaStream_t stream) : stream_(stream) { mark(); }
  Marks(const Marks&) = delete;
  Marks& operator=(const Marks&) = delete;
  ~Marks() {
    for (const cudaEvent_t event : marks_) cudaEventDestroy(event);
  }
  // Ends what was enqueued since the mark before.
  void mark() {
    cudaEvent_t event = nullptr;
    if (cudaEventCreate(&event) == cudaSuccess) cudaEventRecord(event, stream_);
    marks_.push_back(event);
  }
  // In ms, between marks; infinite where the device failed.
  std::vector<float> times() const {
    std::vector<float> ms(marks_.size() - 1, INFINITY);
    if (cudaStreamSynchronize(stream_) != cudaSuccess) return ms;
    for (std::size_t i = 0; i < ms.size(); ++i)
      if (cudaEventElapsedTime(&ms[i], marks_[i], marks_[i + 1]) != cudaSuccess) ms[i] = INFINITY;
    return ms;
  }

 private:
  cudaStream_t stream_;
  std::vector<cudaEvent_t> marks_;
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

// All proposals once, then the faster ones in rounds, under load: rested, another one may be the fastest than where the
// power limit holds the clock down, as it does in training. Each round in the opposite order of the one before; medians
// decide, since the least of many times is mostly luck.
Status Gemm::tune(PlannedProduct& planned, std::size_t most_workspace_bytes, const Factors& f, bool add,
                  void* workspace, void* stream) const try {
  constexpr int kProposals = 16, kFinalists = 6, kRounds = 8;
  constexpr float kWarmUpMs = 300;
  cublasLtMatmulHeuristicResult_t found[kProposals]{};
  int count = 0;
  const cublasStatus_t status = propose(library_, planned.product, most_workspace_bytes, kProposals, found, count);
  if (status != CUBLAS_STATUS_SUCCESS) return failed(status, "no algorithms for the product", planned.product);
  PlannedProduct tried = planned;
  std::vector<bool> ran(static_cast<std::size_t>(count), true);
  // [order.size()]: the times of proposals, each enqueued behind the one before
  const auto times_of = [&](const std::vector<int>& order) {
    Marks marks(static_cast<cudaStream_t>(stream));
    for (const int proposal : order) {
      take_algorithm(found[proposal], tried);
      if (!run(tried, f, add, workspace, stream).ok()) ran[static_cast<std::size_t>(proposal)] = false;
      marks.mark();
    }
    return marks.times();
  };
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  const auto sort_by = [&](const std::vector<float>& ms) {  // [count], by proposal
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return ms[std::size_t(a)] < ms[std::size_t(b)]; });
  };

  times_of(order);  // the first run of each loads its code
  std::vector<float> ms = times_of(order);
  for (std::size_t i = 0; i < ms.size(); ++i)
    if (!ran[i]) ms[i] = INFINITY;
  sort_by(ms);
  if (count == 0 || ms[std::size_t(order[0])] == INFINITY)
    return Status::error(PLUSMAX_DEVICE_ERROR, "cuBLASLt: none of %d algorithms ran: %s", count,
                         cudaGetErrorString(cudaGetLastError()));
  order.resize(std::size_t(std::count_if(order.begin(), order.begin() + std::min(count, kFinalists),
                                         [&](int proposal) { return ms[std::size_t(proposal)] < INFINITY; })));

  const auto warm_up = static_cast<std::size_t>(kWarmUpMs / ms[std::size_t(order[0])]) + 1;
  std::vector<int> rounds(std::min<std::size_t>(warm_up, 10000), order[0]);
  const std::size_t first = rounds.size();
  for (int round = 0; round < kRounds; ++round) {
    rounds.insert(rounds.end(), order.begin(), order.end());
    std::reverse(order.begin(), order.end());
  }
  const std::vector<float> timed = times_of(rounds);
  for (const int proposal : order) {
    std::vector<float> own;
    for (std::size_t i = first; i < rounds.size(); ++i)
      if (rounds[i] == proposal) own.push_back(timed[i]);
    std::nth_element(own.begin(), own.begin() + kRounds / 2, own.end());
    ms[std::size_t(proposal)] = own[kRounds / 2];
  }
  sort_by(ms);
  take_algorithm(found[order[0]], planned);
  return {};
} catch (const std::bad_alloc&) {
  return Status::error(PLUSMAX_DEVICE_ERROR, "cuBLASLt: no host memory to time algorithms");
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

// NVIDIA documents neither the order of the steps nor what one step loses. f32 is taken for fused multiply-adds, an
// assumption; 16 bits for tensor cores as gemm.hpp has them, which are an H200's bits (section 3h), and an assumption
// elsewhere and of algorithms that were not probed. Each step may start at 0 and be added to the rest: whatever is
// split along k, in any order, is that.
ProductShape product_shape(const Product& p) {
  constexpr double kSmallestNormal = 0x1p-126;
  const bool fused = p.operands == PLUSMAX_F32;
  const std::int64_t terms = fused ? 1 : kTensorCoreTerms;
  const double step = fused ? kFusedStep : tensor_core_step(kTensorCoreTerms, kTensorCoreBits);
  const auto steps = static_cast<double>((p.k + terms - 1) / terms);
  // Measured, section 3h: a product with a 16-bit result is rounded to it before what that holds is added.
  return {0x1p-24, static_cast<double>(terms), step, steps, false, kSmallestNormal, p.result != PLUSMAX_F32};
}

}  // namespace plusmax::platform

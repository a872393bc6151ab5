"""Times plusmax_linear_cross_entropy beside the matrix products it is made of, as torch runs them, and torch's unfused form.

    python3 kernels/bench/peers/linear_cross_entropy.py build/cuda/kernels/libplusmax.so [TOKENSxVOCABxFEATURES] [ROUNDS]

Needs a GPU of Hopper's memory and PyTorch. Every contestant once a round in shuffled order, by an event pair: under load, one right
behind the other, and rested, a quarter of a second apart. Figures are medians of the ratio to the products of the same round.
Errors: tokens, and rows of dW, against torch in float64.
"""
import ctypes
import random
import statistics
import sys
import time

import torch
import torch.nn.functional as F

I32, I64, F64, P, SIZE = ctypes.c_int32, ctypes.c_int64, ctypes.c_double, ctypes.c_void_p, ctypes.c_size_t
F32_CODE, BF16_CODE, MEAN = 0, 2, 2
AUTO, TOKEN_CHUNKS, VOCAB_SLICES, LOSS_ONLY = 0, 1, 2, 3
REST_S = 0.25


class Descriptor(ctypes.Structure):
    _fields_ = [("size", SIZE), ("dtype", I32), ("target_type", I32), ("dweight_type", I32), ("add_to_dweight", I32),
                ("tokens", I64), ("vocab", I64), ("features", I64), ("hidden_stride", I64), ("hidden", P),
                ("weight_stride", I64), ("weight", P), ("bias", P), ("target_stride", I64), ("targets", P),
                ("class_weights", P), ("upstream_stride", I64), ("upstream", P), ("normalizer", P),
                ("dhidden_stride", I64), ("dhidden", P), ("dweight_stride", I64), ("dweight", P), ("dbias", P),
                ("loss_rows", P), ("z_loss", P), ("lse", P), ("argmax", P), ("loss", P), ("num_valid", P),
                ("bad_targets", P), ("excess_tokens", P)]


class Options(ctypes.Structure):
    _fields_ = [("size", SIZE), ("reduction", I32), ("nan_when_empty", I32), ("ignore_index", I64),
                ("label_smoothing", F64), ("z_loss", F64), ("softcap", F64), ("logit_scale", F64), ("mode", I32),
                ("chunk_dtype", I32), ("accumulate_in_dweight_type", I32), ("chunk", I64), ("max_valid_tokens", I64)]


class Info(ctypes.Structure):
    _fields_ = [("size", SIZE), ("mode", I32), ("chunk_dtype", I32), ("chunk", I64), ("chunks", I64),
                ("workspace_bytes", SIZE), ("chunk_logits_bytes", SIZE), ("whole_logits_bytes", SIZE),
                ("naive_logits_bytes", SIZE)]


class Problem:
    def __init__(self, tokens, vocab, features):
        self.x = torch.randn(tokens, features, device="cuda").to(torch.bfloat16)
        self.w = torch.randn(vocab, features, device="cuda").mul_(2 / features**0.5).to(torch.bfloat16)
        self.bias = torch.randn(vocab, device="cuda").to(torch.bfloat16)
        self.class_weights = torch.rand(vocab, device="cuda")
        self.targets = torch.randint(vocab, (tokens,), device="cuda")
        self.half = torch.where(torch.arange(tokens, device="cuda") % 2 == 0, self.targets, -100)
        self.dx = torch.empty_like(self.x)
        self.dw16 = torch.empty_like(self.w)
        self.dw32 = torch.zeros(vocab, features, device="cuda")
        self.dbias = torch.empty_like(self.bias)
        self.loss = torch.empty(1, device="cuda")
        self.logits = torch.empty(tokens, vocab, dtype=torch.bfloat16, device="cuda")


class Ours:
    """One tuned plan and its workspace."""

    def __init__(self, library, problem, dw, *, add=False, gradients=True, everything=False, half=False, budget=0,
                 **options):
        p = problem
        d = Descriptor(size=ctypes.sizeof(Descriptor), dtype=BF16_CODE)
        d.tokens, d.features = p.x.shape
        d.vocab = len(p.w)
        d.hidden_stride = d.weight_stride = d.dhidden_stride = d.dweight_stride = d.features
        d.hidden, d.weight = p.x.data_ptr(), p.w.data_ptr()
        d.target_stride, d.targets = 1, (p.half if half else p.targets).data_ptr()
        d.loss = p.loss.data_ptr()
        if gradients:
            d.dhidden, d.dweight = p.dx.data_ptr(), dw.data_ptr()
            d.dweight_type, d.add_to_dweight = (F32_CODE if dw.dtype == torch.float32 else BF16_CODE), add
        if everything:
            d.bias, d.class_weights = p.bias.data_ptr(), p.class_weights.data_ptr()
            if gradients:
                d.dbias = p.dbias.data_ptr()
        options = {"chunk_dtype": BF16_CODE, **options}
        o = Options(size=ctypes.sizeof(Options), reduction=MEAN, ignore_index=-100, logit_scale=1.0, **options)
        self.plusmax, self.descriptor, self.plan = library, d, P()
        free = torch.cuda.mem_get_info()[0]
        self.demand(library.plusmax_linear_cross_entropy_plan_create(
            ctypes.byref(d), ctypes.byref(o), SIZE(budget), ctypes.byref(self.plan)))
        self.info = Info(size=ctypes.sizeof(Info))
        self.demand(library.plusmax_linear_cross_entropy_plan_describe(self.plan, ctypes.byref(self.info)))
        self.bytes = SIZE(self.info.workspace_bytes)
        self.workspace = torch.empty(self.bytes.value + 256, dtype=torch.uint8, device="cuda")
        self.demand(library.plusmax_linear_cross_entropy_plan_tune(self.plan, ctypes.byref(d), self.aligned(), self.bytes,
                                                                   P(torch.cuda.current_stream().cuda_stream)))
        torch.cuda.synchronize()
        torch_bytes = torch.cuda.memory_reserved()
        self.unstated = free - torch.cuda.mem_get_info()[0] - (torch_bytes - Ours.reserved)
        Ours.reserved = torch_bytes

    reserved = 0

    def demand(self, status):
        if status != 0:
            sys.exit("plusmax: " + self.plusmax.plusmax_last_error().decode())

    def aligned(self):
        return P((self.workspace.data_ptr() + 255) // 256 * 256)

    def __call__(self):
        stream = P(torch.cuda.current_stream().cuda_stream)
        self.demand(self.plusmax.plusmax_linear_cross_entropy(self.plan, ctypes.byref(self.descriptor), self.aligned(),
                                                              ctypes.byref(self.bytes), stream))


def products(p, count):
    def logits():
        torch.mm(p.x, p.w.T, out=p.logits)

    def gradients():
        torch.mm(p.logits, p.w, out=p.dx)
        torch.mm(p.logits.T, p.x, out=p.dw16)

    def run():
        for _ in range({1: 1, 3: 1, 4: 2}[count]):
            logits()
        if count > 1:
            gradients()

    return run


def unfused(p):
    x, w = p.x.detach().requires_grad_(), p.w.detach().requires_grad_()

    def run():
        x.grad = w.grad = None
        F.cross_entropy(x @ w.T, p.targets).backward()

    return run


def timed(run):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    run()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end)


def rounds(contestants, base_of, count, rested):
    ratios, times = {name: [] for name in contestants}, {name: [] for name in contestants}
    for _ in range(count):
        once = {}
        for name in random.sample(list(contestants), len(contestants)):
            if rested:
                torch.cuda.synchronize()
                time.sleep(REST_S)
            once[name] = timed(contestants[name])
        for name, ms in once.items():
            times[name].append(ms)
            ratios[name].append(ms / once[base_of[name]])
    return {n: statistics.median(v) for n, v in times.items()}, {n: statistics.median(v) for n, v in ratios.items()}


class Exact:
    """Of tokens and of rows of dW, in float64."""

    def __init__(self, p, tokens=64, classes=256):
        self.tokens = torch.randperm(len(p.x), device="cuda")[:tokens]
        self.classes = torch.randperm(len(p.w), device="cuda")[:classes]
        x, w, n = p.x.double(), p.w.double(), len(p.x)
        losses, dw = [], 0
        for rows in torch.arange(n, device="cuda").split(512):
            z = x[rows] @ w.T
            lse = torch.logsumexp(z, 1)
            losses.append(lse - z.gather(1, p.targets[rows, None])[:, 0])
            part = (z[:, self.classes] - lse[:, None]).exp() - (p.targets[rows, None] == self.classes).double()
            dw = dw + part.T @ x[rows] / n
        self.loss, self.dw = torch.cat(losses).mean(), dw
        z = x[self.tokens] @ w.T
        g = torch.softmax(z, 1)
        g[torch.arange(tokens, device="cuda"), p.targets[self.tokens]] -= 1
        self.dx = g @ w / n

    def errors(self, p, dw):
        def relative(got, want):
            return ((got.double() - want).norm() / want.norm()).item()

        return (abs(p.loss.item() - self.loss.item()) / self.loss.item(), relative(p.dx[self.tokens], self.dx),
                relative(dw[self.classes], self.dw))


def main():
    library = ctypes.CDLL(sys.argv[1])
    library.plusmax_last_error.restype = ctypes.c_char_p
    sizes = [int(n) for n in (sys.argv[2] if len(sys.argv) > 2 else "8192x128256x4096").split("x")]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    random.seed(0)
    torch.manual_seed(0)
    torch.backends.cuda.preferred_blas_library("cublaslt")
    p = Problem(*sizes)
    tokens = sizes[0]
    print(torch.cuda.get_device_name(), "torch", torch.__version__, "x".join(map(str, sizes)), "bf16")
    exact = Exact(p)
    torch.cuda.empty_cache()
    Ours.reserved = torch.cuda.memory_reserved()
    options = {"label_smoothing": 0.1, "softcap": 30.0}
    ours = {
        "1 chunk, dW bf16": Ours(library, p, p.dw16, mode=TOKEN_CHUNKS, chunk=tokens),
        "1 chunk, f32 logits": Ours(library, p, p.dw16, mode=TOKEN_CHUNKS, chunk=tokens, chunk_dtype=F32_CODE),
        "2048, f32 dW, cast": Ours(library, p, p.dw16, mode=TOKEN_CHUNKS, chunk=2048),
        "2048, into f32 dW": Ours(library, p, p.dw32, mode=TOKEN_CHUNKS, chunk=2048, add=True),
        "1024, bf16 dW": Ours(library, p, p.dw16, mode=TOKEN_CHUNKS, chunk=1024, accumulate_in_dweight_type=1),
        "slices, 0.25 GB": Ours(library, p, p.dw16, mode=VOCAB_SLICES, budget=250_000_000),
        "slices": Ours(library, p, p.dw16, mode=VOCAB_SLICES),
        "loss only": Ours(library, p, None, gradients=False),
        "1 chunk, smoothing softcap bias weights": Ours(library, p, p.dw16, everything=True, mode=TOKEN_CHUNKS, chunk=tokens, **options),
        "1 chunk, half ignored, stated": Ours(library, p, p.dw16, half=True, mode=TOKEN_CHUNKS, max_valid_tokens=tokens // 2),
    }
    base_of = {name: "three products" for name in ours} | {"loss only": "one product", "slices": "four products",
                                                           "slices, 0.25 GB": "four products"}
    print("| variant | chunk | chunks | workspace bytes | unstated bytes | loss error | dX error | dW error |\n|---|---|---|---|---|---|---|---|")
    for name, call in ours.items():
        p.dw32.zero_()
        call()
        dw = p.dw32 if "into f32" in name else p.dw16
        plain = call.descriptor.dhidden and not call.descriptor.bias and "ignored" not in name
        errors = " | ".join(f"{e:.3g}" for e in exact.errors(p, dw)) if plain else " | | "
        if name == "loss only":
            errors = f"{abs(p.loss.item() - exact.loss.item()) / exact.loss.item():.3g} | | "
        print(f"| {name} | {call.info.chunk} | {call.info.chunks} | {call.bytes.value} | {call.unstated} | {errors} |", flush=True)
    contestants = dict(ours) | {f"{name} product{'s' * (n > 1)}": products(p, n) for n, name in ((1, "one"), (3, "three"), (4, "four"))}
    contestants["torch unfused"] = unfused(p)
    base_of |= {name: "three products" for name in contestants if name not in base_of}
    for run in contestants.values():
        run()
    for rested in (False, True):
        times, ratios = rounds(contestants, base_of, count, rested)
        print(f"\n{'rested' if rested else 'under load'}, {count} rounds\n\n| variant | ms | ratio | to |\n|---|---|---|---|")
        for name in contestants:
            print(f"| {name} | {times[name]:.2f} | {ratios[name]:.3f} | {base_of[name]} |", flush=True)


if __name__ == "__main__":
    main()

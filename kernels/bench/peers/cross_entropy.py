"""Times plusmax_cross_entropy, loss and gradient in place, beside Liger, torch and a Triton kernel.

    python3 kernels/bench/peers/cross_entropy.py build/cuda/kernels/libplusmax.so [ROUNDS]

Needs a GPU of Hopper's memory, PyTorch and Triton; Liger (PyPI: liger-kernel) joins in if it is installed. Every contestant once a
round in shuffled order on restored logits, by an event pair, rested and right behind matrix products; figures are medians. The
Triton kernel is the usual form, running pairs and then the gradient from a second read, with the fastest of its settings. Liger's
call waits for the device to count the targets: its kernel alone is timed as well, and is what the ratios are to. Errors: losses
and gradients of the first rows against torch in float64.
"""
import ctypes
import itertools
import random
import statistics
import sys

import torch
import torch.nn.functional as F
import triton
import triton.language as tl

try:
    from liger_kernel.ops import cross_entropy as liger
except ImportError:
    liger = None

SHAPES = [(8192, 32000, "bf16"), (8192, 50257, "bf16"), (8192, 128256, "bf16"), (8192, 262144, "bf16"), (4096, 128256, "f32")]
DTYPES = {"f32": (torch.float32, 0), "bf16": (torch.bfloat16, 2)}
MEAN = 2
PRODUCTS, PRODUCT_SIZE = 8, 8192
JUDGED_ROWS = 64

I32, I64, F64, P, SIZE = ctypes.c_int32, ctypes.c_int64, ctypes.c_double, ctypes.c_void_p, ctypes.c_size_t


class Descriptor(ctypes.Structure):
    _fields_ = [("size", SIZE), ("dtype", I32), ("target_type", I32), ("rows", I64), ("cols", I64), ("row_stride", I64),
                ("col_stride", I64), ("logits", P), ("target_stride", I64), ("targets", P), ("weights", P),
                ("upstream_stride", I64), ("upstream", P), ("normalizer", P), ("dlogits_stride", I64), ("dlogits", P),
                ("loss_rows", P), ("z_loss", P), ("lse", P), ("row_state", P), ("argmax", P), ("loss", P),
                ("num_valid", P), ("bad_targets", P)]


class Options(ctypes.Structure):
    _fields_ = [("size", SIZE), ("reduction", I32), ("nan_when_empty", I32), ("batch_invariant", I32),
                ("ignore_index", I64), ("label_smoothing", F64), ("z_loss", F64), ("softcap", F64), ("logit_scale", F64)]


@triton.jit
def two_reads_kernel(x, targets, losses, rows, cols, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    target = tl.load(targets + row)
    at_target = tl.load(x + row * stride + target).to(tl.float32)
    largest = float("-inf")
    total = 0.0
    for start in range(0, cols, BLOCK):
        v = tl.load(x + row * stride + start + offsets, mask=start + offsets < cols, other=float("-inf")).to(tl.float32)
        new = tl.maximum(largest, tl.max(v, 0))
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(v - new), 0)
        largest = new
    tl.store(losses + row, largest + tl.log(total) - at_target)
    tl.debug_barrier()
    for start in range(0, cols, BLOCK):
        inside = start + offsets < cols
        v = tl.load(x + row * stride + start + offsets, mask=inside, other=float("-inf")).to(tl.float32)
        gradient = tl.exp(v - largest) / total - tl.where(start + offsets == target, 1.0, 0.0)
        tl.store(x + row * stride + start + offsets, (gradient / rows).to(x.dtype.element_ty), mask=inside)


class Marks:
    """An event pair around some work."""

    def __enter__(self):
        self.begin, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        self.begin.record()
        return self

    def __exit__(self, *_):
        self.end.record()

    def us(self):
        self.end.synchronize()
        return self.begin.elapsed_time(self.end) * 1e3


class Marked:
    """A Triton kernel whose launches are marked."""

    def __init__(self, kernel):
        self.kernel, self.marks = kernel, None

    def __getitem__(self, grid):
        def launch(*arguments, **named):
            with Marks() as self.marks:
                self.kernel[grid](*arguments, **named)

        return launch


class Bed:
    def __init__(self, library, rows, cols, dtype, code):
        self.original = torch.randn(rows, cols, device="cuda").mul_(2).to(dtype)
        self.x, self.targets = self.original.clone(), torch.randint(cols, (rows,), device="cuda")
        self.losses, self.loss = torch.empty(rows, device="cuda"), torch.empty(1, device="cuda")
        self.plusmax = library
        d = Descriptor(size=ctypes.sizeof(Descriptor), dtype=code, rows=rows, cols=cols, row_stride=cols, col_stride=1)
        d.logits = d.dlogits = self.x.data_ptr()
        d.dlogits_stride, d.target_stride, d.targets = cols, 1, self.targets.data_ptr()
        d.loss_rows, d.loss = self.losses.data_ptr(), self.loss.data_ptr()
        self.descriptor = d
        self.options = Options(size=ctypes.sizeof(Options), reduction=MEAN, ignore_index=-100, logit_scale=1.0)
        self.bytes = SIZE(0)
        self.call(None)
        self.workspace = torch.empty(self.bytes.value + 256, dtype=torch.uint8, device="cuda")

    def call(self, workspace):
        status = self.plusmax.plusmax_cross_entropy(ctypes.byref(self.descriptor), ctypes.byref(self.options), workspace,
                                                    ctypes.byref(self.bytes), P(torch.cuda.current_stream().cuda_stream))
        if status != 0:
            sys.exit("plusmax: " + self.plusmax.plusmax_last_error().decode())

    def ours(self):
        with Marks() as marks:
            self.call(P((self.workspace.data_ptr() + 255) // 256 * 256))
        return marks

    def copy(self):
        with Marks() as marks:
            self.x.neg_()
        return marks

    def triton(self, block, warps):
        rows, cols = self.x.shape
        with Marks() as marks:
            two_reads_kernel[(rows,)](self.x, self.targets, self.losses, rows, cols, cols, BLOCK=block, num_warps=warps)
        return marks

    def torch(self):
        x = self.x.detach().requires_grad_()
        with Marks() as marks:
            F.cross_entropy(x, self.targets).backward()
        return marks

    def liger(self):
        """Marks of the call and of its kernel."""
        x = self.x.detach().requires_grad_()
        with Marks() as marks:
            liger.LigerCrossEntropyFunction.apply(x, self.targets, None, -100, 0.0, 0.0, "mean", None, False)[0].backward()
        return marks, liger.liger_cross_entropy_kernel.marks

    def contestants(self):
        found = {"copy": self.copy, "plusmax": self.ours, "torch": self.torch}
        for block, warps in itertools.product((4096, 8192, 16384), (8, 16, 32)):
            found[f"triton/{block}x{warps}"] = lambda b=block, w=warps: self.triton(b, w)
        if liger is not None:
            found["liger"] = self.liger
        return found

    def sample(self, run, load):
        self.x.copy_(self.original)
        for _ in range(PRODUCTS if load is not None else 0):
            torch.mm(load[0], load[1], out=load[2])
        marks = run()
        return [m.us() for m in marks] if isinstance(marks, tuple) else [marks.us()]

    def errors(self):
        self.x.copy_(self.original)
        self.ours()
        x, targets = self.original[:JUDGED_ROWS].double().requires_grad_(), self.targets[:JUDGED_ROWS]
        losses = F.cross_entropy(x, targets, reduction="none")
        losses.sum().backward()
        want = x.grad / len(self.x)
        return ((self.losses[:JUDGED_ROWS] - losses).abs().max().item(),
                ((self.x[:JUDGED_ROWS].double() - want).norm() / want.norm()).item())


def medians(bed, contestants, count, load):
    samples = {}
    for _ in range(count):
        for name in random.sample(list(contestants), len(contestants)):
            for part, us in zip((name, name + " kernel"), bed.sample(contestants[name], load)):
                samples.setdefault(part, []).append(us)
    return {name: statistics.median(values) for name, values in samples.items()}


def fastest_settings(bed):
    """The contestants, with one setting of the Triton kernel."""
    contestants = bed.contestants()
    once = {name: min(bed.sample(run, None)[0] for _ in range(3)) for name, run in contestants.items()}
    best = min((name for name in contestants if "/" in name), key=once.get)
    return {name: run for name, run in contestants.items() if "/" not in name or name == best}


def main():
    library = ctypes.CDLL(sys.argv[1])
    library.plusmax_last_error.restype = ctypes.c_char_p
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    random.seed(0)
    torch.manual_seed(0)
    if liger is not None:
        liger.liger_cross_entropy_kernel = Marked(liger.liger_cross_entropy_kernel)
    print(torch.cuda.get_device_name(), "torch", torch.__version__, "triton", triton.__version__, "" if liger else "no Liger")
    a, b, c = (torch.randn(PRODUCT_SIZE, PRODUCT_SIZE, device="cuda").to(torch.bfloat16) for _ in range(3))
    print("| logits | | in-place copy us | plusmax us | Liger kernel us (call) | ratio | Triton us (setting) | ratio | torch us | ratio |"
          "\n|---|---|---|---|---|---|---|---|---|---|")
    for rows, cols, name in SHAPES:
        bed = Bed(library, rows, cols, *DTYPES[name])
        contestants = fastest_settings(bed)
        for load in (None, (a, b, c)):
            us = medians(bed, contestants, count, load)
            ours, form = us["plusmax"], next(key for key in us if "/" in key)
            kernel, call = us.get("liger kernel", float("nan")), us.get("liger", float("nan"))
            print(f"| {rows} x {cols} {name} | {'behind products' if load else 'rested'} | {us['copy']:.4g} | {ours:.4g} | "
                  f"{kernel:.4g} ({call:.4g}) | {kernel / ours:.3g} | {us[form]:.4g} ({form[7:]}) | {us[form] / ours:.3g} | "
                  f"{us['torch']:.4g} | {us['torch'] / ours:.3g} |", flush=True)
        print("errors: losses {:.2g}, gradient {:.2g} of its norm".format(*bed.errors()), file=sys.stderr)
        del bed, contestants
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()

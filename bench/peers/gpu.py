"""PyTorch and JAX as candidates of 'mdh bench gpu': the process of one of them.

    gpu.py torch|inductor|jax PROGRAM SIZES BUFFERS

Speaks the lines of bench/runner/main.cpp and bench/runner/gpu.cpp: descriptor 3 is the socket of the
parent, descriptor 4 the shared memory, whose buffers begin at pages, outputs first. SIZES is a JSON
object, BUFFERS is "o4096,i8192".

PyTorch is timed as mdh is: events inside of CUDA graphs. JAX has neither: some calls, and three times
as many, are put into its queue and timed by the host, and the difference counts. (In one jitted
function XLA computes equal calls once, optimization barriers or not.)
"""

import json
import mmap
import os
import sys
import time

SOCKET, MEMORY, PAGE = 3, 4, 4096


class Absent(Exception):
    """The library cannot take part here."""


# ---- programs: shapes of outputs and inputs, and expressions


def conv_shapes(s, extra_in=(), extra_filter=(), extra_out=()):
    height = s.get("SH", 1) * (s["P"] - 1) + s["R"]
    width = s.get("SW", 1) * (s["Q"] - 1) + s["S"]
    return (
        [(s["N"], s["P"], s["Q"], s["K"]) + extra_out],
        [(s["N"], height, width, s["C"]) + extra_in, (s["K"], s["R"], s["S"], s["C"]) + extra_filter],
    )


def capsule_shapes(s):
    return conv_shapes(s, (s["MI"], s["MK"]), (s["MK"], s["MJ"]), (s["MI"], s["MJ"]))


def contraction_shapes(program, s):
    def shape(letters):
        return tuple(s["N" + letter.upper()] for letter in letters)

    _, left, right = program.split("_")
    return [shape("abcdef")], [shape(left), shape(right)]


def jacobi_shapes(s):
    inner = (s["I1"], s["I2"], s["I3"])
    return [inner], [tuple(n + 2 for n in inner)]


SHAPES = {
    "matmul": lambda s: ([(s["I"], s["J"])], [(s["I"], s["K"]), (s["K"], s["J"])]),
    "matmul_t": lambda s: ([(s["J"], s["I"])], [(s["K"], s["I"]), (s["J"], s["K"])]),
    "bmatmul": lambda s: (
        [(s["NB"], s["I"], s["J"])],
        [(s["NB"], s["I"], s["K"]), (s["NB"], s["K"], s["J"])],
    ),
    "matvec": lambda s: ([(s["I"],)], [(s["I"], s["K"]), (s["K"],)]),
    "dot": lambda s: ([()], [(s["K"],), (s["K"],)]),
    "conv2d": lambda s: (
        [(s["P"], s["Q"])],
        [(s["P"] + s["R"] - 1, s["Q"] + s["S"] - 1), (s["R"], s["S"])],
    ),
    "jacobi3d": jacobi_shapes,
    "mcc": conv_shapes,
    "mcc_strided": conv_shapes,
    "mcc_capsule": capsule_shapes,
    "mbbs": lambda s: ([(s["I"],)], [(s["I"], s["J"])]),
    "scan": lambda s: ([(s["N"],)], [(s["N"],)]),
    "reduce": lambda s: ([()], [(s["N"],)]),
    "reduce_max": lambda s: ([()], [(s["N"],)]),
    "reduce2": lambda s: ([(), ()], [(s["N"],)]),
    "histo": lambda s: ([(s["B"],)], [(s["E"],), (s["B"],)]),
}

WHOLE_NUMBERS = {"histo"}
HISTO_OFFSET, HISTO_RANGE = 128, 256  # elements are small whole numbers


def shapes_of(program, sizes):
    if program.startswith("ccsdt_"):
        return contraction_shapes(program, sizes)
    if program not in SHAPES:
        raise Absent(f"has no expression for {program}")
    return SHAPES[program](sizes)


def seven_points(x):
    """The points of a Jacobi stencil."""
    inner = slice(1, -1)
    return [
        x[:-2, inner, inner], x[inner, :-2, inner], x[inner, inner, :-2], x[inner, inner, inner],
        x[inner, inner, 2:], x[inner, 2:, inner], x[2:, inner, inner],
    ]  # fmt: skip


def jacobi(x):
    above, north, west, mid, east, south, below = seven_points(x)
    return (above + north + west + mid + east + south + below) * (1.0 / 7.0)


def as_tuple(results):
    """Of a call: one for each output."""
    return results if isinstance(results, tuple) else (results,)


class Way:
    """One way to compute: prepare and finish are not timed."""

    def __init__(self, call, name="", prepare=None, finish=None):
        self.call, self.name = call, name
        self.prepare = prepare or (lambda *inputs: inputs)
        self.finish = finish or (lambda out: out)


# ---- PyTorch


def torch_conv_ways(torch, stride):
    conv = torch.nn.functional.conv2d

    def call(x, w):
        return conv(x, w, stride=stride)

    def last(x, w):  # NHWC in memory, as it comes
        return x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2)

    def first(x, w):  # NCHW
        return tuple(t.contiguous() for t in last(x, w))

    def finish(out):
        return out.permute(0, 2, 3, 1)

    return [Way(call, "NHWC", last, finish), Way(call, "NCHW", first, finish)]


def torch_capsule(torch, s, stride):
    n, k, c = s["N"], s["K"], s["C"]
    mi, mj, mk = s["MI"], s["MJ"], s["MK"]

    def call(image, filters):
        h, w = image.shape[1:3]
        x = image.permute(0, 4, 3, 5, 1, 2).reshape(n * mi, c * mk, h, w)
        f = filters.permute(0, 5, 3, 4, 1, 2).reshape(k * mj, c * mk, s["R"], s["S"])
        out = torch.nn.functional.conv2d(x, f, stride=stride)
        out = out.reshape(n, mi, k, mj, s["P"], s["Q"])
        return out.permute(0, 4, 5, 2, 1, 3).contiguous()

    return call


def torch_histo(torch):
    def call(elements, bins):
        counts = torch.zeros(HISTO_RANGE, dtype=torch.int32, device=elements.device)
        ones = torch.ones_like(elements)
        counts = counts.index_add(0, elements + HISTO_OFFSET, ones)
        return counts.index_select(0, bins + HISTO_OFFSET)

    return call


def torch_ways(torch, program, s):
    stride = (s.get("SH", 1), s.get("SW", 1))
    if program.startswith("ccsdt_"):
        _, left, right = program.split("_")
        return [Way(lambda a, b: torch.einsum(f"{left},{right}->abcdef", a, b))]
    if program in ("mcc", "mcc_strided"):
        return torch_conv_ways(torch, stride)
    conv = torch.nn.functional.conv2d if program == "conv2d" else None
    return {
        "matmul": lambda: [Way(lambda a, b: torch.mm(a, b))],
        "matmul_t": lambda: [Way(lambda a, b: torch.mm(b, a))],
        "bmatmul": lambda: [Way(lambda a, b: torch.bmm(a, b))],
        "matvec": lambda: [Way(lambda m, v: torch.mv(m, v))],
        "dot": lambda: [Way(lambda a, b: torch.dot(a, b))],
        "conv2d": lambda: [Way(lambda x, w: conv(x[None, None], w[None, None])[0, 0])],
        "jacobi3d": lambda: [Way(jacobi)],
        "mcc_capsule": lambda: [Way(torch_capsule(torch, s, stride))],
        "mbbs": lambda: [Way(lambda a: torch.cumsum(a.sum(1), 0))],
        "scan": lambda: [Way(lambda a: torch.cumsum(a, 0))],
        "reduce": lambda: [Way(lambda a: a.sum())],
        "reduce_max": lambda: [Way(lambda a: a.max())],
        "reduce2": lambda: [Way(lambda a: (a.sum(), a.prod()))],
        "histo": lambda: [Way(torch_histo(torch))],
    }[program]()


class Graph:
    """Calls between two events, captured once."""

    def __init__(self, torch, call, calls, before=None):
        self.torch, self.calls = torch, calls
        self.inside = True
        try:
            self.start, self.end = (torch.cuda.Event(enable_timing=True, external=True) for _ in "se")
        except TypeError:  # a PyTorch whose events cannot be captured
            self.start, self.end = (torch.cuda.Event(enable_timing=True) for _ in "se")
            self.inside = False
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            if before and self.inside:
                before()
            if self.inside:
                self.start.record()
            for _ in range(calls):
                call()
            if self.inside:
                self.end.record()
        self.before = None if self.inside else before

    def lap(self):
        if self.before:
            self.before()
        if not self.inside:
            self.start.record()
        self.graph.replay()
        if not self.inside:
            self.end.record()
        self.torch.cuda.synchronize()
        return 1000.0 * self.start.elapsed_time(self.end) / self.calls


class Torch:
    """Eager, or compiled by Inductor."""

    def __init__(self, library, program, sizes, shapes):
        try:
            import torch
        except ImportError as e:
            raise Absent(f"not installed: {e}")
        if not torch.cuda.is_available():
            raise Absent("PyTorch finds no CUDA device")
        self.torch, self.shapes = torch, shapes
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cudnn.benchmark = True
        self.type = torch.int32 if program in WHOLE_NUMBERS else torch.float32
        self.ways = torch_ways(torch, program, sizes)
        if library == "inductor":
            try:
                import torch._inductor.compile_fx  # takes seconds; now others get ready as well
            except ImportError:
                pass  # torch.compile says what is missing
            for way in self.ways:
                way.call = torch.compile(way.call, mode="max-autotune-no-cudagraphs", dynamic=False)
        self.how = "Inductor, max-autotune" if library == "inductor" else "eager"
        self.way, self.graphs, self.flush = None, {}, None

    def about(self):
        text = f"PyTorch {self.torch.__version__}, {self.how}"
        return text + (f", {self.way.name}" if self.way and self.way.name else "")

    def host(self, memory, buffer):
        offset, _, shape = buffer
        count = 1
        for n in shape:
            count *= n
        flat = self.torch.frombuffer(memory, dtype=self.type, count=count, offset=offset)
        return flat.reshape(shape)

    def load(self, memory, inputs):
        self.graphs = {}
        self.inputs = [self.host(memory, b).to("cuda") for b in inputs]
        if self.way is None:
            self.way = self.best_way()
        self.prepared = self.way.prepare(*self.inputs)

    def best_way(self):
        if len(self.ways) == 1:
            return self.ways[0]
        timed = []
        for way in self.ways:
            prepared = way.prepare(*self.inputs)
            graph = self.warm_graph(lambda: way.call(*prepared))
            timed.append((min(graph.lap() for _ in range(5)), len(timed), way))
        return min(timed)[2]

    def call(self):
        return self.way.call(*self.prepared)

    def compute(self, memory, outputs):
        results = as_tuple(self.way.finish(self.call()))
        for buffer, out in zip(outputs, results):
            self.host(memory, buffer).copy_(out.reshape(buffer[2]))
        self.torch.cuda.synchronize()

    def warm_graph(self, call):
        for _ in range(3):
            call()
        one = Graph(self.torch, call, 1)
        one.lap()
        calls = min(max(int(300 / max(one.lap(), 1)), 1), 100)
        return one if calls == 1 else Graph(self.torch, call, calls)

    def cold_graph(self):
        if self.flush is None:
            l2 = getattr(self.torch.cuda.get_device_properties(0), "L2_cache_size", 0)
            self.flush = self.torch.empty(max(2 * l2, 64 << 20), dtype=self.torch.uint8, device="cuda")
        for _ in range(3):
            self.call()
        return Graph(self.torch, self.call, 1, before=lambda: self.flush.fill_(1))

    def times(self, count, cold):
        if cold not in self.graphs:
            self.graphs[cold] = self.cold_graph() if cold else self.warm_graph(self.call)
        graph = self.graphs[cold]
        warm_up(graph.lap)
        return [graph.lap() for _ in range(count)]


# ---- JAX


def jax_conv(jax, s):
    def call(x, w):
        return jax.lax.conv_general_dilated(
            x, w, (s.get("SH", 1), s.get("SW", 1)), "VALID", dimension_numbers=("NHWC", "OHWI", "NHWC")
        )

    return call


def jax_capsule(jax, s):
    conv = jax_conv(jax, s)
    n, k, c = s["N"], s["K"], s["C"]
    mi, mj, mk = s["MI"], s["MJ"], s["MK"]

    def call(image, filters):
        h, w = image.shape[1:3]
        x = image.transpose(0, 4, 1, 2, 3, 5).reshape(n * mi, h, w, c * mk)
        f = filters.transpose(0, 5, 1, 2, 3, 4).reshape(k * mj, s["R"], s["S"], c * mk)
        out = conv(x, f).reshape(n, mi, s["P"], s["Q"], k, mj)
        return out.transpose(0, 2, 3, 4, 1, 5)

    return call


def jax_call(jax, program, s):
    jnp = jax.numpy
    if program.startswith("ccsdt_"):
        _, left, right = program.split("_")
        return lambda a, b: jnp.einsum(f"{left},{right}->abcdef", a, b)
    if program in ("mcc", "mcc_strided"):
        return jax_conv(jax, s)
    if program == "mcc_capsule":
        return jax_capsule(jax, s)

    def conv2d(x, w):
        return jax_conv(jax, {})(x[None, :, :, None], w[None, :, :, None])[0, :, :, 0]

    def histo(elements, bins):
        counts = jnp.zeros(HISTO_RANGE, jnp.int32).at[elements + HISTO_OFFSET].add(1)
        return counts[bins + HISTO_OFFSET]

    return {
        "matmul": lambda a, b: a @ b,
        "matmul_t": lambda a, b: b @ a,
        "bmatmul": lambda a, b: a @ b,
        "matvec": lambda m, v: m @ v,
        "dot": lambda a, b: jnp.dot(a, b),
        "conv2d": conv2d,
        "jacobi3d": jacobi,
        "mbbs": lambda a: jnp.cumsum(a.sum(1)),
        "scan": lambda a: jnp.cumsum(a),
        "reduce": lambda a: a.sum(),
        "reduce_max": lambda a: a.max(),
        "reduce2": lambda a: (a.sum(), a.prod()),
        "histo": histo,
    }[program]


class Jax:
    def __init__(self, library, program, sizes, shapes):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        try:
            import jax
            import numpy
        except ImportError as e:
            raise Absent(f"not installed: {e}")
        jax.config.update("jax_default_matmul_precision", "highest")
        if jax.default_backend() not in ("gpu", "cuda"):
            raise Absent(f"JAX computes on '{jax.default_backend()}', not on a GPU")
        self.jax, self.numpy = jax, numpy
        self.type = numpy.int32 if program in WHOLE_NUMBERS else numpy.float32
        self.plain = jax_call(jax, program, sizes)
        self.jitted = jax.jit(self.plain)
        self.calls = None

    def about(self):
        return f"JAX {self.jax.__version__}, jit, precision highest"

    def host(self, memory, buffer):
        offset, _, shape = buffer
        count = 1
        for n in shape:
            count *= n
        return self.numpy.frombuffer(memory, self.type, count, offset).reshape(shape)

    def load(self, memory, inputs):
        # A copy: on the host, JAX would keep using the shared memory.
        self.inputs = [self.jax.device_put(self.host(memory, b).copy()) for b in inputs]
        self.jax.block_until_ready(self.inputs)

    def compute(self, memory, outputs):
        results = as_tuple(self.jitted(*self.inputs))
        for buffer, out in zip(outputs, results):
            array = self.numpy.asarray(out)
            self.numpy.copyto(self.host(memory, buffer), array.reshape(buffer[2]))

    def seconds(self, calls):
        begin = time.perf_counter()
        for _ in range(calls):
            out = self.jitted(*self.inputs)
        self.jax.block_until_ready(out)
        return time.perf_counter() - begin

    def find_calls(self):
        self.seconds(1)
        one = min(self.seconds(1) for _ in range(5))
        self.calls = min(max(int(1e-3 / one), 2), 32)
        self.seconds(3 * self.calls)

    def lap(self):
        few, many, rounds = self.calls, 3 * self.calls, range(3)
        spent = min(self.seconds(many) for _ in rounds) - min(self.seconds(few) for _ in rounds)
        return 1e6 * spent / (many - few)

    def times(self, count, cold):
        if cold:
            raise RuntimeError("JAX is not timed with cold caches")
        if self.calls is None:
            self.find_calls()
        warm_up(self.lap)
        return [self.lap() for _ in range(count)]


# ---- the process


def warm_up(lap):
    """The device has rested since the last turn: its clock needs a while to be up again."""
    end = time.perf_counter() + 0.003
    lap()
    while time.perf_counter() < end:
        lap()


def buffers_of(text, outputs, inputs):
    """Offset, bytes and shape of each."""
    buffers, offset = [], 0
    for word, shape in zip(text.split(","), outputs + inputs):
        size = int(word[1:])
        buffers.append((offset, size, shape))
        offset += (size + PAGE - 1) // PAGE * PAGE
    return buffers[: len(outputs)], buffers[len(outputs) :]


def lines():
    text = b""
    while True:
        chunk = os.read(SOCKET, 4096)
        if not chunk:
            return
        text += chunk
        while b"\n" in text:
            line, text = text.split(b"\n", 1)
            yield line.decode().split()


def answer(text):
    os.write(SOCKET, (" ".join(text.split()) + "\n").encode())


def first_words(error):
    text = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {text}"[:300]


def reply(candidate, words, memory, outputs, inputs):
    if words[0] == "compute":
        candidate.compute(memory, outputs)
    if words[0] == "load":
        candidate.load(memory, inputs)
        return "ok " + candidate.about()
    if words[0] != "time":
        return "ok"
    times = candidate.times(int(words[1]), words[-1] == "cold")
    return "ok " + " ".join(f"{t:.4f}" for t in times)


def serve(candidate, memory, outputs, inputs):
    for words in lines():
        try:
            answer(reply(candidate, words, memory, outputs, inputs))
        except Exception as e:  # whatever a library does, the parent is told
            answer("failed " + first_words(e))


def be_silent():
    """Libraries talk while they tune; what matters goes through the socket."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def main():
    library, program, sizes, buffers = sys.argv[1:5]
    if "MDH_BENCH_TALK" not in os.environ:
        be_silent()
    try:
        shapes = shapes_of(program, json.loads(sizes))
        outputs, inputs = buffers_of(buffers, *shapes)
        memory = mmap.mmap(MEMORY, 0)
        kind = Jax if library == "jax" else Torch
        candidate = kind(library, program, json.loads(sizes), shapes)
    except Absent as e:
        answer(f"absent {e}")
        return
    except Exception as e:
        answer("failed " + first_words(e))
        return
    answer("ok " + candidate.about())
    serve(candidate, memory, outputs, inputs)


main()

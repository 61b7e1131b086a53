"""PyTorch's side of bench/torch.lua, on the CPU, all cores. Results are written to preallocated tensors wherever PyTorch supports it."""
import os

# Workers that wait actively would occupy the cores while rill is measured.
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
try:
    import torch
    from peer_server import serve
except ImportError as problem:
    print("missing", f"{problem}: apt-get install python3-torch", flush=True)
    raise SystemExit


torch.set_num_threads(len(os.sched_getaffinity(0)))  # Debian's takes one thread per pair of hyperthreads


def given(data, name):
    return torch.from_numpy(data[name])


def into(function, *names):
    """A function of tensors that accepts out=."""
    def prepare(data):
        tensors = [given(data, name) for name in names]
        r = torch.empty_like(function(*tensors))
        return lambda: function(*tensors, out=r)
    return prepare


def plain(function, *names):
    def prepare(data):
        tensors = [given(data, name) for name in names]
        return lambda: function(*tensors)
    return prepare


def along(function, name, axis):
    return into(lambda x, **out: function(x, axis, **out), name)


def arguments(name, axis):
    return plain(lambda x: torch.argmax(x, axis), name)


def extremes(name, axis):
    return into(lambda x, **out: torch.amax(x, axis, **out), name)


def fused(data):
    x, y = given(data, "x"), given(data, "y")
    return lambda: (2.5 * x + y).sum()


def wide(data, name):
    """Indices are converted to 64 bits before timing."""
    return given(data, name).long()


def gather(data):
    x, index = given(data, "x"), wide(data, "index")
    r = torch.empty_like(x)
    return lambda: torch.take(x, index, out=r)


def scatter(data, places):
    x, index = given(data, "x"), wide(data, f"places{places}")
    r = torch.zeros(places)

    def run():
        r.zero_()
        return r.index_add_(0, index, x)
    return run


def bincount(data, places):
    x, index = given(data, "x"), wide(data, f"places{places}")
    return lambda: torch.bincount(index, x, places)


def transpose(data):
    m = given(data, "m")
    r = torch.empty(m.shape[::-1])
    return lambda: r.copy_(m.T)


def sort(data):
    k = given(data, "k")
    return lambda: torch.sort(k).values


def top(data):
    x = given(data, "x")
    return lambda: torch.topk(x, 100).values


def quantile(data):
    """torch.quantile accepts 16 million elements at most."""
    x = given(data, "x")
    return lambda: torch.kthvalue(x, int(0.3 * (len(x) - 1)) + 1).values


def stencil(data):
    """A quarter of the sum of the four neighbors of each pixel, clamped at the edges."""
    m = given(data, "m")[None, None]
    weight = torch.tensor([[0.0, 0.25, 0.0], [0.25, 0.0, 0.25], [0.0, 0.25, 0.0]])[None, None]
    return lambda: torch.nn.functional.conv2d(torch.nn.functional.pad(m, (1, 1, 1, 1), "replicate"), weight)[0, 0]


cases = {
    "saxpy": into(lambda x, y, **out: torch.add(y, x, alpha=2.5, **out), "x", "y"),
    "sum": plain(torch.sum, "x"),
    "fused": fused,
    "scan": along(torch.cumsum, "x", 0),
    "filter": plain(lambda x: x[x < 0.5], "x"),
    "gather": gather,
    "transpose": transpose,
    "sort": sort,
    "top": top,
    "stencil": stencil,
    "take": gather,
    "quantile": quantile,
    "roll": plain(lambda x: torch.roll(x, 1000), "x"),
    "roll_rows": plain(lambda m: torch.roll(m, 1000, 1), "m"),
    "pad": plain(lambda x: torch.nn.functional.pad(x, (10, 20)), "x"),
    "pad_rows": plain(lambda m: torch.nn.functional.pad(m, (10, 10, 10, 10)), "m"),
    "pow": into(torch.pow, "x", "y"),
}
# Random numbers, as many as x has.
cases["random"] = plain(torch.rand_like, "x")
cases["random_normal"] = plain(torch.randn_like, "x")
cases["random_exponential"] = plain(lambda x: torch.empty_like(x).exponential_(), "x")
cases["random_poisson"] = plain(lambda x: torch.poisson(torch.full_like(x, 4.0)), "x")
for shape in ("m", "tall", "flat", "cube"):
    for axis in range(3 if shape == "cube" else 2):
        cases[f"sum_{shape}_{axis}"] = along(torch.sum, shape, axis)
        cases[f"mean_{shape}_{axis}"] = along(torch.mean, shape, axis)
        cases[f"max_{shape}_{axis}"] = extremes(shape, axis)
        cases[f"argmax_{shape}_{axis}"] = arguments(shape, axis)
for places in (256, 65536):
    cases[f"scatter{places}"] = lambda data, places=places: scatter(data, places)
    cases[f"bincount{places}"] = lambda data, places=places: bincount(data, places)
for name in ("exp", "log", "sin", "cos"):
    cases[name] = into(getattr(torch, name), "x")

with torch.no_grad():
    serve(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads", cases)

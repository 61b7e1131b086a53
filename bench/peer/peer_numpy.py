"""numpy's side of bench/numpy.lua and bench/mv.lua. Results are written to preallocated arrays wherever numpy supports it."""
try:
    import numpy as np
    from peer_server import serve
except ImportError as problem:
    print("missing", f"{problem}: apt-get install python3-numpy", flush=True)
    raise SystemExit


def saxpy(data):
    x, y, r = data["x"], data["y"], np.empty_like(data["x"])

    def run():
        np.multiply(x, np.float32(2.5), out=r)
        return np.add(r, y, out=r)
    return run


def cumsum(data):
    x, r = data["x"], np.empty_like(data["x"])
    return lambda: np.cumsum(x, out=r)


def bincount(data, wide=False):
    keys = data["keys"].astype(np.intp) if wide else data["keys"]
    return lambda: np.bincount(keys, minlength=1024)


def compress(data, function=False):
    x, mask = data["x"], data["mask"].astype(bool)
    return (lambda: np.compress(mask, x)) if function else (lambda: x[mask])


def take(data):
    x, index, r = data["x"], data["index"].astype(np.intp), np.empty_like(data["x"])
    return lambda: np.take(x, index, out=r, mode="clip")  # "raise" works on a copy of `out`


def transpose(data):
    m = data["m"]
    r = np.empty(m.shape[::-1], m.dtype)

    def run():
        np.copyto(r, m.T)
        return r
    return run


def sort(data):
    u, r = data["u"], np.empty_like(data["u"])

    def run():
        np.copyto(r, u)
        r.sort()
        return r
    return run


def quantile(data):
    """The faster of numpy's ways: np.quantile partitions more often."""
    x = data["x"]
    k = int(0.3 * (len(x) - 1))

    def run():
        two = np.partition(x, (k, k + 1))[k:k + 2]
        return two[0] + (two[1] - two[0]) * (0.3 * (len(x) - 1) - k)
    return run


def matvec(data):
    a, x, b = data["a"], data["x"], data["b"]
    y = np.empty_like(b)

    def run():
        np.matmul(a, x, out=y)
        return np.add(y, b, out=y)
    return run


serve("numpy " + np.__version__, {
    "saxpy": saxpy,
    "sum": lambda data: lambda: np.sum(data["x"]),
    "cumsum": cumsum,
    "bincount": bincount,
    "bincount_wide": lambda data: bincount(data, wide=True),
    "select": compress,
    "compress": lambda data: compress(data, function=True),
    "take": take,
    "transpose": transpose,
    "sort": sort,
    "argsort": lambda data: lambda: np.argsort(data["u"], kind="stable"),
    "quantile": quantile,
    "roll": lambda data: lambda: np.roll(data["x"], 1000),
    "roll_rows": lambda data: lambda: np.roll(data["m"], 1000, 1),
    "pad": lambda data: lambda: np.pad(data["x"], (10, 20)),
    "pad_rows": lambda data: lambda: np.pad(data["m"], 10),
    "matvec": matvec,
})

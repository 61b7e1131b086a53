"""numpy's and scipy's side of bench/blas.lua, on the BLAS they are linked with, all cores."""
try:
    import numpy as np
    from scipy.linalg import blas
    from peer_server import serve
except ImportError as problem:
    print("missing", f"{problem}: apt-get install python3-scipy libopenblas0-pthread", flush=True)
    raise SystemExit


def library():
    """Returns "OpenBLAS" if it is in use, else the name of the library file."""
    np.ones((8, 8)) @ np.ones((8, 8))
    with open("/proc/self/maps") as maps:
        names = {line.split()[-1].rsplit("/", 1)[-1] for line in maps if "blas" in line}
    known = [name for name in names if "openblas" in name]
    return "OpenBLAS" if known else ", ".join(sorted(names)) or "numpy's own BLAS"


def gemm(data, n):
    a, b, c = data[f"a{n}"], data[f"b{n}"], np.empty_like(data[f"a{n}"])
    return lambda: np.matmul(a, b, out=c)


def gemv(data, turned=False):
    a, x = data["m"], data["x"]
    y = np.empty_like(x)
    return lambda: np.matmul(a.T if turned else a, x, out=y)


def axpy(data):
    x, y = data["v"], data["w"].copy()
    return lambda: blas.saxpy(x, y, a=0.0001)


serve("numpy " + np.__version__ + " with " + library(), {
    "gemm256": lambda data: gemm(data, 256),
    "gemm1024": lambda data: gemm(data, 1024),
    "gemv": gemv,
    "gemv_turned": lambda data: gemv(data, True),
    "axpy": axpy,
    "dot": lambda data: lambda: blas.sdot(data["v"], data["w"]),
    "nrm2": lambda data: lambda: blas.snrm2(data["v"]),
    "asum": lambda data: lambda: blas.sasum(data["v"]),
    "batch": lambda data: lambda: np.matmul(data["p"], data["q"]),
})

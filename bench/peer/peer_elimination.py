"""numpy's and scipy's side of bench/elimination.lua."""
try:
    import numpy as np
    import scipy
    import scipy.linalg
    from peer_server import serve
except ImportError as problem:
    print("missing", f"{problem}: apt-get install python3-numpy python3-scipy", flush=True)
    raise SystemExit


def dense(data, name):
    a, b = data[name + "_a"], data[name + "_b"]
    columns = b if b.ndim == a.ndim else b[..., None]
    return lambda: np.linalg.solve(a, columns).reshape(b.shape)


def definite(data, name):
    a, b = data[name + "_a"], data[name + "_b"]
    return lambda: scipy.linalg.cho_solve(scipy.linalg.cho_factor(a), b)


def banded(data, name):
    lower, diagonal, upper, b = (data[name + part] for part in ("_l", "_d", "_u", "_b"))
    bands = np.zeros((3, len(diagonal)), diagonal.dtype)
    bands[0, 1:], bands[1], bands[2, :-1] = upper[:-1], diagonal, lower[1:]
    return lambda: scipy.linalg.solve_banded((1, 1), bands, b)


def bands_of_each(data, name):
    lower, diagonal, upper, b = (data[name + part] for part in ("_l", "_d", "_u", "_b"))

    def run():
        x = np.empty_like(b)
        bands = np.zeros((3, b.shape[1]), b.dtype)
        for s in range(b.shape[0]):
            bands[0, 1:], bands[1], bands[2, :-1] = upper[s, :-1], diagonal[s], lower[s, 1:]
            x[s] = scipy.linalg.solve_banded((1, 1), bands, b[s])
        return x
    return run


def case(make, name):
    return lambda data: make(data, name)


NAMES = {"dense": dense, "spd": definite, "long": banded, "short": bands_of_each}
cases = {name + tail: case(make, name + tail) for name, make in NAMES.items() for tail in
         ("", "_double", "512", "512_double", "1024", "1024_double", "4", "8", "16", "32", "columns", "columns_double")}
serve(f"numpy {np.__version__}, scipy {scipy.__version__}", cases)

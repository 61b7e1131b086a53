"""scipy.sparse.linalg's side of bench/cg.lua: cases are NAME, the solution to the tolerance NAME_tolerance, and NAME_residual, its true
residual, in double, and the number of iterations."""
try:
    import numpy as np
    import scipy
    import scipy.sparse
    import scipy.sparse.linalg
    from peer_server import serve
except ImportError as problem:
    print("missing", f"{problem}: apt-get install python3-scipy", flush=True)
    raise SystemExit


def solver(data, name):
    offsets = data[name + "_offsets"]
    size = len(offsets) - 1
    a = scipy.sparse.csr_matrix((data[name + "_values"], data[name + "_columns"], offsets), shape=(size, size))
    b, tolerance = data[name + "_b"], float(data[name + "_tolerance"][0])

    def solve(callback=None):
        try:
            return scipy.sparse.linalg.cg(a, b, rtol=tolerance, atol=0, callback=callback)[0]
        except TypeError:  # before scipy 1.12
            return scipy.sparse.linalg.cg(a, b, tol=tolerance, atol=0, callback=callback)[0]

    return a, b, solve


def residual(data, name):
    a, b, solve = solver(data, name)

    def run():
        count = 0

        def callback(_):
            nonlocal count
            count += 1

        x = solve(callback).astype(np.float64)
        r = b.astype(np.float64) - a.astype(np.float64) @ x
        return np.array([np.linalg.norm(r) / np.linalg.norm(b.astype(np.float64)), count])

    return run


class Cases(dict):
    def __missing__(self, name):
        if name.endswith("_residual"):
            return lambda data: residual(data, name.removesuffix("_residual"))
        return lambda data: solver(data, name)[2]


serve("scipy " + scipy.__version__, Cases())

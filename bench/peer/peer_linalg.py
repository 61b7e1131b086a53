"""numpy's side of bench/linalg.lua."""
try:
    import numpy as np
    from peer_server import serve
except ImportError as problem:
    print("missing", f"{problem}: apt-get install python3-numpy", flush=True)
    raise SystemExit

FUNCTIONS = {
    "svd": lambda a: np.linalg.svd(a)[1],
    "eigh": lambda a: np.linalg.eigh(a)[0],
    "qr": lambda a: np.abs(np.linalg.qr(a)[1]),
    "inv": np.linalg.inv,
    "pinv": np.linalg.pinv,
    "det": np.linalg.det,
}


def case(function, name):
    return lambda data: lambda: function(data[name])


cases = {f"{name}_{kind}{n}": case(function, f"{kind}{n}")
         for name, function in FUNCTIONS.items() for kind in ("float", "double") for n in (3, 8, 32, 512)}
serve(f"numpy {np.__version__}", cases)

"""scipy.sparse's and torch's side of bench/spmv.lua: torch is omitted if it is not installed."""
try:
    import numpy as np
    import scipy
    import scipy.sparse
    from peer_server import serve
except ImportError as problem:
    print("missing", f"{problem}: apt-get install python3-scipy", flush=True)
    raise SystemExit
try:
    import torch
except ImportError:
    torch = None


def matrix(data, name):
    size = len(data[name + "_offsets"]) - 1
    parts = data[name + "_values"], data[name + "_columns"], data[name + "_offsets"]
    return scipy.sparse.csr_matrix(parts, shape=(size, size))


def product(data, name):
    a, x = matrix(data, name), data[name + "_x"]
    return lambda: a @ x


def transposed(data, name):
    a = matrix(data, name)
    return lambda: a.transpose().tocsr().data


def torch_product(data, name):
    if not torch:
        raise RuntimeError("torch is not installed")
    parts = (torch.from_numpy(data[name + part]) for part in ("_offsets", "_columns", "_values"))
    size = len(data[name + "_offsets"]) - 1
    a, x = torch.sparse_csr_tensor(*parts, size=(size, size)), torch.from_numpy(data[name + "_x"])
    return lambda: (a @ x).numpy()


NAMES = ("stiff", "stencil", "places", "skewed", "block")
cases = {name: (lambda name: lambda data: product(data, name))(name) for name in NAMES}
cases.update({name + "_torch": (lambda name: lambda data: torch_product(data, name))(name) for name in NAMES})
cases["transpose"] = lambda data: transposed(data, "stencil")
serve("scipy " + scipy.__version__ + (", torch " + torch.__version__ if torch else ""), cases)

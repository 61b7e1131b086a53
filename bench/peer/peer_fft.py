"""The libraries' side of bench/fft.lua, by argument: "numpy", "scipy" (all cores), "torch" (all cores) or "fftw" (plans measured beforehand; one
thread). Complex numbers are transferred as rows of two floats."""
import ctypes
import ctypes.util
import os
import sys

library = sys.argv[1]
try:
    import numpy as np
    from peer_server import serve
    if library == "scipy":
        import scipy.fft
    elif library == "torch":
        import torch
except ImportError as problem:
    print("missing", f"{problem}: apt-get install python3-{library}", flush=True)
    raise SystemExit


ESTIMATE = 64  # FFTW's flag, for lengths that it would measure for minutes


def complex_of(data, name):
    return np.ascontiguousarray(data[name]).view(np.complex64)[..., 0]


def floats_of(array):
    return np.ascontiguousarray(array.astype(np.complex64))[..., np.newaxis].view(np.float32)


class Result:
    """The result of a case, which is converted to floats only on request."""
    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None):
        return floats_of(np.asarray(self.array))


def axes_of(name, array):
    return (array.ndim - 1,) if name.startswith("rows") else tuple(range(array.ndim))


class Numpy:
    what = "numpy " + np.__version__ + ", in double"

    def transform(self, x, axes):
        return lambda: Result(np.fft.fftn(x, axes=axes))

    def halve(self, x):
        return lambda: Result(np.fft.rfft(x))


class Scipy:
    def __init__(self):
        self.workers = os.cpu_count()
        self.what = f"scipy.fft {scipy.__version__}, workers = {self.workers}"

    def transform(self, x, axes):
        return lambda: Result(scipy.fft.fftn(x, axes=axes, workers=self.workers))

    def halve(self, x):
        return lambda: Result(scipy.fft.rfft(x, workers=self.workers))


class Torch:
    def __init__(self):
        torch.set_num_threads(os.cpu_count())
        self.what = f"torch {torch.__version__}, all cores"

    def transform(self, x, axes):
        y = torch.from_numpy(x)
        return lambda: Result(torch.fft.fftn(y, dim=axes))

    def halve(self, x):
        y = torch.from_numpy(x)
        return lambda: Result(torch.fft.rfft(y))


class Fftw:
    what = "FFTW, one thread"

    def __init__(self):
        self.fftw = ctypes.CDLL(ctypes.util.find_library("fftw3f") or "libfftw3f.so.3")
        self.fftw.fftwf_plan_many_dft.restype = ctypes.c_void_p
        self.fftw.fftwf_plan_dft_r2c.restype = ctypes.c_void_p

    def planned(self, plan, result, *kept):
        if not plan:
            raise RuntimeError("FFTW makes no plan")

        def run():
            self.fftw.fftwf_execute(ctypes.c_void_p(plan))
            return Result(result)
        run.kept = kept
        return run

    def transform(self, x, axes):
        """Creates a plan; measuring overwrites the arrays."""
        sizes = [x.shape[axis] for axis in axes]
        count = x.size // int(np.prod(sizes))
        a, r = np.empty_like(x), np.empty_like(x)
        n = (ctypes.c_int * len(sizes))(*sizes)
        one, apart = 1, int(np.prod(sizes))
        flags = 0 if apart <= 1 << 20 else ESTIMATE
        plan = self.fftw.fftwf_plan_many_dft(len(sizes), n, count, a.ctypes.data_as(ctypes.c_void_p), None, one, apart,
                                             r.ctypes.data_as(ctypes.c_void_p), None, one, apart, -1, flags)
        a[...] = x
        return self.planned(plan, r, a)

    def halve(self, x):
        a, r = np.empty_like(x), np.empty(x.size // 2 + 1, np.complex64)
        n = (ctypes.c_int * 1)(x.size)
        plan = self.fftw.fftwf_plan_dft_r2c(1, n, a.ctypes.data_as(ctypes.c_void_p), r.ctypes.data_as(ctypes.c_void_p), 0)
        a[...] = x
        return self.planned(plan, r, a)


def case(name):
    def prepare(data):
        if name.startswith("real"):
            return peer.halve(np.ascontiguousarray(data[name]))
        x = complex_of(data, name)
        return peer.transform(x, axes_of(name, x))
    return prepare


class Cases(dict):
    def __missing__(self, name):
        return case(name)


try:
    peer = {"numpy": Numpy, "scipy": Scipy, "torch": Torch, "fftw": Fftw}[library]()
except OSError as problem:
    print("missing", f"{problem}: apt-get install libfftw3-single3", flush=True)
    raise SystemExit
serve(peer.what, Cases())

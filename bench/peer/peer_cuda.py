"""CuPy's or PyTorch's side of bench/gpu.lua, by argument: "cupy" or "torch". CuPy's sums, scans and sorts are CUB's. Data are copied
to the device before timing, and a case ends when the device has finished."""
import sys

library = sys.argv[1]
try:
    import numpy as np
    from peer_server import serve
    xp = __import__(library)
except ImportError as problem:
    print("missing", f"{problem}: install {library}, on a machine with CUDA", flush=True)
    raise SystemExit


class Result:
    """A result on the device, copied to the host when it is saved."""

    def __init__(self, array, host):
        self.array, self.host = array, host

    def __array__(self, dtype=None):
        values = np.asarray(self.host(self.array))
        return values if dtype is None else values.astype(dtype)


class Cupy:
    def __init__(self):
        self.finish = lambda: xp.cuda.Device().synchronize()
        self.host = xp.asnumpy
        self.saxpy_kernel = xp.ElementwiseKernel("float32 a, float32 x, float32 y", "float32 r", "r = a * x + y", "saxpy")

    def given(self, array):
        return xp.asarray(array)

    def like(self, array):
        return xp.empty_like(array)

    def copy(self, a, r):
        xp.copyto(r, a)
        return r

    def saxpy(self, x, y, r):
        return self.saxpy_kernel(np.float32(2.5), x, y, r)

    def scan(self, x, r):
        return xp.cumsum(x, out=r)

    def sort(self, u):
        return xp.sort(u)

    def gather(self, x, index):
        return xp.take(x, index)

    def fft(self, x):
        return xp.fft.fft(x.view(xp.complex64)[..., 0]).view(xp.float32).reshape(x.shape)


class Torch:
    def __init__(self):
        self.finish = xp.cuda.synchronize
        self.host = lambda tensor: tensor.cpu().numpy()

    def given(self, array):
        return xp.from_numpy(array).cuda()

    def like(self, array):
        return xp.empty_like(array)

    def copy(self, a, r):
        return r.copy_(a)

    def saxpy(self, x, y, r):
        return xp.add(y, x, alpha=2.5, out=r)

    def scan(self, x, r):
        return xp.cumsum(x, 0, out=r)

    def sort(self, u):
        return xp.sort(u).values

    def gather(self, x, index):
        return xp.index_select(x, 0, index)

    def fft(self, x):
        return xp.view_as_real(xp.fft.fft(xp.view_as_complex(x)))


side = {"cupy": Cupy, "torch": Torch}[library]()


def case(make):
    """Makes a case from a function that takes the data on the device and returns the function to time."""
    def prepare(data):
        work = make(lambda name: side.given(data[name]))
        side.finish()

        def run():
            result = work()
            side.finish()
            return Result(result, side.host)
        return run
    return prepare


def into_new(work, *names):
    def make(given):
        arrays = [given(name) for name in names]
        result = side.like(arrays[0])
        return lambda: work(*arrays, result)
    return case(make)


def plain(work, *names):
    def make(given):
        arrays = [given(name) for name in names]
        return lambda: work(*arrays)
    return case(make)


serve(library + " " + xp.__version__, {
    "copy": into_new(side.copy, "x"),
    "saxpy": into_new(side.saxpy, "x", "y"),
    "sum": plain(lambda x: x.sum(), "x"),
    "scan": into_new(side.scan, "x"),
    "filter": plain(lambda x: x[x < 0.5], "x"),
    "transpose": into_new(lambda m, r: side.copy(m.T, r), "m"),
    "sort": plain(side.sort, "k"),
    "gather": plain(side.gather, "quarter", "index"),
    "matmul": plain(lambda a, b: a @ b, "a", "b"),
    **{f"fft{i}": plain(side.fft, f"fft{i}") for i in (1, 2, 3)},
})

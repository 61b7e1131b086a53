"""PyOpenCL's side of bench/pocl.lua: the same kernels on the first OpenCL device of type CPU, which is PoCL's."""
try:
    import numpy as np
    import pyopencl as cl
    import pyopencl.array
    import pyopencl.reduction
    import pyopencl.scan
    from peer_server import serve
except ImportError as problem:
    print("missing", f"{problem}: apt-get install python3-pyopencl pocl-opencl-icd", flush=True)
    raise SystemExit

KERNELS = """
kernel void saxpy(float a, global const float *x, global const float *y, global float *r)
{
    size_t i = get_global_id(0);
    r[i] = a * x[i] + y[i];
}

kernel void gather(global const float *x, global const int *index, global float *r)
{
    size_t i = get_global_id(0);
    r[i] = x[index[i]];
}

kernel void stencil(global const float *u, global float *r)
{
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    int width = (int)get_global_size(0), height = (int)get_global_size(1);
    int west = max(x - 1, 0), east = min(x + 1, width - 1), north = max(y - 1, 0), south = min(y + 1, height - 1);
    r[y * width + x] = 0.25f * (u[y * width + west] + u[y * width + east] + u[north * width + x] + u[south * width + x]);
}

kernel void heavy(global const float *x, global float *r)
{
    size_t i = get_global_id(0);
    float v = x[i];
    for (int k = 0; k < 32; k++)
        v = v * (1.5f - v * v * 0.25f);
    r[i] = v;
}
"""

try:
    device = next(d for p in cl.get_platforms() for d in p.get_devices() if d.type & cl.device_type.CPU)
except (cl.Error, StopIteration):
    print("missing", "no OpenCL on the processor: apt-get install pocl-opencl-icd", flush=True)
    raise SystemExit

context = cl.Context([device])
queue = cl.CommandQueue(context)
program = cl.Program(context, KERNELS).build()


def given(data, name):
    return cl.array.to_device(queue, data[name])


class Result:
    """A result on the device, which is copied to the host when it is saved, not when it is timed."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None):
        return self.array.get() if dtype is None else self.array.get().astype(dtype)


def launch(name, result, *arguments):
    kernel = cl.Kernel(program, name)
    shape = result.shape[::-1]

    def run():
        kernel(queue, shape, None, *arguments, result.data)
        queue.finish()
        return Result(result)
    return run


def saxpy(data):
    x, y = given(data, "x"), given(data, "y")
    return launch("saxpy", cl.array.empty_like(x), np.float32(2.5), x.data, y.data)


def gather(data):
    x, index = given(data, "x"), given(data, "index")
    return launch("gather", cl.array.empty_like(x), x.data, index.data)


def stencil(data):
    m = given(data, "m")
    return launch("stencil", cl.array.empty_like(m), m.data)


def heavy(data):
    x = given(data, "x")
    return launch("heavy", cl.array.empty_like(x), x.data)


def total(data):
    x = given(data, "x")
    kernel = cl.reduction.ReductionKernel(context, np.float32, neutral="0", reduce_expr="a + b", map_expr="x[i]",
                                          arguments="__global const float *x")
    return lambda: kernel(x, queue=queue).get()


def scan(data):
    x = given(data, "x")
    result = cl.array.empty_like(x)
    kernel = cl.scan.InclusiveScanKernel(context, np.float32, "a + b", neutral="0")

    def run():
        kernel(x, result, queue=queue)
        queue.finish()
        return Result(result)
    return run


serve(device.platform.version, {
    "saxpy": saxpy, "gather": gather, "stencil": stencil, "heavy": heavy, "sum": total, "scan": scan,
})

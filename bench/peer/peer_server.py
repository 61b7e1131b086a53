"""The Python end of bench/support/pipe.lua, which describes the protocol. A case is a function that takes the data
sent so far, prepares everything that is not timed, and returns the function to time, which returns the case's result."""
import sys
import time

import numpy as np

TYPES = {"float": np.float32, "double": np.float64, "int": np.int32, "uint": np.uint32, "bool": np.uint32}


def type_name(array):
    return next(name for name, kind in TYPES.items() if array.dtype == kind)


def narrowed(result):
    """Converts to rill's types: 64-bit integers to int, single numbers and 64-bit floats to float."""
    array = np.atleast_1d(np.asarray(result))
    wide = {np.dtype(np.int64): np.int32, np.dtype(np.float64): np.float32}
    return np.ascontiguousarray(array.astype(wide.get(array.dtype, array.dtype)))


class Server:
    def __init__(self, cases):
        self.cases, self.data, self.prepared = cases, {}, {}

    def case(self, name):
        if name not in self.prepared:
            self.prepared[name] = self.cases[name](self.data)
        return self.prepared[name]

    def give(self, name, kind, shape, path):
        sizes = [int(size) for size in shape.split("x")]
        self.data[name] = np.fromfile(path, TYPES[kind]).reshape(sizes)
        self.prepared.clear()
        return "ok"

    def time(self, name):
        run = self.case(name)
        start = time.perf_counter()
        run()
        return repr(time.perf_counter() - start)

    def save(self, name, path):
        array = narrowed(self.case(name)())
        array.tofile(path)
        return type_name(array) + " " + "x".join(str(size) for size in array.shape)


def serve(what, cases):
    server = Server(cases)
    print("ready", what, flush=True)
    for line in sys.stdin:
        verb, *words = line.split()
        try:
            reply = getattr(server, verb)(*words)
        except Exception as problem:  # the other end prints it, and goes on with the next case
            reply = "error: " + " ".join(repr(problem).split())
        print(reply, flush=True)

"""pandas' and numpy's side of bench/tables.lua. The argument, if any, is the path of a CSV file."""
try:
    import sys

    import numpy as np
    import pandas as pd
    from peer_server import serve
except ImportError as problem:
    print("missing", f"{problem}: apt-get install python3-pandas", flush=True)
    raise SystemExit


def frame(data, *names):
    return pd.DataFrame({name: data[name] for name in names})


def sort(data):
    t = frame(data, "a", "b", "k", "x", "j")
    return lambda: t.sort_values(["a", "b"])["x"]


def join(how, result):
    def case(data):
        t, u = frame(data, "a", "b", "k", "x", "j"), pd.DataFrame({"k": data["keys"], "v": data["values"]})
        return lambda: result(t.merge(u, on="k", how=how)["v"])
    return case


def group(names, column):
    def case(data):
        t = frame(data, "a", "b", "k", "x", "j")
        return lambda: column(t.groupby(names)["x"])
    return case


def select(data):
    t = frame(data, "a", "b", "k", "x", "j")
    return lambda: t[(t.x > 0.5) & (t.j == 3)]["k"]


def lookup(keys, names):
    def case(data):
        table = pd.Series(data["values"], index=data[names])
        wanted = pd.Series(data[keys])
        return lambda: wanted.map(table)
    return case


def csv(column, **options):
    return lambda data: lambda: column(pd.read_csv(sys.argv[1], engine="c", **options))


serve(f"pandas {pd.__version__}, numpy {np.__version__}", {
    "group": group(["a", "j"], lambda g: (g.mean(), g.quantile(0.9).to_numpy().astype(np.float32))[1]),
    "group_mean": group(["a", "j"], lambda g: (g.mean(), g.std().to_numpy().astype(np.float32))[1]),
    "group_max": group("k", lambda g: g.max().to_numpy().astype(np.float32)),
    "filter": select,
    "sort": sort,
    "join": join("inner", lambda v: v.to_numpy().sum(dtype=np.float64)),  # in another order
    "join_left": join("left", lambda v: v),
    "lexsort": lambda data: lambda: np.lexsort((data["b"], data["a"])),
    "lookup": lookup("k", "keys"),
    "lookup_spread": lookup("w", "spread"),
    "isin": lambda data: lambda: np.isin(data["w"], data["spread"]).astype(np.int32),
    "intersect": lambda data: lambda: np.intersect1d(data["w"], data["spread"]),
    "csv": csv(lambda t: t["fare"]),
    "csv_category": csv(lambda t: t["zone"].cat.codes.to_numpy().astype(np.int32), dtype={"zone": "category"}),
})

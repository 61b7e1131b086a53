# Runs the cases of fuzz/pandas.lua with pandas: pandas_frames.py FILE. Each line of the file is a case, an expression of
# Python. Prints the differences to the results of rill, and their number.
import math
import sys

import numpy as np
import pandas as pd

nan, inf = math.nan, math.inf
DTYPES = {"double": "float64", "float": "float32", "int": "int32", "uint": "uint32", "int8": "int8",
          "uint16": "uint16", "bool": "bool"}
REAL = ("double", "float")


def series(kind, values):
    if kind == "category":
        return pd.Series([None if v is False else v for v in values], dtype=object)
    return pd.Series(values, dtype=DTYPES[kind])


def frame(columns):
    return pd.DataFrame({name: series(kind, values or []) for name, kind, values in columns})


def wide(s):
    return s.astype("float64") if s.dtype != object else s


def holds(t, term):
    test = term["test"]
    s = t[test[0]]
    if test[1] == "missing":
        r = s.isna()
    elif test[1] == "is":
        r = s.copy()
    else:
        operator, value = test[1], test[2]
        if s.dtype == object:
            known = s.notna()
            r = pd.Series([compare(operator, a, value) if k else operator == "!=" for a, k in zip(s, known)],
                          index=s.index, dtype=bool)
        else:
            r = pd.Series(compare(operator, wide(s).to_numpy(), float(value)), index=s.index, dtype=bool)
    return ~r if term["negated"] else r


def compare(operator, a, b):
    return {"==": lambda: a == b, "!=": lambda: a != b, "<": lambda: a < b, "<=": lambda: a <= b, ">": lambda: a > b,
            ">=": lambda: a >= b}[operator]()


def run_filter(t, o):
    parts = [[holds(t, o["terms"][0])]]
    for term in o["terms"][1:]:
        if term["join"] == "or":
            parts.append([])
        parts[-1].append(holds(t, term))
    total = None
    for part in parts:
        both = part[0]
        for other in part[1:]:
            both = both & other
        total = both if total is None else total | both
    return t[total.astype(bool)]


def run_with(t, o):
    a, b = t[o["left"]], t[o["right"]]
    unsigned = [s.dtype.kind == "u" for s in (a, b)]
    if any(s.dtype == "float64" for s in (a, b)):
        a, b = a.astype("float64"), b.astype("float64")
    elif any(s.dtype == "float32" for s in (a, b)):
        a, b = a.astype("float32"), b.astype("float32")
    else:
        kind = "uint32" if any(unsigned) else "int32"
        a, b = a.astype("int64").astype(kind), b.astype("int64").astype(kind)
    r = a + b if o["operator"] == "+" else a - b if o["operator"] == "-" else a * b
    t = t.copy()
    t[o["name"]] = r
    return t


def run_sort(t, o):
    for name, down in reversed(list(zip(o["names"], o["down"]))):
        t = t.sort_values(name, ascending=not down, kind="stable", na_position="last")
    return t


def positive(t, names):
    t = t.copy()
    for name in names:
        if t[name].dtype.kind == "f":
            t[name] = t[name] + 0.0
    return t


def run_unique(t, o):
    return t[~positive(t, o["names"]).duplicated(o["names"])]


def result_of(g, f, q):
    # g is a Series without missing values
    n = len(g)
    if f == "count":
        return n
    if f == "nunique":
        return g.nunique()
    if f in ("first", "last"):
        return (g.iloc[0] if f == "first" else g.iloc[-1]) if n else None
    if f == "any":
        return bool((g != 0).any())
    if f == "all":
        return bool((g != 0).all())
    if f in ("min", "max"):
        return getattr(g, f)() if n else nan
    g = g.astype("float64")
    if f == "quantile":
        return g.quantile(q)
    return getattr(g, f)()


def aggregate(t, keys, list_of):
    # The functions of a grouped frame of pandas, and for types for which they differ, of each group.
    g = positive(t, keys).groupby(keys, dropna=False, sort=True, observed=True)
    index = g.size().reset_index()[keys]
    out = {name: index[name] for name in keys}
    for a in list_of:
        f, column = a["f"], a.get("column")
        if column is None:
            out[a["name"]] = g.size().to_numpy()
            continue
        s = t[column]
        if s.dtype == object or s.dtype == bool or f in ("any", "all"):
            values = [result_of(s.loc[i].dropna(), f, a.get("q")) for i in g.groups.values()] if False else [
                result_of(s.iloc[np.sort(i)].dropna(), f, a.get("q")) for i in positions(g)]
            out[a["name"]] = pd.Series(values, dtype=object if s.dtype == object and f in ("first", "last") else None)
        else:
            h = wide(s).groupby([positive(t, keys)[k] for k in keys], dropna=False, sort=True, observed=True)
            r = h.quantile(a["q"]) if f == "quantile" else getattr(h, f)()
            out[a["name"]] = r.to_numpy()
    return pd.DataFrame(out)


def positions(g):
    number = g.ngroup().to_numpy()
    return [np.nonzero(number == k)[0] for k in range(g.ngroups)]


def run_group(t, o):
    return aggregate(t.reset_index(drop=True), o["keys"], o["list"])


def run_join(t, o):
    u = frame(o["table"])
    left, right, how = o["left"], o["right"], o["how"]
    t, u = positive(t, left).reset_index(drop=True), positive(u, right)
    for a, b in zip(left, right):
        if t[a].dtype == bool:
            continue
        if t[a].dtype != object:
            t[a + "\0"], u[b] = t[a].astype("float64"), u[b].astype("float64")
        else:
            t[a + "\0"] = t[a]
    keys = [a + "\0" if t[a].dtype != bool else a for a in left]
    if how in ("semi", "anti"):
        t["row\0"] = range(len(t))
        m = t.merge(u[right].drop_duplicates(), left_on=keys, right_on=right, how="inner")
        found = t["row\0"].isin(m["row\0"])
        return t[found if how == "semi" else ~found].drop(columns=[k for k in t.columns if k.endswith("\0")])
    names = [n for n in u.columns if n not in right]
    u = u.rename(columns={n: n + "_2" for n in names if n in t.columns})
    t["row\0"], u["other\0"] = np.arange(len(t)), np.arange(len(u))
    m = t.merge(u, left_on=keys, right_on=right, how=how)
    m = m.sort_values(["row\0", "other\0"], na_position="last", kind="stable")
    for a, b in zip(left, right):
        only = m["row\0"].isna()
        if only.any():
            m[a] = m[a].astype(object).where(~only, m[b])
    keep = [n for n in t.columns if not n.endswith("\0")] + [n for n in u.columns if n not in right and n != "other\0"]
    for n in keep:
        own, source = (t[n].dtype, "row\0") if n in t.columns else (u[n].dtype, "other\0")
        if own.kind in "iub" and n not in left:
            m[n] = m[n].astype(object).where(m[source].notna(), o["default"] if own.kind != "b" else True)
    return m[keep]


def run_concat(t, o):
    return pd.concat([t, frame(o["table"])], ignore_index=True)


def run_melt(t, o):
    return t.melt(id_vars=[o["id"]], value_vars=o["values"])


def run_pivot(t, o):
    t = positive(t.reset_index(drop=True), [o["index"], o["columns"]])
    rows = t.groupby([o["index"]], dropna=False, sort=True)
    cols = t.groupby([o["columns"]], dropna=False, sort=True)
    s = t[o["values"]]
    out = {"\0index": rows.size().reset_index()[o["index"]]}
    r, c = rows.ngroup().to_numpy(), cols.ngroup().to_numpy()
    for k in range(cols.ngroups):
        values = []
        for i in range(rows.ngroups):
            here = np.nonzero((r == i) & (c == k))[0]
            if len(here):
                values.append(result_of(s.iloc[here].dropna(), o["f"], None))
            elif o["f"] in ("sum", "mean") or s.dtype.kind == "f" and o["f"] in ("first", "max"):
                values.append(nan)
            elif s.dtype == object and o["f"] in ("first", "last"):
                values.append(None)
            else:
                values.append(True if s.dtype == bool and o["f"] in ("first", "max") else o["default"])
        out["\0%d" % k] = pd.Series(values, dtype=object)
    return pd.DataFrame(out)


def run(t, o):
    op = o["op"]
    if op == "rows":
        return t.iloc[o["first"] - 1:o["last"]]
    if op == "take":
        return t.iloc[o["indices"] or []]
    return globals()["run_" + op](t, o)


def missing(v):
    return v is None or v is False or isinstance(v, (float, np.floating)) and math.isnan(v)


def same(kind, a, b):
    if kind == "category":
        return missing(a) and missing(b) or a == b
    if kind == "bool":
        return (b is False or not missing(b)) and bool(a) == bool(b)
    if missing(b) or isinstance(b, str):
        return isinstance(a, float) and math.isnan(a) and not isinstance(b, str)
    a, b = float(a), float(b)
    if a == b or math.isnan(a) and math.isnan(b):
        return True
    return abs(a - b) <= (1e-6 if kind == "float" else 1e-9) * max(1, abs(a), abs(b))


def difference(t, o, columns):
    if o["op"] != "pivot" and list(t.columns) != [c[0] for c in columns]:
        return "columns %r, rill has %r" % (list(t.columns), [c[0] for c in columns])
    if len(t.columns) != len(columns):
        return "%d columns, rill has %d" % (len(t.columns), len(columns))
    for k, (name, kind, values) in enumerate(columns):
        values = values or []
        mine = t.iloc[:, k].tolist()
        if len(mine) != len(values):
            return "column %r has %d rows, rill %d" % (name, len(mine), len(values))
        for i, (a, b) in enumerate(zip(values, mine)):
            if not same(kind, a, b):
                return "row %d of column %r is %r, rill has %r" % (i, name, b, a)
    return None


def main():
    wrong = count = 0
    for line in open(sys.argv[1], encoding="utf-8"):
        case = eval(line)
        t = frame(case["first"])
        for step in case["steps"] or []:
            count += 1
            o = step["o"]
            try:
                found = difference(run(t, o), o, step["result"] or [])
            except Exception as error:  # a difference, too
                found = "pandas: %s: %s" % (type(error).__name__, error)
            if found:
                wrong += 1
                print("seed %d: %s: %s" % (case["seed"], o["op"], found))
                print("   ", {k: v for k, v in o.items() if k != "table"})
            t = frame(step["result"] or [])
    print("operations %d, differences %d" % (count, wrong))


main()

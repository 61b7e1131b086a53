"""scipy's side of bench/neighbors.lua: k-d trees with two workers. A case builds the tree and queries it."""
try:
    import scipy
    from scipy.spatial import cKDTree
    from peer_server import serve
except ImportError as problem:
    print("missing", f"{problem}: apt-get install python3-scipy", flush=True)
    raise SystemExit


def nearest(name, k):
    def prepare(data):
        points = data[name]
        return lambda: cKDTree(points).query(points, k=k, workers=2)[0]
    return prepare


def within(data):
    points, radius = data["uniform"], float(data["radius"][0])
    return lambda: cKDTree(points).query_ball_point(points, radius, workers=2, return_length=True)


cases = {f"{name}{k}": nearest(name, k) for name in ("uniform", "surface", "clusters") for k in (1, 8, 32)}
cases["within"] = within
serve("scipy " + scipy.__version__, cases)

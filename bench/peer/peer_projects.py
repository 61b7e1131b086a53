"""The programs of docs/guide_projects.md in numpy, scipy and pandas, for bench/projects.lua. Argument "torch": the network in PyTorch."""
import os
import sys

# Workers that wait actively would occupy the cores while rill is measured.
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
TORCH = len(sys.argv) > 1 and sys.argv[1] == "torch"
try:
    if TORCH:
        import torch
    else:
        import pandas as pd
        import scipy
        from scipy import fft, signal, sparse
        from scipy.sparse import csgraph
        from scipy.spatial import cKDTree
    import numpy as np
    from peer_server import serve
except ImportError as problem:
    print("missing", f"{problem}: apt-get install python3-scipy python3-pandas python3-torch", flush=True)
    raise SystemExit

CORES = len(os.sched_getaffinity(0))


def flow(data):
    c = np.array([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)])
    w = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, np.float32)
    u, kind = np.moveaxis(data["u"], 2, 0), data["kind"]
    wall, inlet, rate = kind == 1, kind == 2, np.float32(1 / (3 * 0.01 + 0.5))

    def equilibrium(rho, u):
        cu = 3 * np.tensordot(c.astype(np.float32), u, 1)
        return w[:, None, None] * rho * (1 + cu + 0.5 * cu * cu - 1.5 * (u * u).sum(0))

    def run():
        f = equilibrium(np.float32(1), u)
        given = equilibrium(np.float32(1), np.array([0.1, 0], np.float32)[:, None, None])
        for _ in range(100):
            f = np.stack([np.roll(f[i], (y, x), (0, 1)) for i, (x, y) in enumerate(c)])
            rho = f.sum(0)
            g = f + rate * (equilibrium(rho, np.tensordot(c.T.astype(np.float32), f, 1) / rho) - f)
            g[:, wall] = f[:, wall][[0, 3, 4, 1, 2, 7, 8, 5, 6]]
            g[:, inlet] = given[:, :, 0]
            f = g
        return np.moveaxis(np.tensordot(c.T.astype(np.float32), f, 1) / f.sum(0), 0, 2)
    return run


def patterns(data):
    def laplacian(a):
        up, down = np.roll(a, 1, 0), np.roll(a, -1, 0)
        axes = up + down + np.roll(a, 1, 1) + np.roll(a, -1, 1)
        diagonals = np.roll(up, 1, 1) + np.roll(up, -1, 1) + np.roll(down, 1, 1) + np.roll(down, -1, 1)
        return np.float32(0.2) * axes + np.float32(0.05) * diagonals - a

    def run():
        a, b = data["s"][..., 0].copy(), data["s"][..., 1].copy()
        for _ in range(100):
            reaction = a * b * b
            a, b = (a + laplacian(a) + np.float32(0.0367) * (1 - a) - reaction,
                    b + np.float32(0.5) * laplacian(b) + reaction - np.float32(0.0367 + 0.0649) * b)
        return np.stack([a, b], 2)
    return run


def icp(data):
    source, target = data["scan"].astype(np.float64), data["model"].astype(np.float64)

    def run():
        tree, moved, T = cKDTree(target), source, np.eye(4)
        for _ in range(20):
            pair = target[tree.query(moved, workers=CORES)[1]]
            a, b = moved.mean(0), pair.mean(0)
            u, _, v = np.linalg.svd((moved - a).T @ (pair - b))
            step = np.eye(4)
            step[:3, :3] = v.T @ np.diag([1, 1, np.linalg.det(v.T @ u.T)]) @ u.T
            step[:3, 3] = b - step[:3, :3] @ a
            T, moved = step @ T, moved @ step[:3, :3].T + step[:3, 3]
        return T
    return run


def adam(weights, gradients, moments, step):
    for w, g, (m, v) in zip(weights, gradients, moments):
        m += 0.1 * (g - m)
        v += 0.001 * (g * g - v)
        w -= 1e-3 * (m / (1 - 0.9 ** step)) / (np.sqrt(v / (1 - 0.999 ** step)) + 1e-8)


def network(data):
    def run():
        weights = [data[name].copy() for name in ("W1", "b1", "W2", "b2")]
        moments = [(np.zeros_like(w), np.zeros_like(w)) for w in weights]
        for step, first in enumerate(range(0, len(data["label"]), 100), 1):
            x, label = data["image"][first:first + 100], data["label"][first:first + 100]
            W1, b1, W2, b2 = weights
            hidden = np.maximum(x @ W1 + b1, 0)
            s = hidden @ W2 + b2
            p = np.exp(s - s.max(1, keepdims=True))
            p /= p.sum(1, keepdims=True)
            p[np.arange(100), label] -= 1
            p /= 100
            back = (p @ W2.T) * (hidden > 0)
            adam(weights, (x.T @ back, back.sum(0), hidden.T @ p, p.sum(0)), moments, step)
        return weights[2]
    return run


def network_torch(data):
    def run():
        W1, b1, W2, b2 = [torch.from_numpy(data[name].copy()).requires_grad_() for name in ("W1", "b1", "W2", "b2")]
        optimizer = torch.optim.Adam([W1, b1, W2, b2], lr=1e-3)
        image, label = torch.from_numpy(data["image"]), torch.from_numpy(data["label"]).long()
        for first in range(0, len(label), 100):
            x, y = image[first:first + 100], label[first:first + 100]
            loss = torch.nn.functional.cross_entropy(torch.relu(x @ W1 + b1) @ W2 + b2, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return W2.detach().numpy()
    return run


def ising(data):
    n = 1024
    color = np.add.outer(np.arange(n), np.arange(n)) % 2
    masks = [color == 0, color == 1]
    flip = np.array([1, 1, 1, np.exp(-4 / 2.0), np.exp(-8 / 2.0)], np.float32)
    random = np.random.default_rng(1)

    def run():
        s = np.ones((n, n), np.int32)
        for _ in range(50):
            for mask in masks:
                total = np.roll(s, 1, 0) + np.roll(s, -1, 0) + np.roll(s, 1, 1) + np.roll(s, -1, 1)
                turn = mask & (random.random((n, n), np.float32) < flip[2 + s * total // 2])
                s = np.where(turn, -s, s)
        return s.mean()
    return run


def spectrogram(data):
    def run():
        f = signal.stft(data["sound"], nperseg=1024, noverlap=768, padded=False)[2]
        return np.log10(np.abs(f) * 512 + np.float32(1e-6)) * 20
    return run


def analyze(data):
    trips = pd.DataFrame({name: data[name] for name in ("zone", "hour", "distance", "minutes")})
    zones = pd.DataFrame({"zone": data["zones"], "rate": data["rates"]})

    def run():
        t = trips[(trips.distance > 0.1) & (trips.minutes < 35)].merge(zones, on="zone")
        t = t.assign(fare=3 + t.rate * t.distance + 0.4 * t.minutes)
        groups = t.groupby(["zone", "hour"]).fare
        result = pd.DataFrame({"trips": groups.size(), "mean": groups.mean(), "high": groups.quantile(0.9)})
        return result.sort_values("mean", ascending=False).reset_index()["high"].to_numpy()
    return run


def offset(data):
    a, b = data["first"], data["second"]
    n = len(a)
    w = signal.get_window("hann", n).astype(np.float32)

    def run():
        f, g = [fft.rfft2(x * w * w[:, None], workers=CORES) for x in (a, b)]
        cross = f * g.conj()
        peaks = fft.irfft2(cross / np.maximum(np.abs(cross), np.float32(1e-20)), workers=CORES)
        at = np.array(np.unravel_index(peaks.argmax(), peaks.shape))
        return (at + n // 2) % n - n // 2
    return run


def pagerank(data):
    start, to, n = data["from"], data["to"], 1000000

    def run():
        degree = np.bincount(start, minlength=n)
        share = (1 / degree[start]).astype(np.float32)
        links = sparse.coo_matrix((share, (to, start)), (n, n)).tocsr()
        rank, change = np.full(n, 1 / n, np.float32), 1
        while change > 1e-6:
            lost = rank[degree == 0].sum()
            new = np.float32(0.85) * (links @ rank) + np.float32((0.15 + 0.85 * lost) / n)
            rank, change = new, np.abs(new - rank).sum()
        return rank
    return run


def distances(data):
    start, to, n = data["from"], data["to"], 1000000
    graph = sparse.coo_matrix((np.ones(len(start), np.float32), (start, to)), (n, n)).tocsr()

    def run():
        order, before = csgraph.breadth_first_order(graph, 0)
        position, distance = np.empty(n, np.int32), np.full(n, -1, np.int32)
        position[order] = np.arange(len(order))
        parents, first, step = position[before[order[1:]]], 0, 0  # ascending
        while first < len(order):
            last = 1 + np.searchsorted(parents, first) if step else 1
            distance[order[first:last]] = step
            first, step = last, step + 1
        return distance
    return run


cases = {"network": network_torch} if TORCH else {
    "flow": flow,
    "patterns": patterns,
    "knn": lambda data: lambda: cKDTree(data["points"]).query(data["points"], 8, workers=CORES)[0],
    "icp": icp,
    "network": network,
    "ising": ising,
    "spectrogram": spectrogram,
    "analyze": analyze,
    "offset": offset,
    "pagerank": pagerank,
    "distances": distances,
}
serve(f"PyTorch {torch.__version__.split('+')[0]}" if TORCH else f"scipy {scipy.__version__}, pandas {pd.__version__}", cases)

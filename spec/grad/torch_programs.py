# Records 28 programs and their gradients by PyTorch in torch_programs.npz (PyTorch 1.13, apt install python3-torch
# python3-numpy). torch_programs.lua has the same programs. The inputs are floats, and the computation is in double.
# The archive has, for each program, NAME.x1, NAME.x2 ... (inputs with gradients), NAME.c1 ... (constants), NAME.value,
# and NAME.g1, NAME.g2 ... (gradients).
import os
import numpy as np
import torch
import torch.nn.functional as F

rng = np.random.default_rng(43)
arrays = {}


def normal(*shape, scale=1.0):
    return (scale * rng.standard_normal(shape)).astype(np.float32)


def uniform(low, high, *shape):
    return rng.uniform(low, high, shape).astype(np.float32)


def record(name, inputs, constants, f):
    x = [torch.tensor(a.astype(np.float64), requires_grad=True) for a in inputs]
    c = [torch.tensor(a.astype(np.float64) if a.dtype == np.float32 else a.astype(np.int64)) for a in constants]
    value = f(*x, *c)
    value.backward()
    for i, a in enumerate(inputs):
        arrays["%s.x%d" % (name, i + 1)] = a
        arrays["%s.g%d" % (name, i + 1)] = x[i].grad.numpy()
    for i, a in enumerate(constants):
        arrays["%s.c%d" % (name, i + 1)] = a
    arrays["%s.value" % name] = np.array([value.item()])


def ints(high, *shape):
    return rng.integers(0, high, shape).astype(np.int32)


# Neural networks

record("two_layers", [normal(8, 16, scale=0.4), normal(16), normal(16, 3, scale=0.4), normal(3)], [normal(32, 8), normal(32, 3)],
       lambda w1, b1, w2, b2, x, y: ((torch.tanh(x @ w1 + b1) @ w2 + b2 - y) ** 2).mean())


def convolution(a, w):  # zero outside; the weights are reversed
    r = F.conv2d(a[None, None], torch.flip(w, (0, 1))[None, None], padding=1)[0, 0]
    return torch.sin(r).sum()


record("convolution", [normal(11, 14), normal(3, 3)], [], convolution)


def cross_entropy(w, b, x, labels):
    return F.cross_entropy(x @ w + b, labels[:, 0])


record("cross_entropy", [normal(6, 5), normal(5)], [normal(10, 6), ints(5, 10, 1)], cross_entropy)


def layer_norm(x, gain, bias, target):
    r = F.layer_norm(x, (10,), gain, bias, 1e-5)
    return ((r - target) ** 2).mean()


record("layer_norm", [normal(6, 10), normal(10), normal(10)], [normal(6, 10)], layer_norm)


def attention(q, k, v, target):
    p = torch.softmax(q @ k.T / 2, 1)
    return ((p @ v - target) ** 2).sum()


record("attention", [normal(7, 4), normal(9, 4), normal(9, 5)], [normal(7, 5)], attention)


def recurrent(w, u, b, x):
    h = torch.zeros(6, dtype=torch.float64)
    total = 0
    for t in range(20):
        h = torch.tanh(w @ h + u @ x[t] + b)
        total = total + (h * h).sum()
    return total


record("recurrent", [normal(6, 6, scale=0.5), normal(6, 3), normal(6)], [normal(20, 3)], recurrent)


def logistic(w, b, x, y):
    z = x @ w + b
    return torch.log(1 + torch.exp(-y * z)).mean() + 0.01 * (w * w).sum()


record("logistic", [normal(5), normal(1)], [normal(40, 5), np.sign(normal(40))], logistic)

# Orders and indices

record("cumsum", [normal(37)], [], lambda x: (x * torch.exp(-0.3 * torch.cumsum(x, 0))).sum())
record("cumsum_axis", [normal(5, 8)], [], lambda x: (torch.cumsum(x, 1) ** 2).sum() + torch.cumsum(x, 0).prod(1).sum())
record("sort", [normal(33)], [normal(33)], lambda x, w: (torch.sort(x)[0] ** 2 * w).sum())
record("top_k", [normal(33)], [normal(5)], lambda x, w: (torch.topk(x, 5)[0] * w).exp().sum())
record("gather", [normal(9)], [ints(9, 50), normal(50)], lambda x, i, w: (x[i] ** 2 * w).sum())


def scatter(x, w, i):
    y = torch.zeros(11, dtype=torch.float64).index_add(0, i, x * w)
    return (y ** 3).sum()


record("scatter", [normal(50), normal(50)], [ints(11, 50)], scatter)
record("select", [normal(6, 4)], [ints(6, 9)], lambda x, i: torch.sin(x[i] * torch.arange(1, 10)[:, None]).sum())

# Shapes


def shapes(a, b):
    r = torch.cat([a.T.reshape(4, 3), torch.roll(b, 1, 0)], 1)
    s = torch.stack([r, r * r], 2)
    p = F.pad(s[1:3], (0, 0, 1, 2))
    return torch.cos(p).mul(torch.arange(p.numel()).reshape(p.shape)).sum()


record("shapes", [normal(2, 6), normal(4, 3)], [], shapes)
record("broadcast", [normal(5, 1), normal(1, 4), normal(3, 1, 1)], [],
       lambda a, b, c: torch.tanh(a * b + c / (1 + a * a)).sum())


def overwritten(x, y):
    s = x * 1
    for k in range(5):
        s = 0.5 * s * s + y
        left = torch.sin(s[:4])
        s = torch.cat([left, s[4:] * left[0]])
    return (s * torch.arange(1, 11)).sum()


record("overwritten", [normal(10), normal(10)], [], overwritten)

# Functions and reductions

record("choices", [normal(60), normal(60)], [],
       lambda x, y: (torch.where(x > y, x * x, torch.sin(y)) + torch.minimum(x, y) * torch.maximum(x, 2 * y)
                     + torch.clamp(x, -0.5, 0.7) * y + torch.abs(x - y)).sum())
record("functions", [uniform(0.2, 2, 40), uniform(0.2, 0.9, 40)], [],
       lambda x, y: (torch.log(x) * torch.sqrt(y) + x ** y + torch.atan2(y, x) + torch.asin(y) * torch.cosh(x)
                     + torch.erf(x - y) + 1 / (x + y)).sum())
record("norms", [normal(7, 5)], [], lambda x: x.norm() + (x * x).sum(1).sqrt().prod().log() + x.max() * x.min()
       + (x.max(0)[0] ** 2).sum())
record("products", [uniform(0.5, 1.5, 4, 6)], [], lambda x: x.prod() + (x.prod(1) ** 2).sum() + torch.cumprod(x, 1).sum())
record("deviations", [normal(8, 5)], [],
       lambda x: x.std(unbiased=False) + x.var(unbiased=False) * x.mean() + (x.std(0, unbiased=True) ** 3).sum()
       + x.var(1, unbiased=False).log().sum())

# Linear algebra

record("einsum", [normal(4, 5), normal(5, 6), normal(3, 4)], [],
       lambda a, b, c: torch.sin(torch.einsum("ij,jk,li->lk", a, b, c)).sum() + torch.einsum("ij,ij->i", a, a).prod())


def spectrum(x, w):
    f = torch.fft.fft(x)
    return (torch.abs(f) ** 2 * w).sum() / 48 + torch.fft.ifft(f * w).real.pow(3).sum()


record("spectrum", [normal(48)], [uniform(0, 1, 48)], spectrum)


def solve(a, b, target):
    return ((torch.linalg.solve(a, b) - target) ** 2).sum()


record("solve", [normal(8, 8, scale=0.3) + 2 * np.eye(8, dtype=np.float32), normal(8)], [normal(8)], solve)


def least_squares(a, b):  # 30 steps of gradient descent
    x = torch.zeros(4, dtype=torch.float64)
    for _ in range(30):
        x = x - 0.03 * (a.T @ (a @ x - b))
    return (x ** 2).sum()


record("least_squares", [normal(12, 4), normal(12)], [], least_squares)


def sparse(values, x, rows, columns):
    y = torch.zeros(9, dtype=torch.float64).index_add(0, rows, values * x[columns])
    return torch.tanh(y).pow(2).sum()


rows = np.sort(ints(9, 30))
record("sparse", [normal(30), normal(7)], [rows, ints(7, 30)], sparse)


def diffusion(u, k):  # 20 steps; insulated at the border
    for _ in range(20):
        p = F.pad(u[None, None], (1, 1, 1, 1), mode="replicate")[0, 0]
        u = u + 0.2 * k * (p[1:-1, :-2] + p[1:-1, 2:] + p[:-2, 1:-1] + p[2:, 1:-1] - 4 * u)
    return (u ** 3).sum()


record("diffusion", [normal(9, 12), uniform(0.2, 1, 9, 12)], [], diffusion)

np.savez_compressed(os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_programs.npz"), **arrays)

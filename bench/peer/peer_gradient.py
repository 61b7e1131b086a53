"""PyTorch's side of bench/gradient.lua, on the CPU, all cores."""
import os

# Workers that wait actively would occupy the cores while rill is measured.
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
try:
    import torch
    from torch.nn.functional import pad
    from peer_server import serve
except ImportError as problem:
    print("missing", f"{problem}: apt-get install python3-torch", flush=True)
    raise SystemExit


torch.set_num_threads(len(os.sched_getaffinity(0)))  # Debian's takes one thread per pair of hyperthreads


def gradient(names, loss, which=0):
    """Times loss and its gradients with respect to named tensors; the result is one of them."""
    def prepare(data):
        tensors = [torch.from_numpy(data[name]).requires_grad_() for name in names]
        rest = {name: torch.from_numpy(value) for name, value in data.items() if name not in names}
        return lambda: torch.autograd.grad(loss(rest, *tensors), tensors)[which].detach()
    return prepare


def network(data, w1, b1, w2, b2):
    hidden = torch.tanh(data["X"] @ w1 + b1)
    return ((hidden @ w2 + b2 - data["Y"]) ** 2).mean()


def diffusion(data, u, k):
    for _ in range(100):
        p = pad(u[None, None], (1, 1, 1, 1), mode="replicate")[0, 0]
        u = u + k * (p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * u)
    return (u * u).sum()


def gathers(data, a, v):
    return ((a[data["index"].long()] * v) ** 2).sum()


def splats(data, p, c):
    at = torch.arange(256) / 256
    x = (at[None, :] - p[:, 0:1]) * p[:, 2:3]  # 1000 x 256
    y = (at[None, :] - p[:, 1:2]) * p[:, 3:4]
    # As the kernel does, without using that these Gaussians are aligned with the axes.
    image = torch.exp(-(x[:, None, :] ** 2 + y[:, :, None] ** 2)).mul(c[:, None, None]).sum(0)
    return ((image - data["image"]) ** 2).mean()


def small(data):
    """A step of a network with Adam; the result is the gradient of its first weights."""
    p = [torch.from_numpy(data[name]).clone().requires_grad_() for name in ("V1", "c1", "V2", "c2")]
    x, labels = torch.from_numpy(data["x"]), torch.from_numpy(data["labels"])[:, 0].long()
    opt = torch.optim.Adam(p)

    def step():
        opt.zero_grad(set_to_none=True)
        hidden = torch.relu(x @ p[0] + p[1])
        torch.nn.functional.cross_entropy(hidden @ p[2] + p[3], labels).backward()
        opt.step()
        return p[0].grad
    return step


serve(f"PyTorch {torch.__version__.split('+')[0]}", {
    "network": gradient(["W1", "b1", "W2", "b2"], network),
    "diffusion": gradient(["u", "k"], diffusion),
    "gathers": gradient(["a", "v"], gathers),
    "splats": gradient(["p", "c"], splats, 1),
    "small": small,
    "small_again": small,
})

# Records the parameters that optimizers of PyTorch compute: torch_optimizers.py > torch_optimizers.lua
# (PyTorch 1.13, apt install python3-torch). The gradient of a parameter p[i] in step t is sin(3 i + t) + p[i] / 2.
import torch

torch.manual_seed(1)


def values(t):
    return "{" + ", ".join("%.17g" % v for v in t.detach().flatten().tolist()) + "}"


def run(make, dtype):
    p = torch.tensor([0.5 * i - 1 for i in range(5)], dtype=dtype, requires_grad=True)
    opt = make([p])
    i = torch.arange(5, dtype=torch.float64)
    for t in range(1, 13):
        p.grad = (torch.sin(3 * i + t) + 0.5 * p.detach().double()).to(dtype)
        opt.step()
    return values(p)


def rosenbrock(n, iterations, calls, dtype, history=100):
    x = torch.tensor([-1.2 if i % 2 == 0 else 1.0 for i in range(n)], dtype=dtype, requires_grad=True)
    opt = torch.optim.LBFGS([x], max_iter=iterations, history_size=history, line_search_fn="strong_wolfe")

    def loss():
        opt.zero_grad()
        value = (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
        value.backward()
        return value

    for _ in range(calls):
        opt.step(loss)
    return values(x), "%.17g" % loss().item()


O = torch.optim
rows = [
    ("adam", "{}", lambda p: O.Adam(p)),
    ("adam", "{rate = 0.1, betas = {0.8, 0.9}, epsilon = 1e-3}", lambda p: O.Adam(p, lr=0.1, betas=(0.8, 0.9), eps=1e-3)),
    ("adam", "{rate = 0.1, decay = 0.3}", lambda p: O.Adam(p, lr=0.1, weight_decay=0.3)),
    ("adam", "{rate = 0.1, decay = 0.3, decoupled = true}", lambda p: O.AdamW(p, lr=0.1, weight_decay=0.3)),
    ("adam", "{rate = 0.1, amsgrad = true, betas = {0.5, 0.6}}",
     lambda p: O.Adam(p, lr=0.1, amsgrad=True, betas=(0.5, 0.6))),
    ("sgd", "{}", lambda p: O.SGD(p, lr=1e-3)),
    ("sgd", "{rate = 0.05, momentum = 0.9}", lambda p: O.SGD(p, lr=0.05, momentum=0.9)),
    ("sgd", "{rate = 0.05, momentum = 0.9, nesterov = true, decay = 0.2}",
     lambda p: O.SGD(p, lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.2)),
    ("sgd", "{rate = 0.05, momentum = 0.7, dampening = 0.25}", lambda p: O.SGD(p, lr=0.05, momentum=0.7, dampening=0.25)),
]
print("-- luacheck: ignore 631\n-- Written by torch_optimizers.py with PyTorch %s." % torch.__version__.split("a")[0])
print("return {\n    steps = {")
for name, options, make in rows:
    for dtype, kind in ((torch.float32, "float"), (torch.float64, "double")):
        print('        {"%s", %s, "%s",\n            %s},' % (name, options, kind, run(make, dtype)))
print("    },\n    rosenbrock = {")
for n, iterations, calls, history in ((2, 1, 1, 100), (2, 5, 1, 100), (2, 4, 4, 100), (2, 100, 1, 100), (6, 8, 1, 2), (6, 200, 1, 5)):
    x, value = rosenbrock(n, iterations, calls, torch.float64, history)
    print("        {n = %d, iterations = %d, calls = %d, history = %d, value = %s,\n            x = %s}," %
          (n, iterations, calls, history, value, x))
print("    },\n}")

-- The programs of torch_programs.py: functions of the inputs x1, x2 ..., then the constants c1, c2 ..., which return a
-- number, or a stream of one element while rill.grad differentiates them.
local rill = require "rill"

local programs = {}
local matmul <const>, sum <const> = rill.matmul, function(s) return s:sum() end

local diffuse = rill.kernel [[
    kernel void diffuse(neighbor(clamp) float u<>, float k<>, out float r<>) {
        r = u + 0.2 * k * (u[ivec2(-1, 0)] + u[ivec2(1, 0)] + u[ivec2(0, -1)] + u[ivec2(0, 1)] - 4.0 * u);
    }
]]

-- ---- neural networks

function programs.two_layers(w1, b1, w2, b2, x, y)
    return ((matmul(rill.tanh(matmul(x, w1) + b1), w2) + b2 - y) ^ 2):mean()
end

function programs.convolution(a, w)
    return sum(rill.sin(rill.convolve(a, w, {boundary = "zero"})))
end

-- Returns the logarithms of the softmax of each row.
local function log_softmax(z)
    local shifted = z - z:max(2, {keep = true})
    return shifted - rill.log(rill.exp(shifted):sum(2, {keep = true}))
end

function programs.cross_entropy(w, b, x, labels)
    return -rill.take_along(log_softmax(matmul(x, w) + b), labels, 2):mean()
end

function programs.layer_norm(x, gain, bias, target)
    local centered = x - x:mean(2, {keep = true})
    local r = centered / rill.sqrt(x:var(2, {keep = true}) + 1e-5) * gain + bias
    return ((r - target) ^ 2):mean()
end

function programs.attention(q, k, v, target)
    local p = rill.exp(log_softmax(matmul(q, k:transpose()) / 2))
    return sum((matmul(p, v) - target) ^ 2)
end

function programs.recurrent(w, u, b, x)
    local h, total = rill.zeros(6), 0
    for t = 1, 20 do
        h = rill.tanh(matmul(w, h) + matmul(u, x:domain({t, 1}, {t, 3}):reshape {3}) + b)
        total = total + sum(h * h)
    end
    return total
end

function programs.logistic(w, b, x, y)
    return rill.log(1 + rill.exp(-y * (matmul(x, w) + b))):mean() + 0.01 * sum(w * w)
end

-- ---- orders and indices

function programs.cumsum(x)
    return sum(x * rill.exp(-0.3 * x:cumsum()))
end

function programs.cumsum_axis(x)
    return sum(x:cumsum(2) ^ 2) + sum(x:cumsum(1):prod(2))
end

function programs.sort(x, w)
    return sum(x:sort() ^ 2 * w)
end

function programs.top_k(x, w)
    return sum(rill.exp(x:top_k(5) * w))
end

function programs.gather(x, i, w)
    return sum(rill.gather(x, i) ^ 2 * w)
end

function programs.scatter(x, w, i)
    return sum(rill.scatter(rill.zeros(11), i, x * w, "add") ^ 3)
end

function programs.select(x, i)
    return sum(rill.sin(x:select(i, 1) * rill.arange(1, 10):reshape {9, 1}))
end

-- ---- shapes

function programs.shapes(a, b)
    local r = rill.concat({a:transpose():copy():reshape {4, 3}, b:roll(1, 1)}, 2)
    local s = rill.stack({r, (r * r):eval()}, 3)
    local p = s:domain({2, 1, 1}, {3, 6, 2}):pad {before = {0, 1, 0}, after = {0, 2, 0}}
    return sum(rill.cos(p) * rill.iota(p.shape))
end

function programs.broadcast(a, b, c)
    return sum(rill.tanh(a * b + c / (1 + a * a)))
end

function programs.overwritten(x, y)
    local s = x:copy()
    for _ = 1, 5 do
        s:write(0.5 * s * s + y)
        local left, right = s:domain(1, 4), s:domain(5, 10)
        left:write(rill.sin(left))
        right:write(right * s:domain(1, 1))
    end
    return sum(s * rill.arange(1, 11))
end

-- ---- functions and reductions

function programs.choices(x, y)
    return sum(rill.where(x:gt(y), x * x, rill.sin(y)) + rill.min(x, y) * rill.max(x, 2 * y)
        + rill.clamp(x, -0.5, 0.7) * y + rill.abs(x - y))
end

function programs.functions(x, y)
    return sum(rill.log(x) * rill.sqrt(y) + x ^ y + rill.atan(y, x) + rill.asin(y) * rill.cosh(x) + rill.erf(x - y)
        + 1 / (x + y))
end

function programs.norms(x)
    return x:norm() + rill.log(x:norm(2):prod()) + x:max() * x:min() + sum(x:max(1) ^ 2)
end

function programs.products(x)
    return x:prod() + sum(x:prod(2) ^ 2) + sum(x:cumprod(2))
end

function programs.deviations(x)
    return x:std() + x:var() * x:mean() + sum(x:std(1, {ddof = 1}) ^ 3) + sum(rill.log(x:var(2)))
end

-- ---- linear algebra

function programs.einsum(a, b, c)
    return sum(rill.sin(rill.einsum("ij,jk,li->lk", a, b, c))) + rill.einsum("ij,ij->i", a, a):prod()
end

function programs.spectrum(x, w)
    local f = rill.fft(x)
    return sum((f.x ^ 2 + f.y ^ 2) * w) / 48 + sum(rill.fft(f * w, {inverse = true}).x ^ 3)
end

function programs.solve(a, b, target)
    return sum((rill.solve.lu(a, b) - target) ^ 2)
end

function programs.least_squares(a, b)
    local x = rill.zeros(4)
    for _ = 1, 30 do x = x - 0.03 * matmul(a:transpose(), matmul(a, x) - b) end
    return sum(x ^ 2)
end

function programs.sparse(values, x, rows, columns)
    local a = rill.sparse.coo {shape = {9, 7}, rows = rows, columns = columns, values = values}
    return sum(rill.tanh(a * x) ^ 2)
end

function programs.diffusion(u, k)
    for _ = 1, 20 do u = diffuse(u, k) end
    return sum(u ^ 3)
end

return programs

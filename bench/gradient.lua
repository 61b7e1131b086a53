-- Gradients. Adjoints of kernels against the kernels themselves, the time to make an adjoint against that to make its
-- kernel, and gradients of programs against PyTorch on all cores: a network of two layers, a diffusion of 100 steps,
-- gathers, and an image that is a sum of 1,000 Gaussians. Steps of a network so small that launches limit them, with
-- rill.grad and by hand, against PyTorch and against their bound.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local ROUNDS <const> = 9

local SMOOTH <const> = [[kernel void f(float a, float x<>, float y<>, out float r<>) { r = a * x * x + sin(x * y); }]]
local HEAT <const> = [=[kernel void heat(neighbor float u<>, float k<>, out float r<>) {
    r = u + k * (u[1][0] + u[-1][0] + u[0][1] + u[0][-1] - 4.0 * u); }]=]
local UNIFORM <const> = [=[kernel void f(neighbor float u<>, float k, out float r<>) {
    r = u + k * (u[1][0] + u[-1][0] + u[0][1] + u[0][-1] - 4.0 * u); }]=]
local PRODUCTS <const> = [=[kernel void f(neighbor float u<>, float k, out float r<>) {
    r = u + k * u * (u[1][0] - u[-1][0]) + k * u[0][1] * u[0][-1]; }]=]
local GATHER <const> = "kernel void f(float a[], int i<>, float v<>, out float r<>) { r = a[i] * v; }"
-- p: centers (xy) and inverse widths (zw); c: amplitudes.
local SPLATS <const> = [=[kernel void splats(vec4 p[], float c[], out float r<>) {
    vec2 at = vec2(indexof(r).xy) / 256.0;
    for (int i = 0; i < sizeof_stream(p).x; i++) {
        vec4 q = p[i];
        vec2 d = (at - q.xy) * q.zw;
        r += c[i] * exp(-dot(d, d));
    } }]=]

-- Returns the row of an adjoint against its kernel.
local function adjoint(case, goal, text, arguments, bar, wrt)
    local kernel = rill.kernel(text)
    local g, all = kernel:gradient {wrt = wrt}, {r_bar = bar}
    for name, value in pairs(arguments) do all[name] = value end
    local forward, backward = support.race(ROUNDS, function()
        return support.timed(function() kernel(arguments) end, 3)
    end, function() return support.timed(function() g(all) end, 3) end)
    return support.costs(case, backward, "kernel", forward, goal)
end

local function adjoints()
    local n, side, m = 1 << 22, 2048, 1000000
    local x, y, bar = rill.random(n), rill.random(n), rill.random(n)
    local u, u_bar = rill.random {side, side}, rill.random {side, side}
    local index = rill.random(m, {type = "int", low = 0, high = m - 1})
    return {
        adjoint("adjoint of a map, 2^22", 2.5, SMOOTH, {a = 2, x = x, y = y}, bar, {"x"}),
        adjoint("the same, two inputs", 2.5, SMOOTH, {a = 2, x = x, y = y}, bar, {"x", "y"}),
        adjoint("adjoint of a 5-point stencil, 2048^2", 2, UNIFORM, {u = u, k = 0.2}, u_bar, {"u"}),
        adjoint("adjoint of products of neighbors", 2, PRODUCTS, {u = u, k = 0.2}, u_bar, {"u"}),
        adjoint("adjoint of a gather of 10^6, indices kept", 4, GATHER, {a = rill.random(m), i = index,
            v = rill.random(m)}, rill.random(m), {"a"}),
    }
end

-- The time to make a kernel and its adjoint, with texts that no cache has.
local function compilation()
    local rows, count = {}, 0
    for _, case in ipairs {{"map", SMOOTH, {"x", "y"}}, {"stencil", HEAT, {"u", "k"}}, {"loop of splats", SPLATS,
        {"c"}}} do
        local function fresh()
            count = count + 1
            return (case[2]:gsub("}%s*$", ("r += %d.0; }"):format(count)))
        end
        local kernel
        local forward, backward = support.race(5, function()
            local text = fresh()
            return support.timed(function() kernel = rill.kernel(text) end, 1)
        end, function()
            kernel = rill.kernel(fresh())
            return support.timed(function() kernel:gradient {wrt = case[3]} end, 1)
        end)
        rows[#rows + 1] = support.costs("making the adjoint of a " .. case[1], backward, "kernel", forward, 3)
    end
    return rows
end

local function programs(torch)
    local given = {
        X = rill.random({1024, 256}, {seed = 1}), Y = rill.random({1024, 256}, {seed = 2}),
        W1 = (rill.random({256, 256}, {seed = 3}) * 0.1 - 0.05):eval(), b1 = rill.random(256, {seed = 4}),
        W2 = (rill.random({256, 256}, {seed = 5}) * 0.1 - 0.05):eval(), b2 = rill.random(256, {seed = 6}),
        u = rill.random({512, 512}, {seed = 7}), k = (rill.random({512, 512}, {seed = 8}) * 0.2):eval(),
        a = rill.random(1000000, {seed = 9}), v = rill.random(1000000, {seed = 10}),
        index = rill.random(1000000, {seed = 11, type = "int", low = 0, high = 999999}),
        p = rill.random({1000, 4}, {seed = 12}), c = rill.random(1000, {seed = 13}), image = rill.random({256, 256},
            {seed = 14}),
    }
    given.p = (given.p * rill.from {1, 1, 20, 20} + rill.from {0, 0, 10, 10}):eval()
    for name, s in pairs(given) do torch:give(name, s) end
    local heat, gather, splats = rill.kernel(HEAT), rill.kernel(GATHER), rill.kernel(SPLATS)
    local network = rill.grad(function(W1, b1, W2, b2)
        local hidden = rill.tanh(rill.matmul(given.X, W1) + b1)
        return ((rill.matmul(hidden, W2) + b2 - given.Y) ^ 2):mean()
    end)
    local diffusion = rill.grad(function(u, k)
        for _ = 1, 100 do u = heat(u, k) end
        return (u * u):sum()
    end)
    local gathers = rill.grad(function(a, v) return (gather(a, given.index, v) ^ 2):sum() end)
    local p = given.p:as "vec4"
    local picture = rill.grad(function(q, c)
        return ((splats {p = q, c = c, shape = {256, 256}} - given.image) ^ 2):mean()
    end)
    return pipe.rows(torch, torch.what, {
        {"network of 2 layers of 256, batch 1024", "network", 1.0, function()
            return (network(given.W1, given.b1, given.W2, given.b2))
        end, tolerance = 1e-4},
        {"diffusion, 512^2, 100 steps", "diffusion", 1.0, function() return (diffusion(given.u, given.k)) end,
            tolerance = 1e-4,
            rounds = 5},
        {"gather of 10^6", "gathers", 1.0, function() return (gathers(given.a, given.v)) end, tolerance = 1e-4},
        {"1,000 Gaussians, 256^2", "splats", 1.0, function() return select(2, picture(p, given.c)) end,
            tolerance = 1e-3,
            rounds = 3},
    })
end

-- ---- a small network: 64 inputs, 64 units, 10 classes, batches of 100, Adam

local BATCH <const>, INPUTS <const>, UNITS <const>, CLASSES <const> = 100, 64, 64, 10

-- The adjoint of a cross entropy with labels: softmax minus 1 at the label, divided by the size of the batch.
local DELTA <const> = [=[kernel void delta(float z[][], int label<>, out float r<>) {
    ivec2 at = indexof(r).xy;
    float most = z[at.y][0], sum = 0.0;
    for (int k = 1; k < 10; k++) most = max(most, z[at.y][k]);
    for (int k = 0; k < 10; k++) sum += exp(z[at.y][k] - most);
    r = (exp(z[at.y][at.x] - most) / sum - (at.x == label ? 1.0 : 0.0)) / 100.0; }]=]
local EMPTY <const> = "layout(local_size_x = 64) in; layout(std430, binding = 0) buffer A { float a[]; };" ..
    "void main() { if (gl_GlobalInvocationID.x > 100u) a[0] = 1.0; }"

local function small_parameters()
    return {
        (rill.random({INPUTS, UNITS}, {seed = 3}) * 0.2 - 0.1):eval(), rill.zeros(UNITS),
        (rill.random({UNITS, CLASSES}, {seed = 5}) * 0.2 - 0.1):eval(), rill.zeros(CLASSES),
    }
end

-- Returns a step with rill.grad, which returns the gradient of the first weights.
local function small_step(x, labels)
    local p = small_parameters()
    local opt = rill.optimize.adam(p)
    local gradient = rill.grad(function(W1, b1, W2, b2)
        local hidden = rill.matmul(x, W1, {bias = b1, activation = "relu"})
        local z = rill.matmul(hidden, W2, {bias = b2})
        return (z:logsumexp(2) - rill.take_along(z, labels, 2):reshape(BATCH)):mean()
    end)
    return function()
        local g = table.pack(gradient(table.unpack(p)))
        opt:step(table.unpack(g))
        return g[1]
    end
end

-- Returns the same step with gradients by hand.
local function small_step_by_hand(x, labels)
    local p, delta = small_parameters(), rill.kernel(DELTA)
    local opt, label = rill.optimize.adam(p), labels:tile(1, CLASSES)
    return function()
        local W1, b1, W2, b2 = table.unpack(p)
        local hidden = rill.matmul(x, W1, {bias = b1, activation = "relu"})
        local dz = delta(rill.matmul(hidden, W2, {bias = b2}), label)
        local dW2, db2 = rill.matmul(hidden:transpose(), dz), dz:sum(1)
        local dh = (rill.matmul(dz, W2:transpose()) * hidden:gt(0)):eval()
        local dW1, db1 = rill.matmul(x:transpose(), dh), dh:sum(1)
        opt:step(dW1, db1, dW2, db2)
        return dW1
    end
end

-- The products of a step, which are the only work that takes longer than a launch.
local function small_products(x)
    local W1, _, W2 = table.unpack(small_parameters())
    local dz, hidden = rill.random {BATCH, CLASSES}, rill.random {BATCH, UNITS}
    return function()
        rill.matmul(x, W1)
        rill.matmul(hidden, W2)
        rill.matmul(hidden:transpose(), dz)
        rill.matmul(dz, W2:transpose())
        rill.matmul(x:transpose(), hidden)
    end
end

-- Returns the row of a step against its bound: the products, and launches without work in raw OpenGL.
local function small_bound(name, step, products)
    local found, peer = pcall(require, "peer")
    if not found then return support.note(name, "the peers are not built") end
    local launches, passes = rill.cost(step).launches, {}
    for i = 1, launches - 5 do passes[i] = {program = 1, groups = {1, 1}, blocks = {1}} end
    local work = peer.gl_work {programs = {EMPTY}, buffers = {4}, passes = passes}
    local ours, raw, least = support.race(51, function() return support.timed(step, 1) end,
        function() return peer.gl_run(work, 1) end, function() return support.timed(products, 1) end)
    peer.gl_close(work)
    return support.costs(("%s: %d launches"):format(name, launches), ours,
        ("5 products %s, %d raw launches %s"):format(support.duration(least), launches - 5, support.duration(raw)),
        raw + least, 2)
end

local function small_network(torch)
    local x = rill.random({BATCH, INPUTS}, {seed = 1, low = -1, high = 1})
    local labels = rill.random({BATCH, 1}, {seed = 2, type = "int", low = 0, high = CLASSES - 1})
    local rows = {
        small_bound("step of a small network by hand", small_step_by_hand(x, labels), small_products(x)),
        small_bound("step of a small network by rill.grad", small_step(x, labels), small_products(x)),
        support.note("rill.cost of this step", (tostring(rill.cost(small_step(x, labels))):gsub("\n", "; "))),
    }
    if torch then
        local p = small_parameters()
        for name, s in pairs {x = x, labels = labels, V1 = p[1], c1 = p[2], V2 = p[3], c2 = p[4]} do
            torch:give(name, s)
        end
        table.move(pipe.rows(torch, torch.what, {
            {"step of a small network by hand", "small", 1.0, small_step_by_hand(x, labels), tolerance = 1e-3,
                rounds = 51},
            {"step of a small network by rill.grad", "small_again", 0.5, small_step(x, labels), tolerance = 1e-3,
                rounds = 51},
        }), 1, 2, #rows + 1, rows)
    end
    return rows
end

return function()
    local rows = adjoints()
    table.move(compilation(), 1, 3, #rows + 1, rows)
    local torch <close>, missing = pipe.python "peer_gradient.py"
    local others = torch and programs(torch) or {support.note("gradients of programs against PyTorch", missing)}
    table.move(others, 1, #others, #rows + 1, rows)
    local small = small_network(torch)
    return table.move(small, 1, #small, #rows + 1, rows)
end

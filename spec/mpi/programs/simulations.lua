-- A program for mpi_spec: solvers, simulations and files over the ranks. Prints results, which must not depend on the number of ranks. Argument: a
-- directory for files.
local mpi = require "rill.mpi"
local rill = require "rill"
local program = require "spec.support.rank_program"
local check <const>, say <const> = program.check, program.say
local directory = arg[1]

local function hash(s)
    local text, h = s:bytes(), 5381
    for i = 1, #text do
        h = (h * 33 + text:byte(i)) & 0xffffffffffff
    end
    return h
end

-- conjugate gradients
local stencil = rill.kernel [=[
    kernel void stencil(neighbor float u<>, out float r<>) {
        r = 4.5 * u[0][0] - u[0][-1] - u[0][1] - u[-1][0] - u[1][0];
    }
]=]
local whole = rill.random({100, 70}, {seed = 2})
local b = mpi.stream("float", {100, 70}, {init = whole, boundary = "zero"})
local x, made = rill.solve.cg(function(u, r) stencil {u = u:boundary "zero", r = r} end, b)
local expected = rill.solve.cg(function(u, r) stencil(u:boundary "zero", r) end, whole)
local all = x:collect "all"
check("cg", made.converged and rill.abs(all - expected):max() <= 1e-5 * rill.abs(expected):max())
say("cg", made.iterations, hash(all))

-- multigrid, against the solver of one rank
for k, case in ipairs {
    {{300, 200}, "dirichlet"}, {{255, 257}, "dirichlet"}, {{301, 203}, "neumann"}, {{256, 256}, "periodic"},
    {{33, 61, 50}, {"neumann", "periodic", "dirichlet"}},
} do
    if not (program.whole or k == 2) then goto next end
    local right = rill.random(case[1], {seed = 3}):cast "double"
    local y, report = rill.solve.multigrid(mpi.stream("double", case[1], {init = right}), {boundary = case[2],
        tolerance = 1e-7})
    local z = rill.solve.multigrid(right, {boundary = case[2], tolerance = 1e-9})
    all = y:collect "all"
    check("multigrid", report.converged and rill.abs(all - z):max() <= 1e-5 * rill.abs(z):max())
    say("multigrid", report.iterations, hash(all))
    ::next::
end

-- sums over neighbors, against all pairs
local function random_particles(n, dimensions)
    return rill.random({n, dimensions}, {seed = 5}):as("vec" .. dimensions)
end
for dimensions = 2, program.whole and 3 or 2 do
    local n, radius = 700, 0.12
    local low, high = {0, 0, dimensions == 3 and 0 or nil}, {1, 1, dimensions == 3 and 1 or nil}
    local p = mpi.particles {positions = random_particles(n, dimensions), box = {low, high}, fields = {
        mass = rill.random(n, {seed = 6}), velocity = (random_particles(n, dimensions) * 2 - 1):eval(),
            rho = rill.stream("float", n),
    }}
    for step = 1, 3 do
        p.rho = p:sum("float", radius, "mass_j * (k - distance * distance)", {k = radius * radius})
        p.velocity = p.velocity + 0.1 * p:sum("vec" .. dimensions, radius, "mass_j * (velocity_j - velocity_i)")
        p.position = p.position + 0.05 * p.velocity
        if step ~= 2 then p:migrate() end -- particles that have left their slab have the same neighbors
    end
    p.rho = p:sum("float", radius, "mass_j * (k - distance * distance)", {k = radius * radius})
    p:rebalance()
    check("ghosts", p:ghosts(radius).id.size >= p.count and p:ghosts(2).id.size == n)
    local total = mpi.reduce(p.count, "sum")
    check("particles are kept", total == n and p.total == n)
    local found = p:collect(mpi.size)
    if found then
        local X, M, R = found.position:read(), found.mass:read(), found.rho:read()
        for i = 1, n, 9 do
            local sum = 0
            for j = 1, n do
                local square = 0
                for d = 1, dimensions do square = square + (X[i][d] - X[j][d]) ^ 2 end
                sum = sum + (square <= radius * radius and M[j] * (radius * radius - square) or 0)
            end
            check("sum over neighbors", math.abs(sum - R[i]) <= 1e-5 * math.abs(sum))
        end
    end
    local texts = mpi.gather(found and table.concat({hash(found.position), hash(found.velocity), hash(found.rho),
        hash(found.id)}, " "))
    say("particles", texts[mpi.size])
end

local lost = mpi.particles {positions = rill.from({{0.2, 0.5}, {0 / 0, 0.5}, {0.8, 0.5}}, "vec2"),
    box = {{0, 0}, {1, 1}}}
check("a position that is not a number", mpi.reduce(lost:rebalance().count, "sum") == 3)

-- a particle whose distance is rounded to the radius is a neighbor, also of another rank
local pair = mpi.particles {positions = rill.from({{-1e-10, 0}, {0.1, 0}}, "vec2"), box = {{-1, -1}, {1, 1}},
    fields = {near = rill.stream("float", 2)}}
pair.near = pair:sum("float", 0.1, "1.0")
local both = pair:collect()
if both then
    say("pair", both.near:get(1), both.near:get(2))
    check("a neighbor at the radius", both.near:get(1) == 2 and both.near:get(2) == 2)
end

-- neighbors at the radius on a lattice: their cells are adjacent, however floats round
local nodes = {}
for i = 0, 59 do nodes[i + 1] = {0.1 * i - 1, 0.5} end
nodes = rill.from(nodes, "vec2")
local lattice = mpi.particles {positions = nodes, box = {{-1, 0}, {5, 1}}}
local counted = rill.kernel [=[
    kernel void counted(vec2 x<>, vec2 all[], int n, float radius, out float r<>) {
        float sum = 0.0;
        for (int i = 0; i < n; i++)
            sum += dot(x - all[i], x - all[i]) <= radius * radius ? 1.0 : 0.0;
        r = sum;
    }
]=]
local near = lattice:sum("float", 0.1, "1.0")
if lattice.count > 0 then
    check("neighbors on a lattice", near:bytes() == counted(lattice.position, nodes, nodes.size, 0.1):bytes())
end

-- smoke and SPH
local smoke = mpi.smoke {shape = {96, 80}, lift = 0.4}
for _ = 1, 6 do
    smoke:source({center = {84, 40}, radius = 8}):step()
end
say("smoke", hash(smoke.density:collect "all"), ("%.3f"):format(smoke.density:max()))
check("smoke rises", smoke.velocity_y:min() < -0.1 and smoke.steps == 6 and smoke.time == 6)
local n = 20
local places = rill.kernel [=[
        kernel void place(int n, out vec2 r<>) { int i = indexof(r).x; r = 0.02 * (vec2(i % n, i / n) + 0.5); }
    ]=]
local fluid = mpi.sph {
    positions = places {n = n, shape = n * n}, box = {{0, 0}, {1, 1}}, radius = 0.06, sound = 20, gravity = {0, -10},
}
fluid:step(program.whole and 60 or 20)
local drops = fluid.particles:collect()
if drops then
    say("sph", hash(drops.position), hash(drops.density))
    check("density", drops.density:max() < 1.2 and drops.density:min() > 0.2)
end

-- files: written by this number of ranks, and read by others in the next runs
local grid = mpi.stream("float", {37, 80}, {init = rill.random({37, 80}, {seed = 3}), ranks = mpi.size == 4 and {2,
    2} or nil})
if mpi.size > 1 then -- of the run with fewer ranks
    check("load", mpi.load(directory .. "/grid.npy"):collect "all":bytes() == grid:collect "all":bytes())
    local state = mpi.restart(directory .. "/state")
    check("restart", state.grid:collect "all":bytes() == grid:collect "all":bytes() and state.step == 7 and
        state.more[2].x == "y")
    state = mpi.restart(directory .. "/state", {ranks = {1, mpi.size}})
    check("restart with ranks", state.grid.ranks[2] == mpi.size and
        state.grid:collect "all":bytes() == grid:collect "all":bytes())
end
mpi.barrier()
grid:save(directory .. "/grid.npy")
mpi.checkpoint(directory .. "/state", {grid = grid, twice = (grid * 2):eval(), step = 7, more = {1, {x = "y"}}})
check("load", mpi.load(directory .. "/grid.npy"):collect "all":bytes() == grid:collect "all":bytes())
check("an absent checkpoint", mpi.restart(directory .. "/none") == nil)

-- values
local to, from = mpi.rank % mpi.size + 1, (mpi.rank - 2) % mpi.size + 1
mpi.send({mpi.rank, "x", true, 1.5, rill.iota(3), {nested = {2}}}, to, 5)
local value = mpi.receive(from, 5)
check("send", value[1] == from and value[2] == "x" and value[3] == true and value[4] == 1.5 and value[5]:sum() == 3 and
    value[6].nested[1] == 2)
check("broadcast", mpi.broadcast(mpi.rank == mpi.size and {"hello"} or nil, mpi.size)[1] == "hello")
check("reduce", mpi.reduce(rill.from {mpi.rank, 1}, "sum"):get(2) == mpi.size)
check("profile", #mpi.profile(function() mpi.barrier() end) == mpi.size)
say("done")

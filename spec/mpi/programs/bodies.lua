-- A program for provider_spec: bodies and cloth over the ranks, compared in every bit with one process. Prints results,
-- which must not depend on the number of ranks.
local mpi = require "rill.mpi"
local rill = require "rill"
local program = require "spec.support.rank_program"
local check <const> = program.check

local function bytes(s) return (rill.type(s) == "mpi.stream" and s:collect "all" or s):bytes() end

local function vectors(n, rank, seed) return rill.random({n, rank}, {seed = seed}):as("vec" .. rank) end

local count = 0
for _, case in ipairs {{2, 3, "leapfrog"}, {3, 1000, "verlet"}, program.whole and {2, 500, "yoshida"} or nil} do
    local rank, n, integrator = table.unpack(case)
    local results = {}
    for i, on in ipairs {false, mpi} do
        local velocities = (vectors(n, rank, 2) - 0.5):eval()
        local b = rill.nbody {positions = vectors(n, rank, 1), masses = rill.random(n, {seed = 3}), softening = 0.01,
            velocities = on and on.stream(velocities.type, n, {init = velocities}) or velocities,
            integrator = integrator, on = on or nil}
        for _ = 1, 3 do b:step() end
        local parts = {b.time, b.count, ("%.6g"):format(b.energy)}
        for d, p in ipairs(b.momentum) do parts[3 + d] = ("%.3g"):format(p) end
        for _, name in ipairs {"positions", "velocities", "masses", "accelerations"} do
            check(name, (rill.type(b[name]) == "mpi.stream") == (on == mpi))
            parts[#parts + 1] = bytes(b[name])
        end
        parts[#parts + 1] = bytes(b:picture {size = {20, 30}})
        results[i] = table.concat(parts, " ")
        b:close()
    end
    check("bodies, " .. integrator, results[1] == results[2])
    count = count + 1
end

local SHAPE <const> = {20, 17}
local results = {}
for i, on in ipairs {false, mpi} do
    local mask = rill.stream("bool", SHAPE, function(row) return row == 1 end)
    local c = rill.cloth {shape = SHAPE, spacing = 0.1, stiffness = 200, damping = 0.5, drag = 0.1, wind = {1, 0, 2},
        substeps = true, held = on and on.stream("bool", SHAPE, {init = mask}) or mask, on = on or nil,
        walls = {{normal = {0, 1, 0}, point = {0, -1, 0}}, {
            distance = function(x, y, z) return math.sqrt((x - 0.8) ^ 2 + (y + 0.5) ^ 2 + (z - 1) ^ 2) - 0.3 end,
            low = {0, -1, 0}, high = {2, 1, 2}, spacing = 0.1}}}
    for _ = 1, 10 do c:step(0.02) end
    c:hold()
    for _ = 1, 10 do c:step(0.02) end
    c:hold(rill.stream("int", SHAPE, function(_, column) return column // 9 end)):step(0.1)
    check("cloth", (rill.type(c.positions) == "mpi.stream") == (on == mpi))
    results[i] = bytes(c.positions) .. bytes(c.velocities) .. bytes(c:picture {size = {30, 20}}) .. c.time
    if on then -- from given positions
        local again = rill.cloth {positions = c.positions, velocities = c.velocities, on = mpi}
        check("positions are copied", bytes(again.positions) == bytes(c.positions) and again.shape[1] == SHAPE[1])
    end
    c:close()
end
check("cloth", results[1] == results[2])

-- refusals, on all ranks
local function refused(words, f, ...)
    local done, message = pcall(f, ...)
    check(("expected a message with '%s', got %s"):format(words, message), not done and message:find(words, 1, true))
end
local points = mpi.stream("vec2", 5)
refused("option 'positions': a distributed stream requires a simulation on all ranks", rill.nbody,
    {positions = points})
refused("option 'velocities': expected 6, as there are positions, got 5", rill.nbody,
    {positions = vectors(6, 2, 1), velocities = points, on = mpi})
refused("option 'positions': element 4 is not finite: (nan, 1.0)", rill.nbody, {on = mpi,
    positions = mpi.stream("vec2", 5, {init = rill.from({{1, 1}, {2, 1}, {3, 1}, {0 / 0, 1}, {4, 1}}, "vec2")})})
refused("option 'held' has shape 3x3: expected a mask of shape 3x4", rill.cloth,
    {shape = {3, 4}, held = mpi.stream("int", {3, 3}), on = mpi})
refused("C:hold: argument #1 'mask': a distributed stream requires a simulation on all ranks", function()
    rill.cloth {shape = {3, 3}}:hold(mpi.stream("int", {3, 3}))
end)
if mpi.rank == 1 then print(count, "done") end

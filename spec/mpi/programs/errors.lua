-- A program for mpi_spec: calls that are refused, on all ranks, also on those without elements. Afterwards all ranks go on.
-- Prints the messages of rank 1, after it has compared them with those of the other ranks.
local mpi = require "rill.mpi"
local rill = require "rill"
local path = arg[1]

local function refused(f, ...)
    local done, message = pcall(f, ...)
    local all = mpi.gather(done and "the call was accepted" or (message:gsub("^[^\n]-:%d+: ", ""):match "[^\n]*"))
    for rank, text in ipairs(all) do
        assert(text == all[1], ("rank %d: %s"):format(rank, text))
    end
    assert(not done, all[1])
    if mpi.rank == 1 then
        print((all[1]:gsub(" on [%dx]+ ranks?", ""):gsub(" %(rank %d+%)", "")))
    end
end

local one = mpi.stream("float", {1, 4}, {init = 2}) -- the other ranks have no elements
local scale = rill.kernel "kernel void scale(float x<>, float k, out float r<>) { r = k * x; }"
refused(scale, one, "a")
refused(one.fill, one, "a")
refused(one.write, one, mpi.stream("vec2", {1, 4}))
refused(one.map, one, "y + 1")
refused(one.cast, one, "flaot")
refused(mpi.stream, "float", {1, 4}, {init = rill.stream("float", {4, 1})})
refused(mpi.stream, "float", {1, 4}, {init = "a"})
refused(mpi.stream, "flaot", {1, 4})
refused(mpi.stream, "float", {128, 128}, {ranks = {-1, -1}})
refused(mpi.stream, "float", {128, 128}, {ranks = {1.5}})
refused(mpi.stream, "float", {4, 4}, {boundary = {true, "zero"}})
refused(mpi.stream, "float", {4, 4}, {boundary = {"zero"}})
refused(function() return one + rill.zeros(4) end)
refused(function() return one < 1 end)
refused(function() return one[1] end)
refused(scale, 2, one)
refused(one.save, one, "d.png")
refused(mpi.distribute, nil, 1)
local row = mpi.stream("float", 1)
refused(row.dot, row, 5)
refused(row.histogram, row, 5)
refused(row.histogram, row, {bims = 2})
refused(row.histogram, row, {bins = 0})
refused(row.histogram, row, {min = 2, max = 1})
refused(row.histogram, row, {}, 1)
refused(row.histogram, mpi.stream("bool", 4))
if mpi.rank == 1 then -- raises before it communicates, and the others do not notice
    local done, message = pcall(row.histogram, row, {bims = 2})
    assert(not done and message:find "unknown option 'bims'")
end
assert(row:histogram {bins = 2}:sum() == 1)
refused(row.quantile, row, 2)
refused(row.median, row, 1)
refused(row.top_k, row, 2)
refused(one.top_k, one, 1)
refused(one.median, mpi.stream("vec2", 4))
refused(row.filter, row, scale)
refused(row.filter, row, row:gt(1), {c = 1})
refused(row.find, row, "y > 1")
assert(scale(one, 3):sum() == 24)
assert(#one == 4 and tostring(one.shape) == "1x4" and rill.type(one) == "mpi.stream")
assert(tostring(one.first):find "^%d+, 1$" and mpi.gather(one.shape)[1][2] == 4 and mpi.gather(one.first)[1][1] == 1)

-- Values that one rank cannot send
refused(mpi.broadcast, mpi.rank == 1 and print or 1)
refused(mpi.gather, mpi.rank == mpi.size and one or 1)
refused(mpi.reduce, "a", "sum")
refused(mpi.reduce, rill.stream("float", 3), "add")
refused(mpi.profile, 3)
assert(mpi.broadcast(mpi.rank, mpi.size) == mpi.size)
local circle = {1}
circle[2] = circle
refused(mpi.broadcast, circle)
if mpi.size > 1 then -- the receiver is told
    local done, message = true, nil
    if mpi.rank == 1 then
        done, message = pcall(mpi.send, {circle}, mpi.size)
        mpi.send("next", mpi.size)
    elseif mpi.rank == mpi.size then
        done, message = pcall(mpi.receive, 1)
        assert(mpi.receive(1) == "next")
    end
    assert(mpi.rank > 1 and mpi.rank < mpi.size or not done and message:find("contains itself", 1, true))
end

-- Unusual values, and coroutines
local deep = {}
local at = deep
for _ = 1, 1000 do
    at[1] = {}
    at = at[1]
end
at.here = true
local given = {deep, 0 / 0, -1 / 0, -0.0, math.mininteger, "\0\1\255", rill.stream("vec3", {0, 7}), rill.iota(9) * 2,
    [1.5] = "a", [true] = "b", [{7}] = "c", [""] = ("x"):rep(1 << 20)}
local got = mpi.broadcast(given, mpi.size)
at = got[1]
for _ = 1, 1000 do
    at = at[1]
end
local key
for name in pairs(got) do
    key = type(name) == "table" and name[1] or key
end
assert(at.here and got[2] ~= got[2] and got[3] == -1 / 0 and 1 / got[4] == -1 / 0 and got[5] == math.mininteger)
assert(got[6] == "\0\1\255" and got[7].shape[2] == 7 and got[8]:sum() == 72 and got[1.5] .. got[true] == "ab")
assert(key == 7 and #got[""] == 1 << 20)
local steps = coroutine.wrap(function()
    local sum = scale(one, 3):sum()
    coroutine.yield(sum)
    coroutine.yield(mpi.reduce(1, "sum"))
end)
assert(steps() == 24 and steps() == mpi.size)

-- An error between the beginning and the end of an exchange
require("rill.mpi.launch").least_overlap = 0
local blur = rill.kernel "kernel void blur(neighbor float u<>, float k, out float r<>) { r = k * (u[-1] + u[1]); }"
local line = mpi.stream("float", 64, {init = rill.iota(64), boundary = "zero"})
for _ = 1, 3 do
    refused(blur, line, "a")
    assert(blur(line, 1):sum() == 63 * 63)
    line:changed()
end

-- Solvers and simulations
local b = mpi.stream("double", {20, 10}, {init = 1, boundary = "zero"})
local laplace = rill.kernel [=[
    kernel void laplace(neighbor(zero) double u<>, out double r<>) {
        r = 4.0lf * u[0][0] - u[0][-1] - u[0][1] - u[-1][0] - u[1][0];
    }
]=]
local closed = b:copy()
closed:close()
for _, x0 in ipairs {mpi.stream("int", {20, 10}), mpi.stream("double", {10, 20}), closed} do
    refused(rill.solve.cg, laplace, b, {x0 = x0})
    refused(rill.solve.multigrid, b, {x0 = x0})
end
refused(rill.solve.cg, rill.kernel "kernel void two(double x<>, double y<>, out double r<>) { r = x + y; }", b)
refused(rill.solve.cg, function() rill.stream("flaot", 3) end, b)
local x0 = mpi.stream("double", {20, 10}, {init = 3, boundary = "wrap"})
local x, y = rill.solve.cg(laplace, b), mpi.cg(laplace, b, {x0 = x0})
assert(math.abs(x:sum() - y:sum()) < 1e-5 * x:sum())

local smoke = mpi.smoke {shape = {10, 12}, reach = 4.0, lift = 1e30}
smoke:source {center = {5, 5}, radius = 3}
refused(smoke.step, smoke, -1)
refused(smoke.step, smoke, 2)
smoke:close()
refused(smoke.step, smoke)

local positions = rill.random({30, 2}, {seed = 1}):as "vec2"
local unit = {{0, 0}, {1, 1}}
refused(mpi.particles, {positions = positions, box = {{0, 0}, {1, 0}}})
local q = mpi.particles {positions = positions, box = unit}
refused(function() q.id = 1 end)
for _, kind in ipairs {"half", "int8", "bool", "flaot"} do
    refused(q.sum, q, kind, 0.1, "1")
end
assert(q:sum("double", 0.1, "1.0").type == "double" and q:sum("ivec2", 0.1, "ivec2(1)").type == "ivec2")
q:close()
refused(function() q.position = 1 end)
refused(mpi.sph, {positions = positions, box = unit, radius = 0.2, sound = 10, gravity = {1, 2, 3}})
refused(mpi.sph, {positions = positions, box = unit, radius = 0.2, sound = 10, velocities = rill.stream("float", 30)})
refused(mpi.sph, {positions = positions, box = {1, 2}, radius = 0.2, sound = 10})

-- Files
for _, name in ipairs {"fortran", "big", "complex", "long", "short", "text", "nothing"} do
    refused(mpi.load, ("%s/%s.npy"):format(path, name))
end
refused(mpi.checkpoint, path .. "/state", {print = print})
refused(mpi.restart, path .. "/fortran.npy")
if mpi.rank == 1 then
    print "done"
end

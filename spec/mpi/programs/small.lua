-- A program for mpi_spec: streams with fewer elements than ranks, and checkpoints of all types. Compares each operation with
-- that of a stream of one rank. Arguments: a directory, and "write" or "read" for the checkpoint.
local mpi = require "rill.mpi"
local rill = require "rill"
local path, step = arg[1], arg[2]
local long <const> = require("spec.support.rank_program").whole
math.randomseed(7)

local function words(text) return text:gmatch "%S+" end

local function equal(what, d, whole)
    local all = d:collect "all"
    assert(all.type == whole.type and table.concat(all.shape, "x") == table.concat(whole.shape, "x"), what)
    assert(all:bytes() == whole:bytes(), what)
end

local function lines(kind, n)
    local what, whole = kind .. " " .. n, rill.stream(kind, n)
    for i = 1, n do
        whole:set(kind == "bool" and i % 2 == 1 or kind ~= "bool" and i * 7 % 5, i)
    end
    local d = mpi.stream(kind, n, {init = whole})
    equal(what, d:sort(), n > 0 and whole:sort() or whole)
    equal(what, d:sort {descending = true}, n > 0 and whole:sort {descending = true} or whole)
    local values, counts = d:unique()
    if n > 0 then
        local own, times = whole:unique()
        equal(what, values, own)
        equal(what, counts, times)
        equal(what, d:scan(), whole:scan())
    end
    assert(n > 0 or values.size + counts.size + d:scan().size == 0, what)
    assert(d:filter("x != x"):rebalance().size == 0 and d:find("true").size == n, what)
    assert(d:sum() == (n > 0 and whole:sum() or 0) and d:count() == (n > 0 and whole:count() or 0), what)
    assert(d:min() == (n > 0 and whole:min() or nil) and d:argmax() == (n > 0 and whole:argmax() or nil), what)
    assert(d:all() == (n == 0 or whole:all()) and d:any() == (n > 0 and whole:any()), what)
    assert(n > 0 or d:mean() == nil and d:var() == nil, what)
    equal(what, mpi.distribute(mpi.rank == 1 and whole or nil), whole)
    equal(what, d:copy():rebalance(), whole)
    local found, expected = d:quantile {0, 0.4, 1}, whole:quantile {0, 0.4, 1}
    assert(#found == #expected and d:median() == (n > 0 and whole:median() or nil), what)
    for i, x in ipairs(expected) do
        assert(found[i] == x or x ~= x and found[i] ~= found[i], what)
    end
    if kind == "bool" then
        return
    end
    for _, o in ipairs {{bins = 4}, {bins = 4, min = 2}, {bins = 3, max = -1}, {bins = 2, min = 9}} do
        assert(d:histogram(o):bytes() == whole:histogram(o):bytes(), what)
    end
    d:save(path .. "/small.npy")
    equal(what, mpi.load(path .. "/small.npy"), whole)
end

-- Histograms leave out NaN, also where the range is that of the elements.
local function histograms()
    for _, list in ipairs {{0 / 0, 1}, {0 / 0}, {3, 0 / 0, 5, 7, 7}, {-2, -2}} do
        for _, kind in ipairs {"double", long and "float" or nil, long and "half" or nil} do
            local whole = rill.from(list, kind)
            local d = mpi.stream(kind, #list, {init = whole})
            assert(d:histogram {bins = 4}:bytes() == whole:histogram {bins = 4}:bytes())
        end
    end
    local infinite = mpi.stream("float", 2, {init = {0, 1 / 0}})
    local done, message = pcall(infinite.histogram, infinite)
    assert(not done and message:find("give 'min' and 'max'", 1, true))
end

-- Parts without elements along the first of two dimensions that are cut.
local function boxes()
    local near = rill.kernel [=[
        kernel void near(neighbor float p<>, out float r<>) {
            r = p[1][0] + 2.0 * p[-1][-1] + 4.0 * p[0][3] + 8.0 * p[-3][1];
        }
    ]=]
    local ranks = mpi.size == 4 and {2, 2} or {1, mpi.size}
    for rows = 0, 3 do
        local whole = rill.random({rows, 256}, {seed = rows})
        for _, mode in ipairs {"zero", "wrap", "clamp", "mirror", 1.5} do
            local d = mpi.stream("float", {rows, 256}, {init = whole, ranks = ranks, boundary = mode})
            equal("near " .. mode, near(d), near(whole:boundary(mode)))
        end
        local d = mpi.distribute(mpi.rank == mpi.size and whole or nil, mpi.size, {ranks = ranks})
        equal("distribute", d, whole)
        d:save(path .. "/boxes.npy")
        equal("load", mpi.load(path .. "/boxes.npy", {ranks = ranks}), whole)
        assert(d:histogram {bins = 4, min = 0, max = 1}:sum() == rows * 256)
        assert(rows == 0 or d:max() == whole:max() and select(2, d:argmin()) == select(2, whole:argmin()))
    end
end

-- Reductions whose squares or partial sums are out of range, in shapes with dimensions of 1.
local function extremes()
    local lists = {
        {1e200, 2e200, 3e200}, {1e-200, -3e-200}, {1.7e308, -1.7e308}, {1e308, 1e308, -1e308, -1e308}, {1, 1 / 0},
        {0 / 0, 1}, {2}, {1e155, 1e-155},
    }
    for _, shape in ipairs(long and {{2, 1, 3}, {2, 1, 1, 3}, {1, 3, 1, 4}, {4, 1}, {24}} or {{2, 1, 3}, {24}}) do
        for k, list in ipairs(lists) do
            local values, size = {}, 1
            for _, n in ipairs(shape) do size = size * n end
            for i = 1, size do values[i] = list[(i - 1) % #list + 1] end
            local whole = rill.from(values, "double"):reshape(shape)
            local d = mpi.stream("double", shape, {init = whole})
            for _, name in ipairs {"sum", "mean", "norm", "var", "std", "dot"} do
                local got = d[name](d, name == "dot" and d or nil)
                local expected = whole[name](whole, name == "dot" and whole or nil)
                assert(got == expected or got ~= got and expected ~= expected
                    or math.abs(got - expected) <= 1e-14 * math.abs(expected), ("%s %d %s: %g, not %g"):format(
                    table.concat(shape, "x"), k, name, got, expected))
            end
        end
    end
end

-- A checkpoint with streams of all types, which another number of ranks reads.
local function checkpoint()
    local wholes, names, state = {}, {}, {values = {1, {a = "b"}}, flag = false}
    for kind in words(long and "float double int uint half int8 uint8 int16 uint16 bool unorm8 vec2 vec3 vec4 " ..
        "dvec2 dvec3 dvec4 ivec2 ivec3 ivec4 uvec2 uvec3 uvec4 half2 half4 unorm8x4" or "float uint8 bool dvec3") do
        for _, shape in ipairs {{13, 5}, {3}, {0, 2}, {2, 3, 4, 5}} do
            local whole, bytes = rill.stream(kind, shape), {}
            for i = 1, whole.nbytes do
                local value = kind == "bool" and (i % 4 == 1 and math.random(0, 1) or 0) or math.random(0, 100)
                bytes[i] = string.char(value)
            end
            if whole.size > 0 then
                whole:reshape(whole.size):write(table.concat(bytes))
            end
            local name = kind .. table.concat(shape, "x")
            names[#names + 1], wholes[name] = name, whole
            if step == "write" then
                state[name] = mpi.stream(kind, shape, {init = whole, boundary = "zero", halo = 2})
            end
        end
    end
    if step == "write" then
        mpi.checkpoint(path .. "/types", state)
        return
    end
    local got = mpi.restart(path .. "/types")
    for _, name in ipairs(names) do
        equal(name, got[name], wholes[name])
    end
    assert(got.values[2].a == "b" and got.flag == false)
end

checkpoint()
for n = 0, step == "read" and 3 or -1 do
    for kind in words(long and "float double half int8 bool" or "double bool") do
        lines(kind, n)
    end
end
if step == "read" then
    histograms()
    boxes()
    extremes()
end
if mpi.rank == 1 then
    print "done"
end

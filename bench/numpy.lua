-- Primitives over 2^24 elements against numpy, which gets the same data in its preferred layout; selections and shapes also against PyTorch; and the sum of an
-- expression against the same work in two launches.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local count, side, bins = 1 << 24, 4096, 1024

local function fused(x, y)
    local saxpy = rill.kernel "kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }"
    local r <close> = rill.stream("float", count)
    local one, two = support.race(9,
        function() return support.timed(function() return (2.5 * x + y):sum() end, 1) end,
        function() return support.timed(function() return saxpy(2.5, x, y, r):sum() end, 1) end)
    return support.faster("(2.5 * x + y):sum() 2^24", one, "saxpy, then sum", two, 1.8)
end

-- Reading 10^6 rows of 4 columns: two with all digits of doubles, one with two decimals, one of integers. pandas does
-- not round all numbers correctly by default.
local function csv()
    local rows = 1000000
    local path = os.tmpname()
    local function column(seed, scale) return rill.random(rows, {seed = seed, type = "double"}) * scale end
    rill.csv.save(path, {names = {"a", "b", "c", "d"}, a = column(1, 1), b = (column(2, 1) - 0.5) * 1e3,
        c = rill.floor(column(3, 1e5)) / 100, d = rill.random(rows, {seed = 4, type = "int", low = 0, high = 999999})})
    local pandas <close>, missing = pipe.python("peer_pandas.py", path)
    local list = not pandas and {support.note("CSV", missing)} or pipe.rows(pandas, pandas.what, {
        {"CSV, 10^6 rows, 4 columns", "csv", 1.0, function() return rill.csv.load(path) end, tolerance = 1e-6,
            as = function(t) return rill.stack({t.a, t.b, t.c, t.d}, 2):cast "float" end},
    })
    os.remove(path)
    return list[1]
end

-- Rows for selections and other shapes against a peer.
local function shapes(peer, given)
    local x, m, index = given.x, given.m, given.index
    return pipe.rows(peer, peer.what, {
        {"select 2^24, at random", "take", 1.0, function() return x:select(index) end},
        {"quantile(0.3) of 2^24", "quantile", 1.0, function() return x:quantile(0.3) end, tolerance = 1e-6, rounds = 5},
        {"roll 2^24", "roll", 1.0, function() return x:roll(1000) end},
        {"roll the rows of 4096^2", "roll_rows", 1.0, function() return m:roll(1000, 2) end},
        {"pad 2^24", "pad", 1.0, function() return x:pad {before = 10, after = 20} end},
        {"pad 4096^2", "pad_rows", 1.0, function() return m:pad {before = 10, after = 10} end},
    })
end

return function()
    local numpy <close>, missing = pipe.python "peer_numpy.py"
    if not numpy then return {support.note("primitives against numpy", missing)} end
    local x, y = rill.random(count, {seed = 1}), rill.random(count, {seed = 2})
    local keys = rill.random(count, {seed = 3, type = "int", low = 0, high = bins - 1})
    local index = rill.random(count, {seed = 4, type = "int", low = 0, high = count - 1})
    local u = rill.random(count, {seed = 5, type = "uint"})
    local mask = rill.random(count, {seed = 6, type = "int", low = 0, high = 1}):cast "bool"
    local m = x:reshape {side, side}
    local given = {x = x, y = y, keys = keys, index = index, u = u, mask = mask, m = m}
    for name, s in pairs(given) do numpy:give(name, s) end

    local saxpy = rill.kernel "kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }"
    local r = rill.stream("float", count)
    local function bincount() return rill.bincount(keys, {minlength = bins}) end
    local rows = pipe.rows(numpy, numpy.what, {
        {"saxpy 2^24", "saxpy", 1.0, function() return saxpy(2.5, x, y, r) end, keep = r, tolerance = 1e-6},
        {"sum 2^24", "sum", 0.8, function() return x:sum() end, tolerance = 1e-5},
        {"scan 2^24", "cumsum", 2.5, function() return x:scan() end, tolerance = 1e-3}, -- numpy's sum of floats drifts
        {"bincount 2^24, 1024 bins", "bincount", 3, bincount},
        {"... numpy's of 64-bit keys", "bincount_wide", nil, bincount},
        {"filter by a mask 2^24, x[mask]", "select", 3, function() return x:filter(mask) end},
        {"... np.compress", "compress", nil, function() return x:filter(mask) end},
        {"gather 2^24, at random", "take", 1.0, function() return rill.gather(x, index) end},
        {"transpose 4096^2", "transpose", 2, function() return m:transpose():copy() end},
        {"sort 2^24 uint", "sort", 0.4, function() return u:sort() end, rounds = 5},
        {"argsort 2^24 uint", "argsort", 4, function() return rill.argsort(u) end, rounds = 3},
    })
    table.move(shapes(numpy, given), 1, 6, #rows + 1, rows)
    local torch <close>, none = pipe.python "peer_torch.py"
    if torch then
        for _, name in ipairs {"x", "m", "index"} do torch:give(name, given[name]) end
    end
    table.move(torch and shapes(torch, given) or {support.note("shapes against PyTorch", none)}, 1, 6, #rows + 1, rows)
    rows[#rows + 1] = fused(x, y)
    rows[#rows + 1] = csv()
    return rows
end

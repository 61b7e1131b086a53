-- The matrix-vector products of examples/matvec.lua against numpy's A @ x: 4096 rows of 1024, and 1024 rows of 4096, for which the form with one thread per
-- column would need too large a group.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local rounds = 9
local shapes = {{4096, 1024}, {1024, 4096}}

-- Compares all results with the sum in double precision before timing.
local function verify(name, y, exact)
    local values = y:values()
    for i, value in ipairs(exact) do
        assert(math.abs(value - values[i]) < 1e-3, ("%s: row %d is %g, not %g"):format(name, i, values[i], value))
    end
end

local function exact_product(a, x, b)
    local columns, xs, bs, product = x.size, x:values(), b:values(), {}
    for i = 1, b.size do
        local row, sum = a:values({i, 1}, {i, columns}), bs[i]
        for j = 1, columns do sum = sum + row[j] * xs[j] end
        product[i] = sum
    end
    return product
end

local function rows_of(numpy, matvec, rows, columns)
    local a = rill.random({rows, columns}, {seed = 1, low = -1, high = 1})
    local x, b = rill.random(columns, {seed = 2}), rill.random(rows, {seed = 3})
    local y = rill.stream("float", rows)
    local exact = exact_product(a, x, b)
    numpy:give("a", a)
    numpy:give("x", x)
    numpy:give("b", b)
    local scale = matvec.fixed_point(a, x)
    local names = columns <= 1024 and {"simple", "reduce", "large", "scatter"} or {"simple", "large", "scatter"}
    local contenders = {numpy:contender("matvec")}
    for i, name in ipairs(names) do
        local run = matvec[name]
        local last = name == "scatter" and scale or nil
        verify(name, run(a, x, b, y, last), exact)
        contenders[i + 1] = function() return support.timed(function() run(a, x, b, y, last) end, 1) end
    end
    local seconds = {support.race(rounds, table.unpack(contenders))}
    local result = {}
    for i, name in ipairs(names) do
        local title = ("A x + b, %d x %d, %s"):format(rows, columns, name)
        result[i] = support.faster(title, seconds[i + 1], "numpy A @ x + b", seconds[1])
    end
    return result
end

return function()
    local numpy <close>, missing = pipe.python("peer_numpy.py")
    if not numpy then return {support.note("matrix-vector products", missing)} end
    local matvec = assert(loadfile(support.folder .. "/../examples/matvec.lua"))("module")
    local result = {}
    for _, shape in ipairs(shapes) do
        table.move(rows_of(numpy, matvec, shape[1], shape[2]), 1, 4, #result + 1, result)
    end
    return result
end

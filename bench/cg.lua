-- Conjugate gradients against scipy (one core, as it does not use more) at equal true residuals, without a preconditioner, from x = 0: a cube of 10^6 points,
-- and matrices from files if there are any.
local rill = require "rill"
local matrices = require "bench.support.matrices"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local FILES <const> = {"gr_30_30", "494_bus", "bcsstk16"}
local TOLERANCE <const> = {float = 1e-4, double = 1e-8}

-- Returns the matrices by name, and their names in order.
local function collect()
    local found, names = {}, {}
    local folder = (os.getenv "RILL_DATA" or "../shared/data") .. "/matrices/"
    for _, name in ipairs(FILES) do
        local file = io.open(folder .. name .. ".mtx")
        if file then
            file:close()
            found[name], names[#names + 1] = rill.sparse.load(folder .. name .. ".mtx"), name
        end
    end
    found.cube, names[#names + 1] = matrices.stencil(100):cast "double", "cube"
    return found, names
end

-- Cost over size: the number of iterations for a cube grows with its side.
local function growth()
    local lines = {{"cube", "iterations", "ms", "ns an entry and iteration"}}
    for _, n in ipairs {25, 50, 100} do
        local A <close> = matrices.stencil(n)
        local b = rill.random(A.shape[1], {seed = 1, low = -1})
        local report
        local seconds = support.race(3, function()
            return support.timed(function()
                local x
                x, report = rill.solve.cg(A, b, {tolerance = TOLERANCE.float})
                x:close()
            end, 1)
        end)
        lines[#lines + 1] = {("%d^3"):format(n), report.iterations, ("%.3g"):format(seconds * 1e3),
            ("%.3g"):format(seconds / report.iterations / A.nnz * 1e9)}
    end
    return support.table("rill's cost over size", lines)
end

return function()
    local scipy <close>, missing = pipe.python "peer_cg.py"
    if not scipy then return {support.note("conjugate gradients", missing)} end
    local found, names = collect()
    local rows, lines = {}, {{"case", "rill's iterations", "true residual", "scipy's iterations", "true residual"}}
    for _, name in ipairs(names) do
        for _, type in ipairs {"float", "double"} do
            local A = found[name]:cast(type)
            local b = name == "cube" and rill.random(A.shape[1], {seed = 7, type = type, low = -1}) or
                A:multiply(rill.stream(type, A.shape[2], 1))
            local case = (name .. "_" .. type):gsub("^%d", "m%0")
            scipy:give(case .. "_offsets", A.offsets)
            scipy:give(case .. "_columns", A.columns)
            scipy:give(case .. "_values", A.values)
            scipy:give(case .. "_b", b)
            scipy:give(case .. "_tolerance", rill.from({TOLERANCE[type]}, "double"))
            local report
            local row = pipe.rows(scipy, scipy.what, {{("%s, %s, to %g"):format(name, type, TOLERANCE[type]), case, 1.0,
                function()
                    local x
                    x, report = rill.solve.cg(A, b, {tolerance = TOLERANCE[type]})
                    return x
                end,
                as = function(x) return x:cast "float" end, tolerance = math.huge, rounds = name == "cube" and 3 or 7,
            }})
            rows[#rows + 1] = row[1]
            local theirs = scipy:result(case .. "_residual"):values()
            lines[#lines + 1] = {case, report.iterations, ("%.2g"):format(report.residual), math.tointeger(theirs[2]),
                ("%.2g"):format(theirs[1])}
        end
    end
    rows[#rows + 1] = support.table("iterations, and residuals in double", lines)
    rows[#rows + 1] = growth()
    return rows
end

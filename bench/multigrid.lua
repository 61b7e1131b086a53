-- rill.solve.multigrid against a straightforward multigrid in C on one thread, at equal residual, and its cost over the size of the grid.
local rill = require "rill"
local peer = require "peer"
local support = require "bench.support"

local GOAL <const>, TOLERANCE <const>, ROUNDS <const> = 1.0, 1e-6, 7

-- Returns a right-hand side, its hierarchy, and the stream for the solution.
local function make_case(n, type, boundary)
    return {
        n = n, b = rill.random({n, n}, {seed = n, type = type, low = -1, high = 1}),
        grids = rill.solve.hierarchy {shape = {n, n}, precision = "mixed", boundary = boundary},
        x = rill.stream("double", {n, n}),
    }
end

local function close(case)
    case.b:close()
    case.grids:close()
    case.x:close()
end

local function solve(case)
    case.x:fill(0)
    local _, report = case.grids:solve(case.b, {x = case.x, tolerance = TOLERANCE})
    return report
end

-- The peer solves in doubles, rill in mixed precision. The peer's grids have 2^k - 1 elements per side, rill's the same number or one more.
local function against(n, peer_n, goal)
    local case = make_case(n, "double")
    local theirs <close> = rill.random({peer_n, peer_n}, {seed = n, type = "double", low = -1, high = 1})
    local bytes, report, cycles, residual = theirs:bytes(), nil, nil, nil
    local times = support.least(ROUNDS, function()
        return support.timed(function() report = solve(case) end, 1)
    end, function()
        local seconds
        seconds, cycles, residual = peer.multigrid(peer_n, bytes, TOLERANCE)
        return seconds
    end)
    close(case)
    local title = ("multigrid %d^2"):format(n)
    return support.faster(title, times[1], ("C, one thread, %d^2 doubles"):format(peer_n), times[2], goal),
        support.note(title, ("%d cycles to %.1e, the peer %d to %.1e"):format(report.cycles, report.residual, cycles,
            residual))
end

local function growth()
    local lines = {{"grid", "cycles", "ms", "ns per element"}}
    for _, n in ipairs {64, 128, 256, 512, 1024, 2048} do
        local case = make_case(n, "float")
        local report
        local seconds = support.least(n <= 256 and ROUNDS or 3, function()
            return support.timed(function() report = solve(case) end, 1)
        end)[1]
        lines[#lines + 1] = {("%d^2"):format(n), report.cycles, seconds * 1e3, seconds * 1e9 / n ^ 2}
        close(case)
    end
    return support.table(("rill's cost over size, to %g"):format(TOLERANCE), lines)
end

return function()
    local rows = {}
    for _, case in ipairs {{1024, 1023, GOAL}, {1023, 1023}, {256, 255}} do
        local ratio, cycles = against(table.unpack(case, 1, 3))
        rows[#rows + 1], rows[#rows + 2] = ratio, cycles
    end
    rows[#rows + 1] = growth()
    return rows
end

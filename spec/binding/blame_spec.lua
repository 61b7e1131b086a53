-- Errors of functions written in Lua are raised at the line of the script that made the call, and name the called function.
local rill = require "rill"
local check = require "spec.support.check"

local s = rill.from {3, 1, 2}
local double = rill.kernel "kernel void double_it(float x<>, out float r<>) { r = x * 2.0; }"
local split = rill.kernel "kernel void split(float x<>, vout[2] float r<>) { push(r, x); push(r, -x); }"

local function closed()
    local t = rill.from {1, 2}
    t:close()
    return t
end

-- A mask whose stream was written since.
local function stale()
    local t = rill.from {1, 2, 3}
    local mask = t:gt(1)
    t:fill(0)
    return mask
end

local STALE <const> = "expression<bool>%[3%] was built before memory it reads was written"

-- The expected message, and a function that fails on its first line.
local cases = {
    {"s:sort: unknown option 'desc'", function() local r = s:sort {desc = true} return r end},
    {"s:sort: expected a table of options, got expression", function() local r = s:sort(s + 1) return r end},
    {"s:sort: expected a table of options, got number 1", function() local r = (s + 1):sort(1) return r end},
    {"expected an index from 1, got number 0", function() local r = (s + 1)[0] return r end},
    {"s:get: index 7", function() local r = (s + 1):get(7) return r end},
    {"rill.choice: option 'p': expected a stream of 3 probabilities", function()
        local r = rill.choice(3, 2, {p = {1}}) return r end, 1},
    {"rill.choice: expected a table of options, got stream", function()
        local r = rill.choice(3, 2, s) return r end, 1},
    {"the launch runs over 5", function()
        local r = rill.branch(s:gt(1), double, double)(rill.random(5)) return r end, 1},
    {"expected 1 argument %(or 2 with its outputs%), got 3", function()
        local r = rill.branch(s:gt(1), double, double)(s, s, s) return r end, 1},
    {"rill.branch: a kernel with a vout", function() local r = rill.branch(s:gt(1), split, split) return r end},
    {"a profile is being taken already", function()
        local r = rill.profile(function() local x = rill.profile(print) return x end) return r end, 1},
    {STALE, function() local r = s:filter(stale()) return r end},
    {STALE, function() local r = rill.active(stale()) return r end},
    {STALE, function() local r = double {x = s, where = stale()} return r end},
    {"rill.active: .*got closed stream", function() local r = rill.active(closed()) return r end},
    {"s:stats: .*expected an open stream, got closed stream", function() local r = closed():stats() return r end},
    {"rill.choice: .*expected an open stream .*got closed stream", function()
        local r = rill.choice(closed(), 2) return r end, 1},
    {"rill.show: .*expected an open stream, got closed stream", function()
        local r = rill.show(closed()) return r end, 1},
    {"s:stats: expected no argument, got 1", function() local r = s:stats(3) return r end},
    {"rill.show: option 'width'", function() local r = rill.show(s, {width = -3}) return r end},
    {"s:scan: argument #1 'op': .*got expression", function() local r = s:scan(s + 1) return r end},
    {"s:scan: argument #2 'options': .*got expression", function() local r = (s + 1):scan("add", s + 1) return r end},
    {"s:sum: argument #2 'options': .*got expression", function() local r = (s + 1):sum(1, s + 1) return r end},
    {"s:histogram: .*a table of options, got expression", function() local r = s:histogram(s + 1) return r end},
    {"rill.random: .*a table of options, got expression", function() local r = rill.random(3, s + 1) return r end},
    {"rill.argsort: .*got expression", function() local r = rill.argsort(s, s + 1) return r end},
    {"s:map: .*got expression", function() local r = s:map("x", s + 1) return r end},
    {"rill.horn.filter: .*a table of options, got expression", function()
        local r = rill.horn.filter(s, "x > 2", s + 1) return r end, 1},
    {"rill.random: option 'sd'", function() local r = rill.random(3, {distribution = "normal", sd = -1}) return r end},
    {"a << b: argument #2 'b': expected a stream.* got table", function() local r = s << {} return r end},
    {"a >> b: argument #2 'b': expected int, uint or bool, got float", function()
        local r = rill.iota(3) >> s return r end, 1},
    {"rill.mod: argument #2 'y': .* got 0", function() local r = rill.mod(1, 0) return r end},
    {"rill.mod: argument #2 'y': .* got 0", function() return (rill.mod(math.mininteger, 0)) end},
    {"rill.horn has no field 'foo'", function() local r = rill.horn.foo return r end},
    {"rill.debug has no field 'foo'", function() local r = rill.debug.foo return r end},
    {"rill.plot: argument #3 'options': .*like {title", function() local r = rill.plot(s, s, s + 1) return r end},
    {"rill.from: argument #1 'table': expected a nested table %(e:eval%(%) makes .*%), got expression", function()
        local r = rill.from(s * 2) return r end, 1},
}

describe("an error", function()
    for _, case in ipairs(cases) do
        local text, f, more = case[1], case[2], case[3] or 0
        local line = debug.getinfo(f, "S").linedefined + more
        it(("at line %d of the script: %s"):format(line, text), function()
            check.raises("blame_spec%.lua:" .. line .. ": .*" .. text, f)
        end)
    end
end)

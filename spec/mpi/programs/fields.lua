-- A program for provider_spec: waves and heat over the ranks, with all boundary modes, compared in every bit with streams
-- of one process. Prints results, which must not depend on the number of ranks.
local mpi = require "rill.mpi"
local rill = require "rill"
local program = require "spec.support.rank_program"
local check <const>, say <const> = program.check, program.say

local function bytes(s) return (rill.type(s) == "stream" and s or s:collect "all"):bytes() end

local function same(what, one, many)
    check(what, rill.type(many) == "mpi.stream" and bytes(one) == bytes(many))
end

local function random(shape, seed) return rill.random(shape, {seed = seed}) end

-- Calls f with the option `on` and without it, and returns both results.
local function both(f) return f(nil), f(mpi) end

-- Returns the cases; without #long tests, two of several modes: few rows, and three dimensions.
local function chosen(cases)
    local list = {}
    for _, case in ipairs(cases) do
        if program.whole or type(case[2]) == "table" and #case[2] > 1 and type(case[2][1]) == "string" and
            case[1][1] ~= 9 then
            list[#list + 1] = case
        end
    end
    return list
end

local count = 0
for _, case in ipairs(chosen {
    {{70, 66}, "insulated"}, {{70, 66}, "periodic"}, {{70, 66}, 3}, {{70, 66}, {1, -2}}, {{9, 5}, {"periodic", 2}},
    {{4, 3}, {"insulated", "periodic"}}, {{200}, {4}}, {{12, 7, 5}, {"periodic", 1, "insulated"}}, {{2, 9}, "periodic"},
}) do
    local shape, mode = case[1], case[2]
    local function heat(on)
        local h = rill.heat {shape = shape, boundary = mode, source = random(shape, 3), spacing = 0.5,
            diffusivity = random(shape, 4) + 0.5, temperature = random(shape, 5), on = on}
        return h:step():step(4)
    end
    local one, many = both(heat)
    same("temperature", one.temperature, many.temperature)
    same("source", one.source, many.source)
    check("shape and time", many.shape[1] == shape[1] and one.time == many.time and one.limit == many.limit)
    if #shape == 2 then
        same("picture of heat", one:picture(), many:picture())
    end
    many:close()
    count = count + 1
end

for _, case in ipairs(chosen {
    {{70, 66}, "fixed"}, {{70, 66}, "periodic"}, {{70, 66}, "free"}, {{70, 66}, "absorb"}, {{9, 5}, {"absorb", "free"}},
    {{3, 4}, {"periodic", "fixed"}}, {{200}, "absorb"}, {{12, 7, 5}, {"free", "absorb", "periodic"}}, {{1, 9}, "fixed"},
}) do
    local shape, mode = case[1], case[2]
    local function wave(on)
        local w = rill.wave {shape = shape, boundary = mode, speed = random(shape, 4) + 0.5, damping = 0.1,
            height = random(shape, 5), velocity = random(shape, 7), walls = random(shape, 6):lt(0.1), substeps = 2,
            on = on}
        return w:step():step():step(1)
    end
    local one, many = both(wave)
    same("height", one.height, many.height)
    same("velocity", one.velocity, many.velocity)
    check("energy", math.abs(one.energy / many.energy - 1) < 1e-6)
    if #shape == 2 then
        same("picture of a wave", one:picture(), many:picture())
    end
    say(("%.17g"):format(many.energy))
    many:close()
    count = count + 1
end

-- distributed streams as options, in another cut than the standard one
local whole = random({40, 6}, 9)
local moved = mpi.stream("float", 480, {init = rill.concat {(whole + 1):eval(), whole}:reshape(480)}):filter "x < 1"
check("filtered", moved.size == 240)
local line = rill.heat {shape = {240}, temperature = moved, on = mpi}
same("a distributed stream in another cut", whole:reshape(240), line.temperature)
line.temperature:fill(2)
check("a state that is written", line:step().temperature:max() == 2)
local steep = mpi.stream("float", {40, 6}, {init = whole})
same("an expression of distributed streams", rill.heat {shape = {40, 6}, temperature = whole * 2}.temperature,
    rill.heat {shape = {40, 6}, temperature = steep * 2, on = mpi}.temperature)

-- refusals, on all ranks
local function refused(words, f, ...)
    local done, message = pcall(f, ...)
    check(("expected a message with '%s', got %s"):format(words, message), not done and message:find(words, 1, true))
end
refused("option 'on': expected the module rill.mpi, got number 3",
    rill.heat, {shape = {4}, on = 3})
refused("option 'temperature': a distributed stream requires a simulation on all ranks: set its option on = rill.mpi",
    rill.heat, {shape = {40, 6}, temperature = steep})
refused("option 'walls': a distributed stream requires a simulation on all ranks", rill.wave, {shape = {40, 6},
    walls = steep})
refused("option 'source': expected a stream of floats of shape 5, got float of shape 40x6", rill.heat,
    {shape = {5}, source = steep, on = mpi})
refused("option 'temperature': element 2, 3 is nan", rill.heat, {shape = {40, 6}, on = mpi,
    temperature = mpi.stream("float", {40, 6}, {init = rill.stream("float", {40, 6}, function(i, j)
        return i == 2 and j == 3 and 0 / 0 or 1
    end)})})
refused("option 'diffusivity': expected numbers above 0, the smallest is 0.0", rill.heat, {shape = {40, 6}, on = mpi,
    diffusivity = mpi.stream("float", {40, 6})})
local square = mpi.stream("float", {64, 64}, {ranks = {1, mpi.size}})
if mpi.size > 1 then
    refused("option 'temperature': expected a distributed stream that is cut along its first dimension only, got " ..
        "64x64 on 1x", rill.heat, {shape = {64, 64}, temperature = square, on = mpi})
end

-- elements
check("D:get", steep:get(17, 4) == whole:get(17, 4) and steep:get(40.0, 6) == whole:get(40, 6))
refused("D:get: argument #1: expected a whole number from 1 to 40, got number 41", steep.get, steep, 41, 1)
refused("D:get: expected 2 indices, one per dimension, got 1", steep.get, steep, 1)
say(count, "done")

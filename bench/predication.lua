-- Branches (the GPGPU chapter, 28.4.1): an `if` in the kernel, both paths with a selection at the end, and launches over active lists for each path, over the
-- share of elements that take the first path. The time includes making the lists.
local rill = require "rill"
local support = require "bench.support"

local count, rounds = 1 << 21, 5
local shares = {0, 1 / 64, 1 / 16, 1 / 4, 1 / 2, 3 / 4, 1}

local text = [=[
    float first(float x) { for (int k = 0; k < TRIPS; k++) x = x * (1.5 - x * x * 0.25) + 0.01; return x; }
    float second(float x) { for (int k = 0; k < TRIPS; k++) x = 0.5 * (x + 2.0 / (1.0 + x * x)); return x; }
    kernel void with_if(float x<>, bool mask<>, out float r<>) { if (mask) r = first(x); else r = second(x); }
    kernel void with_both(float x<>, bool mask<>, out float r<>) {
        float a = first(x), b = second(x);
        r = mask ? a : b;
    }
    kernel void only_first(float x<>, out float r<>) { r = first(x); }
    kernel void only_second(float x<>, out float r<>) { r = second(x); }
    kernel void if_first(float x<>, bool mask<>, inout float r<>) { if (mask) r = first(x); }
    kernel void choose_first(float x<>, bool mask<>, inout float r<>) {
        float a = first(x);
        r = mask ? a : r;
    } ]=]

-- The ways to take one path or none, and the ways to take one of two paths.
local function ways(trips)
    local k = rill.program((text:gsub("TRIPS", trips)))
    return {
        {"if", function(x, mask, r) k.if_first(x, mask, r) end},
        {"always, then choose", function(x, mask, r) k.choose_first(x, mask, r) end},
        {"where = mask", function(x, mask, r) k.only_first {x = x, r = r, where = mask} end},
    }, {
        {"if, else", function(x, mask, r) k.with_if(x, mask, r) end},
        {"both, then choose", function(x, mask, r) k.with_both(x, mask, r) end},
        {"rill.branch", function(x, mask, r) rill.branch(mask, k.only_first, k.only_second)(x, r) end},
    }
end

-- Returns the milliseconds of each way for each mask, after checking that all give the same result.
local function measure(contest, x, masks)
    local lines = {{"share of the first path"}}
    for i, way in ipairs(contest) do lines[i + 1] = {way[1]} end
    local r <close> = rill.stream("float", count)
    for column, share in ipairs(shares) do
        lines[1][column + 1] = ("%.3g %%"):format(share * 100)
        local contenders, expected = {}, nil
        for i, way in ipairs(contest) do
            r:fill(0)
            way[2](x, masks[column], r)
            local bytes = r:bytes()
            expected = expected or bytes
            assert(bytes == expected, way[1] .. " gives something else")
            contenders[i] = function() return support.timed(function() way[2](x, masks[column], r) end, 1) end
        end
        for i, seconds in ipairs {support.race(rounds, table.unpack(contenders))} do
            lines[i + 1][column + 1] = seconds * 1e3
        end
    end
    return lines
end

return function()
    local x <close> = rill.random(count, {seed = 1})
    local dice <close> = rill.random(count, {seed = 2})
    local scattered, blocked = {}, {}
    local block = rill.kernel "kernel bool block(int last, float x<>) { return indexof(x).x < last; }"
    local below = rill.kernel "kernel bool below(float share, float x<>) { return x < share; }"
    for i, share in ipairs(shares) do
        scattered[i], blocked[i] = below(share, dice), block(math.floor(share * count), dice)
    end
    local rows = {}
    for _, trips in ipairs {16, 128} do
        for paths, contest in ipairs {ways(trips)} do
            for _, mask in ipairs {{"scattered", scattered}, {"in one block", blocked}} do
                local title = ("2^21 elements, ms; %d path%s of %d rounds, the mask %s"):format(paths,
                    paths > 1 and "s" or "", trips, mask[1])
                rows[#rows + 1] = support.table(title, measure(contest, x, mask[2]), "%.2f")
            end
        end
    end
    return rows
end

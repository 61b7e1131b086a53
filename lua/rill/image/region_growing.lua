-- rill.image.segment: Brook's Segment (Buck and others, 2004, section 5), a region that grows from seeds by Perona and Malik's diffusion, as Sherbondy
-- and others do it (Fast volume segmentation with simultaneous visualization using programmable graphics hardware, 2003). Brook's printed cost fits a
-- level that diffuses alone, at a pace that falls with the distance from the seeds. Here it also grows where it has come (R. Fisher, The wave of advance of
-- advantageous genes, 1937), so that it fills a region to its edges and then stands, and the pace is 0 beyond the tolerance, so that nothing leaks.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local diffuse = require "rill.image.diffuse"
local option = require "rill.core.options"
local mask = require "rill.image.mask"
local template = require "rill.glsl.template"
local picture = require "rill.image.arguments"
local fail <const> = errors.fail
local kernels <const> = template.sections "region_growing"

local segment = {}

local WHERE <const> = "rill.image.segment"
local EVERY <const> = 32 -- steps between looks at whether it still grows
local TURNS <const> = 16 -- as many steps at most, if not told, as the picture's rows and columns make together

local LARGEST <const> = 2.0 ^ 128 - 2.0 ^ 104 -- float: infinity times a difference of 0 is NaN

-- Squares of differences up to 1e15, times those of 1 / tolerance and summed over a pixel, are floats.
local OPTIONS <const> = {
    seeds = {
        function(v) return type(v) == "table" or not errors.not_open(v) end, "places {row, column}, or a mask",
        nil, true,
    },
    tolerance = option.number(0.0, 1e15, nil, true), edge = option.number(0.0, 1e15, math.huge, true),
    smooth = option.number(0, 100000, 10), steps = option.number(0, 1000000, math.huge),
}

local WEIGHED <const> = template.new "kernel $T weighed($T p<>, float u<>) { return p * u; }"
local GROWS <const> = template.new "kernel bool grows(float u<>, float r<>) { return abs(r - u) > 0.02 * r; }"
local BROKEN <const> = template.new "kernel bool broken($T s<>) { return !(dot(abs(s), $T(1.0)) <= 1e15); }"

-- Whether a mask that is handed over holds anywhere.
local function holds_anywhere(m)
    local any = m:any()
    m:close()
    return any
end

-- ---- seeds

local function check_place(place, i, shape)
    for d = 1, 2 do
        local index = type(place) == "table" and math.tointeger(place[d])
        if not index or index < 1 or index > shape[d] then
            fail("%s: option 'seeds': place %d: expected {row, column} within %s, from 1, got %s", WHERE, i, shape,
                errors.told(place))
        end
    end
end

-- The levels to begin with: 1 at seeds, 0 elsewhere.
local function planted(seeds, shape)
    local u
    if type(seeds) == "table" and not rill.type(seeds) then
        u = rill.stream("float", shape)
        for i, place in ipairs(seeds) do
            check_place(place, i, shape)
            u:set(1, place[1], place[2])
        end
    else
        local m = mask.take(WHERE .. ": option 'seeds'", seeds, 2, "options")
        if m.shape ~= shape then
            fail("%s: option 'seeds': a mask of shape %s, the picture has %s", WHERE, m.shape, shape)
        end
        u = m:cast "float"
        if rill.type(seeds) == "stream" and m ~= seeds then m:close() end
    end
    local count = u:sum()
    return count > 0 and u or fail("%s: option 'seeds': there is none", WHERE), count
end

local function mean_of(p, u, kind, count)
    local weighed <close> = WEIGHED:kernel {T = kind}(p, u)
    local sum = weighed:sum()
    if math.type(sum) then
        return sum / count
    end
    for c, v in ipairs(sum) do sum[c] = v / count end
    return sum
end

-- ---- growth

-- Grows for so many steps at most; with `until_it_stands` no longer than it grows anywhere by a fiftieth a step. Returns the levels, the steps, and whether it stands.
local function grow(step, u, most, until_it_stands)
    local spare = rill.stream("float", u.shape)
    for n = 1, most do
        step(u, spare)
        u, spare = spare, u
        if until_it_stands and n % EVERY == 0 and not holds_anywhere(GROWS:kernel()(spare, u)) then
            spare:close()
            return u, n, true
        end
    end
    local stands = not holds_anywhere(GROWS:kernel()(spare, u))
    spare:close()
    return u, most, most > 0 and stands
end

local function check_numbers(s, type)
    local broken <close> = BROKEN:kernel {T = type}(s)
    if broken:any() then
        local flags <close> = broken:cast "int"
        local row, column = flags:argmax()
        fail("%s: argument #1 's': pixel {%d, %d} is no finite number up to 1e15", WHERE, row, column)
    end
end

--- rill.image.segment(s, {seeds=, tolerance= [, edge=, smooth=, steps=]}): a mask of the region around the seeds, a list of places {row, column} or a mask, and a report
-- {level=, iterations=, converged=}. The picture is smoothed by `smooth` steps (10) of Perona and Malik's diffusion; then levels, 1 at the seeds and 0 elsewhere, spread where
-- the picture differs from the seeds' mean by less than `tolerance`, slowly over steps of more than `edge` (the tolerance), for so many steps or until they stand.
-- The mask is where they are above 1/2. Waits for the device every 32 steps, unless `steps` is told.
segment.segment = picture.filter("segment", function(s, type, _, options)
    local o = option.take(WHERE, options, OPTIONS)
    if s.size == 0 then
        fail("%s: argument #1 's': expected a picture with pixels, got shape %s", WHERE, s.shape)
    end
    check_numbers(s, type)
    local edge <const>, told <const> = math.min(o.edge, o.tolerance), o.steps < math.huge
    local u, count = planted(o.seeds, s.shape)
    local smooth <close> = diffuse.diffuse(s, {k = edge, steps = o.smooth, step = 0.2, conductance = "quotient"})
    local p <close> = smooth:boundary "clamp"
    local seed <const>, kernel <const> = mean_of(p, u, type, count), kernels.grow:kernel {T = type}
    local scale <const>, across <const> = math.min(1 / o.tolerance, LARGEST), math.min(1 / edge, LARGEST)
    local function step(from, to) kernel(seed, scale, across, p, from, to) end
    local most = told and o.steps or TURNS * (s.shape[1] + s.shape[2])
    local level, steps, stands = grow(step, u, most, not told)
    return mask.threshold(level, 0.5), {level = level, iterations = steps, converged = stands}
end)

return segment

-- rill.image.segment: Brook's Segment (Buck and others, 2004, section 5), a region that grows from seeds by Perona and
-- Malik's diffusion, as by Sherbondy and others (Fast volume segmentation with simultaneous visualization using
-- programmable graphics hardware, 2003). The cost printed in the Brook paper fits a level that only diffuses, at a rate
-- that falls with the distance from the seeds' value. Here a level above 0 also grows by itself (R. Fisher, The wave of
-- advance of advantageous genes, 1937), so that it fills a region to its edges and then stops. The rate is 0 beyond the
-- tolerance, so that nothing leaks.
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
local EVERY <const> = 32 -- steps between tests of convergence
local TURNS <const> = 16 -- times the sum of rows and columns: the default limit of steps

-- The largest float, instead of infinity, which times a difference of 0 is NaN.
local LARGEST <const> = 2.0 ^ 128 - 2.0 ^ 104

-- With these bounds the squares of scaled differences, summed over the components of a pixel, do not overflow a float.
local OPTIONS <const> = {
    seeds = {
        function(v) return option.is_list(v) or not errors.not_open(v) end, "a list of {row, column}, or a mask",
        nil, true,
    },
    tolerance = option.number(0.0, 1e15, nil, true), edge = option.number(0.0, 1e15, math.huge, true),
    smooth = option.number(0, 100000, 10), steps = option.number(0, 1000000, math.huge),
}

local WEIGHED <const> = template.new "kernel $T weighed($T p<>, float u<>) { return p * u; }"
local GROWS <const> = template.new "kernel bool grows(float u<>, float r<>) { return abs(r - u) > 0.02 * r; }"
local BROKEN <const> = template.new "kernel bool broken($T s<>) { return !(dot(abs(s), $T(1.0)) <= 1e15); }"

-- Returns whether a mask is true anywhere, and closes it.
local function holds_anywhere(m)
    local any = m:any()
    m:close()
    return any
end

-- ---- seeds

local function check_seed(seed, i, shape)
    for d = 1, 2 do
        local index = option.is_list(seed) and #seed == 2 and math.tointeger(seed[d])
        if not index or index < 1 or index > shape[d] then
            fail("%s: option 'seeds': seed %d: expected {row, column} within %s, 1-based, got %s", WHERE, i, shape,
                errors.told(seed))
        end
    end
end

-- Returns the initial levels, 1 at seeds and 0 elsewhere, and the number of seeds.
local function planted(seeds, shape)
    local u
    if type(seeds) == "table" and not rill.type(seeds) then
        u = rill.stream("float", shape)
        for i, seed in ipairs(seeds) do
            check_seed(seed, i, shape)
            u:set(1, seed[1], seed[2])
        end
    else
        local m = mask.take(WHERE .. ": option 'seeds'", seeds, 2, "options")
        if m.shape ~= shape then
            fail("%s: option 'seeds': the mask has shape %s, the image %s", WHERE, m.shape, shape)
        end
        u = m:cast "float"
        if rill.type(seeds) == "stream" and m ~= seeds then m:close() end
    end
    local count = u:sum()
    return count > 0 and u or fail("%s: option 'seeds': expected at least one seed, got none", WHERE), count
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

-- Grows for at most `most` steps; with `until_converged` it stops when no level changes by more than 2 % in a step.
-- Returns the levels, the number of steps, and whether the levels have converged.
local function grow(step, u, most, until_converged)
    local spare = rill.stream("float", u.shape)
    for n = 1, most do
        step(u, spare)
        u, spare = spare, u
        if until_converged and n % EVERY == 0 and not holds_anywhere(GROWS:kernel()(spare, u)) then
            spare:close()
            return u, n, true
        end
    end
    local converged = not holds_anywhere(GROWS:kernel()(spare, u))
    spare:close()
    return u, most, most > 0 and converged
end

local function check_numbers(s, type)
    local broken <close> = BROKEN:kernel {T = type}(s)
    if broken:any() then
        local flags <close> = broken:cast "int"
        local row, column = flags:argmax()
        fail("%s: argument #1 's': pixel {%d, %d} is not a finite number up to 1e15", WHERE, row, column)
    end
end

--- rill.image.segment(s, {seeds=, tolerance= [, edge=, smooth=, steps=]}) returns a mask of the region around the
-- seeds, which are a list of {row, column} or a mask, and a report {level=, iterations=, converged=}. The image is
-- smoothed by `smooth` (default: 10) steps of Perona and Malik's diffusion. Then levels, 1 at the seeds and 0
-- elsewhere, spread where the image differs from the seeds' mean by less than `tolerance`, and more slowly across
-- differences above `edge` (default: `tolerance`), for `steps` steps or, by default, until they converge. The mask is
-- true where a level is above 1/2. Waits for the device every 32 steps if `steps` is not given.
segment.segment = picture.filter("segment", function(s, type, _, options)
    local o = option.take(WHERE, options, OPTIONS)
    if s.size == 0 then
        fail("%s: argument #1 's': expected an image with pixels, got shape %s", WHERE, s.shape)
    end
    check_numbers(s, type)
    if o.edge < math.huge and o.edge > o.tolerance then
        fail("%s: option 'edge' is %g, above 'tolerance', %g", WHERE, o.edge, o.tolerance)
    end
    local edge <const>, limited <const> = math.min(o.edge, o.tolerance), o.steps < math.huge
    local u, count = planted(o.seeds, s.shape)
    local smooth <close> = diffuse.diffuse(s, {k = edge, steps = o.smooth, step = 0.2, conductance = "quotient"})
    local p <close> = smooth:boundary "clamp"
    local seed <const>, kernel <const> = mean_of(p, u, type, count), kernels.grow:kernel {T = type}
    local scale <const>, across <const> = math.min(1 / o.tolerance, LARGEST), math.min(1 / edge, LARGEST)
    local function step(from, to) kernel(seed, scale, across, p, from, to) end
    local most = limited and o.steps or TURNS * (s.shape[1] + s.shape[2])
    local level, steps, converged = grow(step, u, most, not limited)
    return mask.threshold(level, 0.5), {level = level, iterations = steps, converged = converged}
end)

return segment

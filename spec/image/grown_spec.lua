-- Compares rill.image.segment with the same growth in plain Lua in double precision, and tests it on a phantom.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local pictures = require "spec.support.pictures"
local shortened = require "spec.support.shortened"

local segment <const> = rill.image.segment

-- Returns an image as rows[y][x][c], 0-based, clamped outside.
local function clamped(rows, columns, get)
    local cells = {}
    for y = 0, rows - 1 do
        cells[y] = {}
        for x = 0, columns - 1 do cells[y][x] = get(y, x) end
    end
    return function(y, x)
        return cells[math.max(0, math.min(rows - 1, y))][math.max(0, math.min(columns - 1, x))]
    end
end

local AROUND <const> = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}}

local function smoothed(p, rows, columns, n, edge, steps)
    for _ = 1, steps do
        local old = p
        p = clamped(rows, columns, function(y, x)
            local r, here = {}, old(y, x)
            for c = 1, n do
                r[c] = here[c]
                for _, o in ipairs(AROUND) do
                    local d = old(y + o[1], x + o[2])[c] - here[c]
                    r[c] = r[c] + 0.2 * d / (1 + (d / edge) ^ 2)
                end
            end
            return r
        end)
    end
    return p
end

local function squared(a, b)
    local sum = 0
    for c = 1, #a do sum = sum + (a[c] - b[c]) ^ 2 end
    return sum
end

-- Returns the levels after some steps, from seeds {row, column}, 1-based.
local function grown(s, seeds, o)
    local rows, columns, n = s.shape[1], s.shape[2], pictures.components[s.type]
    local read = pictures.reader(s)
    local p = smoothed(clamped(rows, columns, function(y, x)
        local v = {}
        for c = 1, n do v[c] = read(y, x, c - 1) end
        return v
    end), rows, columns, n, o.edge, o.smooth)
    local planted, mean = {}, {}
    for c = 1, n do
        mean[c] = 0
        for _, seed in ipairs(seeds) do mean[c] = mean[c] + p(seed[1] - 1, seed[2] - 1)[c] / #seeds end
    end
    for _, seed in ipairs(seeds) do planted[(seed[1] - 1) * columns + seed[2] - 1] = 1 end
    local u = clamped(rows, columns, function(y, x) return planted[y * columns + x] or 0 end)
    for _ = 1, o.steps do
        local old = u
        u = clamped(rows, columns, function(y, x)
            local here, level, sum = p(y, x), old(y, x), 0
            for _, d in ipairs(AROUND) do
                local q, v = p(y + d[1], x + d[2]), old(y + d[1], x + d[2])
                sum = sum + (v - level) / (1 + squared(q, here) / o.edge ^ 2)
            end
            local like = math.max(0, 1 - squared(here, mean) / o.tolerance ^ 2)
            return level + 0.2 * like * (sum + level * (1 - level))
        end)
    end
    return function(y, x) return u(y, x) end
end

-- Returns a bright ellipse on a darker background with noise, and the mask of the ellipse.
local function phantom(n, deviation)
    local draw = rill.kernel [[
        kernel void draw(float size, float noise<>, out float s<>, out bool inside<>) {
            vec2 p = (vec2(indexof(s).xy) / size - vec2(0.47, 0.51)) / vec2(0.3, 0.2);
            inside = dot(p, p) < 1.0;
            s = (inside ? 0.65 : 0.35) + noise;
        }
    ]]
    return draw(n, rill.random({n, n}, {seed = 1, distribution = "normal", sd = deviation}))
end

local function dice(a, b)
    return 2 * rill.where(a, b:cast "float", 0):sum() / (a:count() + b:count())
end

describe("rill.image.segment", function()
    leaks.watch(setup, teardown)

    shortened(it, "grows as in double", function(whole)
        local o = {tolerance = 0.9, edge = 0.5, smooth = 3, steps = whole and 120 or 25}
        for type, seeds in pairs {float = {{3, 4}, {9, 12}, {3, 5}}, vec3 = {{1, 1}}} do
            local s = pictures.random(type, {11, 14})
            local unchanged = s:bytes()
            local given = {seeds = seeds, tolerance = o.tolerance, edge = o.edge, smooth = o.smooth, steps = o.steps}
            local mask, report = segment(s, given)
            local want = grown(s, seeds, o)
            pictures.equal(want, report.level, 1e-5)
            assert.equal(o.steps, report.iterations)
            check.equal(rill.image.threshold(report.level, 0.5):values(), mask:values())
            assert.is_true(unchanged == s:bytes(), "the input unchanged")
            assert.is_true(report.level:bytes() == select(2, segment(s, given)).level:bytes(), "the same bits again")
        end
    end)

    it("fills the inside of a phantom with noise", function()
        for _, deviation in ipairs {0, 0.05, 0.08} do
            local s, inside = phantom(128, deviation)
            local mask, report = segment(s, {seeds = {{64, 60}}, tolerance = 0.15})
            assert.is_true(report.converged)
            assert.is_true(dice(mask, inside) >= 0.98, tostring(dice(mask, inside)))
        end
    end)

    it("takes a mask of seeds, and stops at walls", function()
        local s = rill.stream("float", {9, 30}, function(_, j) return j == 15 and 1 or 0.2 end)
        local seeds = rill.stream("bool", {9, 30})
        seeds:set(true, 5, 3):set(true, 6, 3)
        local mask = segment(s, {seeds = seeds, tolerance = 0.1, smooth = 0})
        local same = segment(s, {seeds = {{5, 3}, {6, 3}}, tolerance = 0.1, smooth = 0})
        assert.equal(9 * 14, mask:count())
        assert.equal(mask:bytes(), same:bytes())
        assert.equal(9 * 14, mask:domain({1, 1}, {9, 14}):count())
    end)

    it("handles an image of one pixel, and steps = 0", function()
        local mask, report = segment(rill.stream("float", {1, 1}, 0.5), {seeds = {{1, 1}}, tolerance = 1})
        assert.same({true}, mask:values())
        assert.is_true(report.converged)
        mask, report = segment(rill.stream("vec4", {2, 2}), {seeds = {{2, 1}}, tolerance = 1, steps = 0})
        assert.same({false, false, true, false}, mask:values())
        assert.equal(0, report.iterations)
    end)

    it("refuses invalid arguments", function()
        local s = rill.stream("float", {4, 5})
        local function refused(text, options, picture)
            check.names({"rill.image.segment: ", text}, segment, picture or s, options)
        end
        refused("option 'seeds' is missing", {tolerance = 1})
        refused("option 'edge' is 0.75, above 'tolerance', 0.5", {seeds = {{1, 1}}, tolerance = 0.5, edge = 0.75})
        refused("option 'seeds': expected a list", {seeds = {{1, 1}, other = {2, 2}}, tolerance = 1})
        refused("option 'seeds': seed 1: expected {row, column}", {seeds = {{1, 1, row = 2}}, tolerance = 1})
        refused("option 'tolerance' is missing", {seeds = {{1, 1}}})
        refused("option 'tolerance': expected a number above 0", {seeds = {{1, 1}}, tolerance = 0})
        refused("option 'seeds': expected at least one seed, got none", {seeds = {}, tolerance = 1})
        refused("option 'seeds': expected at least one seed, got none", {
            seeds = rill.stream("bool", {4, 5}), tolerance = 1,
        })
        refused("the mask has shape 5x4, the image 4x5", {seeds = rill.stream("bool", {5, 4}), tolerance = 1})
        for _, place in ipairs {{0, 1}, {5, 1}, {1, 6}, {1.5, 1}, {1}, {1 << 31, 1}, 3} do
            refused("option 'seeds': seed 2: expected {row, column} within 4x5", {
                seeds = {{1, 1}, place}, tolerance = 1,
            })
        end
        local bad = rill.stream("float", {4, 5})
        bad:set(0 / 0, 3, 2)
        refused("pixel {3, 2} is not a finite number", {seeds = {{1, 1}}, tolerance = 1}, bad)
        refused("expected an image with pixels", {seeds = {{1, 1}}, tolerance = 1}, rill.stream("float", {0, 5}))
        refused("expected an image", {seeds = {{1, 1}}, tolerance = 1}, rill.iota {4, 5})
    end)
end)

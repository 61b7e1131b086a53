-- Compares rill.image.bilateral and rill.image.diffuse with double precision, on small images and on camera.pgm.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local pictures = require "spec.support.pictures"
local shortened = require "spec.support.shortened"
local tempfiles = require "spec.support.tempfiles"

local function bilateral(at, n, o)
    return function(y, x, c)
        local sum, total = 0, 0
        for j = -o.radius, o.radius do
            for i = -o.radius, o.radius do
                local apart = 0
                for k = 0, n - 1 do apart = apart + (at(y + j, x + i, k) - at(y, x, k)) ^ 2 end
                local w = math.exp(-(i * i + j * j) / (2 * o.sigma_space ^ 2) - apart / (2 * o.sigma_range ^ 2))
                sum, total = sum + w * at(y + j, x + i, c), total + w
            end
        end
        return sum / total
    end
end

-- Returns one step as a function of the previous image.
local function diffused(at, o)
    local function flow(d)
        local q = (d / o.k) ^ 2
        return d * (o.conductance == "quotient" and 1 / (1 + q) or math.exp(-q))
    end
    return function(y, x, c)
        local here = at(y, x, c)
        return here + (o.step or 0.2) * (flow(at(y, x + 1, c) - here) + flow(at(y, x - 1, c) - here) +
            flow(at(y + 1, x, c) - here) + flow(at(y - 1, x, c) - here))
    end
end

local function assert_bilateral(s, o, modes)
    local view = modes and s:boundary(table.unpack(modes)) or s
    local want = bilateral(pictures.reader(s, modes), pictures.components[s.type], o)
    pictures.equal(want, rill.image.bilateral(view, o), 2e-6)
end

-- With several steps, each step is compared with a reference step from the device's previous image.
local function assert_diffused(s, o, modes)
    local u, before = modes and s:boundary(table.unpack(modes)) or s, s:bytes()
    for steps = 1, 3 do
        o.steps = steps
        local next = rill.image.diffuse(modes and s:boundary(table.unpack(modes)) or s, o)
        pictures.equal(diffused(pictures.reader(u, modes), o), next, 1e-6)
        u = next
    end
    assert.is_true(before == s:bytes(), "the input unchanged")
end

describe("edge-preserving filters:", function()
    leaks.watch(setup, teardown)

    it("bilateral and diffuse do not depend on the unit of values", function()
        for _, kind in ipairs {"float", "vec3"} do
            local s <close> = rill.random({17, 19}, {seed = 2, type = kind})
            local filters = {
                function(p, unit) return rill.image.bilateral(p, {sigma_space = 1.5, sigma_range = 0.2 * unit}) end,
                function(p, unit) return rill.image.diffuse(p, {k = 0.2 * unit}) end,
            }
            for _, filter in ipairs(filters) do
                local want = filter(s, 1):values()
                for _, power in ipairs {-99, -60, 50} do
                    local unit = 2.0 ^ power -- which changes no digit
                    local got = filter((s * unit):eval(), unit):values()
                    for i, value in ipairs(got) do got[i] = value / unit end
                    check.equal(want, got, rill.device().traits.exact_division and 0 or 1e-6)
                end
            end
        end
        local edge = rill.from {{0, 0, 1e-30, 1e-30, 5e-30}}
        for _, narrow in ipairs {{sigma_space = 2, sigma_range = 1e-33}, {sigma_space = 1e-9, sigma_range = 1e30}} do
            for i, value in ipairs(rill.image.bilateral(edge, narrow):values()) do
                assert.near(edge:get(1, i), value, 1e-36)
            end
        end
    end)

    shortened(it, "bilateral, of every border and shape", function(whole)
        local o = {radius = 2, sigma_space = 1.3, sigma_range = 0.3}
        for _, shape in ipairs {{6, 7}, {1, 1}, {1, 4}, {3, 1}} do
            for _, modes in ipairs(pictures.borders) do
                assert_bilateral(pictures.random("float", shape), o, modes)
            end
        end
        assert_bilateral(pictures.random("vec3", {6, 7}), o)
        if not whole then return end
        assert_bilateral(pictures.random("vec4", {6, 7}), o, {"mirror"})
        o.radius = 9
        assert_bilateral(pictures.random("float", {12, 5}), o, {"wrap"})
    end)

    it("bilateral: radii, and the narrowest weights", function()
        local s = pictures.random("float", {9, 9})
        local named = rill.image.bilateral(s, {sigma_space = 0.6, sigma_range = 0.2, radius = 2})
        assert.is_true(named:bytes() == rill.image.bilateral(s, {sigma_space = 0.6, sigma_range = 0.2}):bytes())
        local r = rill.image.bilateral(s, {sigma_space = 1e-30, sigma_range = 1e-30, radius = 2})
        assert.is_true(s:bytes() == r:bytes())
        assert.is_true(s:bytes() == rill.image.bilateral(s, {sigma_space = 1, sigma_range = 1, radius = 0}):bytes())
        assert.equal("0x3", tostring(rill.image.bilateral(rill.stream("float", {0, 3}), {sigma_space = 1,
            sigma_range = 1, radius = 2}).shape))
    end)

    shortened(it, "diffuse, of every border and shape", function(whole)
        for _, conductance in ipairs {"exp", "quotient"} do
            for _, modes in ipairs(whole and pictures.borders or {{"clamp"}, {"wrap", "mirror"}, {0.25}}) do
                assert_diffused(pictures.random("float", {6, 7}), {k = 0.3, conductance = conductance}, modes)
                assert_diffused(pictures.random("float", {1, 5}), {k = 0.3, conductance = conductance}, modes)
            end
        end
        assert_diffused(pictures.random("float", {1, 1}), {k = 0.3})
        assert_diffused(pictures.random("vec3", {5, 4}), {k = 0.3, step = 0.25})
        if not whole then return end
        assert_diffused(pictures.random("vec4", {5, 4}), {k = 0.3, step = 0.25}, {"wrap"})
    end)

    it("diffuse keeps the mean, applies its options, and does not change its input", function()
        local s = pictures.random("float", {64, 50})
        local r = rill.image.diffuse(s, {k = 0.2, steps = 50})
        assert.is_true(math.abs(r:cast "double":mean() - s:cast "double":mean()) < 1e-6)
        assert.is_true(s:bytes() == rill.image.diffuse(s, {k = 0.2, steps = 0}):bytes())
        assert.is_true(s:bytes() == rill.image.diffuse(s, {k = 1e-30, steps = 2}):bytes())
        assert.equal("3x0", tostring(rill.image.diffuse(rill.stream("float", {3, 0}), {k = 1}).shape))
    end)

    it("raise errors that name the argument", function()
        local s = rill.stream("float", {3, 3})
        local expected = "expected a number above 0, at most "
        check.raises("rill.image.bilateral: option 'sigma_range' is missing: " .. expected, rill.image.bilateral, s,
            {sigma_space = 1})
        check.raises("rill.image.bilateral: option 'sigma_space': " .. expected .. "100000, got number 0",
            rill.image.bilateral, s, {sigma_space = 0, sigma_range = 1})
        check.raises("rill.image.bilateral: option 'radius': expected a whole number from 0 to 100, got number 1.5",
            rill.image.bilateral, s, {sigma_space = 1, sigma_range = 1, radius = 1.5})
        check.raises("rill.image.bilateral: unknown option 'sigma': expected radius, sigma_range, sigma_space",
            rill.image.bilateral, s, {sigma = 1})
        check.raises("rill.image.diffuse: option 'k' is missing", rill.image.diffuse, s)
        check.raises("rill.image.diffuse: option 'step': expected a number from 0 to 0.25, got number 0.3",
            rill.image.diffuse, s, {k = 1, step = 0.3})
        check.raises("rill.image.diffuse: option 'steps': expected a whole number from 0 to 1000000, got number %-1",
            rill.image.diffuse, s, {k = 1, steps = -1})
        check.raises("rill.image.diffuse: option 'conductance': expected \"exp\" or \"quotient\", got \"none\"",
            rill.image.diffuse, s, {k = 1, conductance = "none"})
    end)
end)

-- The expected numbers are from an independent computation in double precision.
describe("filters of camera.pgm:", function()
    local data, why = tempfiles.data()
    local it = data and it or function(name) pending(name .. ": " .. why) end
    local s
    leaks.watch(setup, function(compare)
        teardown(function()
            s = nil
            compare()
        end)
    end)
    setup(function() s = data and rill.image.load(data .. "/images/camera.pgm") end)

    -- u[x, y], 0-based.
    local function assert_near(u, mean, a, b, tolerance)
        for _, row in ipairs {{mean, u:mean()}, {a, u:get(101, 101)}, {b, u:get(257, 257)}} do
            assert.is_true(math.abs(row[1] - row[2]) < tolerance, ("%.9g, not %.9g"):format(row[2], row[1]))
        end
    end

    it("gaussian and bilateral #large", function()
        assert_near(rill.image.gaussian(s, 2), 0.5061183272, 0.831741386, 0.033706183, 1e-6)
        assert_near(rill.image.bilateral(s, {radius = 5, sigma_space = 2.5, sigma_range = 0.1}), 0.5059636243,
            0.831671773, 0.033596325, 1e-6)
    end)

    it("diffuse #large", function()
        for _, row in ipairs {
            {"exp", 0.1, 0.2, 20, 0.831527691, 0.033191042, 0.122897769},
            {"quotient", 0.1, 0.2, 20, 0.831527691, 0.033190955, 0.132728520},
            {"exp", 0.05, 0.25, 100, 0.831022125, 0.032371384, 0.118711019},
        } do
            local conductance, k, step, steps, a, b, c = table.unpack(row)
            local u = rill.image.diffuse(s, {k = k, step = step, steps = steps, conductance = conductance})
            assert_near(u, 0.506120494768, a, b, 1e-6)
            assert.is_true(math.abs(u:get(201, 301) - c) < 1e-5)
        end
    end)
end)

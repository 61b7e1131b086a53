--- Heat, compared with modes of the grid whose decay is known, and with steady states.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local function near(a, b, most, what)
    assert(math.abs(a - b) <= most, ("%s: %.9g, expected %.9g"):format(what or "", a, b))
end

describe("rill.heat", function()
    leaks.watch(setup, teardown)

    it("has pictures that do not depend on the unit of its values", function()
        local function picture(unit)
            local u = rill.stream("float", {6, 7}, function(i, j) return unit * (i * j % 5) end)
            return rill.heat({shape = {6, 7}, temperature = u}):picture():values()
        end
        local want = picture(1)
        for _, power in ipairs {-115, -60, 60, 120} do check.equal(want, picture(2.0 ^ power), 0) end
        check.equal(picture(0), rill.heat({shape = {6, 7}, temperature = 3}):picture():values(), 0)
    end)

    it("lets modes decay at their own rate, in one to three dimensions", function()
        for _, shape in ipairs {{33}, {12, 17}, {5, 7, 6}} do
            local spacing, rate = {}, 0
            for d, n in ipairs(shape) do
                spacing[d] = 0.5 + 0.25 * d
                rate = rate + (2 / spacing[d] * math.sin(math.pi / (2 * (n + 1)))) ^ 2
            end
            local start = rill.stream("float", shape, function(...)
                local z = 1
                for d, i in ipairs {...} do z = z * math.sin(math.pi * i / (shape[d] + 1)) end
                return z
            end)
            local h = rill.heat {shape = shape, spacing = spacing, diffusivity = 1.5, temperature = start, boundary = 0,
                substeps = 1}
            -- The method's own factor for a step of s stages: 1 - b + b P(1 - w rate dt), P being Legendre's polynomial of degree s.
            for _, dt in ipairs {0.3 * h.limit, 4 * h.limit, 30 * h.limit} do
                local ratio = dt / h.limit
                local s = math.max(3, math.ceil((math.sqrt(9 + 16 * ratio) - 1) / 2))
                local b, x = (s * s + s - 2) / (2 * s * (s + 1)), 1 - 4 / (s * s + s - 2) * 1.5 * rate * dt
                local p, q = x, 1
                for j = 2, s do p, q = ((2 * j - 1) * x * p - (j - 1) * q) / j, p end
                start = (start * (1 - b + b * p)):eval()
                h:step(dt)
                assert((h.temperature - start):map("abs(x)"):max() < 2e-6)
            end
            near(h.time, 34.3 * h.limit, 1e-9)
        end
    end)

    it("is of second order in time, whatever the number of stages of a part", function()
        local n, errors = 31, {}
        local rate = (2 * math.sin(math.pi / (2 * (n + 1)))) ^ 2
        for k = 1, 4 do
            local h = rill.heat {shape = {n}, boundary = 0, substeps = 1,
                temperature = rill.stream("float", n, function(i) return math.sin(math.pi * i / (n + 1)) end)}
            local steps = 2 ^ k // 1
            for _ = 1, steps do h:step(2 / rate / steps) end
            errors[k] = math.abs(h.temperature:get(16) - math.exp(-2))
        end
        assert(errors[2] / errors[3] > 3 and errors[3] / errors[4] > 3.4, table.concat(errors, " "))
    end)

    -- The reference is the sum of the modes of the grid in double precision, with insulated sides.
    it("is accurate in steps of any length", function()
        local rows <const>, columns <const>, modes = 24, 31, {}
        for _, n in ipairs {rows, columns} do
            modes[n] = {}
            for k = 0, n - 1 do
                local mode = {rate = (2 * math.sin(math.pi * k / (2 * n))) ^ 2}
                for i = 1, n do mode[i] = math.cos(math.pi * k * (i - 0.5) / n) * math.sqrt((k == 0 and 1 or 2) / n) end
                modes[n][k] = mode
            end
        end
        local function block(i, n) return i > n // 4 and i <= n // 2 and 1 or 0 end
        -- A block is the product of a function of rows and a function of columns, and so is its solution.
        local function along(n, t)
            local result = {}
            for i = 1, n do result[i] = 0 end
            for k = 0, n - 1 do
                local mode, weight = modes[n][k], 0
                for i = 1, n do weight = weight + mode[i] * block(i, n) end
                for i = 1, n do result[i] = result[i] + weight * math.exp(-mode.rate * t) * mode[i] end
            end
            return result
        end
        local start = rill.stream("float", {rows, columns}, function(i, j)
            return block(i, rows) * block(j, columns)
        end)
        local function error_of(dt, steps, substeps)
            local h <close> = rill.heat {shape = {rows, columns}, temperature = start, substeps = substeps}
            for _ = 1, steps do h:step(dt * h.limit) end
            local a, b, most = along(rows, h.time), along(columns, h.time), 0
            for i = 1, rows do
                for j = 1, columns do most = math.max(most, math.abs(h.temperature:get(i, j) - a[i] * b[j])) end
            end
            return most
        end
        for _, row in ipairs {{1, 8, 0.02}, {4, 1, 0.03}, {8, 1, 0.03}, {20, 1, 0.006}, {40, 1, 0.006}, {80, 1, 0.006},
            {400, 1, 0.006}, {80, 3, 0.006}} do
            local found = error_of(row[1], row[2])
            assert(found < row[3], ("%g limits: error %g"):format(row[1], found))
        end
        assert(error_of(80, 1, 1) > 0.1) -- one part halves the details only
        assert(error_of(80, 1, 80) < 0.001)
    end)

    it("is stable for steps a thousand times the limit", function()
        local start = rill.random({40, 50}, {seed = 3})
        local h = rill.heat {shape = {40, 50}, temperature = start}
        local sum, low, high = start:sum(), start:min(), start:max()
        for _ = 1, 14 do h:step(1000 * h.limit) end
        near(h.temperature:sum(), sum, 1e-4 * sum, "heat")
        assert(h.temperature:min() >= low and h.temperature:max() <= high)
        assert(h.temperature:max() - h.temperature:min() < 1e-3)
    end)

    it("comes to rest between fixed sides", function()
        local h = rill.heat {shape = {3, 9}, boundary = {"insulated", 2}, temperature = 7, source = 0.5}
        for _ = 1, 60 do h:step(10) end
        for j = 1, 9 do near(h.temperature:get(2, j), 2 + 0.25 * j * (10 - j), 1e-3, j) end
        local one <close> = rill.heat {shape = {1, 1, 1}, spacing = {1, 1, 0.5}, boundary = {1, "insulated", 4}}
        for _ = 1, 60 do one:step(2) end
        near(one.temperature:get(1, 1, 1), (1 + 4 * 4) / 5, 1e-5, "sides of different numbers")
    end)

    it("is periodic in periodic dimensions", function()
        local h = rill.heat {shape = {8}, boundary = "periodic", temperature = rill.stream("float", 8, function(i)
            return i == 1 and 1 or 0
        end)}
        h:step(0.2)
        near(h.temperature:get(8), h.temperature:get(2), 1e-7)
        near(h.temperature:sum(), 1, 1e-6)
    end)

    it("conducts across a periodic side by the diffusivity on both sides", function()
        local function run(shift)
            local function from(list)
                return rill.stream("float", 8, function(i) return list[(i - 1 + shift) % 8 + 1] end)
            end
            local h <close> = rill.heat {
                shape = {8}, boundary = "periodic", temperature = from {9, 0, 3, 0, 1, 0, 0, 5},
                diffusivity = from {0.1, 0.1, 4, 1, 2, 1, 3, 10},
            }
            for _ = 1, 5 do h:step(0.2) end
            return h.temperature:values(), h.temperature:sum()
        end
        local values, sum = run(0)
        near(sum, 18, 1e-4, "all heat")
        local turned = run(3)
        for i = 1, 8 do near(turned[i], values[(i + 2) % 8 + 1], 1e-5) end
    end)

    it("conducts by cells: an insulating layer keeps the heat in", function()
        local k = rill.stream("float", 30, function(i) return i == 15 and 1e-4 or 1 end)
        local h = rill.heat {shape = {30}, diffusivity = k, temperature = rill.stream("float", 30, function(i)
            return i < 15 and 1 or 0
        end)}
        for _ = 1, 10 do h:step(5) end
        near(h.temperature:sum(), 14, 1e-4)
        -- Half of a neighbor's conductance passes each face, as the mean has it: two faces of 1/2 in a row.
        local before = h.temperature:domain(1, 14):sum()
        assert(before < 14 and before > 5)
    end)

    it("prints, draws, closes", function()
        local h = rill.heat {shape = {6, 9}, temperature = rill.random({6, 9}, {seed = 1})}
        assert.equal("heat[6x9] at 0 s", tostring(h))
        assert.equal("heat", rill.type(h))
        local picture = h:picture()
        assert.same({"vec3", 6, 9}, {picture.type, table.unpack(picture.shape)})
        assert.same({1, 1, 1}, h:picture({min = -2, max = -1}):map("ceil(x)"):get(3, 3))
        h:close()
        check.names({"H:step", "closed"}, h.step, h)
        assert.equal("closed heat", tostring(h))
        check.names({"H:picture", "3 dimensions"}, function() rill.heat {shape = {4, 2, 2}}:picture() end)
    end)

    it("names invalid options", function()
        check.names({"rill.heat", "'shape' is missing"}, rill.heat, {dt = 1})
        check.names({"rill.heat", "'substeps'", "1 or more, or true"}, rill.heat, {shape = {2}, substeps = 0})
        check.names({"rill.heat", "'dt'", "seconds above 0"}, rill.heat, {shape = {2}, dt = 0})
        local two = {shape = {2}, diffusivity = rill.from {0, 1}}
        check.names({"rill.heat", "'diffusivity'", "the smallest is"}, rill.heat, two)
        two = {shape = {2}, boundary = "open"}
        check.names({"rill.heat", "'boundary'", "insulated", "or a number"}, rill.heat, two)
        check.names({"rill.heat", "'temperature'", "expected"}, rill.heat, {shape = {2}, temperature = "hot"})
        two = {shape = {2}, source = rill.from {1 / 0, 1}}
        check.names({"rill.heat", "'source'", "element 1 is inf"}, rill.heat, two)
        local h = rill.heat {shape = {2}}
        check.names({"H:step", "'dt'", "above 0"}, h.step, h, 0 / 0)
        check.names({"H:step", "1e+30 seconds need", "stages", "less than"}, h.step, h, 1e30)
        check.names({"rill.heat", "'spacing'", "1e-18 to 1e18"}, rill.heat, {shape = {2}, spacing = 1e-30})
        check.names({"H:step", "expected heat before the colon"}, h.step, {})
    end)
end)

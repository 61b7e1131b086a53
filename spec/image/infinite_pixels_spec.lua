-- Infinite and NaN pixels of weight 0 do not count in filters of rill.image.
local rill = require "rill"
local leaks = require "spec.support.leaks"
local LONG <const> = os.getenv "RILL_SUITE_LONG"

local image <const> = rill.image
local NAN <const>, INF <const> = 0 / 0, math.huge

local function as_float(x) return (("f"):unpack(("f"):pack(x))) end

-- Fails unless each value is as expected; NaN and infinities are compared by class.
local function assert_values(want, got, what, allowed)
    for i, v in ipairs(got:values()) do
        local good = v == want[i] or v ~= v and want[i] ~= want[i] or math.abs(v - want[i]) <= (allowed or 0)
        assert(good, ("%s: value %d: expected %s, got %s"):format(what, i, want[i], v))
    end
end

-- Returns the sums of a row by the weights that are not 0 as floats, from the neighbor at `first` on.
local function weighed(row, first, weights)
    local r = {}
    for i = 1, #row do
        local sum = 0
        for k, w in ipairs(weights) do
            if as_float(w) ~= 0 then
                sum = sum + w * row[math.max(1, math.min(#row, i + first + k - 1))]
            end
        end
        r[i] = sum
    end
    return r
end

describe("pixels of weight 0", function()
    leaks.watch(setup, teardown)

    local ROW <const> = {INF, 1, 2, 3, 5, 4, NAN, 5, 6, 7, 8, -INF, 10}

    it("do not count if an image is resized to its own size", function()
        for _, filter in ipairs {"nearest", "linear", "cubic", "area", "lanczos"} do
            assert_values(ROW, image.resize(rill.from {ROW}, {1, #ROW}, {filter = filter}), filter)
            local column = rill.from {ROW}:transpose()
            assert_values(ROW, image.resize(column, {#ROW, 1}, {filter = filter}), filter .. " of a column")
        end
    end)

    it("do not count if pixels of the result coincide with source pixels", function()
        for _, n in ipairs {1, 2, 3, 5, 7, 11, 24, 49, 60} do -- each third pixel in the middle of one
            local row = {}
            for j = 1, n do row[j] = j end
            row[n // 2 + 1] = INF
            for _, filter in ipairs {"linear", "cubic", "lanczos"} do
                local r = image.resize(rill.from {row}, {1, 3 * n}, {filter = filter})
                for j = 1, n do
                    assert.near(row[j], r:get(1, 3 * j - 1), 1e-5 * n, ("%s of %d, pixel %d"):format(filter, n, j))
                end
            end
        end
        for _, sizes in ipairs {{10, 7}, {49, 7}, {6, 4}, {1000, 3}} do -- what area does not cover
            local n <const>, m <const> = sizes[1], sizes[2]
            for i = 0, m - 1 do
                local first, last = i * n // m, ((i + 1) * n - 1) // m
                local row = {}
                for j = 0, n - 1 do row[j + 1] = j >= first and j <= last and 1 or NAN end
                assert.near(1, image.resize(rill.from {row}, {1, m}, {filter = "area"}):get(1, i + 1), 1e-5)
            end
        end
    end)

    it("do not count in sums with weights from Lua", function()
        local s = rill.from {ROW}
        for _, sigma in ipairs {0.2, LONG and 0, LONG and 0.02, LONG and 0.069} do
            local weights, total = {}, 0
            local radius <const> = math.ceil(3 * sigma)
            for k = -radius, radius do
                weights[#weights + 1] = k == 0 and 1 or math.exp(-0.5 * (k / sigma) ^ 2)
                total = total + weights[#weights]
            end
            for k, w in ipairs(weights) do weights[k] = w / total end
            assert_values(weighed(ROW, -radius, weights), image.gaussian(s, sigma), "sigma " .. sigma, 1e-5)
        end
        local long = {}
        for k = 1, 71 do long[k] = k % 4 == 0 and k % 3 - 1 or 0 end
        local wide = {}
        for j = 1, 200 do wide[j] = j % 31 == 0 and INF or j % 47 == 0 and NAN or j % 5 end
        for _, weights in ipairs {{0, 1, 0}, {1, 0, 0, 2}, {0, 0, 0}, long} do
            local n <const>, turned = #weights, {}
            for k, w in ipairs(weights) do turned[n + 1 - k] = w end
            for _, row in ipairs(n < 32 and {ROW, wide} or {wide}) do -- a narrow row's pixels have several weights each
                local want = weighed(row, n // 2 - (n - 1), turned)
                assert_values(want, image.separable(rill.from {row}, {1}, weights), n .. " weights", 1e-4)
                if n < 32 then
                    assert_values(want, image.convolve(rill.from {row}, {weights}), "convolve", 1e-4)
                    assert_values(weighed(row, -(n // 2), weights), image.correlate(rill.from {row}, {weights}),
                        "correlate", 1e-4)
                end
            end
        end
    end)

    it("do not count if they differ by infinity", function()
        local row <const>, plain <const> = {INF, 1, 2, 3, -INF, INF, 4, 6}, {0, 1, 2, 3, 0, 0, 4, 6}
        local options <const> = {sigma_space = 1, sigma_range = 2}
        local got = image.bilateral(rill.from {row}, options):values()
        for i, v in ipairs(row) do
            local sum, total = 0, 0
            for k = math.max(1, i - 3), math.min(#row, i + 3) do
                local copies = k == 1 and math.max(0, 4 - i) or k == #row and math.max(0, i + 3 - #row) or 0
                for c = 0, copies do
                    local d = k == 1 and k - i - c or k - i + c
                    local w = math.abs(row[k]) < INF and
                        math.exp(-d * d / 2 - (plain[k] - plain[i]) ^ 2 / 8) or 0
                    sum, total = sum + w * plain[k], total + w
                end
            end
            if math.abs(v) == INF then
                assert.equal(v, got[i])
            else
                assert.near(sum / total, got[i], 1e-5, "pixel " .. i)
            end
        end
        local colors = rill.from({{{INF, 1, 1}, {1, 2, 3}, {3, 2, 1}}}, "vec3")
        local pair = rill.from({{{1, 2, 3}, {3, 2, 1}}}, "vec3")
        local mixed = image.bilateral(colors, {sigma_space = 1, sigma_range = 1, radius = 1}):values()
        local alone = image.bilateral(pair, {sigma_space = 1, sigma_range = 1, radius = 1}):values()
        assert.same({INF, 1, 1}, {mixed[1], mixed[2], mixed[3]})
        for c = 1, 3 do assert.near(alone[3 + c], mixed[6 + c], 1e-6) end
        for i = 4, 9 do assert(mixed[i] < 3.1 and mixed[i] > 0.9) end
    end)

    it("do not flow", function()
        for _, conductance in ipairs {"exp", "quotient"} do
            local options <const> = {k = 2, steps = 9, conductance = conductance}
            local got = image.diffuse(rill.from {ROW}, options):values()
            local from = 1
            for i = 1, #ROW + 1 do
                local v = ROW[i] or INF
                if v ~= v or math.abs(v) == INF then
                    if i > from then -- the pixels between two of them diffuse like a separate image
                        local part = {table.unpack(ROW, from, i - 1)}
                        local want = image.diffuse(rill.from {part}, options):values()
                        for k, w in ipairs(want) do assert.near(w, got[from + k - 1], 1e-5) end
                    end
                    from = i + 1
                    if ROW[i] then assert(got[i] == v or got[i] ~= got[i] and v ~= v) end
                end
            end
            local colors = rill.from({{{INF, 1, NAN}, {1, 2, 3}}}, "vec3")
            local values = image.diffuse(colors, options):values()
            assert(values[1] == INF and values[3] ~= values[3] and values[4] == 1 and values[6] == 3)
            assert(values[2] > 1 and values[5] < 2)
        end
    end)
end)

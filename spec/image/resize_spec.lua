-- Compares rill.image.resize with sums in double precision.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local pictures = require "spec.support.pictures"
local shortened = require "spec.support.shortened"

local function sinc(x) return x == 0 and 1 or math.sin(math.pi * x) / (math.pi * x) end

local FILTERS <const> = {
    linear = {1, function(x) return 1 - math.abs(x) end},
    cubic = {2, function(x)
        x = math.abs(x)
        return x <= 1 and 1.5 * x ^ 3 - 2.5 * x ^ 2 + 1 or -0.5 * x ^ 3 + 2.5 * x ^ 2 - 4 * x + 2
    end},
    lanczos = {3, function(x) return sinc(x) * sinc(x / 3) end, true},
}

-- Returns the source pixels and weights of pixel i of m, made from n: {{index, weight}, ...}.
local function parts(filter, n, m, i)
    local list, scale = {}, n / m
    if filter == "nearest" then
        return {{math.floor((i + 0.5) * n / m), 1}}
    elseif filter == "area" then
        for j = 0, n - 1 do
            local w = math.min(j + 1, (i + 1) * scale) - math.max(j, i * scale)
            if w > 1e-9 then list[#list + 1] = {j, w / scale} end
        end
        return list
    end
    local reach, weight, stretched = table.unpack(FILTERS[filter])
    local center, stretch, total = (i + 0.5) * scale - 0.5, stretched and math.max(1, scale) or 1, 0
    for j = math.floor(center - reach * stretch), math.ceil(center + reach * stretch) do
        if math.abs(j - center) < reach * stretch then
            list[#list + 1] = {j, weight((j - center) / stretch)}
            total = total + list[#list][2]
        end
    end
    for _, part in ipairs(list) do part[2] = part[2] / total end
    return list
end

local function resized(at, shape, rows, columns, filter)
    return function(y, x, c)
        local sum = 0
        for _, down in ipairs(parts(filter, shape[1], rows, y)) do
            for _, across in ipairs(parts(filter, shape[2], columns, x)) do
                sum = sum + down[2] * across[2] * at(down[1], across[1], c)
            end
        end
        return sum
    end
end

local function assert_resized(s, rows, columns, filter, modes)
    local before, view = s:bytes(), modes and s:boundary(table.unpack(modes)) or s
    local r = rill.image.resize(view, {rows, columns}, {filter = filter})
    assert.equal(("%s %dx%d"):format(s.type, rows, columns), r.type .. " " .. tostring(r.shape))
    pictures.equal(resized(pictures.reader(s, modes), s.shape, rows, columns, filter), r, 2e-6)
    assert.is_true(before == s:bytes(), "the input unchanged")
end

local ALL <const> = {"nearest", "linear", "cubic", "area", "lanczos"}

describe("rill.image.resize", function()
    leaks.watch(setup, teardown)

    it("agrees with plain Lua for every filter, up and down, and for a single pixel", function()
        for _, filter in ipairs(ALL) do
            local s = pictures.random("float", {7, 10})
            for _, shape in ipairs {{7, 10}, {14, 20}, {5, 13}, {3, 4}, {1, 1}} do
                assert_resized(s, shape[1], shape[2], filter)
            end
            assert_resized(pictures.random("float", {1, 1}), 3, 2, filter)
        end
    end)

    shortened(it, "with every border, and of vectors", function(whole)
        for _, filter in ipairs(whole and ALL or {"cubic"}) do
            for _, modes in ipairs(pictures.borders) do
                if type(modes[1]) ~= "number" and type(modes[2]) ~= "number" then
                    assert_resized(pictures.random("float", {4, 5}), 6, 3, filter, modes)
                end
            end
            assert_resized(pictures.random("vec3", {4, 5}), 6, 3, filter)
        end
        if whole then
            assert_resized(pictures.random("vec4", {4, 5}), 6, 3, "area")
            assert_resized(pictures.random("float", {90, 100}), 3, 7, "lanczos")
        end
    end)

    it("handles more terms than a launch adds", function()
        local s = rill.stream("float", {1, 200000}, function(_, j) return j % 2 end)
        for _, filter in ipairs {"area", "lanczos"} do
            local r = rill.image.resize(s:boundary "wrap", {1, 2}, {filter = filter})
            check.equal({0.5, 0.5}, r:values(), 1e-4)
        end
    end)

    it("is linear by default, exact if the size does not change, and takes views", function()
        local s = pictures.random("float", {8, 6})
        assert.is_true(rill.image.resize(s, {5, 9}):bytes() ==
            rill.image.resize(s, {5, 9}, {filter = "linear"}):bytes())
        for _, filter in ipairs(ALL) do
            check.equal(s:values(), rill.image.resize(s, {8, 6}, {filter = filter}):values(), 1e-6)
        end
        local view = s:transpose():domain({2, 2}, {5, 7})
        assert.is_true(rill.image.resize(view, {3, 3}):bytes() == rill.image.resize(view:copy(), {3, 3}):bytes())
    end)

    it("handles empty images, and refuses invalid arguments", function()
        local s = rill.stream("float", {3, 3})
        assert.equal("0x4", tostring(rill.image.resize(s, {0, 4}).shape))
        check.raises("an image without pixels cannot be resized to 2 x 2", rill.image.resize,
            rill.stream("float", {0, 3}), {2, 2})
        local expected = "rill.image.resize: argument #2 'shape': expected {rows, columns}, got "
        check.raises(expected .. "{2}", rill.image.resize, s, {2})
        check.raises(expected .. "{2, %-1}", rill.image.resize, s, {2, -1})
        check.raises(expected .. "{2, 1.5}", rill.image.resize, s, {2, 1.5})
        check.raises(expected .. "number 3", rill.image.resize, s, 3)
        check.raises("option 'filter': expected \"nearest\", \"linear\", \"cubic\", \"area\" or \"lanczos\", " ..
            "got \"best\"", rill.image.resize, s, {2, 2}, {filter = "best"})
    end)
end)

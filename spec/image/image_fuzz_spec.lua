-- Compares image filters on random images, views, boundaries and radii with plain Lua in double precision.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local pictures = require "spec.support.pictures"
local shortened = require "spec.support.shortened"

local image <const> = rill.image
local NAN <const> = 0 / 0
local TYPES <const> = {"float", "float", "vec3", "vec4"}
local random <const> = math.random

local function one_of(list) return list[random(#list)] end

-- Returns a random view of an image, and a function at(y, x, component), 0-based, that reads it.
local function picture_of(type, most, with_nan)
    local rows, columns = random(most), random(most)
    local s = pictures.random(type, {rows + random(0, 3), columns + random(0, 3)}, random(1 << 20))
    if with_nan and type == "float" then
        for _ = 1, random(0, 3) do s:set(NAN, random(s.shape[1]), random(s.shape[2])) end
    end
    s = s:domain({s.shape[1] - rows + 1, s.shape[2] - columns + 1}, s.shape)
    s = random(4) == 1 and s:transpose() or random(4) == 1 and s:stride(2) or s
    local modes = one_of(pictures.borders)
    return s:boundary(table.unpack(modes)), pictures.reader(s, modes)
end

-- Returns the sum of w(dy, dx) times the pixel at that offset, for dy from -down to down and dx from -across to across.
local function weighed(at, down, across, w)
    return function(y, x, c)
        local sum = 0
        for dy = -down, down do
            for dx = -across, across do
                local weight = w(dy, dx)
                if weight ~= 0 then sum = sum + weight * at(y + dy, x + dx, c) end
            end
        end
        return sum
    end
end

local function gauss(sigma)
    local radius, w, total = math.ceil(3 * sigma), {}, 0
    for k = -radius, radius do
        w[k] = math.exp(-k * k / (2 * sigma * sigma))
        total = total + w[k]
    end
    for k = -radius, radius do w[k] = w[k] / total end
    return radius, w
end

local function before(a, b)
    return a == a and (b ~= b or a < b)
end

local function around(at, y, x, c, radius)
    local list = {}
    for dy = -radius, radius do
        for dx = -radius, radius do list[#list + 1] = at(y + dy, x + dx, c) end
    end
    return list
end

local FUZZ <const> = {}

function FUZZ.gaussian(type, most)
    local s, at = picture_of(type, most)
    local sigma = random() * 4 + 0.05
    local radius, w = gauss(sigma)
    local function weight(dy, dx) return w[dy] * w[dx] end
    pictures.equal(weighed(at, radius, radius, weight), image.gaussian(s, sigma), 1e-5)
end

function FUZZ.median(type, most)
    local s, at = picture_of(type, most, true)
    local radius = random(0, 4)
    pictures.equal(function(y, x, c)
        local list = around(at, y, x, c, radius)
        table.sort(list, before)
        return list[(#list + 1) // 2]
    end, image.median(s, radius), 0)
end

function FUZZ.morphology(type, most)
    local s, at = picture_of(type, most, true)
    local name, radius = one_of {"erode", "dilate"}, random(0, 5)
    pictures.equal(function(y, x, c)
        local best
        for _, v in ipairs(around(at, y, x, c, radius)) do
            if v ~= v then return NAN end
            if not best or name == "erode" and v < best or name == "dilate" and v > best then best = v end
        end
        return best
    end, image[name](s, radius), 0)
end

function FUZZ.correlate(type, most)
    local s, at = picture_of(type, most)
    local rows, name = {}, one_of {"correlate", "convolve"}
    local height, width = random(7), random(7)
    for j = 1, height do
        rows[j] = {}
        for i = 1, width do rows[j][i] = random() - 0.5 end
    end
    local way = name == "correlate" and 1 or -1
    pictures.equal(weighed(at, 7, 7, function(dy, dx)
        local row = rows[way * dy + height // 2 + 1]
        return row and row[way * dx + width // 2 + 1] or 0
    end), image[name](s, rows), 2e-5)
end

function FUZZ.sobel(_, most)
    local s, at = picture_of("float", most)
    local size, across, down = image.sobel(s)
    local function x_part(dy, dx) return math.abs(dy) <= 1 and math.abs(dx) <= 1 and dx * (2 - math.abs(dy)) or 0 end
    local gx, gy = weighed(at, 1, 1, x_part), weighed(at, 1, 1, function(dy, dx) return x_part(dx, dy) end)
    pictures.equal(gx, across, 1e-5)
    pictures.equal(gy, down, 1e-5)
    pictures.equal(function(y, x, c) return math.sqrt(gx(y, x, c) ^ 2 + gy(y, x, c) ^ 2) end, size, 2e-5)
end

function FUZZ.diffuse(_, most)
    local s, at = picture_of("float", most)
    local k = random() + 0.05
    local function flow(d) return d * math.exp(-(d / k) ^ 2) end
    pictures.equal(function(y, x, c)
        local v = at(y, x, c)
        return v + 0.2 * (flow(at(y, x + 1, c) - v) + flow(at(y, x - 1, c) - v) + flow(at(y + 1, x, c) - v) +
            flow(at(y - 1, x, c) - v))
    end, image.diffuse(s, {k = k, steps = 1}), 1e-5)
end

function FUZZ.bilateral(type, most)
    local s, at = picture_of(type, most)
    local radius, space, range = random(0, 3), random() * 2 + 0.2, random() + 0.1
    local n = pictures.components[type]
    pictures.equal(function(y, x, c)
        local sum, total = 0, 0
        for dy = -radius, radius do
            for dx = -radius, radius do
                local apart = 0
                for k = 0, n - 1 do apart = apart + (at(y + dy, x + dx, k) - at(y, x, k)) ^ 2 end
                local w = math.exp(-(dy * dy + dx * dx) / (2 * space * space) - apart / (2 * range * range))
                sum, total = sum + w * at(y + dy, x + dx, c), total + w
            end
        end
        return sum / total
    end, image.bilateral(s, {sigma_space = space, sigma_range = range, radius = radius}), 1e-5)
end

function FUZZ.integral(type, most)
    local s, at = picture_of(type, most)
    local sums = {}
    local function sum(y, x, c)
        if y < 0 or x < 0 then return 0 end
        local key = (y * 1000 + x) * 4 + c
        sums[key] = sums[key] or at(y, x, c) + sum(y - 1, x, c) + sum(y, x - 1, c) - sum(y - 1, x - 1, c)
        return sums[key]
    end
    pictures.equal(sum, image.integral(s), 1e-3)
end

function FUZZ.nearest(type, most)
    local s, at = picture_of(type, most)
    local rows, columns = random(most), random(most)
    pictures.equal(function(y, x, c)
        return at((2 * y + 1) * s.shape[1] // (2 * rows), (2 * x + 1) * s.shape[2] // (2 * columns), c)
    end, image.resize(s, {rows, columns}, {filter = "nearest"}), 1e-6)
end

-- ---- masks

local function mask_of(most)
    local s, at = picture_of("float", most, true)
    local t = random()
    return image.threshold(s, t), function(y, x) return at(y, x, 0) > t end
end

function FUZZ.distance(_, most)
    local mask, holds = mask_of(math.min(most, 24))
    local rows, columns = mask.shape[1], mask.shape[2]
    pictures.equal(function(y, x)
        local least = math.huge
        for j = 0, rows - 1 do
            for i = 0, columns - 1 do
                if not holds(j, i) then least = math.min(least, (y - j) ^ 2 + (x - i) ^ 2) end
            end
        end
        return math.sqrt(least)
    end, image.distance(mask), 1e-5)
end

function FUZZ.label(_, most)
    local mask, holds = mask_of(most)
    local rows, columns, labels, count = mask.shape[1], mask.shape[2], {}, 0
    local function flood(y, x)
        local open = {{y, x}}
        while #open > 0 do
            y, x = table.unpack(table.remove(open))
            local i = y * columns + x
            if y >= 0 and x >= 0 and y < rows and x < columns and holds(y, x) and not labels[i] then
                labels[i] = count
                for _, d in ipairs {{0, 1}, {0, -1}, {1, 0}, {-1, 0}} do open[#open + 1] = {y + d[1], x + d[2]} end
            end
        end
    end
    for i = 0, rows * columns - 1 do
        if not labels[i] and holds(i // columns, i % columns) then
            count = count + 1
            flood(i // columns, i % columns)
        end
    end
    local got, parts = image.label(mask)
    assert.equal(count, parts)
    for i, v in ipairs(got:values()) do
        if v ~= (labels[i - 1] or 0) then
            error(("pixel %d, from 0: expected %d, got %d"):format(i - 1, labels[i - 1] or 0, v))
        end
    end
end

-- ---- wrong arguments

local NONSENSE <const> = {NAN, -1, 1e300, "two", {}, true, print}

-- Each call either works or raises an error that names the function.
local function nonsense(s)
    for name, f in pairs(image) do
        for _, value in ipairs(name ~= "save" and name ~= "load" and NONSENSE or {}) do
            local good, message = pcall(f, s, value)
            if not good and not tostring(message):find("rill.image." .. name, 1, true) then
                error(("rill.image.%s(s, %s): %s"):format(name, tostring(value), message))
            end
        end
    end
end

describe("filters of random images", function()
    leaks.watch(setup, teardown)

    for name, fuzz in pairs(FUZZ) do
        shortened(it, "agree with plain Lua: " .. name, function(whole)
            math.randomseed(28)
            for case = 1, whole and 24 or 1 do
                local type = whole and one_of(TYPES) or "float"
                local good, message = pcall(fuzz, type, whole and (case % 3 == 0 and 70 or 20) or 9)
                if not good then error(("case %d, %s: %s"):format(case, type, message)) end
            end
        end)
    end

    it("name the function where arguments are nonsense", function()
        local s = pictures.random("float", {4, 5})
        nonsense(s)
    end)

    it("name the function where a mask holds vectors, and where a shape is too large", function()
        local s, mask = pictures.random("float", {4, 5}), rill.stream("vec3", {2, 2})
        check.names({"rill.image.erode: argument #2: expected a radius"}, image.erode, s, mask)
        check.names({"rill.image.distance: argument #1 'mask': expected a mask"}, image.distance, mask)
        check.names({"rill.image.resize: argument #2 'shape'", "more than"}, image.resize, s, {1 << 24, 1 << 24})
    end)
end)

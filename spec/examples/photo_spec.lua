local rill = require "rill"
local example = require "spec.support.example"
local leaks = require "spec.support.leaks"
local tempfiles = require "spec.support.tempfiles"
local photo = assert(loadfile "examples/photo.lua")("module")

-- The checksum of PNG and zlib.
local function crc32(bytes)
    local crc = 0xffffffff
    for i = 1, #bytes do
        crc = crc ~ bytes:byte(i)
        for _ = 1, 8 do
            crc = crc & 1 ~= 0 and crc >> 1 ~ 0xedb88320 or crc >> 1
        end
    end
    return ("%08x"):format(crc ~ 0xffffffff)
end

local red = rill.kernel "kernel void red(vec3 p<>, out float r<>) { r = p.x; }"
local to_byte = rill.kernel "kernel void to_byte(vec3 p<>, out uint r<>) { r = uint(round(255.0 * p.x)); }"

local function bytes(picture)
    return to_byte(picture, rill.stream("uint8", picture.shape)):bytes()
end

local function sum_of_bytes(text)
    local sum = 0
    for i = 1, #text do
        sum = sum + text:byte(i)
    end
    return sum
end

local function near(want, got, tolerance)
    assert.is_true(math.abs(got - want) <= tolerance, ("%.9g, not %.9g"):format(got, want))
end

-- A picture with three different channels and no smooth place, as a stream and as a function of row, column and channel from 0
-- that repeats the border.
local function noise(rows, columns)
    local values, state = {}, 12345
    for i = 1, rows * columns * 3 do
        state = (state * 1103515245 + 12345) % 2147483648
        values[i] = (state >> 16) % 64 / 63
    end
    return rill.stream("vec3", {rows, columns}, values), function(y, x, c)
        y, x = math.min(math.max(y, 0), rows - 1), math.min(math.max(x, 0), columns - 1)
        return values[(y * columns + x) * 3 + c + 1]
    end
end

-- Every value of `picture` is value(row, column, channel), all from 0.
local function matches(picture, value, tolerance)
    local columns = picture.shape[2]
    for k, got in ipairs(picture:values()) do
        local pixel = (k - 1) // 3
        near(value(pixel // columns, pixel % columns, (k - 1) % 3), got, tolerance)
    end
end

describe("the photo example", function()
    leaks.watch(setup, teardown)
    local rows, columns = 13, 21
    local picture, at = noise(rows, columns)

    it("counts levels of brightness", function()
        local bins = photo.histogram(picture)
        local want = {}
        for i = 1, 256 do want[i] = 0 end
        for y = 0, rows - 1 do
            for x = 0, columns - 1 do
                local level = 0.2126 * at(y, x, 0) + 0.7152 * at(y, x, 1) + 0.0722 * at(y, x, 2)
                local bin = math.floor(255 * level + 0.5) + 1
                want[bin] = want[bin] + 1
            end
        end
        assert.are.same(want, bins:values())
        assert.are.equal(rows * columns, bins:sum())
    end)

    it("draws them as bars, the fullest the highest", function()
        local bins = rill.stream("uint", 256)
        bins:set(100, 1):set(25, 129)
        local bars = photo.bars(bins, {100, 256})
        local function bright(y, x) return bars:get(y, x)[1] > 0.2 end
        assert.is_true(bright(5, 1) and not bright(4, 1))
        assert.is_true(bright(53, 129) and not bright(52, 129))
        assert.is_false(bright(100, 2))
    end)

    it("correlates and convolves", function()
        local w = {{1, 2, 3, 4, 5}, {-6, 7, 8, 9, -1}, {0.5, 0.25, 0, 1, 2}}
        local weights = rill.from(w)
        local function total(sign)
            return function(y, x, c)
                local sum = 0
                for j = 1, 3 do
                    for i = 1, 5 do
                        sum = sum + w[j][i] * at(y + sign * (j - 2), x + sign * (i - 3), c)
                    end
                end
                return sum
            end
        end
        matches(photo.correlate(picture, weights), total(1), 1e-5)
        matches(photo.convolve(picture, weights), total(-1), 1e-5)
    end)

    it("makes Gauss's weights", function()
        local weights = photo.gauss(2, 1)
        near(1, weights:sum(), 1e-6)
        near(math.exp(-2.5), weights:get(2, 1) / weights:get(3, 3), 1e-6)
        assert.are.equal(weights:get(1, 4), weights:get(5, 2))
    end)

    it("takes medians", function()
        for radius = 0, 2 do
            matches(photo.median(picture, radius), function(y, x, c)
                local list = {}
                for j = -radius, radius do
                    for i = -radius, radius do list[#list + 1] = at(y + j, x + i, c) end
                end
                table.sort(list)
                return list[#list // 2 + 1]
            end, 1e-7)
        end
    end)

    it("diffuses as Perona and Malik do", function()
        for law = 1, 2 do
            local function conduct(d)
                return d * (law == 1 and math.exp(-(d / 0.3) ^ 2) or 1 / (1 + (d / 0.3) ^ 2))
            end
            local function step(from)
                local memo = {}
                return function(y, x, c)
                    y, x = math.min(math.max(y, 0), rows - 1), math.min(math.max(x, 0), columns - 1)
                    local key = (y * columns + x) * 3 + c
                    if not memo[key] then
                        local here = from(y, x, c)
                        memo[key] = here + 0.2 * (conduct(from(y, x + 1, c) - here) + conduct(from(y, x - 1, c) - here)
                            + conduct(from(y + 1, x, c) - here) + conduct(from(y - 1, x, c) - here))
                    end
                    return memo[key]
                end
            end
            local before = picture:bytes()
            matches(photo.perona_malik(picture, 0.3, 0.2, 3, law), step(step(step(at))), 1e-5)
            assert.are.equal(before, picture:bytes())
        end
    end)

    it("smooths among near colours only", function()
        matches(photo.smoothen(picture, 1, 0.7), function(y, x, c)
            local sum, count = 0, 0
            for j = -1, 1 do
                for i = -1, 1 do
                    local apart = 0
                    for k = 0, 2 do apart = apart + (at(y + j, x + i, k) - at(y, x, k)) ^ 2 end
                    if math.sqrt(apart) < 0.7 then
                        sum, count = sum + at(y + j, x + i, c), count + 1
                    end
                end
            end
            return sum / count
        end, 1e-5)
        local halves = rill.stream("vec3", {8, 8}, function(_, j) local v = j > 4 and 1 or 0; return v, v, v end)
        assert.are.equal(halves:bytes(), photo.smoothen(halves, 3, 0.5):bytes())
    end)

    it("maps tones so that the brightest pixel is white and order is kept", function()
        local dim = rill.stream("vec3", {1, 32}, function(_, j) local v = j / 64; return v, v, v end)
        local tones = red(photo.tone(dim, 0.25)):values()
        near(1, tones[32], 1e-5)
        for i = 2, 32 do
            assert.is_true(tones[i] > tones[i - 1])
        end
        assert.is_true(tones[8] > 8 / 64)
    end)

    it("soils the share it is told", function()
        local gray = rill.stream("vec3", {200, 200}, {0.5, 0.5, 0.5})
        local values, counts = red(photo.soil(gray, 0.1)):values(), {}
        for _, value in ipairs(values) do counts[value] = (counts[value] or 0) + 1 end
        near(2000, counts[0], 300)
        near(2000, counts[1], 300)
        assert.are.equal(40000, counts[0] + counts[1] + counts[0.5])
    end)

    it("draws flat colours and ink", function()
        local halves = rill.stream("vec3", {16, 16}, function(_, j) local v = j > 8 and 0.9 or 0.1; return v, v, v end)
        local line = red(photo.cel(halves)):values({8, 1}, {8, 16})
        assert.are.equal(0, line[8])
        assert.are.equal(0, line[9])
        near(line[1], line[5], 1e-5)
        near(line[12], line[16], 1e-5)
        assert.is_true(line[16] > line[1] + 0.5)
    end)

    it("puts pictures on a sheet, large ones shrunk", function()
        local function plain(v) return rill.stream("vec3", {10, 20}, {v, v, v}) end
        local small = photo.fit(plain(0.5), 8)
        assert.are.same({4, 8}, {table.unpack(small.shape)})
        near(0.5, small:get(4, 8)[2], 1e-6)
        assert.are.same({10, 20}, {table.unpack(photo.fit(plain(1), 20).shape)})
        local sheet = photo.sheet({plain(0), plain(0.25), plain(0.5)}, 2)
        assert.are.same({38, 58}, {table.unpack(sheet.shape)})
        assert.are.equal(0, sheet:get(7, 7)[1])
        assert.are.equal(0.25, sheet:get(16, 52)[1])
        assert.are.equal(0.5, sheet:get(23, 26)[1])
        assert.is_true(sheet:get(30, 40)[1] > 0.9)
    end)

    describe("as a script #slow", function()
        local script
        setup(function() script = example.open() end)
        teardown(function() script:close() end)

        it("draws a contact sheet of a picture that is given", function()
            local given <close> = rill.stream("uint8", {40, 30}, function(i, j) return 6 * i // (1 + j % 3) end)
            rill.image.save(given, script:path "given.pgm")
            script:run("photo", script:path "given.pgm", script.directory)
            script:picture("photo.png", 3 * 46 + 6, 4 * 36 + 6)
            script:names "photo.png"
            script:says "40x30"
        end)

        it("draws one of its own #long", function()
            script:run("photo", nil, script.directory)
            script:picture("photo.png", 3 * 390 + 6, 4 * 518 + 6)
            script:names "photo.png"
        end)
    end)
end)

-- The numbers are those of an independent computation in double precision.
describe("the photo example on camera.png", function()
    local data, why = tempfiles.data()
    local it = data and it or function(name) pending(name .. ": " .. why) end
    local picture
    leaks.watch(setup, function(check)
        teardown(function()
            picture = nil
            check()
        end)
    end)

    setup(function()
        picture = data and photo.open(data .. "/images/camera.png")
    end)

    it("counts its levels", function()
        local h = photo.histogram(picture):values()
        assert.are.same({1, 700, 271, 4957}, {h[1], h[129], h[256], h[28]})
        local mode, median, below, entropy = 1, nil, 0, 0
        for i = 1, 256 do
            mode = h[i] > h[mode] and i or mode
            below = below + h[i]
            median = median or (below > 512 * 512 / 2 and i - 1) or nil
            local share = h[i] / (512 * 512)
            entropy = entropy - (share > 0 and share * math.log(share, 2) or 0)
        end
        assert.are.equal(27, mode - 1)
        assert.are.equal(152, median)
        near(7.231695, entropy, 1e-6)
    end)

    it("takes its medians #long", function()
        local three, five = bytes(photo.median(picture, 1)), bytes(photo.median(picture, 2))
        assert.are.same({33796852, "41e50617"}, {sum_of_bytes(three), crc32(three)})
        assert.are.same({33793341, "cf1ab9f8"}, {sum_of_bytes(five), crc32(five)})
    end)

    -- u[x, y], counted from 0.
    local function pixel(stream, x, y)
        return stream:get(y + 1, x + 1)
    end

    local function perona_malik(edge, rate, rounds, law, want)
        local u = red(photo.perona_malik(picture, edge, rate, rounds, law))
        near(0.506120494768, u:mean(), 1e-6)
        near(want.var, u:var(), 2e-6)
        near(want.min, u:min(), 1e-5)
        near(want.max, u:max(), 1e-5)
        near(want[1], pixel(u, 100, 100), 1e-5)
        near(want[2], pixel(u, 256, 256), 1e-5)
        near(want[3], pixel(u, 300, 200), 1e-5)
    end

    it("diffuses it as Perona and Malik do #large #long", function()
        perona_malik(0.1, 0.2, 20, 1, {var = 0.0815088602, min = 0.01369359, max = 0.98398179,
            0.831527691, 0.033191042, 0.122897769})
        perona_malik(0.1, 0.2, 20, 2, {var = 0.0794118799, min = 0.01369394, max = 0.96129436,
            0.831527691, 0.033190955, 0.132728520})
        perona_malik(0.05, 0.25, 100, 1, {var = 0.0817654057, min = 0.01664804, max = 0.97526028,
            0.831022125, 0.032371384, 0.118711019})
    end)

    it("convolves it with Gauss's weights #large", function()
        local u = red(photo.convolve(picture, photo.gauss(6, 2)))
        near(0.5061183272, u:mean(), 1e-6)
        near(0.831741386, pixel(u, 100, 100), 1e-6)
        near(0.033706183, pixel(u, 256, 256), 1e-6)
    end)
end)

local rill = require "rill"
local example = require "spec.support.example"
local leaks = require "spec.support.leaks"
local pictures = require "spec.support.pictures"
local tempfiles = require "spec.support.tempfiles"
local photo = assert(loadfile "examples/photo.lua")("module")

local function near(want, got, tolerance)
    assert.is_true(math.abs(got - want) <= tolerance, ("%.9g, not %.9g"):format(got, want))
end

local function red(picture)
    return picture.x:eval()
end

local function plain(rows, columns, v)
    return rill.stream("vec3", {rows, columns}, {v, v, v})
end

describe("the photo example", function()
    leaks.watch(setup, teardown)

    it("draws a histogram as bars, the fullest the highest", function()
        local picture = rill.concat({plain(1, 100, 0), plain(1, 25, 0.502)}, 2)
        local bars = photo.histogram(picture, {100, 256})
        local function bright(y, x) return bars:get(y, x)[1] > 0.2 end
        assert.is_true(bright(5, 1) and not bright(4, 1))
        assert.is_true(bright(53, 129) and not bright(52, 129))
        assert.is_false(bright(100, 2))
    end)

    it("computes the brightness of pixels", function()
        local s = pictures.random("vec3", {5, 6})
        local at = pictures.reader(s)
        pictures.equal(function(y, x)
            return 0.2126 * at(y, x, 0) + 0.7152 * at(y, x, 1) + 0.0722 * at(y, x, 2)
        end, photo.brightness(s), 1e-6)
    end)

    it("maps tones so that the brightest pixel is white and order is kept", function()
        local dim = rill.stream("vec3", {1, 32}, function(_, j) local v = j / 64; return v, v, v end)
        local tones = red(photo.tone(dim, 0.25)):values()
        near(1, tones[32], 1e-4)
        for i = 2, 32 do
            assert.is_true(tones[i] > tones[i - 1])
        end
        assert.is_true(tones[8] > 8 / 64)
    end)

    it("adds noise to the given share of pixels", function()
        local values, counts = red(photo.soil(plain(200, 200, 0.5), 0.1)):values(), {}
        for _, value in ipairs(values) do counts[value] = (counts[value] or 0) + 1 end
        near(2000, counts[0], 300)
        near(2000, counts[1], 300)
        assert.are.equal(40000, counts[0] + counts[1] + counts[0.5])
    end)

    it("draws flat colors and ink", function()
        local halves = rill.stream("vec3", {16, 16}, function(_, j) local v = j > 8 and 0.9 or 0.2; return v, v, v end)
        local line = red(photo.drawing(halves)):values({8, 1}, {8, 16})
        assert.is_true(line[8] < 0.1)
        near(line[1], line[5], 1e-5)
        near(line[12], line[16], 1e-5)
        assert.is_true(line[16] > line[1] + 0.5)
    end)

    it("puts images on a sheet and reduces large ones", function()
        local small = photo.fit(plain(10, 20, 0.5), 8)
        assert.are.same({4, 8}, {table.unpack(small.shape)})
        near(0.5, small:get(4, 8)[2], 1e-6)
        assert.are.same({10, 20}, {table.unpack(photo.fit(plain(10, 20, 1), 20).shape)})
        local sheet = photo.sheet({plain(10, 20, 0), plain(10, 20, 0.25), plain(10, 20, 0.5)}, 2)
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

        it("draws a contact sheet of a given image #long", function()
            local given <close> = rill.stream("uint8", {40, 30}, function(i, j) return 6 * i // (1 + j % 3) end)
            rill.image.save(given, script:path "given.pgm")
            script:run("photo", script:path "given.pgm", script.directory)
            script:picture("photo.png", 3 * 46 + 6, 4 * 36 + 6)
            script:names "photo.png"
            script:says "40x30"
        end)

        it("draws a contact sheet of the synthetic image #long", function()
            script:run("photo", nil, script.directory)
            script:picture("photo.png", 3 * 390 + 6, 4 * 518 + 6)
            script:names "photo.png"
        end)
    end)
end)

-- The expected numbers are from an independent computation in double precision.
describe("the levels of camera.png", function()
    local data, why = tempfiles.data()
    local it = data and it or function(name) pending(name .. ": " .. why) end
    leaks.watch(setup, teardown)

    it("are all counted", function()
        local picture = rill.image.load(data .. "/images/camera.png", "uint8")
        local h = picture:histogram({bins = 256, min = -0.5, max = 255.5}):values()
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
end)

-- Image filters close all temporary streams: after their results are closed, the number of live streams is as before.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local LONG <const> = os.getenv "RILL_SUITE_LONG"

local image <const> = rill.image
local GRID <const> = {{1, 0, 1, 1, 0, 1, 1}, {1, 1, 1, 0, 1, 0, 1}, {1, 1, 1, 1, 1, 1, 1}, {0, 1, 1, 1, 0, 0, 1},
    {1, 1, 0, 1, 1, 0, 1}, {1, 0, 1, 1, 0, 1, 1}}

-- The filters as f(picture, mask), with streams as shapes.
local CALLS <const> = {
    gaussian = function(s) return image.gaussian(s, 1) end,
    bilateral = function(s) return image.bilateral(s, {sigma_space = 1, sigma_range = 0.2}) end,
    diffuse = function(s) return image.diffuse(s, {k = 0.3, steps = 5}) end,
    ["diffuse, no step"] = function(s) return image.diffuse(s, {k = 0.3, steps = 0}) end,
    ["diffuse, one step"] = function(s) return image.diffuse(s, {k = 0.3, steps = 1}) end,
    median = function(s) return image.median(s, 1) end,
    ["median of radius 3"] = function(s) return image.median(s, 3) end,
    distance = function(_, mask) return image.distance(mask) end,
    label = function(_, mask) return (image.label(mask)) end,
    ["label of numbers"] = function(s) return (image.label(s)) end,
    threshold = function(s) return image.threshold(s, 0.5) end,
    equalize = function(s) return image.equalize(s) end,
    integral = function(s) return image.integral(s) end,
    segment = function(s)
        local region, report = image.segment(s, {seeds = {{3, 3}}, tolerance = 0.2, steps = 3})
        report.level:close()
        return region
    end,
    ["segment until it stands, seeds as a mask"] = function(s, mask)
        local region, report = image.segment(s, {seeds = mask, tolerance = 0.2, smooth = 0})
        report.level:close()
        return region
    end,
    convolve = function(s) return image.convolve(s, {{1, 2, 1}}) end,
    correlate = function(s) return image.correlate(s, {{1, 2, 1}}, {boundary = "zero"}) end,
    separable = function(s) return image.separable(s, {1, 2, 1}, {1, 2}) end,
    sobel = function(s) return image.sobel(s) end,
    canny = function(s) return image.canny(s) end,
    resize = function(s) return image.resize(s, {5, 9}) end,
    ["resize by lanczos"] = function(s) return image.resize(s, {5, 9}, {filter = "lanczos"}) end,
    tonemap = function(s) return image.tonemap(s) end,
    ["tonemap, linear"] = function(s) return image.tonemap(s, {operator = "linear"}) end,
    cel = function(s) return image.cel(s) end,
}
for _, name in ipairs {"erode", "dilate", "open", "close"} do
    CALLS[name .. " by a square"] = function(s) return image[name](s, 2) end
    CALLS[name .. " by a large square"] = function(s) return image[name](s, 17) end
    CALLS[name .. " by places"] = function(s) return image[name](s, {{1, 0}, {1, 1}}) end
    CALLS[name .. " by many places"] = function(s) return image[name](s, GRID) end
    CALLS[name .. " by a mask"] = function(s, mask) return image[name](s, mask) end
end

local function streams_left(call, s, mask)
    local before = rill.memory().streams
    for _, r in ipairs {call(s, mask)} do r:close() end
    return rill.memory().streams - before
end

describe("image filters", function()
    leaks.watch(setup, teardown)

    it("close all temporary streams", function()
        local s = rill.random({9, 11}, {seed = 3})
        local mask = s:gt(0.3):eval()
        local left = {}
        for _, picture in ipairs {s:boundary "mirror", LONG and s} do
            for name, call in pairs(CALLS) do
                call(picture, mask)
                check.collect()
                collectgarbage "stop"
                local good, count = pcall(streams_left, call, picture, mask)
                collectgarbage "restart"
                if not good or count ~= 0 then left[#left + 1] = name .. ": " .. tostring(count) end
            end
        end
        table.sort(left)
        assert.equal("", table.concat(left, "\n"))
    end)

    it("give nothing of nothing", function()
        for _, shape in ipairs {{0, 3}, {3, 0}, {0, 0}} do
            local s, mask = rill.stream("float", shape), rill.stream("bool", shape)
            local named <const> = tostring(s.shape)
            for name, call in pairs(CALLS) do
                if not name:find "^segment" and not name:find "^resize" and not name:find "by a mask" then
                    for _, r in ipairs {call(s, mask)} do assert.equal(named, tostring(r.shape), name) end
                end
            end
            assert.equal("0x7", tostring(image.resize(s, {0, 7}).shape))
            check.raises("cannot be resized to 2 x 2", image.resize, s, {2, 2})
            check.raises("expected an image with pixels, got shape " .. named, image.segment, s,
                {seeds = mask, tolerance = 1})
        end
    end)
end)

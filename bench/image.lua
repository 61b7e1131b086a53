-- rill.image against scipy.ndimage (one thread, as it does not use more) and OpenCV (all cores) on the same image of floats.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local SIDE <const>, SIGMA <const> = 2048, 2

-- Workloads, and for each peer the goal, as a factor of its time.
local WORKS <const> = {
    {"gaussian, sigma 2", "gaussian", function(s) return rill.image.gaussian(s, SIGMA) end,
        goals = {scipy = 1.5}, tolerance = 1e-5},
    {"median 3 x 3", "median", function(s) return rill.image.median(s, 1) end, goals = {scipy = 5}, rounds = 3},
    {"label, blobs", "label", function(_, mask) return (rill.image.label(mask)) end, goals = {scipy = 1}},
    {"distance, blobs", "distance", function(_, mask) return rill.image.distance(mask) end, goals = {scipy = 1},
        tolerance = 1e-6},
}
local SCIPY_ONLY <const> = {label = true, distance = true}

-- A mask of blobs: where a smooth image is bright.
local function blobs(picture)
    local smooth = rill.image.gaussian(picture, SIGMA)
    return smooth, rill.image.threshold(smooth, 0.5)
end

local function against(library, picture)
    local peer <close>, missing = pipe.python("peer_image.py", library)
    if not peer then return {support.note("images, " .. library, missing)} end
    local smooth, mask = blobs(picture)
    peer:give("picture", picture)
    peer:give("smooth", smooth)
    local cases = {}
    for _, work in ipairs(WORKS) do
        local of = SCIPY_ONLY[work[2]] and "_smooth" or "_picture"
        if library == "scipy" or not SCIPY_ONLY[work[2]] then
            cases[#cases + 1] = {
                ("%s, %d^2"):format(work[1], SIDE), work[2] .. of, work.goals[library],
                function() return work[3](picture, mask) end, tolerance = work.tolerance, rounds = work.rounds,
            }
        end
    end
    return pipe.rows(peer, peer.what, cases)
end

-- Cost of filters over the size of the image, in nanoseconds per pixel.
local GROWTH <const> = {
    {"gaussian 2", WORKS[1][3]},
    {"gaussian 20", function(s) return rill.image.gaussian(s, 20) end},
    {"bilateral, radius 5", function(s)
        return rill.image.bilateral(s, {sigma_space = 2.5, sigma_range = 0.1, radius = 5})
    end},
    {"segment, 10 + 32 steps", function(s)
        local region, report = rill.image.segment(s, {seeds = {{9, 9}}, tolerance = 0.05, steps = 32})
        report.level:close()
        return region
    end},
    {"diffuse, a step", function(s) return rill.image.diffuse(s, {k = 0.1, steps = 1}) end},
    {"sobel", function(s)
        local size, across, down = rill.image.sobel(s)
        across:close()
        down:close()
        return size
    end},
    {"canny", rill.image.canny},
    {"median, radius 1", function(s) return rill.image.median(s, 1) end},
    {"median, radius 2", function(s) return rill.image.median(s, 2) end},
    {"median, radius 3", function(s) return rill.image.median(s, 3) end},
    {"distance", function(s) return rill.image.distance(s:gt(0.5)) end},
    {"label", function(s) return (rill.image.label(s:gt(0.5))) end},
    {"equalize", rill.image.equalize},
    {"integral", rill.image.integral},
    {"open, radius 3", function(s) return rill.image.open(s, 3) end},
    {"half as large, area", function(s)
        return rill.image.resize(s, {s.shape[1] // 2, s.shape[2] // 2}, {filter = "area"})
    end},
}
local SIDES <const> = {512, 1024, 2048, 4096}

local function growth()
    local lines = {{"ns per pixel"}}
    for _, side in ipairs(SIDES) do
        table.insert(lines[1], ("%d^2"):format(side))
    end
    for i, row in ipairs(GROWTH) do
        lines[i + 1] = {row[1]}
    end
    for _, side in ipairs(SIDES) do
        local s <close> = rill.image.gaussian(rill.random({side, side}, {seed = 1}), 3)
        for i, row in ipairs(GROWTH) do
            local seconds = support.least(3, function()
                return support.timed(function() row[2](s):close() end, 1)
            end)[1]
            table.insert(lines[i + 1], seconds * 1e9 / side ^ 2)
        end
    end
    return support.table("rill's cost over size", lines, "%.1f")
end

return function()
    local picture, rows = rill.random({SIDE, SIDE}, {seed = 7}), {}
    for _, library in ipairs {"scipy", "opencv"} do
        local more = against(library, picture)
        table.move(more, 1, #more, #rows + 1, rows)
    end
    rows[#rows + 1] = growth()
    return rows
end

-- The table of Glift's section 6.4 again: adaptive shadow maps (examples/shadow.lua) of pages of 8^2 to 64^2 texels, beside a plain map of
-- 2048^2. Lookups are their speed as a share of the plain map's: at the level of the page that is there (L), at the nearest level
-- of a mipmap (LMN), and between two of them (LML). A frame moves the camera or the light, refines until nothing is asked for, and looks up.
local rill = require "rill"
local support = require "bench.support"

local shadow = assert(loadfile(support.folder .. "/../examples/shadow.lua"))("module")

local side <const>, rounds <const>, frames <const> = 512, 7, 3
local light <const> = {1.6, 1.5, 0.9}

local function camera(frame) return {0.9 + 0.01 * frame, 0.75, 1.5}, {0, 0.2, 0}, 1.6 end

local function seconds(run) return support.timed(run, 1) end

-- Seconds of a frame whose `move` comes first, and the share of them that compaction of requests takes.
local function frame_rate(map, move)
    local compaction = 0
    local total = seconds(function()
        for frame = 1, frames do
            move(frame)
            local rounds_taken = map:refine()
            map:lookup()
            compaction = compaction + rounds_taken * seconds(function() map:request(map:lookup()) end)
        end
    end)
    -- What was measured beside the frames was work of its own.
    return frames / (total - compaction), compaction / total
end

local function measure(page)
    local map = shadow.create(side, page)
    map:move_light(light)
    map:move_camera(camera(0))
    local _, asked = map:refine()
    local _, flat, texel = map:plain(2048)
    local plain, own = support.race(rounds, function()
        return seconds(function() map:look(flat, texel) end)
    end, function()
        return seconds(function() map:lookup() end)
    end)
    local pages, bytes = map.map.pages.mapped, map.map.nbytes
    local wrong = shadow.mismatch(map:lookup(), map:cast())
    map.map:mipmap()
    local nearest, smooth = support.race(rounds, function()
        return seconds(function() map:lookup(shadow.passes.nearest_adaptive) end)
    end, function()
        return seconds(function() map:lookup(shadow.passes.smooth_adaptive) end)
    end)
    local moving, share = frame_rate(map, function(frame) map:move_camera(camera(frame)) end)
    local turning = frame_rate(map, function(frame)
        map:move_light {light[1], light[2], light[3] + 0.02 * frame}
        map:place()
    end)
    return {("%d^2"):format(page), plain / own, plain / nearest, plain / smooth, moving, turning, share, asked[1],
            pages, bytes / 2 ^ 20, 100 * wrong}
end

return function()
    rill.sync()
    local lines = {{"pages", "L", "LMN", "LML", "camera, 1/s", "light, 1/s", "compaction", "requests", "pages", "MiB",
                    "wrong, %"}}
    for _, page in ipairs {8, 16, 32, 64} do lines[#lines + 1] = measure(page) end
    return {support.table("Adaptive shadow maps, 131,072^2 effective, 512^2 pixels", lines, "%.2f")}
end

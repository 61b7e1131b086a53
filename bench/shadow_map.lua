-- Reproduces the table of Glift's section 6.4: adaptive shadow maps (examples/shadow.lua) of pages of 8^2 to 64^2 texels, compared with a plain map of 2048^2, at
-- 512^2 pixels. Lookups are at the level of the existing page (L), at the nearest level of a mipmap (LMN), and between two levels (LML). Both maps use the same
-- kernel text, with the same four taps. The table has the plain map's time divided by the other's: of the lookups alone, whose kernel reads a pixel's position
-- and slope and writes its light, and of a shaded image, in which a pixel's triangle is projected into the light's view, looked up and shaded. A frame moves
-- the camera or the light, refines until there are no requests, looks up and shades.
local rill = require "rill"
local support = require "bench.support"

local shadow = assert(loadfile(support.folder .. "/../examples/shadow.lua"))("module")
local passes = shadow.passes

local side <const>, texels <const>, rounds <const>, frames <const> = 512, 2048, 9, 6
local light <const> = {1.6, 1.5, 0.9}

local function move_camera(map, frame) map:move_camera({0.9 + 0.01 * frame, 0.75, 1.5}, {0, 0.2, 0}, 1.6) end
local function move_light(map, frame) map:move_light {light[1], light[2], light[3] + 0.02 * frame} end

local function make(page)
    local map = shadow.create(side, page)
    move_light(map, 0)
    move_camera(map, 0)
    return map, map:refine()
end

local function seconds(run) return function() return support.timed(run, 3) end end

-- Returns the plain map's time divided by that of each type of lookup: alone, and in a shaded image.
local function lookups(map)
    local flat, texel = map:plain(texels)
    local out <close> = rill.stream("float", {side, side})
    local ways = {{flat, texel, nil, out}, {map.map, 1, nil, out}, {map.map, 1, passes.lookup_nearest, out},
                  {map.map, 1, passes.lookup_smooth, out}}
    local contenders = {}
    for i, way in ipairs(ways) do
        contenders[i] = seconds(function() map:lookup(table.unpack(way, 1, 4)) end)
        contenders[4 + i] = seconds(function()
            map:place()
            map:picture(map:lookup(table.unpack(way, 1, 4)))
        end)
    end
    map.map:mipmap "nearest"
    local t = support.least(rounds, table.unpack(contenders))
    flat:close()
    return {t[1] / t[2], t[1] / t[3], t[1] / t[4], t[5] / t[6], t[5] / t[7], t[5] / t[8]}
end

-- Returns frames per second, the shares of their parts, and the requests of their rounds.
local function frame_rate(map, move)
    local parts, last, begin, asked = {}, nil, nil, {}
    function map.lap(_, part)
        rill.sync()
        local now = rill.clock()
        parts[part], last = (parts[part] or 0) + now - last, now
    end
    for frame = 0, frames do
        if frame == 1 then
            rill.sync()
            parts, begin = {}, rill.clock()
        end
        last = rill.clock()
        move(map, frame)
        map:lap "moving"
        for round, count in ipairs(map:refine()) do asked[round] = math.max(asked[round] or 0, count) end
        map:picture(map:lookup())
        map:lap "shading"
    end
    local total = rill.clock() - begin
    map.lap = nil
    for part, time in pairs(parts) do parts[part] = time / total end
    return frames / total, parts, table.concat(asked, " ")
end

-- Returns the bytes of pages and of their tables: a container of doubles needs twice the memory for pages only.
local copies = rill.kernel "kernel void copies(float x<>, out float a<>, out double b<>) { a = x; b = x; }"
local function memory(map)
    local a, b = copies(map.map)
    local pages, tables = b.nbytes - a.nbytes, 2 * a.nbytes - b.nbytes
    a:close()
    b:close()
    return pages, tables
end

local parts <const> = {"moving", "lookups", "analysis", "compaction", "pages", "drawing", "shading"}

local function measure(page)
    local map, asked = make(page)
    local pages, tables = memory(map)
    local name, mib = ("%d^2"):format(page), 2.0 ^ 20
    local mapped, all, wrong = map.map.pages.mapped, map.map.nbytes, 100 * shadow.mismatch(map:lookup(), map:cast())
    local line = {name, table.unpack(lookups(map))}
    local camera, shares, camera_asked = frame_rate(map, move_camera)
    local turning, turning_shares, turning_asked = frame_rate(map, move_light)
    for _, cell in ipairs {camera, turning, wrong} do line[#line + 1] = cell end
    local function share_line(what, rate, of)
        local cells = {name .. ", " .. what, 1000 / rate}
        for _, part in ipairs(parts) do cells[#cells + 1] = 100 * (of[part] or 0) end
        return cells
    end
    return line, {share_line("camera", camera, shares), share_line("light", turning, turning_shares)},
        {name, table.concat(asked, " "), camera_asked, turning_asked, mapped, pages / mib, tables / mib, all / mib}
end

return function()
    local lines = {{"pages", "L", "LMN", "LML", "shaded L", "LMN", "LML", "camera, 1/s", "light, 1/s", "wrong, %"}}
    local shares = {{"a frame", "ms", "moving, %", "lookups", "analysis", "compaction", "pages", "drawing", "shading"}}
    local sizes = {{"pages", "requests", "camera, most", "light, most", "pages", "MiB", "tables, MiB", "all, MiB"}}
    for _, page in ipairs {8, 16, 32, 64} do
        local line, two, size = measure(page)
        lines[#lines + 1], sizes[#sizes + 1] = line, size
        table.move(two, 1, 2, #shares + 1, shares)
    end
    return {support.table("Adaptive shadow maps, 131,072^2: lookups relative to the plain map, frames", lines, "%.2f"),
            support.table("Parts of a frame", shares, "%.1f"),
            support.table("Requests of each round, and memory", sizes, "%.2f")}
end

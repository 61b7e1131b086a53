-- A user-defined page allocator: a few lines of Lua keep pages that are close in the plane close in memory.
--
--     lua5.4 examples/allocator.lua [pages across]        32
local rill = require "rill"

local across = ...
across = assert(math.tointeger(tonumber(across or 32)), "pages across: expected a whole number")
local page <const> = 8

-- Returns the index in Morton order, which interleaves the bits of x and y.
local function morton(x, y)
    local at = 0
    for bit = 0, 15 do
        at = at | (x >> bit & 1) << 2 * bit | (y >> bit & 1) << 2 * bit + 1
    end
    return at
end

-- Returns a table of the frame of each page, and an allocator that follows `policy` and records the frames in the table.
local function recorded(policy)
    local frames = {}
    return frames, function(pages, suggested)
        local chosen = policy and policy(pages, suggested) or suggested
        for i, p in ipairs(pages) do frames[p[2] * across + p[1]] = chosen[i] end
        return chosen
    end
end

-- Returns the share of adjacent pairs of pages whose frames are at most 8 apart.
local function near(frames)
    local sum, count = 0, 0
    for at, frame in pairs(frames) do
        for _, other in ipairs {at % across < across - 1 and at + 1 or -1, at + across} do
            if frames[other] then
                sum, count = sum + (math.abs(frame - frames[other]) <= 8 and 1 or 0), count + 1
            end
        end
    end
    return sum / count
end

-- Writes along a random walk over the plane until half of the pages are mapped.
local function wander(c)
    local seed, x, y, side = 12345, across // 2, across // 2, across * page
    while c.pages.mapped < across * across // 2 do
        seed = seed * 1103515245 + 12345 & 0x7fffffff
        local turn = seed >> 16 & 3
        x = (x + (turn == 0 and 1 or turn == 1 and -1 or 0)) % across
        y = (y + (turn == 2 and 1 or turn == 3 and -1 or 0)) % across
        c:set(1, math.min(side, y * page + 1), math.min(side, x * page + 1))
    end
end

local function try(name, policy)
    local frames, allocator = recorded(policy)
    local c <close> = rill.sparse("float", {across * page, across * page}, {page = {page, page}, allocator = allocator})
    wander(c)
    print(("%-34s %3.0f %% of neighbors are near, %4d KiB"):format(name, 100 * near(frames), c.nbytes // 1024))
end

try "in order of first use"
try("row by row", function(pages, frames)
    for i, p in ipairs(pages) do frames[i] = p[2] * across + p[1] end
    return frames
end)
try("in Morton order", function(pages, frames)
    for i, p in ipairs(pages) do frames[i] = morton(p[1], p[2]) end
    return frames
end)

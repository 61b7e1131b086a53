-- Values for the snippet vertex_ring, which sorts the neighbors of a vertex in registers.
local network = require "rill.glsl.snippets.sorting_network"

local vertex_ring = {}

local WIDTHS <const> = {8, 12, 16}
local values = {}

local function values_of(width)
    local corners, slots = {}, {}
    for n = 0, width - 1 do corners[n + 1] = {n = n, next = 2 * n + 1, previous = 2 * n + 2} end
    for n = 1, 2 * width do slots[n] = {n = n, before = n - 1, after = n + 1, second = n + 2} end
    return {ring_corners = corners, ring_slots = slots, ring_exchanges = network.exchanges(2 * width),
        ring_end = 2 * width + 1, ring_second = 2 * width + 2}
end

--- vertex_ring.values(corners) returns the values of the snippet for vertices of at most `corners` corners, or nil if
-- there are more than 16. ring_slots: a row for each neighbor, with the index `n` of near and side, and the indices
-- before, after, and second after it.
function vertex_ring.values(corners)
    local width
    for i = #WIDTHS, 1, -1 do width = corners <= WIDTHS[i] and WIDTHS[i] or width end
    if width and not values[width] then values[width] = values_of(width) end
    return values[width]
end

return vertex_ring

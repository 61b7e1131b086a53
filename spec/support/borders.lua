-- Boundaries in plain Lua: by mode, the index within 0 .. n - 1 that index i is mapped to, or nil if a constant
-- value is used outside, which is also the result for modes that are not in the table.
local borders = {
    clamp = function(i, n) return math.max(0, math.min(n - 1, i)) end,
    wrap = function(i, n) return i % n end,
    mirror = function(i, n)
        i = i % (2 * n)
        return i < n and i or 2 * n - 1 - i
    end,
}

--- borders.place(mode, i, n): the same for any mode, including numbers.
function borders.place(mode, i, n)
    if i >= 0 and i < n then return i end
    return borders[mode] and borders[mode](i, n)
end

return borders

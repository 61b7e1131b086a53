-- What is read outside of a stream, in plain Lua: by mode, the place within 0 .. n - 1 that place i stands for; nil where a value stands outside,
-- as it does of modes that are not here.
local borders = {
    clamp = function(i, n) return math.max(0, math.min(n - 1, i)) end,
    wrap = function(i, n) return i % n end,
    mirror = function(i, n)
        i = i % (2 * n)
        return i < n and i or 2 * n - 1 - i
    end,
}

--- borders.place(mode, i, n): the same of any mode, a number among them.
function borders.place(mode, i, n)
    if i >= 0 and i < n then return i end
    return borders[mode] and borders[mode](i, n)
end

return borders

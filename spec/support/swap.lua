-- The options of a user-defined translator that swaps two coordinates, with some options replaced or added.
return function(options)
    local result = {
        rank = 2, to = 2, glsl = "ivec2 translate(ivec2 v) { return v.yx; } ivec2 inverse(ivec2 p) { return p.yx; }",
        cpu = function(x, y) return y, x end,
    }
    for name, value in pairs(options or {}) do
        result[name] = value
    end
    return result
end

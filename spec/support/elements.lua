-- All types of streams, with elements that are stored exactly.
local elements = {}

-- name -> the scalar in memory (the letter of string.pack, if there is one) and the number of components
elements.types = {
    float = {"f", 1}, vec2 = {"f", 2}, vec3 = {"f", 3}, vec4 = {"f", 4},
    double = {"d", 1}, dvec2 = {"d", 2}, dvec3 = {"d", 3}, dvec4 = {"d", 4},
    int = {"i4", 1}, ivec2 = {"i4", 2}, ivec3 = {"i4", 3}, ivec4 = {"i4", 4},
    uint = {"I4", 1}, uvec2 = {"I4", 2}, uvec3 = {"I4", 3}, uvec4 = {"I4", 4},
    half = {"half", 1}, half2 = {"half", 2}, half4 = {"half", 4},
    unorm8 = {"unorm", 1}, unorm8x4 = {"unorm", 4},
    int8 = {"i1", 1}, int16 = {"i2", 1}, uint8 = {"I1", 1}, uint16 = {"I2", 1}, bool = {"bool", 1},
}

elements.names = {}
for name in pairs(elements.types) do
    elements.names[#elements.names + 1] = name
end
table.sort(elements.names)

-- Returns the k-th of a sequence of numbers (or booleans) that the scalar represents exactly.
function elements.component(scalar, k)
    if scalar == "unorm" then
        return string.unpack("<f", string.pack("<f", k * 37 % 256 / 255))
    elseif scalar == "bool" then
        return k % 3 == 0
    elseif scalar == "f" or scalar == "d" or scalar == "half" then
        return k % 200 * 0.5 - 20
    elseif scalar:sub(1, 1) == "i" then
        return k % 100 - 50
    end
    return k % 120
end

-- Returns `count` elements of a type: a list of elements, and the flat list of their components.
function elements.list(name, count)
    local scalar, components = table.unpack(elements.types[name])
    local list, flat = {}, {}
    for i = 1, count do
        local element = {}
        for c = 1, components do
            element[c] = elements.component(scalar, i * components + c)
            flat[#flat + 1] = element[c]
        end
        list[i] = element
        if components == 1 then
            list[i] = element[1]
        end
    end
    return list, flat
end

-- Returns the elements as packed in memory, or nil for a scalar that string.pack does not support.
function elements.pack(name, flat)
    local scalar = elements.types[name][1]
    if scalar == "half" or scalar == "unorm" or scalar == "bool" then
        return nil
    end
    local parts = {}
    for i, number in ipairs(flat) do
        parts[i] = string.pack("<" .. scalar, number)
    end
    return table.concat(parts)
end

return elements

-- Random data for primitives: values of each type, sizes at the limits of blocks, shapes, streams and predicates.
local draw = require "fuzz.support.draw"
local source = require "fuzz.support.source"

local inf, nan = math.huge, 0 / 0

-- Returns the value that an element of a type has when it is read.
local ranges = {
    int = {-2147483648, 2147483647}, uint = {0, 4294967295}, int8 = {-128, 127}, uint8 = {0, 255}, int16 = {-32768,
        32767},
    uint16 = {0, 65535},
}
local seen_as = {int8 = "int", int16 = "int", uint8 = "uint", uint16 = "uint", half = "float", unorm8 = "float"}
local function as(type) return seen_as[type] or type end
local function is_real(type) return as(type) == "float" or type == "double" end

local specials = {float = {nan, inf, -inf, -0.0, 0.0}, double = {nan, inf, -inf, -0.0, 0.0, 1.0 + 2.0 ^ -52},
    half = {nan, inf, -0.0, 65504.0}}

-- Returns a generator of values of a type. `small`: whole numbers of at most two digits, so that sums are exact.
local function values_of(d, type, small)
    local kind = d:below(5)
    local range = ranges[type]
    return function()
        if type == "bool" then
            return d:chance(1, 2)
        elseif type == "unorm8" then
            return string.unpack("<f", string.pack("<f", d:below(256) / 255))
        elseif range then
            local low = range[1] < 0
            if kind == 4 and not small and d:chance(1, 2) then
                return d:pick {range[2], range[1], range[2] - 1, range[1] + 1, range[2] // 2 + 1}
            elseif kind == 3 and not small then
                return d:int(range[1], range[2])
            end
            local v = d:below(kind == 0 and 4 or 50)
            return low and d:chance(1, 3) and -v or v
        end
        if kind == 4 and not small and d:chance(1, 3) then
            return d:pick(specials[type])
        end
        local v = d:below(kind == 0 and 4 or 50)
        return (d:chance(1, 3) and -v or v) + 0.0
    end
end

local edges = {127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2047, 2049, 4095, 4097, 16385, 65537}

local function size(d, most)
    if d:chance(1, 5) then
        return math.min(d:pick(edges), most or 5000, draw.most)
    end
    return d:weighted {{8, d:int(0, 40)}, {2, d:int(1, 300)}}
end

local function shape_of(d, rank, most)
    if rank == 1 then
        return {size(d, most)}
    end
    local shape = {}
    for k = 1, rank do
        local room = draw.most // source.size(shape) -- three long axes would need too much memory
        shape[k] = math.min(room, d:chance(1, 12) and math.min(d:pick(edges), 600) or d:int(1, rank == 2 and 12 or 5))
    end
    return shape
end

local function stream(d, name, type, shape, small)
    return source.stream(d, name, type, shape, values_of(d, type, small), {rounds = source.size(shape) > 1000 and 1
        or 2})
end

local all_types = {"int", "float", "uint", "double", "half", "bool", "int8", "uint8", "int16", "uint16", "unorm8"}

return {
    ranges = ranges, as = as, is_real = is_real, values_of = values_of, size = size,
    shape_of = shape_of, stream = stream, all_types = all_types,
}

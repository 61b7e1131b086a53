-- Small images and references in plain Lua, in double precision.
local rill = require "rill"
local borders = require "spec.support.borders"

local pictures = {}

--- Returns the number of components of a type.
local COMPONENTS <const> = {float = 1, vec3 = 3, vec4 = 4}
pictures.components = COMPONENTS

--- Arguments of s:boundary to test.
pictures.borders = {{"clamp"}, {"wrap"}, {"mirror"}, {"zero"}, {0.25}, {"wrap", "mirror"}, {"clamp", -1.5}}

--- Returns an image of random numbers from 0 to 1.
function pictures.random(type, shape, seed)
    local n = COMPONENTS[type]
    local values = rill.random(shape[1] * shape[2] * n, {seed = seed or 1}):values()
    return rill.stream(type, shape, values)
end

--- Returns a function of row, column and component (0-based) that reads an image. `modes`, the arguments of
--- s:boundary, apply outside of it.
function pictures.reader(s, modes)
    local values, rows, columns, n = s:values(), s.shape[1], s.shape[2], COMPONENTS[s.type]
    local down, across = modes and modes[1] or "clamp", modes and modes[#modes] or "clamp"
    local value = type(down) == "number" and down or type(across) == "number" and across or 0
    return function(y, x, c)
        y, x = borders.place(down, y, rows), borders.place(across, x, columns)
        return y and x and values[(y * columns + x) * n + c + 1] or value
    end
end

--- Fails unless each component of `s` is f(row, column, component), 0-based, within a tolerance. NaN must match NaN.
function pictures.equal(f, s, tolerance)
    local columns, n, k = s.shape[2], COMPONENTS[s.type], 0
    for _, got in ipairs(s:values()) do
        local y, x, c = k // n // columns, k // n % columns, k % n
        local want = f(y, x, c)
        if not (math.abs(got - want) <= tolerance or got == want or got ~= got and want ~= want) then
            error(("row %d, column %d, component %d, from 0: expected %.9g, got %.9g"):format(y, x, c, want, got), 2)
        end
        k = k + 1
    end
end

local TABLE <const> = {}
for i = 0, 255 do
    local crc = i
    for _ = 1, 8 do crc = crc & 1 ~= 0 and crc >> 1 ~ 0xedb88320 or crc >> 1 end
    TABLE[i] = crc
end

--- Returns the checksum of PNG and zlib, CRC-32.
function pictures.crc32(bytes)
    local crc = 0xffffffff
    for i = 1, #bytes do
        crc = crc >> 8 ~ TABLE[(crc ~ bytes:byte(i)) & 255]
    end
    return crc ~ 0xffffffff
end

return pictures
